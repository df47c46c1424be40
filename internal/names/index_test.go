package names

import (
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/vfs"
)

func keyOf(f folding, name string) string { return string(appendKey(f, nil, name)) }

var (
	normalizing = newFolding(true)
	giving      = folding{table: normalizing.table, shorts: true}
)

// modelIndex is what an index does, by maps and sorting.
type modelIndex struct {
	fold    folding
	types   map[string]vfs.Type
	byKey   map[string][]string
	byGiven map[string][]string
}

func newModelIndex(f folding) *modelIndex {
	return &modelIndex{f, map[string]vfs.Type{}, map[string][]string{}, map[string][]string{}}
}

func (m *modelIndex) add(name string, typ vfs.Type) {
	if _, ok := m.types[name]; !ok {
		key := keyOf(normalizing, name)
		m.byKey[key] = append(m.byKey[key], name)
		slices.Sort(m.byKey[key])
		for _, given := range givenTo(m.fold, []byte(name), needsAlias(name)) {
			key := keyOf(normalizing, given)
			m.byGiven[key] = append(m.byGiven[key], name)
			slices.Sort(m.byGiven[key])
		}
	}
	m.types[name] = typ
}

func (m *modelIndex) remove(name string) {
	key := keyOf(normalizing, name)
	m.byKey[key] = slices.DeleteFunc(m.byKey[key], func(n string) bool { return n == name })
	delete(m.types, name)
	for _, given := range givenTo(m.fold, []byte(name), needsAlias(name)) {
		key := keyOf(normalizing, given)
		m.byGiven[key] = slices.DeleteFunc(m.byGiven[key], func(n string) bool { return n == name })
	}
}

func (m *modelIndex) find(name string) (string, bool) {
	if _, ok := m.types[name]; ok {
		return name, true
	}
	key := keyOf(normalizing, name)
	if same := m.byKey[key]; len(same) > 0 {
		return same[0], true
	}
	if given := m.byGiven[key]; len(given) > 0 {
		return given[0], true
	}
	return "", false
}

func (m *modelIndex) clashes() (n int) {
	for _, same := range m.byKey {
		n += max(len(same)-1, 0)
	}
	return n
}

// randomCase changes the case of some letters.
func randomCase(rng *rand.Rand, name string) string {
	b := []byte(name)
	for i, c := range b {
		if 'a' <= c|0x20 && c|0x20 <= 'z' && rng.IntN(2) == 0 {
			b[i] ^= 0x20
		}
	}
	return string(b)
}

// TestIndexAgainstModel grows an index from nothing to some thousand names and
// back, several times, with clashes, given names and other cases among them.
func TestIndexAgainstModel(t *testing.T) {
	t.Run("without 8.3 names", func(t *testing.T) { testIndexAgainstModel(t, normalizing, 20_000) })
	t.Run("with them", func(t *testing.T) { testIndexAgainstModel(t, giving, 8000) })
}

