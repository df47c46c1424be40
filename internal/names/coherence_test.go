package names

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/internal/budget"
	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// hook is asked before each call on the disk.
type hook struct {
	mu     sync.Mutex
	before func(disk.Call) unix.Errno
	calls  []disk.Call
}

func (h *hook) Before(c disk.Call) (int, unix.Errno) {
	h.mu.Lock()
	before := h.before
	h.calls = append(h.calls, c)
	h.mu.Unlock()
	if before == nil {
		return 0, 0
	}
	return 0, before(c)
}

func (h *hook) set(before func(disk.Call) unix.Errno) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.before = before
}

// take returns the calls since it was last called.
func (h *hook) take() (calls []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.calls {
		calls = append(calls, string(c.Op)+" "+c.Path)
	}
	h.calls = nil
	return calls
}

func hookedFixture(t testing.TB, dir string, o Options) (*fixture, *hook) {
	t.Helper()
	h := new(hook)
	root, err := disk.OpenRootWith(dir, h)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := New(root, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return &fixture{tree, t, dir}, h
}

// TestWhatCallsCost counts the system calls on files once everything is known.
// Drains of the queue are not among them.
func TestWhatCallsCost(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a/b/c/File", "x/y/")
	f, h := hookedFixture(t, dir, Options{Coherence: Fanotify})
	f.mounting.close() // what others mount meanwhile has folders looked up again
	f.open("A/B/C/FILE")
	f.list("x/y")
	for _, tt := range []struct {
		what string
		do   func() string
		want []string
	}{
		{"open", func() string { return f.open("a/b/c/File") }, []string{"open a/b/c/File"}},
		{"open in another case", func() string { return f.open("A/B/C/FILE") }, []string{"open a/b/c/File"}},
		{"open of nothing", func() string { return f.open("a/B/c/none") }, nil},
		{"open of nothing on the way", func() string { return f.open("a/b/none/none") }, nil},
		{"create", func() string { return f.create("a/b/C/new") }, []string{"open a/b/c/new"}},
		{"create of what is there", func() string { return f.create("a/b/c/FILE") }, nil},
		{"open what was created", func() string { return f.open("a/b/c/NEW") }, []string{"open a/b/c/new"}},
		{"mkdir", func() string { return f.mkdir("a/b/c/Dir") }, []string{"mkdir a/b/c/Dir", "open a/b/c/Dir"}},
		{"remove", func() string { return f.remove("a/b/c/new") }, []string{"open a/b/c/new", "stat a/b/c/new", "stat a/b/c/new", "remove a/b/c/new"}},
		{"rename", func() string { return f.rename("a/b/c/file", "x/y/file", false) }, []string{"open a/b/c/File", "stat a/b/c/File", "stat a/b/c/File", "rename x/y/file", "rename a/b/c/File"}},
		{"list", func() string { return fmt.Sprint(f.list("x/y")) }, []string{"open x/y", "stat x/y"}},
	} {
		h.take()
		if answer := tt.do(); strings.Contains(answer, vfs.KindInternal.String()) {
			t.Errorf("%s: %s", tt.what, answer)
		}
		if got := h.take(); !slices.Equal(got, tt.want) {
			t.Errorf("%s made the calls %q, want %q", tt.what, got, tt.want)
		}
	}
}

// TestLocalChangesAreSeenAtOnce lets a local process change something and asks
// as soon as its call has returned.
func TestLocalChangesAreSeenAtOnce(t *testing.T) {
	none := "[" + vfs.KindNotExist.String() + "]"
	noPath := "[" + vfs.KindPathNotExist.String() + "]"
	exist := "[" + vfs.KindExist.String() + "]"
	eachWay(t, func(t *testing.T, way Coherence) {
		dir := t.TempDir()
		put(t, dir, "d/One", "e/")
		f := fixtureIn(t, dir, Options{Coherence: way})
		p := startLocal(t)
		change := func(args ...string) {
			t.Helper()
			for i := range args[1:] {
				args[i+1] = f.path(args[i+1])
			}
			if err := p.do(args...); err != nil {
				t.Fatal(err)
			}
		}
		for round := range 20 {
			expect(t, "before", f.open("D/two"), none)
			change("put", "d/Two")
			expect(t, "made locally", f.open("D/two"), "d/Two")
			expect(t, "made locally, create", f.create("D/TWO"), exist)
			change("mv", "d/Two", "d/tWO")
			expect(t, "other case", f.open("D/two"), "d/tWO")
			change("mv", "d/tWO", "e/Three")
			expect(t, "moved away", f.open("D/two"), none)
			expect(t, "moved there", f.open("E/three"), "e/Three")
			change("rm", "e/Three")
			expect(t, "removed", f.open("E/three"), none)
			change("mkdir", "e/Sub")
			change("put", "e/Sub/x")
			expect(t, "in a new folder", f.open("E/SUB/X"), "e/Sub/x")
			change("mv", "e/Sub", "d/Sub2")
			expect(t, "through the old name", f.open("E/SUB/X"), noPath)
			expect(t, "in a folder that moved", f.open("D/SUB2/X"), "d/Sub2/x")
			change("mkdir", "e/sub")
			expect(t, "in another one of that name", f.open("e/SUB/x"), none)
			change("rm", "d/Sub2/x")
			expect(t, "removed in the one that moved", f.open("d/sub2/X"), none)
			change("rm", "d/Sub2")
			change("rm", "e/sub")
			expect(t, "folder removed", f.open("d/sub2/X"), noPath)
			// Two spellings, made locally: both are there, the exact one wins.
			change("put", "d/both")
			change("put", "d/BOTH")
			expect(t, "one of two", f.open("d/both"), "d/both")
			expect(t, "the other of two", f.open("d/BOTH"), "d/BOTH")
			expect(t, "neither of two", f.open("d/Both"), "d/BOTH")
			change("rm", "d/BOTH")
			expect(t, "the one that is left", f.open("d/Both"), "d/both")
			change("rm", "d/both")
			if got := f.list("d"); !slices.Equal(got, []string{"One"}) {
				t.Fatalf("round %d: left in d: %q", round, got)
			}
			if t.Failed() {
				t.Fatalf("in round %d", round)
			}
		}
	})
}

// TestTwoCreatorsMakeOneFile lets goroutines make one name in several cases.
func TestTwoCreatorsMakeOneFile(t *testing.T) {
	eachWay(t, func(t *testing.T, way Coherence) {
		f := newFixture(t, Options{Coherence: way})
		f.mkdir("d")
		for round := range 300 {
			var made atomic.Int32
			var all sync.WaitGroup
			for _, name := range []string{"File", "FILE", "file", "fILE"} {
				all.Go(func() {
					switch got := f.create(fmt.Sprintf("d/%s%d", name, round)); got {
					case fmt.Sprintf("d/%s%d", name, round):
						made.Add(1)
					case "[" + vfs.KindExist.String() + "]":
					default:
						t.Error(got)
					}
				})
			}
			all.Wait()
			if made.Load() != 1 {
				t.Fatalf("round %d: %d files were made", round, made.Load())
			}
		}
		if got := f.list("d"); len(got) != 300 {
			t.Errorf("%d files", len(got))
		}
	})
}

// TestSecondCreatorWithdraws lets a local process make another spelling in the
// moment between the index's answer and our system call.
func TestSecondCreatorWithdraws(t *testing.T) {
	for _, way := range []Coherence{Fanotify, Inotify} {
		dir := t.TempDir()
		put(t, dir, "d/")
		f, h := hookedFixture(t, dir, Options{Coherence: way})
		f.list("d")
		p := startLocal(t)
		first := true
		h.set(func(c disk.Call) unix.Errno {
			if first && (c.Op == disk.OpOpen || c.Op == disk.OpMkdir) && strings.HasPrefix(c.Path, "d/N") {
				first = false
				if err := p.do("put", f.path(strings.ToLower(c.Path))); err != nil {
					t.Error(err)
				}
			}
			return 0
		})
		exist := "[" + vfs.KindExist.String() + "]"
		expect(t, "create", f.create("d/Name"), exist)
		expect(t, "what is there", f.open("d/NAME"), "d/name")
		first = true
		expect(t, "mkdir", f.mkdir("d/New"), exist)
		expect(t, "what is there", f.open("d/NEW"), "d/new")
		if got := f.list("d"); !slices.Equal(got, []string{"name", "new"}) {
			t.Errorf("d lists %q", got)
		}
		if s := f.Stats(); s.Withdrawn != 2 {
			t.Errorf("%d withdrawn", s.Withdrawn)
		}
	}
}

// TestClashIsReported lets a local process make another spelling of a name that
// is there: both stay, and an administrator is told.
func TestClashIsReported(t *testing.T) {
	var mu sync.Mutex
	var clashes []Event
	f := newFixture(t, Options{Report: func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		if e.Kind == Clash {
			clashes = append(clashes, e)
		}
	}})
	f.mkdir("d")
	f.create("d/Name")
	local(t, "put "+f.path("d/NAME"))
	expect(t, "ours", f.open("d/Name"), "d/Name")
	expect(t, "theirs", f.open("d/NAME"), "d/NAME")
	expect(t, "neither", f.open("d/name"), "d/NAME")
	if got := f.list("d"); !slices.Equal(got, []string{"NAME", "Name"}) {
		t.Errorf("list %q", got)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(clashes) != 1 || clashes[0].Path != "d" || !slices.Equal(slices.Sorted(slices.Values(clashes[0].Names)), []string{"NAME", "Name"}) {
		t.Errorf("reported: %+v", clashes)
	}
}

// TestReportsOfClashesAreShort has a local process make more spellings than
// anybody would read.
func TestReportsOfClashesAreShort(t *testing.T) {
	most := 0
	var mu sync.Mutex
	f := newFixture(t, Options{Report: func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		most = max(most, len(e.Names))
	}})
	f.mkdir("d")
	f.list("d")
	p := startLocal(t)
	for i := range 1 << 5 {
		name := []byte("abcde")
		for bit := range name {
			name[bit] -= byte(i>>bit&1) * ('a' - 'A')
		}
		if err := p.do("put", f.path("d/"+string(name))); err != nil {
			t.Fatal(err)
		}
		expect(t, "open", f.open("d/"+string(name)), "d/"+string(name))
	}
	mu.Lock()
	defer mu.Unlock()
	if most != clashNames {
		t.Errorf("%d names are reported at once", most)
	}
}

