package lock

import (
	"math/rand/v2"
	"testing"
)

func TestRequest(t *testing.T) {
	tests := []struct {
		name          string
		held          Oplock // by another open
		want          Oplock
		alone, ranges bool
		granted       Oplock
	}{
		{"batch alone", None, Batch, true, false, Batch},
		{"exclusive alone", None, Exclusive, true, false, Exclusive},
		{"level II alone", None, LevelII, true, false, LevelII},
		{"none", None, None, true, false, None},
		{"batch beside an open without", None, Batch, false, false, LevelII},
		{"batch beside level II", LevelII, Batch, false, false, LevelII},
		{"level II beside level II", LevelII, LevelII, false, false, LevelII},
		{"level II with ranges locked", None, LevelII, false, true, None},
		{"batch with ranges locked", None, Batch, false, true, None},
		{"level II beside batch", Batch, LevelII, false, false, None}, // an open for attributes
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var s Oplocks
			var other, h Holder
			s.Request(&other, tt.held, true, false)
			if got := s.Request(&h, tt.want, tt.alone, tt.ranges); got != tt.granted || h.Level() != got {
				t.Errorf("granted %v, holds %v, want %v", got, h.Level(), tt.granted)
			}
		})
	}
}

func TestBreakOfBatch(t *testing.T) {
	tests := []struct {
		name     string
		to, kept Oplock
		ok       bool
		left     Oplock
	}{
		{"to level II", LevelII, LevelII, true, LevelII},
		{"to level II, gives up all", LevelII, None, true, None},
		{"to level II, keeps more", LevelII, Batch, false, Batch},
		{"to none", None, None, true, None},
		{"to none, keeps level II", None, LevelII, false, Batch},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var s Oplocks
			var h Holder
			s.Request(&h, Batch, true, false)
			var told []*Holder
			tell := func(h *Holder) { told = append(told, h) }
			for range 3 { // who comes next waits, too, and nobody is told twice
				if !s.Break(tt.to, nil, tell) {
					t.Fatal("no need to wait")
				}
			}
			if len(told) != 1 || told[0] != &h || !h.Breaking() || !s.Breaking() {
				t.Fatalf("told %v, breaking %v", told, h.Breaking())
			}
			if got := s.Acknowledge(&h, tt.kept); got != tt.ok {
				t.Fatalf("Acknowledge = %v", got)
			}
			if h.Level() != tt.left || s.Top() != tt.left || h.Breaking() == tt.ok {
				t.Errorf("holds %v, top %v, breaking %v", h.Level(), s.Top(), h.Breaking())
			}
			if tt.ok && s.Acknowledge(&h, None) {
				t.Error("acknowledged twice")
			}
		})
	}
}

func TestBreakOfLevelII(t *testing.T) {
	var s Oplocks
	holders := make([]Holder, 3)
	for i := range holders {
		s.Request(&holders[i], LevelII, i == 0, false)
	}
	told := map[*Holder]int{}
	tell := func(h *Holder) { told[h]++ }
	if s.Break(LevelII, nil, tell) || len(told) != 0 {
		t.Error("a break to level II troubles level II")
	}
	s.Release(&holders[1])
	// The writer's own goes as well, without an answer.
	if s.Break(None, &holders[0], tell) {
		t.Error("waiting for level II")
	}
	if len(told) != 2 || told[&holders[0]] != 1 || told[&holders[2]] != 1 {
		t.Errorf("told %v", told)
	}
	for i := range holders {
		if got := holders[i].Level(); got != None {
			t.Errorf("holder %d still has %v", i, got)
		}
		if s.Acknowledge(&holders[i], None) {
			t.Error("a break of level II wants no answer")
		}
	}
}

func TestOwnExclusiveIsNotBroken(t *testing.T) {
	var s Oplocks
	var h Holder
	s.Request(&h, Exclusive, true, false)
	if s.Break(None, &h, func(*Holder) { t.Error("told") }) || h.Level() != Exclusive {
		t.Error("a holder broke its own oplock")
	}
}

// TestOplockInvariants does everything in any order. At each moment an
// exclusive oplock is the only one, and who was told to give up has.
func TestOplockInvariants(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 3))
	for range 300 {
		var s Oplocks
		open := map[*Holder]bool{}
		any := func() *Holder {
			for h := range open {
				return h
			}
			return nil
		}
		for step := range 60 {
			switch random.IntN(5) {
			case 0: // an open: break what is in its way, then ask
				if s.Break(LevelII, nil, func(h *Holder) {
					if h.Level() < Exclusive {
						t.Fatalf("seed %d: %v was told", seed, h.Level())
					}
				}) {
					break
				}
				h := new(Holder)
				open[h] = true
				s.Request(h, Oplock(random.IntN(4)), len(open) == 1, random.IntN(4) == 0)
			case 1: // a write
				if h := any(); h != nil && !s.Break(None, h, func(h *Holder) {}) && s.Top() == LevelII {
					t.Fatalf("seed %d, step %d: level II survived a write", seed, step)
				}
			case 2: // an answer
				if h := any(); h != nil {
					was := h.Breaking()
					if s.Acknowledge(h, Oplock(random.IntN(2))) && !was {
						t.Fatalf("seed %d, step %d: an answer without a question", seed, step)
					}
				}
			case 3: // time is up
				if h := s.First(); h != nil && h.Breaking() {
					s.Release(h)
				}
			case 4: // a close
				if h := any(); h != nil {
					s.Release(h)
					delete(open, h)
				}
			}
			var second, first int
			for h := range open {
				switch {
				case h.Level() >= Exclusive:
					first++
				case h.Level() == LevelII:
					second++
				}
			}
			if first > 1 || first == 1 && second > 0 {
				t.Fatalf("seed %d, step %d: %d exclusive and %d of level II", seed, step, first, second)
			}
			want := None
			if second > 0 {
				want = LevelII
			}
			if first == 1 {
				want = s.First().Level()
			}
			if s.Top() != want {
				t.Fatalf("seed %d, step %d: Top = %v, want %v", seed, step, s.Top(), want)
			}
		}
	}
}
