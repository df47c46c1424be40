package smbwire_test

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/hexdump"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

var stringTests = []struct {
	name  string
	text  string
	utf16 string
}{
	{"empty", "", ""},
	{"ascii", `a\B.txt`, "6100 5c00 4200 2e00 7400 7800 7400"},
	{"two bytes", "é", "e900"},
	{"three bytes", "土蔵", "1f57 3585"},
	{"the last before the surrogates", "\ud7ff", "ffd7"},
	{"private use", "\uf022", "22f0"},
	{"a pair", "😀", "3dd8 00de"},
	{"the last character", "\U0010ffff", "ffdb ffdf"},
	{"a lone high surrogate", "\xed\xa0\xbd", "3dd8"},
	{"a lone low surrogate", "\xed\xb8\x80", "00de"},
	{"a high surrogate before a letter", "\xed\xa0\xbdx", "3dd8 7800"},
	{"halves in the wrong order", "\xed\xb8\x80\xed\xa0\xbd", "00de 3dd8"},
	{"a high surrogate before a pair", "\xed\xa0\xbd😀", "3dd8 3dd8 00de"},
	{"NUL", "a\x00b", "6100 0000 6200"},
}

func TestStrings(t *testing.T) {
	for _, tt := range stringTests {
		t.Run(tt.name, func(t *testing.T) {
			wire := hexdump.Bytes(t, tt.utf16)
			if got := smbwire.DecodeUTF16(wire); got != tt.text {
				t.Errorf("DecodeUTF16 = %q, want %q", got, tt.text)
			}
			if got := smbwire.AppendUTF16([]byte("before"), tt.text); !bytes.Equal(got, append([]byte("before"), wire...)) {
				t.Errorf("AppendUTF16 = % x, want % x", got[6:], wire)
			}
			if got := smbwire.UTF16Size(tt.text); got != len(wire) {
				t.Errorf("UTF16Size = %d, want %d", got, len(wire))
			}
			w := cursor.NewWriter(nil)
			w.U8(1)
			smbwire.WriteUTF16(w, tt.text)
			if got := w.Message()[1:]; !bytes.Equal(got, wire) {
				t.Errorf("WriteUTF16 = % x, want % x", got, wire)
			}
		})
	}
}

func TestBrokenUTF8BecomesReplacementCharacters(t *testing.T) {
	for _, text := range []string{"\xff", "\xc3", "\xed", "\xed\xa0", "\xed\xa0\xc0", "\xf5\x80\x80\x80"} {
		wire := smbwire.AppendUTF16(nil, text)
		got := smbwire.DecodeUTF16(wire)
		if got == text || got != strings.Repeat("\ufffd", len(text)) && utf8.ValidString(text) {
			t.Errorf("%q comes back as %q", text, got)
		}
		if smbwire.UTF16Size(text) != len(wire) {
			t.Errorf("UTF16Size(%q) = %d, want %d", text, smbwire.UTF16Size(text), len(wire))
		}
	}
}

// FuzzUTF16 checks that every string of UTF-16 units has a form in Go.
func FuzzUTF16(f *testing.F) {
	for _, tt := range stringTests {
		f.Add(hexdump.Bytes(f, tt.utf16))
	}
	f.Fuzz(func(t *testing.T, wire []byte) {
		wire = wire[:len(wire)/2*2]
		text := smbwire.DecodeUTF16(wire)
		if got := smbwire.AppendUTF16(nil, text); !bytes.Equal(got, wire) {
			t.Errorf("% x became %q and then % x", wire, text, got)
		}
		if got := smbwire.UTF16Size(text); got != len(wire) {
			t.Errorf("UTF16Size(%q) = %d, want %d", text, got, len(wire))
		}
	})
}

func TestStringsAllocateLittle(t *testing.T) {
	name := `Fotos\2024\Überführung 😀.jpeg`
	wire := smbwire.AppendUTF16(nil, name)
	w := cursor.NewWriter(make([]byte, 0, 4096))
	if n := testing.AllocsPerRun(100, func() { w.Truncate(0); smbwire.WriteUTF16(w, name) }); n != 0 {
		t.Errorf("WriteUTF16 allocates %v times", n)
	}
	if n := testing.AllocsPerRun(100, func() { _ = smbwire.DecodeUTF16(wire) }); n > 1 {
		t.Errorf("DecodeUTF16 allocates %v times", n)
	}
}

func TestFileTime(t *testing.T) {
	for _, tt := range []struct {
		name  string
		ticks smbwire.FileTime
		time  time.Time
	}{
		{"none", 0, time.Time{}},
		{"the beginning of Unix time", 116444736000000000, time.Unix(0, 0)},
		{"one tick", 116444736000000001, time.Unix(0, 100)},
		{"before Unix time", 116444735999999999, time.Unix(-1, 999999900)},
		{"the first tick", 1, time.Date(1601, 1, 1, 0, 0, 0, 100, time.UTC)},
		{"a day in 2024", 133485408000000000, time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)},
		{"the last second", 9223372036854775000 / 10000000 * 10000000, time.Date(30828, 9, 14, 2, 48, 5, 0, time.UTC)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.ticks.Time(); !got.Equal(tt.time) {
				t.Errorf("Time = %v, want %v", got, tt.time)
			}
			if tt.name == "the last second" {
				return
			}
			if got := smbwire.FileTimeOf(tt.time); got != tt.ticks {
				t.Errorf("FileTimeOf = %d, want %d", got, tt.ticks)
			}
		})
	}
	for _, outside := range []time.Time{time.Date(1600, 12, 31, 23, 59, 59, 0, time.UTC), time.Date(40000, 1, 1, 0, 0, 0, 0, time.UTC)} {
		if got := smbwire.FileTimeOf(outside); got != 0 {
			t.Errorf("FileTimeOf(%v) = %d, want 0", outside, got)
		}
	}
	if got := smbwire.FileTimeOf(time.Unix(0, 199)); got != 116444736000000001 {
		t.Errorf("199 ns are cut to %d ticks", got-116444736000000000)
	}
	if got := smbwire.FileTime(1<<64 - 1).Time(); got.Year() < 30000 {
		t.Errorf("the greatest FileTime is in %d", got.Year())
	}
}