func TestCreationTellsWhoWasFirst(t *testing.T) {
	for _, tt := range []struct {
		name          string
		events        []string // "own X" or "X"
		before, after string
	}{
		{"alone", []string{"own File"}, "", ""},
		{"another name", []string{"other", "own File"}, "", ""},
		{"they were first", []string{"FILE", "own File"}, "FILE", ""},
		{"we were first", []string{"own File", "FILE"}, "", "FILE"},
		{"a queue that doesn't tell, they first", []string{"FILE", "File"}, "FILE", ""},
		{"a queue that doesn't tell, we first", []string{"File", "FILE"}, "", "FILE"},
	} {
		d := &dir{t: &Tree{fold: normalizing}}
		c := d.begin(normalizing, "File")
		for _, e := range tt.events {
			if name, own := strings.CutPrefix(e, "own "); own {
				d.sawOwn([]byte(name))
			} else {
				d.mustCheck([]byte(name))
			}
		}
		if c.before != tt.before || c.after != tt.after {
			t.Errorf("%s: before %q, after %q", tt.name, c.before, c.after)
		}
	}
}

// TestFolderReplacedWhileItIsOpened lets a local process put another folder in
// place of one between our opening it and noting it, and somebody else drain
// the event.
func TestFolderReplacedWhileItIsOpened(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "d/x")
	f, h := hookedFixture(t, dir, Options{})
	f.open("")
	p := startLocal(t)
	first := true
	h.set(func(c disk.Call) unix.Errno {
		if first && c.Op == disk.OpStat && c.Path == "d" {
			first = false
			for _, change := range [][]string{{"mv", f.path("d"), f.path("e")}, {"mkdir", f.path("d")}} {
				if err := p.do(change...); err != nil {
					t.Error(err)
				}
			}
			f.drainAll()
		}
		return 0
	})
	f.open("d/x")
	if first {
		t.Fatal("the folder was never looked at")
	}
	expect(t, "in the new folder", f.open("d/X"), bracket(vfs.KindNotExist))
	expect(t, "in the old one", f.open("e/X"), "e/x")
}

