package lock

import (
	"math/rand/v2"
	"testing"
)

// TestSharing opens a file twice in every way.
func TestSharing(t *testing.T) {
	for first := range Mode(64) {
		for second := range Mode(64) {
			uses1, share1 := first&7, first>>3
			uses2, share2 := second&7, second>>3
			// What one uses the other must share, unless one of them
			// only looks at attributes.
			want := uses1 == 0 || uses2 == 0 || uses1&^share2 == 0 && uses2&^share1 == 0
			var s Sharing
			if !s.Allows(uses1, share1) {
				t.Fatal("the first open is refused")
			}
			s.Add(uses1, share1)
			if got := s.Allows(uses2, share2); got != want {
				t.Errorf("uses %03b shares %03b, then uses %03b shares %03b: %v", uses1, share1, uses2, share2, got)
			}
			s.Remove(uses1, share1)
			if s != (Sharing{}) {
				t.Errorf("left after the close: %+v", s)
			}
		}
	}
}

func TestSharingAgainstModel(t *testing.T) {
	type open struct{ uses, share Mode }
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 4))
	for range 100 {
		var s Sharing
		var opens []open
		for range 100 {
			if len(opens) > 0 && random.IntN(3) == 0 {
				i := random.IntN(len(opens))
				s.Remove(opens[i].uses, opens[i].share)
				opens = append(opens[:i], opens[i+1:]...)
				continue
			}
			// Most opens share much, as real ones do.
			o := open{Mode(random.IntN(8)), Mode(random.IntN(8)) | Mode(1<<random.IntN(3))}
			want := true
			for _, p := range opens {
				if o.uses != 0 && p.uses != 0 && (o.uses&^p.share != 0 || p.uses&^o.share != 0) {
					want = false
				}
			}
			if got := s.Allows(o.uses, o.share); got != want {
				t.Fatalf("seed %d: %+v beside %+v: %v", seed, o, opens, got)
			}
			if want {
				s.Add(o.uses, o.share)
				opens = append(opens, o)
			}
		}
	}
}
