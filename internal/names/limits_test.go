package names

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/internal/budget"
	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// fixtureToClose is a fixture that the test closes.
func fixtureToClose(t *testing.T, o Options) *fixture {
	t.Helper()
	dir := fastDir(t)
	root, err := disk.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := New(root, o)
	if err != nil {
		t.Fatal(err)
	}
	return &fixture{tree, t, dir}
}

// TestTreesShareABudget lets one share need what another one's idle folders
// take: the idle ones go, whose ever they are.
func TestTreesShareABudget(t *testing.T) {
	b := budget.New(1 << 20)
	idle, busy := fixtureToClose(t, Options{Budget: b}), fixtureIn(t, fastDir(t), Options{Budget: b})
	p := startLocal(t)
	for i := range 150 {
		idle.mkdir(fmt.Sprintf("d%d", i))
		if err := p.do("burst", idle.path(fmt.Sprintf("d%d", i)), "File", "200"); err != nil {
			t.Fatal(err)
		}
		idle.open(fmt.Sprintf("d%d/none", i))
	}
	if s := idle.Stats(); s.Memory < 600<<10 || s.Memory != b.Used()-busy.Stats().Memory {
		t.Fatalf("%d bytes of idle folders, %d in all", s.Memory, b.Used())
	}
	idle.idle()
	busy.mkdir("d")
	for i := range 9000 { // 400 kB
		busy.create(fmt.Sprintf("d/a longer file name %d", i))
	}
	busy.waitFor("both keep to the budget", func() bool { return b.Used() <= b.Limit() })
	if s := busy.Stats(); s.Names < 9000 || s.Fingerprinted > 0 || s.Builds > 2 {
		t.Errorf("the busy folder was dropped: %+v", s)
	}
	if s := idle.Stats(); s.Indexed == 151 {
		t.Errorf("no idle folder was dropped")
	}
	for i := range 150 {
		expect(t, "open", idle.open(fmt.Sprintf("D%d/FILE%d", i, i%100)), fmt.Sprintf("d%d/File%d", i, i%100))
	}
	idle.Close()
	busy.waitFor("what the closed one held was given back", func() bool { return b.Used() == busy.Stats().Memory })
}

// TestTreesShareDescriptors opens folders of two shares by turns.
func TestTreesShareDescriptors(t *testing.T) {
	const limit = 16
	s := NewDescriptors(limit)
	shares := []*fixture{fixtureToClose(t, Options{Descriptors: s}), newFixture(t, Options{Descriptors: s})}
	for i := range 50 {
		for _, f := range shares {
			f.mkdir(fmt.Sprintf("d%d", i))
			f.create(fmt.Sprintf("d%d/file", i))
		}
	}
	if n := s.Open(); n > limit {
		t.Errorf("%d folders are open", n)
	}
	open := 0
	for _, f := range shares {
		open += f.Stats().Open - 1 // its root
	}
	if open != s.Open() {
		t.Errorf("%d folders are open, %d counted", open, s.Open())
	}
	for i := range 50 {
		for _, f := range shares {
			expect(t, "open", f.open(fmt.Sprintf("D%d/FILE", i)), fmt.Sprintf("d%d/file", i))
		}
	}
	shares[0].Close()
	if left := shares[1].Stats().Open - 1; s.Open() != left {
		t.Errorf("%d folders are counted, %d are open", s.Open(), left)
	}
}

// TestTheHandStopsAfterAWhile opens many folders that are all in use: no open
// looks at all of them. Once they are not, there are few again.
func TestTheHandStopsAfterAWhile(t *testing.T) {
	s, tree := NewDescriptors(8), new(Tree)
	opened := func() *dir {
		d := &dir{t: tree, attached: true}
		d.pins.Store(1)
		before := s.hand
		s.opened(d)
		if steps := s.hand - before; steps > maxSteps {
			t.Fatalf("%d of %d folders were looked at", steps, len(s.open))
		}
		s.hand = 0 // or it would go round
		return d
	}
	all := make([]*dir, 20*maxSteps)
	for i := range all {
		all[i] = opened()
	}
	for _, d := range all {
		d.pins.Store(0)
	}
	for range 30 {
		opened()
	}
	if n := s.Open(); n > 8+30 { // these are in use
		t.Errorf("%d folders are open", n)
	}
}