// TestFolderFoundAgainWhileItIsForgotten has a request come to a folder between
// its leaving the cache and the end of its watch: the request's own watch must
// not end with it.
func TestFolderFoundAgainWhileItIsForgotten(t *testing.T) {
	for _, way := range []Coherence{Fanotify, Inotify} {
		dir := fastDir(t)
		put(t, dir, "d/File")
		f, h := hookedFixture(t, dir, Options{Coherence: way})
		f.list("d")
		found := false
		h.set(func(c disk.Call) unix.Errno {
			if c.Op == disk.OpWatch && !found {
				found = true
				expect(t, "found again", f.open("D/FILE"), "d/File")
			}
			return 0
		})
		for _, d := range f.allDirs() {
			if d.name == "d" && !f.forget(d) {
				t.Error("the folder stays")
			}
		}
		if !found {
			t.Fatal("no watch was ended")
		}
		p := startLocal(t)
		for _, name := range []string{"One", "Two"} {
			if err := p.do("put", f.path("d/"+name)); err != nil {
				t.Fatal(err)
			}
			expect(t, "made locally", f.open("d/"+strings.ToUpper(name)), "d/"+name)
		}
	}
}

// TestOverflow lets a local process change more than a queue holds. Those of
// fanotify are bounded where the process has no privilege, which
// TestAsAnOrdinaryUser sees to.
func TestOverflow(t *testing.T) {
	ways := []Coherence{Inotify}
	if os.Getuid() != 0 {
		ways = append(ways, Fanotify)
	}
	for _, way := range ways {
		overflow(t, way)
	}
}

