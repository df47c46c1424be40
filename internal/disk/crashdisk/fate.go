package crashdisk

import "math/rand/v2"

// Fate decides what becomes of something that was not synced and had n versions
// since: 0 is the synced one, n the last. Sizes and sectors of files have
// versions, and of the entries of folders each change is one.
type Fate func(n int) int

// Lost loses all that was not synced.
func Lost(int) int { return 0 }

// Kept keeps it all, as after the end of a process.
func Kept(n int) int { return n }

// Torn decides by lot for each piece.
func Torn(rng *rand.Rand) Fate {
	return func(n int) int { return rng.IntN(n + 1) }
}

// Mostly keeps all but about one piece in so many, which is how a few sectors
// are lost among many.
func Mostly(rng *rand.Rand, many int) Fate {
	return func(n int) int {
		if rng.IntN(many) == 0 {
			return rng.IntN(n + 1)
		}
		return n
	}
}