func testIndexAgainstModel(t *testing.T, f folding, steps int) {
	for _, bound := range []int{12, 200, 3000} {
		t.Run(fmt.Sprint(bound), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(bound), 1))
			x := newIndex(f, maphash.MakeSeed())
			m := newModelIndex(f)
			var known []string
			randomName := func() string {
				switch n := rng.IntN(bound); n % 7 {
				case 0:
					return fmt.Sprintf("caf\xe9 %d", n)
				case 1:
					return randomCase(rng, fmt.Sprintf("Übung %d.txt", n))
				case 2:
					return fmt.Sprintf("con.%d", n)
				default:
					return randomCase(rng, fmt.Sprintf("file %d", n))
				}
			}
			for step := range steps {
				shrinking := step/4000%2 == 1
				if len(known) > 0 && (shrinking == (rng.IntN(4) != 0)) {
					i := rng.IntN(len(known))
					name := known[i]
					known = slices.Delete(known, i, i+1)
					m.remove(name)
					if !x.remove([]byte(name)) {
						t.Fatalf("step %d: %+q was not there", step, name)
					}
				} else {
					name, typ := randomName(), vfs.Type(1+rng.IntN(4))
					_, there := m.types[name]
					_, same := m.find(name)
					clash, ok := x.add([]byte(name), typ)
					if !ok {
						t.Fatalf("step %d: add %+q refused", step, name)
					}
					if want := same && !there && !needsAlias(name); clash != want && !strings.Contains(name, "~") {
						t.Fatalf("step %d: add %+q: clash %v, want %v", step, name, clash, want)
					}
					if m.add(name, typ); !there {
						known = append(known, name)
					}
				}
				for range 3 {
					asked := randomName()
					if given := givenTo(f, []byte(asked), needsAlias(asked))[rng.IntN(2)]; given != "" {
						asked = randomCase(rng, given)
					}
					want, wantOK := m.find(asked)
					got, ok := x.find(asked)
					if ok != wantOK || string(got.name) != want || ok && got.typ != m.types[want] {
						t.Fatalf("step %d: find %+q = %+q, type %d, %v; want %+q, type %d, %v", step, asked, got.name, got.typ, ok, want, m.types[want], wantOK)
					}
				}
				if x.live != len(m.types) || step%500 == 0 && x.clashes != m.clashes() {
					t.Fatalf("step %d: %d names with %d clashes, want %d with %d", step, x.live, x.clashes, len(m.types), m.clashes())
				}
				if rng.IntN(1000) == 0 {
					x.trim()
				}
			}
			var listed []string
			for c := x.names.cursor(); ; {
				r, _, ok := c.next()
				if !ok {
					break
				}
				listed = append(listed, string(r.name))
			}
			slices.Sort(listed)
			slices.Sort(known)
			if !slices.Equal(listed, known) {
				t.Errorf("the cursor saw %d names, %d are there", len(listed), len(known))
			}
		})
	}
}

func TestRemoveOfOneSpellingLeavesTheOthers(t *testing.T) {
	x := newIndex(normalizing, maphash.MakeSeed())
	for _, name := range []string{"b", "B", "a"} {
		x.add([]byte(name), vfs.TypeFile)
	}
	if x.remove([]byte("A")) {
		t.Error("removed a name in another spelling")
	}
	if got := x.clashing(10); !slices.Equal(got, []string{"B", "b"}) {
		t.Errorf("clashing = %q", got)
	}
	x.remove([]byte("B"))
	if r, ok := x.find("B"); !ok || string(r.name) != "b" || x.clashes != 0 {
		t.Errorf("find B = %q, %v with %d clashes", r.name, ok, x.clashes)
	}
}

// TestCursorSeesWhatStays walks over an index while it is emptied, filled and
// compacted.
func TestCursorSeesWhatStays(t *testing.T) {
	x := newIndex(normalizing, maphash.MakeSeed())
	stays := map[string]bool{}
	for i := range 50000 {
		name := fmt.Sprintf("name %d", i)
		x.add([]byte(name), vfs.TypeFile)
		if i%5 == 0 {
			stays[name] = true
		}
	}
	c := x.names.cursor()
	seen := map[string]int{}
	for i := 0; ; i++ {
		r, _, ok := c.next()
		if !ok {
			break
		}
		seen[string(r.name)]++
		if gone := fmt.Sprintf("name %d", i); !stays[gone] {
			x.remove([]byte(gone))
		}
		x.add([]byte(fmt.Sprintf("new %d", i)), vfs.TypeFile)
	}
	for name := range stays {
		if seen[name] != 1 {
			t.Fatalf("%q was seen %d times", name, seen[name])
		}
	}
	for name := range seen {
		if strings.HasPrefix(name, "new") {
			t.Fatalf("saw %q, which came later", name)
		}
	}
}