func overflow(t *testing.T, way Coherence) {
	var reported atomic.Int32
	dir := fastDir(t)
	put(t, dir, "d/First", "e/x")
	f := fixtureIn(t, dir, Options{Coherence: way, Report: func(e Event) {
		if e.Kind == Overflow {
			reported.Add(1)
		}
	}})
	f.open("D/FIRST")
	f.open("E/X")
	p := startLocal(t)

	f.root.q.draining.Lock() // nobody drains meanwhile
	err := p.do("burst", f.path("d"), "File", "20000")
	if err == nil {
		err = p.do("mv", f.path("e"), f.path("E2"))
	}
	f.root.q.draining.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "the last file", f.open("D/FILE19999"), "d/File19999")
	expect(t, "create", f.create("d/file19998"), "["+vfs.KindExist.String()+"]")
	expect(t, "a folder that moved", f.open("e2/X"), "E2/x")
	expect(t, "its old name", f.open("e/x"), "["+vfs.KindPathNotExist.String()+"]")
	if got := len(f.list("d")); got != 20001 {
		t.Errorf("%d names", got)
	}
	if s := f.Stats(); reported.Load() == 0 || s.Overflows == 0 || s.Rebuilds == 0 {
		t.Errorf("the overflow was not reported: %d overflows, %d folders read again", s.Overflows, s.Rebuilds)
	}
	// Later changes arrive as events again.
	builds := f.Stats().Builds
	if err := p.do("put", f.path("d/Later")); err != nil {
		t.Fatal(err)
	}
	expect(t, "after the overflow", f.open("d/LATER"), "d/Later")
	if f.Stats().Builds != builds {
		t.Error("read again")
	}
}

// TestManyPendingNames changes more than it pays to look at one by one.
func TestManyPendingNames(t *testing.T) {
	f := fixtureIn(t, fastDir(t), Options{})
	f.mkdir("d")
	f.list("d")
	builds := f.Stats().Builds
	local(t, fmt.Sprintf("burst %s File %d", f.path("d"), 3*minOverrun))
	expect(t, "open", f.open("d/FILE7"), "d/File7")
	s := f.Stats()
	if s.Builds != builds+1 || s.Rechecks > minOverrun+1 {
		t.Errorf("%d builds more, %d names looked at", s.Builds-builds, s.Rechecks)
	}
	if s.Names != 3*minOverrun+1 {
		t.Errorf("%d names", s.Names)
	}
}

