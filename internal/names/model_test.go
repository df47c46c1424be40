package names

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dozo-server/dozo/internal/budget"
	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// modelNode is a file or folder of a tree in memory that does what a Tree and
// a local process should make of a folder.
type modelNode struct {
	entries map[string]*modelNode // nil for a file
}

func newModelDir() *modelNode { return &modelNode{map[string]*modelNode{}} }

// find is how a client's name is understood: the exact spelling, else the first
// of those with the same key.
func (d *modelNode) find(name string) (string, bool) {
	if _, ok := d.entries[name]; ok {
		return name, true
	}
	key := keyOf(normalizing, name)
	var same []string
	for n := range d.entries {
		if keyOf(normalizing, n) == key {
			same = append(same, n)
		}
	}
	slices.Sort(same)
	if len(same) == 0 {
		return "", false
	}
	return same[0], true
}

// resolve returns the folder that the last component of path is in, with its
// stored path.
func (d *modelNode) resolve(path string) (dir *modelNode, stored, last string, ok bool) {
	parts := strings.Split(path, "/")
	for _, part := range parts[:len(parts)-1] {
		name, found := d.find(part)
		if !found || d.entries[name].entries == nil {
			return nil, "", "", false
		}
		d, stored = d.entries[name], stored+name+"/"
	}
	return d, stored, parts[len(parts)-1], true
}

func (d *modelNode) holds(other *modelNode) bool {
	if d == other {
		return true
	}
	for _, e := range d.entries {
		if e.entries != nil && e.holds(other) {
			return true
		}
	}
	return false
}

func bracket(k vfs.Kind) string { return "[" + k.String() + "]" }

// The operations return what those of fixture should.

func (d *modelNode) open(path string) (string, *modelNode) {
	dir, stored, last, ok := d.resolve(path)
	if !ok {
		return bracket(vfs.KindPathNotExist), nil
	}
	name, ok := dir.find(last)
	if !ok {
		return bracket(vfs.KindNotExist), nil
	}
	return stored + name, dir.entries[name]
}

func (d *modelNode) create(path string, n *modelNode) string {
	dir, stored, last, ok := d.resolve(path)
	if !ok {
		return bracket(vfs.KindPathNotExist)
	}
	if _, there := dir.find(last); there {
		return bracket(vfs.KindExist)
	}
	dir.entries[last] = n
	return stored + last
}

func (d *modelNode) remove(path string) string {
	stored, n := d.open(path)
	if n == nil {
		return stored
	}
	if len(n.entries) > 0 {
		return bracket(vfs.KindNotEmpty)
	}
	dir, _, last, _ := d.resolve(stored)
	delete(dir.entries, last)
	return stored
}

func (d *modelNode) rename(path, to string, replace bool) string {
	stored, n := d.open(path)
	if n == nil {
		return stored
	}
	from, _, name, _ := d.resolve(stored)
	dir, toStored, newName, ok := d.resolve(to)
	if !ok {
		return bracket(vfs.KindPathNotExist)
	}
	target, there := dir.find(newName)
	switch {
	case there && dir == from && target == name:
	case there && !replace:
		return bracket(vfs.KindExist)
	case there && dir.entries[target].entries != nil:
		return bracket(vfs.KindIsDir)
	case there && n.entries != nil && n.holds(dir):
		return bracket(vfs.KindInvalid)
	case there && n.entries != nil:
		return bracket(vfs.KindNotDir)
	case n.entries != nil && n.holds(dir):
		return bracket(vfs.KindInvalid)
	}
	delete(from.entries, name)
	if there {
		delete(dir.entries, target)
	}
	dir.entries[newName] = n
	return toStored + newName
}

func (d *modelNode) link(path, to string, replace bool) string {
	stored, n := d.open(path)
	if n == nil {
		return stored
	}
	dir, _, newName, ok := d.resolve(to)
	if !ok {
		return bracket(vfs.KindPathNotExist)
	}
	target, there := dir.find(newName)
	switch {
	case there && !replace:
		return bracket(vfs.KindExist)
	case there && dir.entries[target].entries != nil:
		return bracket(vfs.KindIsDir)
	case n.entries != nil:
		return bracket(vfs.KindAccess)
	case there && dir.entries[target] == n:
		return stored
	}
	if there {
		delete(dir.entries, target)
	}
	dir.entries[newName] = n
	return stored
}