func TestFingerprintsProveAbsence(t *testing.T) {
	p := newFingerprints(normalizing, maphash.MakeSeed())
	const n = 100000
	for i := range n {
		p.add([]byte(fmt.Sprintf("File %d", i)))
	}
	p.add([]byte("caf\xe9"))
	for i := range n {
		if !p.maybe([]byte(fmt.Sprintf("FILE %d", i))) {
			t.Fatalf("FILE %d is there but was proven absent", i)
		}
	}
	if !p.maybe([]byte(alias("caf\xe9"))) {
		t.Error("a name is not found by its alias")
	}
	wrong := 0
	for i := range n {
		if p.maybe([]byte(fmt.Sprintf("other %d", i))) {
			wrong++
		}
	}
	if wrong > n/1000 {
		t.Errorf("%d of %d absent names may be there", wrong, n)
	}
	if per := float64(p.bytes()) / n; per > 11 {
		t.Errorf("%.1f bytes a name", per)
	}
}

// names25 returns n names of about 25 bytes, some of them not ASCII.
func names25(n int) [][]byte {
	all := make([][]byte, n)
	for i := range all {
		if i%20 == 0 {
			all[i] = fmt.Appendf(nil, "Prüfbericht %08d.docx", i)
		} else {
			all[i] = fmt.Appendf(nil, "Photograph %09d.jpg", i)
		}
	}
	return all
}

func TestIndexMemory(t *testing.T) {
	for _, tt := range []struct {
		fold    folding
		n       int
		perName float64 // bytes beyond the name's
	}{
		{normalizing, 10, 32}, {normalizing, 100, 16}, {normalizing, 1000, 20}, {normalizing, 100000, 33}, {normalizing, 300000, 33},
		{giving, 1000, 32}, {giving, 100000, 45},
	} {
		t.Run(fmt.Sprint(tt.n), func(t *testing.T) {
			all := names25(tt.n)
			total := 0
			for _, name := range all {
				total += len(name)
			}
			before := heapBytes()
			x := newIndex(tt.fold, maphash.MakeSeed())
			for _, name := range all {
				x.add(name, vfs.TypeFile)
			}
			x.trim()
			measured := float64(heapBytes()-before-int64(total)) / float64(tt.n)
			claimed := float64(x.bytes()-int64(total)) / float64(tt.n)
			if tt.n >= 1000 && measured > tt.perName || claimed > tt.perName {
				t.Errorf("%.1f bytes a name beyond its own, says the heap, %.1f says the index; want at most %.0f", measured, claimed, tt.perName)
			}
			t.Logf("%.1f bytes a name beyond its own", claimed)
			if x.live != tt.n {
				t.Errorf("%d names", x.live)
			}
		})
	}
}

func heapBytes() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func BenchmarkIndex(b *testing.B) {
	for _, n := range []int{1000, 100000, 1000000} {
		all := names25(n)
		x := newIndex(normalizing, maphash.MakeSeed())
		for _, name := range all {
			x.add(name, vfs.TypeFile)
		}
		x.trim()
		asked := make([]string, 1<<16)
		missing := make([]string, 1<<16)
		rng := rand.New(rand.NewPCG(1, 1))
		for i := range asked {
			asked[i] = strings.ToUpper(string(all[rng.IntN(n)]))
			missing[i] = fmt.Sprintf("Photograph %09d.png", i)
		}
		b.Run(fmt.Sprintf("hit/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, ok := x.find(asked[i&0xffff]); !ok {
					b.Fatal("not found")
				}
			}
		})
		b.Run(fmt.Sprintf("miss/%d", n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if _, ok := x.find(missing[i&0xffff]); ok {
					b.Fatal("found")
				}
			}
		})
		b.Run(fmt.Sprintf("build/%d", n), func(b *testing.B) {
			for b.Loop() {
				x := newIndex(normalizing, maphash.MakeSeed())
				for _, name := range all {
					x.add(name, vfs.TypeFile)
				}
				x.trim()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/name")
		})
	}
}