// TestWatchLimit runs with watches for ten folders only.
func TestWatchLimit(t *testing.T) {
	var reported atomic.Int32
	f, h := hookedFixture(t, t.TempDir(), Options{Report: func(e Event) {
		if e.Kind == Unwatched {
			reported.Add(1)
		}
	}})
	watches := 0
	h.set(func(c disk.Call) unix.Errno {
		if c.Op == disk.OpWatch {
			if watches++; watches > 9 {
				return unix.ENOSPC
			}
		}
		return 0
	})
	p := startLocal(t)
	for i := range 30 {
		d := fmt.Sprintf("Dir%d", i)
		expect(t, "mkdir", f.mkdir(d), d)
		expect(t, "create", f.create(strings.ToUpper(d)+"/File"), d+"/File")
	}
	for i := range 30 {
		d := fmt.Sprintf("Dir%d", i)
		if err := p.do("put", f.path(d+"/Local")); err != nil {
			t.Fatal(err)
		}
		expect(t, "local file", f.open(strings.ToUpper(d)+"/LOCAL"), d+"/Local")
		if err := p.do("mv", f.path(d), f.path(d+"b")); err != nil {
			t.Fatal(err)
		}
		expect(t, "moved folder", f.open(strings.ToUpper(d)+"B/FILE"), d+"b/File")
		expect(t, "its old name", f.open(d+"/File"), "["+vfs.KindPathNotExist.String()+"]")
	}
	if s := f.Stats(); s.Fanotify > 10 || reported.Load() != 1 {
		t.Errorf("%d watched, %d reports", s.Fanotify, reported.Load())
	}
}

// TestWatchLimitIsRaised refuses a folder's watch for a while: it is tried again
// less and less often, which costs nothing else, and once it works changes are
// seen by it.
func TestWatchLimitIsRaised(t *testing.T) {
	f, h := hookedFixture(t, t.TempDir(), Options{})
	tries, refuse := 0, true
	h.set(func(c disk.Call) unix.Errno {
		if c.Op != disk.OpWatch || c.Path != "d" {
			return 0
		}
		if tries++; refuse {
			return unix.ENOSPC
		}
		return 0
	})
	f.mkdir("d")
	f.create("d/File")
	time.Sleep(2 * grain) // its time is past, so it needs not be read again
	f.open("d/none")
	var d *dir
	for _, c := range f.allDirs() {
		if c.name == "d" {
			d = c
		}
	}
	builds := f.Stats().Builds
	for i, want := range []time.Duration{2, 4, 8, 16, 32, 60, 60} {
		expect(t, "while it waits", f.open("D/FILE"), "d/File")
		if tries != i+1 {
			t.Fatalf("it was tried %d times, want %d", tries, i+1)
		}
		d.unwatched.Store(1) // as if that time had come
		expect(t, "refused again", f.open("D/none"), bracket(vfs.KindNotExist))
		if d.patience != want*time.Second || d.mayWatch() {
			t.Errorf("refused %d times, it waits for %v", tries, d.patience)
		}
	}
	if got := f.Stats().Builds; got != builds {
		t.Errorf("the folder was read %d times meanwhile", got-builds)
	}
	refuse = false
	before := f.Stats().Fanotify + f.Stats().Inotify
	d.unwatched.Store(1)
	p := startLocal(t)
	for _, name := range []string{"One", "Two"} {
		if err := p.do("put", f.path("d/"+name)); err != nil {
			t.Fatal(err)
		}
		expect(t, "made locally", f.open("D/"+strings.ToUpper(name)), "d/"+name)
	}
	if s := f.Stats(); s.Fanotify+s.Inotify != before+1 || s.Builds != builds+1 {
		t.Errorf("%d folders are watched, %d before; read %d times", s.Fanotify+s.Inotify, before, s.Builds-builds)
	}
}

