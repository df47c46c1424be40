package afpwire_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

// TestSteps walks the paths of "Designating a Path to a CNode".
func TestSteps(t *testing.T) {
	const up = afpwire.Parent
	for _, tt := range []struct {
		name string
		path string
		want []string
	}{
		{"the folder itself", "", nil},
		{"a child", "a", []string{"a"}},
		{"a grandchild", "a\x00b", []string{"a", "b"}},
		{"a separator at the start", "\x00a", []string{"a"}},
		{"a separator at the end", "a\x00", []string{"a"}},
		{"only a separator", "\x00", nil},
		{"the parent", "\x00\x00", []string{up}},
		{"the parent's parent", "\x00\x00\x00", []string{up, up}},
		{"a sibling", "\x00\x00a", []string{up, "a"}},
		{"down and up", "a\x00\x00b", []string{"a", up, "b"}},
		{"down and up twice", "a\x00\x00\x00b", []string{"a", up, up, "b"}},
		{"down and up at the end", "a\x00\x00", []string{"a", up}},
		{"a colon is a letter", "a:b", []string{"a:b"}},
	} {
		p := afpwire.Path{Type: afpwire.UTF8Names, Name: tt.path}
		if got := slices.Collect(p.Steps()); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		for n := range tt.want {
			for range p.Steps() {
				if n--; n < 0 {
					break
				}
			}
		}
	}
}

func TestMacRoman(t *testing.T) {
	for _, tt := range []struct {
		text, roman string
		ok          bool
	}{
		{"", "", true},
		{"Readme", "Readme", true},
		{"Café", "Caf\x8e", true},
		{"10 €", "10 \xdb", true},
		{"\uf8ff", "\xf0", true}, // the apple
		{"a/b:c", "a/b:c", true},
		{"e\u0301", "e?", false}, // decomposed
		{"土蔵", "??", false},
	} {
		roman, ok := afpwire.ToMacRoman(tt.text)
		if roman != tt.roman || ok != tt.ok {
			t.Errorf("ToMacRoman(%q) = %q, %v, want %q, %v", tt.text, roman, ok, tt.roman, tt.ok)
		}
		if back := afpwire.FromMacRoman(roman); ok && back != tt.text {
			t.Errorf("FromMacRoman(%q) = %q, want %q", roman, back, tt.text)
		}
	}
	for b := range 256 {
		one := string([]byte{byte(b)})
		if back, ok := afpwire.ToMacRoman(afpwire.FromMacRoman(one)); back != one || !ok {
			t.Errorf("%#x comes back as %q, %v", b, back, ok)
		}
	}
}

func TestDates(t *testing.T) {
	for _, tt := range []struct {
		time time.Time
		date afpwire.Date
		back time.Time
	}{
		{time.Time{}, afpwire.NoDate, time.Time{}},
		{time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), 0, time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)},
		{time.Date(1999, 12, 31, 23, 59, 59, 0, time.UTC), -1, time.Date(1999, 12, 31, 23, 59, 59, 0, time.UTC)},
		{time.Unix(946684800+5, 999), 5, time.Unix(946684800+5, 0)},
		{time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC), math.MinInt32 + 1, time.Unix(946684800-math.MaxInt32, 0)},
		{time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC), math.MaxInt32, time.Unix(946684800+math.MaxInt32, 0)},
	} {
		if got := afpwire.DateOf(tt.time); got != tt.date {
			t.Errorf("DateOf(%v) = %d, want %d", tt.time, got, tt.date)
		}
		if got := tt.date.Time(); !got.Equal(tt.back) {
			t.Errorf("Date(%d) = %v, want %v", tt.date, got, tt.back)
		}
	}
}

// TestLongTextIsCut keeps frames whole whatever is in a field.
func TestLongTextIsCut(t *testing.T) {
	long := strings.Repeat("x", 70000)
	for _, tt := range []struct {
		m    message
		size int
	}{
		{&afpwire.GetCommentReply{Comment: long}, 256},
		{&afpwire.MapIDReply{Function: afpwire.UserIDToUTF8Name, Name: long}, 2 + 65535},
		{&afpwire.DeleteRequest{Path: afpwire.LongPath(long)}, 8 + 2 + 255},
		{&afpwire.DeleteRequest{Path: afpwire.UTF8Path(long)}, 8 + 7 + 65535},
		{&afpwire.ServerInfo{UAMs: make([]string, 300)}, 20 + 1 + 1 + 256 + 1 + 1},
	} {
		if got := len(encode(tt.m)); got != tt.size {
			t.Errorf("%T has %d bytes, want %d", tt.m, got, tt.size)
		}
	}
}
