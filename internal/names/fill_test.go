package names

import (
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dozo-server/dozo/vfs"
)

// TestFilling fills an index with the names of a large folder, some of which
// clash, have names given to them, or come twice, and compares it with one to
// which they were added one by one.
func TestFilling(t *testing.T) {
	for _, fold := range []folding{normalizing, giving} {
		rng := rand.New(rand.NewPCG(3, 4))
		all := [][]byte{[]byte("first")}
		for i := range 2 * manySlots {
			name := fmt.Sprintf("Photograph number %d", i)
			switch rng.IntN(20) {
			case 0:
				name = fmt.Sprintf("con.%d", i) // has an alias
			case 1:
				name = fmt.Sprintf("bad \xff%d", i)
			case 2:
				name = string(all[rng.IntN(len(all))])
			case 3:
				name = randomCase(rng, string(all[rng.IntN(len(all))]))
			}
			all = append(all, []byte(name))
		}
		seed := maphash.MakeSeed()
		want, got := newIndex(fold, seed), newIndex(fold, seed)
		f := filling{x: got}
		for _, name := range all {
			if _, ok := want.add(name, vfs.TypeFile); !ok || !f.add(name, vfs.TypeFile) {
				t.Fatalf("%q does not fit", name)
			}
		}
		if len(got.slots.tables) < 2 || f.slots == 0 {
			t.Fatal("nothing waits: the folder is too small")
		}
		claimed := f.bytes()
		f.end()
		want.trim()
		if got.live != want.live || got.clashes != want.clashes || got.odd != want.odd {
			t.Errorf("%d names, %d clashes, %d odd; want %d, %d, %d", got.live, got.clashes, got.odd, want.live, want.clashes, want.odd)
		}
		if bytes := got.bytes() - int64(len(got.more)*spellingsBytes+got.clashes*8); bytes > claimed+claimed/20 {
			t.Errorf("it takes %d bytes, and was to take %d", bytes, claimed)
		}
		if a, b := got.clashing(100), want.clashing(100); !slices.Equal(a, b) {
			t.Errorf("%q clash, want %q", a, b)
		}
		for _, name := range all {
			for _, asked := range []string{string(name), randomCase(rng, string(name)), alias(string(name))} {
				g, gok := got.find(asked)
				w, wok := want.find(asked)
				if gok != wok || string(g.name) != string(w.name) {
					t.Fatalf("%q is %q, %v; want %q, %v", asked, g.name, gok, w.name, wok)
				}
			}
		}
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for _, name := range all {
			if g, w := got.remove(name), want.remove(name); g != w {
				t.Fatalf("%q was there: %v, want %v", name, g, w)
			}
		}
		if got.live != 0 || got.clashes != 0 || got.odd != 0 {
			t.Errorf("of all removed %d names, %d clashes, %d odd are left", got.live, got.clashes, got.odd)
		}
	}
}