// TestSmallBudget runs with one megabyte.
func TestSmallBudget(t *testing.T) {
	if testing.Short() {
		t.Skip("makes 60,000 files")
	}
	f := fixtureIn(t, fastDir(t), Options{Budget: budget.New(1 << 20)})
	if err := os.Mkdir(f.path("Big"), 0o755); err != nil {
		t.Fatal(err)
	}
	const big = 40000
	local(t, fmt.Sprintf("burst %s File %d", f.path("Big"), big))
	for i := range 400 {
		d := fmt.Sprintf("Dir%d", i)
		f.mkdir(d)
		for j := range 20 {
			f.create(fmt.Sprintf("%s/File%d", d, j))
		}
	}
	expect(t, "hit in the big one", f.open("big/FILE39999"), "Big/File39999")
	expect(t, "miss in the big one", f.open("big/none"), "["+vfs.KindNotExist.String()+"]")
	expect(t, "create what is there", f.create("big/fILE123"), "["+vfs.KindExist.String()+"]")
	expect(t, "create", f.create("big/new"), "Big/new")
	expect(t, "create it again", f.create("big/NEW"), "["+vfs.KindExist.String()+"]")
	expect(t, "rename", f.rename("big/NEW", "big/Newer", false), "Big/Newer")
	expect(t, "the old name", f.open("big/NEW"), "["+vfs.KindNotExist.String()+"]")
	local(t, "rm "+f.path("Big/Newer"), "put "+f.path("Big/NEWEST"))
	expect(t, "removed locally", f.open("big/newer"), "["+vfs.KindNotExist.String()+"]")
	expect(t, "made locally", f.open("big/newest"), "Big/NEWEST")
	if got := len(f.list("big")); got != big+1 {
		t.Errorf("%d names in the big one", got)
	}
	for i := range 400 {
		for j := range 20 {
			want := fmt.Sprintf("Dir%d/File%d", i, j)
			expect(t, "open", f.open(strings.ToUpper(want)), want)
		}
	}
	f.idle()
	f.account.Trim()
	if s := f.Stats(); s.Memory > 1<<20 {
		t.Errorf("%d bytes in %d folders, %d names", s.Memory, s.Folders, s.Names)
	}
}

// TestMemoryIsAccountedFor compares the budget's figure with what is there.
func TestMemoryIsAccountedFor(t *testing.T) {
	f := newFixture(t, Options{})
	for i := range 20 {
		f.mkdir(fmt.Sprintf("d%d", i))
		for j := range 50 {
			f.create(fmt.Sprintf("d%d/f%d", i, j))
		}
		f.rename(fmt.Sprintf("d%d", i), fmt.Sprintf("e%d", i), false)
		f.remove(fmt.Sprintf("e%d/f3", i))
	}
	sum := func() (n int64) {
		for _, d := range f.allDirs() {
			n += dirBytes
			if d.names != nil {
				n += d.names.bytes()
			}
		}
		return n
	}
	if got, want := f.account.Used(), sum(); got != want {
		t.Errorf("%d bytes accounted for, %d are there", got, want)
	}
	f.o.Budget.SetLimit(1)
	f.idle()
	f.account.Trim()
	f.waitFor("all is dropped and accounted for", func() bool { // the Tree trims itself, too
		s := f.Stats()
		return s.Folders == 1 && s.Indexed == 0 && s.Memory == sum()
	})
	expect(t, "open", f.open("E3/F4"), "e3/f4")
}