// TestNoRebuildForALocalWriter has a local process write all the time, also
// while the folder is read: it is read once.
func TestNoRebuildForALocalWriter(t *testing.T) {
	dir := fastDir(t)
	put(t, dir, "d/")
	local(t, fmt.Sprintf("burst %s Old 20000", dir+"/d"))
	f, h := hookedFixture(t, dir, Options{})
	p := startLocal(t)
	burst := func(name string) {
		if err := p.do("burst", f.path("d"), name, "2000"); err != nil {
			t.Error(err)
		}
	}
	reading := true
	h.set(func(c disk.Call) unix.Errno {
		if reading && c.Op == disk.OpList {
			reading = false
			burst("While")
		}
		return 0
	})
	expect(t, "made while the folder was read", f.open("d/WHILE1999"), "d/While1999")
	expect(t, "there before", f.open("d/OLD7"), "d/Old7")
	for i := range 20 {
		name := fmt.Sprintf("Then%d-", i)
		burst(name)
		expect(t, "create", f.create(fmt.Sprintf("d/ours%d", i)), fmt.Sprintf("d/ours%d", i))
		expect(t, "create what a local process made", f.create("d/"+strings.ToUpper(name)+"1999"), bracket(vfs.KindExist))
	}
	if s := f.Stats(); reading || s.Builds != 1 || s.Rebuilds != 0 || s.Rechecks < 42000 || s.Names != 62020 {
		t.Errorf("%+v", s)
	}
}

// TestNamesComeBack gives a folder of fingerprints room for its names.
func TestNamesComeBack(t *testing.T) {
	b := budget.New(8 << 20)
	f := fixtureIn(t, fastDir(t), Options{Budget: b})
	f.mkdir("d")
	local(t, fmt.Sprintf("burst %s File 5000", f.path("d")))
	f.open("d/none")
	builds := f.Stats().Builds
	b.SetLimit(1 << 10)
	f.create("d/New")
	if s := f.Stats(); s.Fingerprinted != 1 || s.Builds != builds {
		t.Fatalf("%+v", s)
	}
	for range 3 {
		expect(t, "without room", f.open("d/FILE7"), "d/File7")
	}
	if s := f.Stats(); s.Searches != 3 || s.Fingerprinted != 1 {
		t.Errorf("without room: %+v", s)
	}
	b.SetLimit(8 << 20)
	for range 3 {
		expect(t, "with room", f.open("d/NEW"), "d/New")
	}
	if s := f.Stats(); s.Searches != 3 || s.Fingerprinted != 0 || s.Names < 5001 || s.Builds != builds+1 || s.Rebuilds != 0 {
		t.Errorf("with room: %+v", s)
	}
}

// TestStatsTellHowChangesAreSeen looks at the figures that dozo status shows.
func TestStatsTellHowChangesAreSeen(t *testing.T) {
	for _, way := range []Coherence{Fanotify, Inotify, Generations} {
		f := newFixture(t, Options{Coherence: way})
		f.mkdir("d")
		f.create("d/file")
		f.list("d")
		want := map[Coherence]Stats{
			Fanotify:    {Folders: 2, Fanotify: 2, Marks: 2, Open: 2},
			Inotify:     {Folders: 2, Inotify: 2, Marks: 2, Open: 2},
			Generations: {Folders: 2, Open: 2},
		}[way]
		got := f.Stats()
		if (Stats{Folders: got.Folders, Fanotify: got.Fanotify, Inotify: got.Inotify, Marks: got.Marks, Open: got.Open}) != want || got.Names != 2 {
			t.Errorf("way %d: %+v", way, got)
		}
	}
}