// paths returns all stored paths, folders with "/".
func (d *modelNode) paths(prefix string) (all []string) {
	for name, n := range d.entries {
		if n.entries == nil {
			all = append(all, prefix+name)
		} else {
			all = append(append(all, prefix+name+"/"), n.paths(prefix+name+"/")...)
		}
	}
	slices.Sort(all)
	return all
}

// chooser makes up paths of few names, in random case and composition, so that
// they meet often.
type chooser struct{ *rand.Rand }

var modelNames = []string{"alpha", "beta", "gamma", "\u00e9t\u00e9", "e\u0301te\u0301", "x:y", "\xe9"}

func (c chooser) name() string {
	name := modelNames[c.IntN(len(modelNames))]
	if name != "\xe9" {
		name = randomCase(c.Rand, name)
	}
	return name
}

func (c chooser) path() string {
	path := c.name()
	for c.IntN(3) > 0 && strings.Count(path, "/") < 3 {
		path += "/" + c.name()
	}
	return path
}

// eachDisk runs f in a folder of each kind of disk there is.
func eachDisk(t *testing.T, f func(t *testing.T, newDir func(testing.TB) string)) {
	t.Run("disk", func(t *testing.T) { f(t, func(t testing.TB) string { return t.TempDir() }) })
	t.Run("memory", func(t *testing.T) { f(t, fastDir) })
}

// TestModelStepByStep makes random changes, by turns through the Tree and by a
// local process, and asks after each, at once. All answers must be the model's.
func TestModelStepByStep(t *testing.T) {
	steps := 1500
	if testing.Short() {
		steps = 400
	}
	eachDisk(t, func(t *testing.T, newDir func(testing.TB) string) {
		for _, way := range []Coherence{Fanotify, Inotify} {
			for seed := range uint64(3) {
				c := chooser{rand.New(rand.NewPCG(seed, uint64(way)))}
				o := Options{Coherence: way}
				if seed == 2 {
					o.Budget, o.Descriptors = budget.New(1), NewDescriptors(8)
				}
				f := fixtureIn(t, newDir(t), o)
				stepByStep(t, c, f, steps)
			}
		}
	})
}

// TestSeveralQueues does the same with folders spread over several queues.
func TestSeveralQueues(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4 * maxShards))
	f := fixtureIn(t, fastDir(t), Options{})
	if n := len(f.queues.all()); f.root.q != nil && n != maxShards {
		t.Errorf("%d queues", n)
	}
	stepByStep(t, chooser{rand.New(rand.NewPCG(7, 7))}, f, 500)
}

func stepByStep(t *testing.T, c chooser, f *fixture, steps int) {
	t.Helper()
	m := newModelDir()
	p := startLocal(t)
	for step := range steps {
		var what, got, want string
		path, to, replace := c.path(), c.path(), c.IntN(2) == 0
		switch c.IntN(12) {
		case 0, 1:
			what = "create " + path
			got, want = f.create(path), m.create(path, &modelNode{})
		case 2:
			what = "mkdir " + path
			got, want = f.mkdir(path), m.create(path, newModelDir())
		case 3:
			what = "remove " + path
			got, want = f.remove(path), m.remove(path)
		case 4:
			what = fmt.Sprintf("rename %s to %s, replace %v", path, to, replace)
			got, want = f.rename(path, to, replace), m.rename(path, to, replace)
		case 5:
			what = fmt.Sprintf("link %s to %s, replace %v", path, to, replace)
			got, want = f.link(path, to, replace), m.link(path, to, replace)
		case 6, 7, 8, 9:
			what = localStep(t, c, f, m, p)
		}
		if got != want {
			t.Fatalf("step %d: %+q: %+q, want %+q", step, what, got, want)
		}
		for range 2 {
			path := c.path()
			got := f.open(path)
			if want, _ := m.open(path); got != want {
				t.Fatalf("step %d, after %+q: open %+q: %+q, want %+q", step, what, path, got, want)
			}
		}
		if step%50 == 0 {
			var listed []string
			f.walk("", func(path string, e Entry) {
				if e.Type == vfs.TypeDir {
					path += "/"
				}
				listed = append(listed, path)
			})
			slices.Sort(listed)
			if want := m.paths(""); !slices.Equal(listed, want) {
				t.Fatalf("step %d: listed %+q, want %+q", step, listed, want)
			}
		}
	}
}