// TestListerSeesWhatStays lists a folder while it is changed by us and by a
// local process, and while its index is dropped and built again.
func TestListerSeesWhatStays(t *testing.T) {
	for _, way := range []Coherence{Fanotify, Generations} {
		for _, memory := range []int64{0, 1 << 10} { // with names, and without
			dir := fastDir(t)
			put(t, dir, "d/")
			f := fixtureIn(t, dir, Options{Coherence: way, Budget: budget.New(memory)})
			local(t, fmt.Sprintf("burst %s stay %d", f.path("d"), 3000), fmt.Sprintf("burst %s go %d", f.path("d"), 3000))
			n, p, err := f.Open(bg, nil, "d", disk.How{Flags: disk.Read | disk.Directory}, false)
			if err != nil {
				t.Fatal(err)
			}
			l, err := f.List(bg, p, n)
			if err != nil {
				t.Fatal(err)
			}
			other := startLocal(t)
			seen := map[string]int{}
			entries := make([]Entry, 7)
			for i := 0; ; i++ {
				k, err := l.Next(bg, entries)
				for _, e := range entries[:k] {
					seen[e.Name]++
				}
				if err != nil {
					break
				}
				f.create(fmt.Sprintf("d/new%d", i))
				f.remove(fmt.Sprintf("d/go%d", i))
				f.rename(fmt.Sprintf("d/go%d", 1000+i), fmt.Sprintf("d/renamed%d", i), false)
				if i%10 == 0 {
					other.do("put", f.path(fmt.Sprintf("d/local%d", i)))
					other.do("rm", f.path(fmt.Sprintf("d/go%d", 2000+i)))
				}
				if i%100 == 0 {
					f.dropIndexes()
					f.open("d/STAY1")
				}
			}
			l.Close()
			p.Release()
			n.Close()
			for i := range 3000 {
				if name := fmt.Sprintf("stay%d", i); seen[name] != 1 {
					t.Errorf("way %d, memory %d: %q was seen %d times", way, memory, name, seen[name])
				}
			}
			for name, times := range seen {
				if times > 1 {
					t.Errorf("way %d, memory %d: %q was seen %d times", way, memory, name, times)
				}
			}
		}
	}
}

// TestUnannouncedChange plays a disk that is changed behind the system's back:
// our own process changes it without telling.
func TestUnannouncedChange(t *testing.T) {
	f := newFixture(t, Options{})
	f.mkdir("d")
	f.create("d/One")
	f.list("d")
	f.verify()
	if err := os.WriteFile(f.path("d/Two"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	expect(t, "dropped as our own", f.open("d/TWO"), "["+vfs.KindNotExist.String()+"]")
	f.verify()
	if s := f.Stats(); s.Unannounced != 0 {
		t.Error("a change that may still be on its way was called unannounced")
	}
	f.verify()
	expect(t, "found out", f.open("d/TWO"), "d/Two")
	if s := f.Stats(); s.Unannounced != 1 {
		t.Errorf("%d unannounced changes", s.Unannounced)
	}
	f.create("d/Three")
	f.rename("d", "e", false)
	local(t, "put "+f.path("e/Four"), "mv "+f.path("e")+" "+f.path("d"))
	f.open("D/four")
	for range 3 {
		f.verify()
	}
	if s := f.Stats(); s.Unannounced != 1 {
		t.Error("announced changes were taken for unannounced ones")
	}
}

// TestAttributesAreNoEntries changes of folders what is no entry, in all ways
// that move a time.
func TestAttributesAreNoEntries(t *testing.T) {
	f := newFixture(t, Options{Coherence: Fanotify})
	if f.root.q == nil {
		t.Skip("no fanotify here")
	}
	f.mkdir("d")
	f.create("d/File")
	f.list("d")
	then := time.Unix(1e9, 0)
	changes := map[string]func() error{
		"modified": func() error { return os.Chtimes(f.path("d"), time.Time{}, then) },
		"accessed": func() error { return os.Chtimes(f.path("d"), then, time.Time{}) },
		"both":     func() error { return os.Chtimes(f.path("d"), then, then) },
		"mode":     func() error { return os.Chmod(f.path("d"), 0o700) },
		"own name": func() error { f.rename("d", "D", false); f.rename("D", "d", false); return nil },
		"moved": func() error {
			local(t, "mv "+f.path("d")+" "+f.path("e"), "mv "+f.path("e")+" "+f.path("d"))
			return nil
		},
	}
	for what, change := range changes {
		f.open("d/FILE")
		f.verify()
		if err := change(); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			f.verify()
		}
		if s := f.Stats(); s.Unannounced != 0 {
			t.Fatalf("%s: %d unannounced changes", what, s.Unannounced)
		}
	}
}

// TestClashAtTheBudget has a local process make second spellings until the
// folder's names are too many for the budget.
func TestClashAtTheBudget(t *testing.T) {
	p := startLocal(t)
	for others := range 6 { // so that it is now one, now the other that is too many
		f := fixtureIn(t, fastDir(t), Options{Budget: budget.New(32 << 10)})
		f.mkdir("d")
		for i := range others {
			f.create(fmt.Sprintf("d/Other%d", i))
		}
		for i := range 400 {
			f.create(fmt.Sprintf("d/Name%d", i))
			if err := p.do("put", f.path(fmt.Sprintf("d/nAME%d", i))); err != nil {
				t.Fatal(err)
			}
			expect(t, "open", f.open(fmt.Sprintf("d/NAME%d", i)), fmt.Sprintf("d/Name%d", i))
		}
	}
}

// TestBusyFolderStaysIndexed fills a folder under a budget that has no room for
// it.
func TestBusyFolderStaysIndexed(t *testing.T) {
	for _, memory := range []int64{1, 64 << 10} {
		f := fixtureIn(t, fastDir(t), Options{Budget: budget.New(memory)})
		f.mkdir("d")
		for i := range 3000 {
			f.create(fmt.Sprintf("d/File%d", i))
		}
		if s := f.Stats(); s.Builds > 100 {
			t.Errorf("the folder was read %d times", s.Builds)
		}
		for _, d := range f.allDirs() {
			if d.names != nil && d.names.bytes() > memory/2 {
				t.Errorf("%d bytes of names with a budget of %d", d.names.bytes(), memory)
			}
		}
		expect(t, "create again", f.create("D/FILE2999"), bracket(vfs.KindExist))
	}
}

// TestUnreadableDisk has the disk fail to read a folder.
func TestUnreadableDisk(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "d/File")
	f, h := hookedFixture(t, dir, Options{})
	failing := true
	h.set(func(c disk.Call) unix.Errno {
		if failing && c.Op == disk.OpList {
			return unix.EIO
		}
		return 0
	})
	expect(t, "exact", f.open("d/File"), "d/File")
	expect(t, "another case", f.open("d/FILE"), bracket(vfs.KindIO))
	expect(t, "create", f.create("d/new"), bracket(vfs.KindIO))
	failing = false
	expect(t, "another case, later", f.open("d/FILE"), "d/File")
	expect(t, "create, later", f.create("d/new"), "d/new")
}

