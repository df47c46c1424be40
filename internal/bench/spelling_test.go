package bench

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSpelling(t *testing.T) {
	const many = 20_000
	for _, seed := range []uint64{0, 1, math.MaxUint64} {
		s := spelling{seed}
		seen := make(map[string]bool, 2*many)
		for i := range many {
			for _, name := range []string{s.name(i), s.missing(i)} {
				if len(name) != nameLength || !utf8.ValidString(name) || strings.ContainsAny(name, `/\:*?"<>|`) {
					t.Fatalf("file %d is called %q", i, name)
				}
				if folded := strings.ToLower(name); seen[folded] {
					t.Fatalf("there is a second %q", name)
				} else {
					seen[folded] = true
				}
			}
		}
	}
	if a, b := (spelling{1}).name(5), (spelling{2}).name(5); a == b {
		t.Errorf("two seeds call file 5 %q", a)
	}
	if a, b := (spelling{1}).name(5), (spelling{1}).name(5); a != b {
		t.Errorf("file 5 is called %q and %q", a, b)
	}
}

func TestOtherCase(t *testing.T) {
	for name, want := range map[string]string{"IMG_1.jpg": "img_1.JPG", "Ab 1": "aB 1"} {
		if got := otherCase(name); got != want {
			t.Errorf("otherCase(%q) = %q, want %q", name, got, want)
		}
	}
}
