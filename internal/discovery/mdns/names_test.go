package mdns

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestLabels(t *testing.T) {
	long := strings.Repeat("a", 70)
	for _, tt := range []struct{ name, host, instance string }{
		{"nas", "nas", "nas"},
		{"NAS", "nas", "NAS"},
		{"Anna's NAS 2.0", "anna-s-nas-2-0", "Anna's NAS 2-0"},
		{"蔵", "dozo", "蔵"},
		{"", "dozo", "dozo"},
		{"--", "dozo", "--"},
		{"localhost", "dozo", "localhost"},
		{" a\x00b\xff ", "a-b", "ab"},
		{long, long[:63], long[:63]},
		{long[:62] + "-x", long[:62], long[:62] + "-"},
		{long[:62] + "é", long[:62], long[:62]},
	} {
		if got := HostLabel(tt.name); got != tt.host {
			t.Errorf("HostLabel(%q) = %q, want %q", tt.name, got, tt.host)
		}
		if got := InstanceLabel(tt.name); got != tt.instance {
			t.Errorf("InstanceLabel(%q) = %q, want %q", tt.name, got, tt.instance)
		}
	}
}

func TestNextNames(t *testing.T) {
	long := strings.Repeat("a", 63)
	for _, tt := range []struct{ name, next string }{
		{"nas", "nas-2"}, {"nas-2", "nas-3"}, {"nas-9", "nas-10"}, {"nas-1", "nas-1-2"}, {"nas-02", "nas-02-2"},
		{"a-b", "a-b-2"}, {long, long[:61] + "-2"}, {long[:61] + "-9", long[:60] + "-10"},
	} {
		if got := nextHost(tt.name); got != tt.next {
			t.Errorf("nextHost(%q) = %q, want %q", tt.name, got, tt.next)
		}
	}
	for _, tt := range []struct{ name, next string }{
		{"NAS", "NAS (2)"}, {"NAS (2)", "NAS (3)"}, {"NAS (1)", "NAS (1) (2)"}, {"NAS (x)", "NAS (x) (2)"}, {"(2)", "(2) (2)"},
		{long, long[:59] + " (2)"}, {long[:58] + "é", long[:58] + " (2)"},
	} {
		if got := nextInstance(tt.name); got != tt.next {
			t.Errorf("nextInstance(%q) = %q, want %q", tt.name, got, tt.next)
		}
	}
}

func FuzzLabels(f *testing.F) {
	f.Add("NAS")
	f.Add(strings.Repeat("é", 40))
	f.Fuzz(func(t *testing.T, name string) {
		host, instance := HostLabel(name), InstanceLabel(name)
		for range 12 {
			if len(host) == 0 || len(host) > maxLabel || len(instance) == 0 || len(instance) > maxLabel ||
				strings.Contains(host+instance, ".") || !utf8.ValidString(instance) {
				t.Fatalf("labels of %q: %q, %q", name, host, instance)
			}
			before, old := host, instance
			if host, instance = nextHost(host), nextInstance(instance); host == before || instance == old {
				t.Fatalf("no other name after %q, %q", before, old)
			}
		}
	})
}
