package link_test

import (
	"slices"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/discovery/link"
)

func TestLimit(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	l := link.Limit{Rate: 2, Burst: 3}
	for i, tt := range []struct {
		after time.Duration
		want  bool
	}{
		{0, true}, {0, true}, {0, true}, {0, false},
		{400 * time.Millisecond, false}, {100 * time.Millisecond, true}, {0, false},
		{time.Hour, true}, {0, true}, {0, true}, {0, false},
		{-time.Minute, false}, // a clock set back gives nothing
	} {
		now = now.Add(tt.after)
		if got := l.Allow(now); got != tt.want {
			t.Errorf("%d: Allow = %v", i, got)
		}
	}
}

func TestEarlier(t *testing.T) {
	a, none := time.Unix(1, 0), time.Time{}
	b := a.Add(1)
	for _, tt := range []struct{ a, b, want time.Time }{{a, b, a}, {b, a, a}, {none, b, b}, {a, none, a}, {none, none, none}} {
		if got := link.Earlier(tt.a, tt.b); !got.Equal(tt.want) {
			t.Errorf("Earlier(%v, %v) = %v", tt.a, tt.b, got)
		}
	}
}

func TestSorted(t *testing.T) {
	a, b, c := link.ID{Index: 1}, link.ID{Index: 1, V6: true}, link.ID{Index: 2}
	if got := link.Sorted(map[link.ID]int{c: 0, a: 0, b: 0}); !slices.Equal(got, []link.ID{a, b, c}) {
		t.Errorf("Sorted = %v", got)
	}
}