// localStep makes a valid change by the local process, with exact names.
func localStep(t *testing.T, c chooser, f *fixture, m *modelNode, p *process) (what string) {
	t.Helper()
	dirs := []string{""}
	var all []string
	for _, path := range m.paths("") {
		all = append(all, strings.TrimSuffix(path, "/"))
		if strings.HasSuffix(path, "/") && strings.Count(path, "/") < 4 {
			dirs = append(dirs, path)
		}
	}
	dir, newName := dirs[c.IntN(len(dirs))], c.name()
	to, _, _, _ := m.resolve(dir + newName)
	if to.entries[newName] != nil {
		return "nothing"
	}
	exact := func(path string) (*modelNode, string, *modelNode) {
		d, _, name, _ := m.resolve(path)
		return d, name, d.entries[name]
	}
	var args []string
	switch k := c.IntN(6); {
	case k == 0 || len(all) == 0:
		args = []string{"put", dir + newName}
		to.entries[newName] = &modelNode{}
	case k == 1:
		args = []string{"mkdir", dir + newName}
		to.entries[newName] = newModelDir()
	default:
		path := all[c.IntN(len(all))]
		from, name, n := exact(path)
		switch {
		case k == 2 && len(n.entries) == 0:
			args = []string{"rm", path}
			delete(from.entries, name)
		case k == 3 && n.entries == nil:
			args = []string{"ln", path, dir + newName}
			to.entries[newName] = n
		case k > 3 && !n.holds(to):
			args = []string{"mv", path, dir + newName}
			delete(from.entries, name)
			to.entries[newName] = n
		default:
			return "nothing"
		}
	}
	what = "local " + strings.Join(args, " ")
	for i := range args[1:] {
		args[i+1] = f.path(args[i+1])
	}
	if err := p.do(args...); err != nil {
		t.Fatalf("%+q: %v", what, err)
	}
	return what
}

// walk calls f with all that is listed below the folder at path.
func (f *fixture) walk(path string, do func(path string, e Entry)) {
	for _, e := range f.entries(path) {
		full := e.Name
		if path != "" {
			full = path + "/" + e.Name
		}
		do(full, e)
		if e.Type == vfs.TypeDir {
			f.walk(full, do)
		}
	}
}

// TestModelAllAtOnce has goroutines change a tree through the Tree and local
// processes change the same, all at once. When they rest, the Tree must know
// just what is on the disk, and no two spellings of a name may be there unless
// a local process made one.
func TestModelAllAtOnce(t *testing.T) {
	rounds, steps := 8, 150
	if testing.Short() {
		rounds = 2
	}
	eachDisk(t, func(t *testing.T, newDir func(testing.TB) string) {
		for _, way := range []Coherence{Fanotify, Inotify} {
			for _, locals := range []int{0, 2} {
				f := fixtureIn(t, newDir(t), Options{Coherence: way})
				var processes []*process
				for range locals {
					processes = append(processes, startLocal(t))
				}
				for round := range rounds {
					var all sync.WaitGroup
					for g := range 4 {
						c := chooser{rand.New(rand.NewPCG(uint64(round), uint64(g)))}
						all.Go(func() { changeAtRandom(f, c, steps) })
					}
					for i, p := range processes {
						c := chooser{rand.New(rand.NewPCG(uint64(round), uint64(10+i)))}
						all.Go(func() { changeLocallyAtRandom(f, p, c, steps) })
					}
					all.Wait()
					if compareWithDisk(t, f, "", locals == 0); t.Failed() {
						t.Fatalf("way %d, %d local processes, round %d", way, locals, round)
					}
				}
			}
		}
	})
}

func changeAtRandom(f *fixture, c chooser, steps int) {
	for range steps {
		path, to := c.path(), c.path()
		switch c.IntN(8) {
		case 0, 1:
			f.create(path)
		case 2:
			f.mkdir(path)
		case 3:
			f.remove(path)
		case 4:
			f.rename(path, to, c.IntN(2) == 0)
		case 5:
			f.link(path, to, c.IntN(2) == 0)
		default:
			f.open(path)
		}
	}
}