func (f *fixture) waitFor(what string, ok func() bool) {
	f.t.Helper()
	for range 1000 {
		if ok() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	f.t.Errorf("not: %s", what)
}

func (f *fixture) dropIndexes() {
	for _, d := range f.allDirs() {
		d.evict()
	}
}

// idle makes all folders look as if nobody had used them for long.
func (f *fixture) idle() {
	for _, d := range f.allDirs() {
		d.used.Add(-int64(2 * driftTime))
	}
}

func TestGoneFoldersAreForgotten(t *testing.T) {
	eachWay(t, func(t *testing.T, way Coherence) {
		f := newFixture(t, Options{Coherence: way})
		f.leaveNothing()
	})
}

// leaveNothing makes and removes folders and looks for what is left of them.
func (f *fixture) leaveNothing() {
	t := f.t
	for i := range 50 {
		d := fmt.Sprintf("d%d", i)
		f.mkdir(d)
		f.create(d + "/x")
		f.remove(d + "/x")
		if got := f.remove(d); got != d {
			t.Fatal(got)
		}
	}
	f.idle()
	f.forgetDrifting()
	if s := f.Stats(); s.Folders != 1 {
		t.Errorf("%d folders are cached", s.Folders)
	}
	if q := f.root.q; q != nil && len(q.dirs) != 1 {
		t.Errorf("%d folders are in the queue's table", len(q.dirs))
	}
	f.waitFor("all folders are closed", func() bool {
		entries, _ := filepath.Glob("/proc/self/fd/*")
		return !slices.ContainsFunc(entries, func(e string) bool {
			target, _ := os.Readlink(e)
			return strings.HasPrefix(target, f.dir+"/")
		})
	})
}
