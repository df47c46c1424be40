package names

import (
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dozo-server/dozo/vfs"
)

// spelled returns the nth spelling of a name of twenty letters.
func spelled(n int) string {
	name := []byte("abcdefghijklmnopqrst")
	for bit := range name {
		name[bit] -= byte(n>>bit&1) * ('a' - 'A')
	}
	return string(name)
}

// work returns what a search in s may cost at most: how many slots it passes,
// and how many records it looks at.
func (s *slots) work() (passed, seen int) {
	same := map[uint32]int{}
	for _, t := range s.tables {
		run := 0
		for _, slot := range slices.Concat(t.slots, t.slots) { // going round
			if run++; slot == 0 {
				run = 0
			}
			passed = max(passed, run)
		}
		for _, slot := range t.slots {
			if slot != 0 {
				same[uint32(slot>>32)]++
				seen = max(seen, same[uint32(slot>>32)])
			}
		}
	}
	return passed, seen
}

// TestSpellingsCostWhatNamesCost holds thousands of spellings of one name, and
// takes them away in several orders. At no time may there be much more to look at
// than among as many names, whose runs of slots are some hundred long at most.
func TestSpellingsCostWhatNamesCost(t *testing.T) {
	const n = 1 << 14
	seed := maphash.MakeSeed()
	all := make([]string, n)
	for i := range all {
		all[i] = spelled(i)
	}
	sorted := slices.Sorted(slices.Values(all))
	shuffled := slices.Clone(all)
	rand.Shuffle(n, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	backwards := slices.Clone(sorted)
	slices.Reverse(backwards)

	for what, order := range map[string][]string{"sorted": sorted, "backwards": backwards, "shuffled": shuffled} {
		x := newIndex(normalizing, seed)
		x.add([]byte("beside them"), vfs.TypeFile)
		for _, name := range order {
			x.add([]byte(name), vfs.TypeFile)
		}
		left := slices.Clone(sorted)
		for i, name := range order {
			if i%512 == 0 {
				if passed, seen := x.slots.work(); passed > n/8 || seen > 4 {
					t.Errorf("%s: a search passes %d slots and looks at %d records of %d", what, passed, seen, x.live)
				}
				for _, s := range x.more {
					if len(s.offs) > 2*s.live {
						t.Errorf("%s: %d records for %d spellings", what, len(s.offs), s.live)
					}
				}
				if r, ok := x.find("ABCdefghijklmnopqrsT"); !ok || string(r.name) != left[0] {
					t.Fatalf("%s: of %d spellings %q is found, want %q", what, len(left), r.name, left[0])
				}
				if r, ok := x.find("BESIDE them"); !ok || string(r.name) != "beside them" {
					t.Errorf("%s: the name beside them is not found", what)
				}
				if !x.has(name) || x.alone(name) != (len(left) == 1) || x.clashes != len(left)-1 {
					t.Errorf("%s: of %d spellings %d clash", what, len(left), x.clashes)
				}
			}
			if !x.remove([]byte(name)) || x.has(name) || x.remove([]byte(name)) {
				t.Fatalf("%s: %q was not removed once", what, name)
			}
			at, _ := slices.BinarySearch(left, name)
			left = slices.Delete(left, at, at+1)
		}
		if x.live != 1 || x.clashes != 0 || len(x.more) != 0 {
			t.Errorf("%s: %d names are left, %d clashes", what, x.live, x.clashes)
		}
	}
}

// TestFillingWithSpellings fills an index with a large folder that holds
// thousands of spellings of one name.
func TestFillingWithSpellings(t *testing.T) {
	const n = 1 << 14
	x := newIndex(normalizing, maphash.MakeSeed())
	f := filling{x: x}
	for i := range 2 * manySlots {
		f.add(fmt.Appendf(nil, "a name of twenty %05d", i), vfs.TypeFile)
	}
	for _, i := range rand.Perm(n) {
		f.add([]byte(spelled(i)), vfs.TypeFile)
		if i%100 == 0 { // the folder changes meanwhile
			f.add([]byte(spelled(i)), vfs.TypeFile)
		}
	}
	f.end()
	if x.live != 2*manySlots+n || x.clashes != n-1 {
		t.Errorf("%d names, %d clashes", x.live, x.clashes)
	}
	if passed, seen := x.slots.work(); passed > n/4 || seen > 4 {
		t.Errorf("a search passes %d slots and looks at %d records", passed, seen)
	}
	for i := range n {
		if !x.has(spelled(i)) {
			t.Fatalf("%q is not there", spelled(i))
		}
	}
	expect(t, "any spelling", x.shown("AbCDEFGHIJKLMNOpqrst"), spelled(n-1))
}

func TestSpellingsMemory(t *testing.T) {
	before := heapBytes()
	x := newIndex(normalizing, maphash.MakeSeed())
	for i := range 100_000 {
		x.add(fmt.Appendf(nil, "Photograph %09d.jpg", i), vfs.TypeFile)
		x.add(fmt.Appendf(nil, "PHOTOGRAPH %09d.jpg", i), vfs.TypeFile)
	}
	measured, claimed := heapBytes()-before, x.bytes()
	if claimed < measured*9/10 || claimed > measured*4/3 { // with pointers of 32 bits it claims the most
		t.Errorf("the heap says %d bytes, the index %d", measured, claimed)
	}
	runtime.KeepAlive(x)
}

func (x *index) shown(name string) string {
	r, _ := x.find(name)
	return string(r.name)
}

// TestFolderOfSpellings has a local process make thousands of spellings of one
// name, and take them away.
func TestFolderOfSpellings(t *testing.T) {
	const n = 1 << 12
	var mu sync.Mutex
	var reports []Event
	f := fixtureIn(t, fastDir(t), Options{Report: func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		reports = append(reports, e)
	}})
	f.mkdir("d")
	f.create("d/Beside them")
	local(t, fmt.Sprintf("spell %s %d", f.path("d"), n))
	first := "d/" + spelled(n-1)
	exist, none := bracket(vfs.KindExist), bracket(vfs.KindNotExist)
	for range 2 {
		for i := 0; i < n; i += 17 {
			expect(t, "exact", f.open("d/"+spelled(i)), "d/"+spelled(i))
		}
		expect(t, "any spelling", f.open("d/ABCdefghijklmnopqrsT"), first)
		expect(t, "create", f.create("d/ABCdefghijklmnopqrsT"), exist)
		expect(t, "another name", f.open("d/BESIDE THEM"), "d/Beside them")
		expect(t, "nothing", f.open("d/none"), none)
	}
	if got := len(f.list("d")); got != n+1 {
		t.Errorf("%d names are listed", got)
	}
	expect(t, "remove", f.remove(first), first)
	expect(t, "the next", f.open("d/ABCdefghijklmnopqrsT"), "d/"+spelled(n/2-1))
	local(t, fmt.Sprintf("unspell %s %d", f.path("d"), n-1))
	expect(t, "none is left", f.open("d/ABCdefghijklmnopqrsT"), none)
	expect(t, "create when none is left", f.create("d/"+strings.ToUpper(spelled(0))), "d/"+strings.ToUpper(spelled(0)))
	if s := f.Stats(); s.Searches != 0 || s.Fingerprinted != 0 || s.Names != 3 {
		t.Errorf("%+v", s)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, e := range reports {
		if e.Kind != Clash || len(e.Names) > clashNames {
			t.Errorf("reported: %+v", e)
		}
	}
	if len(reports) == 0 {
		t.Error("nobody was told")
	}
}

// BenchmarkSpellings fills an index with spellings of one name, looks for them
// and takes them away.
func BenchmarkSpellings(b *testing.B) {
	for _, n := range []int{1 << 10, 1 << 14, 1 << 18} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				x := newIndex(normalizing, maphash.MakeSeed())
				for i := range n {
					x.add([]byte(spelled(i)), vfs.TypeFile)
				}
				for i := range n {
					if !x.has(spelled(i)) {
						b.Fatal("not found")
					}
				}
				for _, i := range rand.Perm(n) {
					x.remove([]byte(spelled(i)))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/spelling")
		})
	}
}