func changeLocallyAtRandom(f *fixture, p *process, c chooser, steps int) {
	for range steps {
		path, to := f.path(c.path()), f.path(c.path())
		switch c.IntN(6) {
		case 0:
			p.do("put", path)
		case 1:
			p.do("mkdir", path)
		case 2:
			p.do("rm", path)
		case 3, 4:
			p.do("mv", path, to)
		case 5:
			p.do("ln", path, to)
		}
	}
}

// compareWithDisk holds all that the Tree knows against the disk.
func compareWithDisk(t *testing.T, f *fixture, path string, unique bool) {
	t.Helper()
	entries, err := os.ReadDir(f.path(path))
	if err != nil {
		t.Fatal(err)
	}
	m := newModelDir()
	for _, e := range entries {
		m.entries[e.Name()] = &modelNode{}
	}
	var listed []string
	for _, e := range f.entries(path) {
		listed = append(listed, e.Name)
	}
	slices.Sort(listed)
	if want := slices.Sorted(maps.Keys(m.entries)); !slices.Equal(listed, want) {
		t.Errorf("%+q lists %+q, on disk are %+q", path, listed, want)
	}
	c := chooser{rand.New(rand.NewPCG(1, 2))}
	keys := map[string]string{}
	for _, name := range append(slices.Sorted(maps.Keys(m.entries)), modelNames...) {
		for range 3 {
			asked := filepath.Join(path, randomCase(c.Rand, name))
			if name == "\xe9" {
				asked = filepath.Join(path, name)
			}
			want := bracket(vfs.KindNotExist)
			if stored, ok := m.find(filepath.Base(asked)); ok {
				want = filepath.Join(path, stored)
			}
			if got := f.open(asked); got != want {
				t.Errorf("open %+q: %+q, want %+q", asked, got, want)
			}
		}
		if _, onDisk := m.entries[name]; !onDisk {
			continue
		}
		key := keyOf(normalizing, name)
		if other, ok := keys[key]; ok && unique && other != name {
			t.Errorf("%+q and %+q are both in %+q", name, other, path)
		}
		keys[key] = name
	}
	for _, e := range entries {
		if e.IsDir() {
			compareWithDisk(t, f, filepath.Join(path, e.Name()), unique)
		}
	}
}

// TestOpenFilesKeepTheirPlaces holds files open while they and their folders
// are renamed from all sides through the Tree.
func TestOpenFilesKeepTheirPlaces(t *testing.T) {
	f := fixtureIn(t, fastDir(t), Options{})
	for _, d := range []string{"a", "a/b", "c", "c/d"} {
		f.mkdir(d)
	}
	type open struct {
		n *disk.Node
		p *Place
	}
	var files []open
	for i := range 8 {
		n, p, err := f.Create(bg, nil, fmt.Sprintf("%s/f%d", []string{"a", "a/b", "c", "c/d"}[i%4], i), disk.How{Mode: 0o600}, false)
		if err != nil {
			t.Fatal(err)
		}
		defer n.Close()
		files = append(files, open{n, p})
	}
	var all sync.WaitGroup
	for g := range 4 {
		c := chooser{rand.New(rand.NewPCG(9, uint64(g)))}
		all.Go(func() {
			for range 300 {
				file := files[c.IntN(len(files))]
				dir := []string{"a", "A/B", "c", "C/D", "b", "d"}[c.IntN(6)]
				if c.IntN(2) == 0 {
					f.Rename(bg, nil, file.p, file.n, fmt.Sprintf("%s/F%d", dir, c.IntN(20)), false, false)
				} else {
					f.rename(dir, []string{"a", "c/x", "b", "C/d", "a/b"}[c.IntN(5)], false)
				}
			}
		})
	}
	all.Wait()
	for _, file := range files {
		st, err := file.n.Stat()
		if err != nil {
			t.Fatal(err)
		}
		onDisk, err := os.Stat(f.path(file.p.Path()))
		if err != nil {
			t.Errorf("%q: %v", file.p.Path(), err)
			continue
		}
		if id := inodeOf(onDisk); id != st.Ino {
			t.Errorf("%q is another file", file.p.Path())
		}
		file.p.Release()
	}
}
