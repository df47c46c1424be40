package share

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dozo-server/dozo/vfs"
)

// model is the table of opens in its simplest form: files with lists of opens,
// and rules that look through all of them.
type model struct {
	files map[string]*modelFile // by lower-case name
}

type modelFile struct {
	name   string
	opens  []*modelOpen
	doomed bool
	size   int
}

type modelOpen struct {
	file          *modelFile
	access        vfs.Access
	share         Mode
	deleteOnClose bool
	open          *Open
}

const fine = vfs.Kind(255)

func (m *model) openFile(r OpenRequest) (*modelOpen, Action, vfs.Kind) {
	f := m.files[strings.ToLower(r.Path)]
	action := Created
	switch {
	case f == nil && !r.Disposition.creates():
		return nil, 0, vfs.KindNotExist
	case f == nil:
		f = &modelFile{name: r.Path}
		m.files[strings.ToLower(r.Path)] = f
	case f.doomed:
		return nil, 0, vfs.KindDeletePending
	case r.Disposition == Create:
		return nil, 0, vfs.KindExist
	default:
		need := r.Access
		action = Opened
		if r.Disposition.overwrites() {
			need |= vfs.WriteData
			action = Overwritten
		}
		if r.Disposition == Supersede {
			action = Superseded
		}
		for _, o := range f.opens {
			u1, u2 := uses(need), uses(o.access)
			if u1 != 0 && u2 != 0 && (u1&^o.share != 0 || u2&^r.Share != 0) {
				return nil, 0, vfs.KindSharing
			}
		}
		if r.Disposition.overwrites() {
			f.size = 0
		}
	}
	o := &modelOpen{file: f, access: r.Access, share: r.Share, deleteOnClose: r.DeleteOnClose}
	f.opens = append(f.opens, o)
	return o, action, fine
}

func (m *model) close(o *modelOpen) {
	f := o.file
	f.opens = slices.DeleteFunc(f.opens, func(p *modelOpen) bool { return p == o })
	f.doomed = f.doomed || o.deleteOnClose
	if f.doomed && len(f.opens) == 0 {
		delete(m.files, strings.ToLower(f.name))
	}
}

func (m *model) rename(o *modelOpen, to string, replace bool) vfs.Kind {
	target := m.files[strings.ToLower(to)]
	switch {
	case o.access&vfs.Delete == 0:
		return vfs.KindNotGranted
	case o.file.doomed:
		return vfs.KindDeletePending
	case target != nil && target != o.file && !replace:
		return vfs.KindExist
	case target != nil && target != o.file && len(target.opens) > 0:
		return vfs.KindAccess
	}
	delete(m.files, strings.ToLower(o.file.name))
	o.file.name = to
	m.files[strings.ToLower(to)] = o.file
	return fine
}

func TestOpensAgainstModel(tt *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 5))
	accesses := []vfs.Access{read, write, read | write, deleter, vfs.ReadAttr, deleter | write, vfs.Execute, vfs.AppendData}
	names := []string{"a", "A", "b", "B", "c"}
	for round := range 60 {
		t := newTester(tt, Options{})
		m := model{files: map[string]*modelFile{}}
		var opens []*modelOpen
		check := func(step int, what string, err error, want vfs.Kind) {
			t.Helper()
			if want == fine && err != nil || want != fine && !vfs.IsKind(err, want) {
				t.Fatalf("seed %d, round %d, step %d: %s: got %v, want %v", seed, round, step, what, err, want)
			}
		}
		for step := range 200 {
			var o *modelOpen
			if len(opens) > 0 {
				o = opens[random.IntN(len(opens))]
			}
			switch choice := random.IntN(10); {
			case choice < 5 || o == nil:
				r := OpenRequest{
					Path:        names[random.IntN(len(names))],
					Access:      accesses[random.IntN(len(accesses))],
					Share:       Mode(random.IntN(8)) | Mode(1<<random.IntN(3)),
					Disposition: Disposition(random.IntN(6)),
				}
				r.DeleteOnClose = r.Access&vfs.Delete != 0 && random.IntN(4) == 0
				mo, wantAction, want := m.openFile(r)
				real, action, err := t.tree.Open(ctx, r)
				check(step, fmt.Sprintf("open %+v", r), err, want)
				if want == fine {
					if action != wantAction {
						t.Fatalf("seed %d, step %d: action %d, want %d", seed, step, action, wantAction)
					}
					if got := int(real.AttrAtOpen().Size); got != mo.file.size {
						t.Fatalf("seed %d, step %d: %d bytes, want %d", seed, step, got, mo.file.size)
					}
					mo.open = real
					opens = append(opens, mo)
				}
			case choice < 7:
				m.close(o)
				check(step, "close", o.open.Close(ctx), fine)
				opens = slices.DeleteFunc(opens, func(p *modelOpen) bool { return p == o })
			case choice == 7:
				on := random.IntN(3) > 0
				want := vfs.KindNotGranted
				if o.access&vfs.Delete != 0 {
					want = fine
					o.file.doomed = on
				}
				check(step, "delete", o.open.SetDelete(ctx, on, 0), want)
			case choice == 8:
				to, replace := names[random.IntN(len(names))], random.IntN(2) == 0
				check(step, "rename to "+to, o.open.Rename(ctx, to, replaceIf(replace)), m.rename(o, to, replace))
			case choice == 9:
				if o.access&vfs.WriteData != 0 {
					_, err := o.open.WriteAt(ctx, make([]byte, 5), 0)
					check(step, "write", err, fine)
					o.file.size = 5
				}
			}
			for _, p := range opens {
				if p.open.DeletePending() != p.file.doomed || p.open.Path() != p.file.name {
					t.Fatalf("seed %d, step %d: %s pending %v, want %s, %v", seed, step,
						p.open.Path(), p.open.DeletePending(), p.file.name, p.file.doomed)
				}
			}
			for _, name := range []string{"a", "b", "c"} {
				if got, want := t.exists(name), m.files[name] != nil; got != want {
					t.Fatalf("seed %d, step %d: %s exists: %v", seed, step, name, got)
				}
			}
		}
		for _, o := range opens {
			t.close(o.open)
		}
		t.empty()
	}
}

// TestRaces lets many clients do everything with few files at once. Whatever
// one has open must stay what it is: with its name, and alone where it asked to
// be.
func TestRaces(tt *testing.T) {
	t := newTester(tt, Options{BreakTimeout: 5 * time.Millisecond})
	t.folder("d")
	names := []string{"a", "b", "d/a", "d/b"}
	var alone sync.Map // vfs.Key -> *atomic.Int32: opens that share nothing
	var done [4]atomic.Int64
	end := time.Now().Add(time.Second)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(rand.Uint64(), uint64(i)))
			tree := attach(tt, t.share, fmt.Sprint("user", i))
			for time.Now().Before(end) {
				r := OpenRequest{
					Path:        names[random.IntN(len(names))],
					Access:      read | write | vfs.Delete,
					Share:       shareAll,
					Disposition: Disposition(random.IntN(6)),
					Oplock:      Oplock(random.IntN(4)),
				}
				r.DeleteOnClose = random.IntN(5) == 0
				if random.IntN(3) == 0 {
					r.Share = 0
				}
				switch random.IntN(3) {
				case 0:
					r.Holder = &client{answer: keeps}
				case 1:
					r.Holder = &client{} // does not answer
				}
				c, cancel := context.WithTimeout(ctx, time.Second)
				o, _, err := tree.Open(c, r)
				cancel()
				if err != nil {
					switch vfs.KindOf(err) {
					case vfs.KindSharing, vfs.KindDeletePending, vfs.KindExist, vfs.KindNotExist:
					default:
						t.Errorf("open: %v", err)
					}
					done[0].Add(1)
					continue
				}
				done[1].Add(1)
				n, _ := alone.LoadOrStore(o.Key(), new(atomic.Int32))
				counter := n.(*atomic.Int32)
				if r.Share == 0 {
					if counter.Add(1) != 1 {
						t.Error("two opens of one file that share nothing")
					}
				} else if counter.Load() != 0 {
					t.Error("an open beside one that shares nothing")
				}
				named := func(when string) {
					if a, err := o.Attr(ctx); err != nil || a.Links != 1 {
						t.Errorf("%s: %d names, %v", when, a.Links, err)
					}
				}
				named("after the open")
				if _, err := o.WriteAt(ctx, []byte("x"), 0); err != nil {
					t.Errorf("write: %v", err)
				}
				switch random.IntN(6) {
				case 0:
					if err := o.SetDelete(ctx, true, 0); err != nil {
						t.Errorf("delete: %v", err)
					}
				case 1, 2:
					err := o.Rename(ctx, names[random.IntN(len(names))], replaceIf(random.IntN(2) == 0))
					switch {
					case err == nil:
						done[2].Add(1)
					case vfs.IsKind(err, vfs.KindExist), vfs.IsKind(err, vfs.KindAccess), vfs.IsKind(err, vfs.KindDeletePending):
					default:
						t.Errorf("rename: %v", err)
					}
				case 3:
					if err := o.Lock(ctx, []Range{{Offset: 100, Length: 1, Exclusive: true}}, true); err != nil {
						t.Errorf("lock: %v", err)
					}
				}
				named("before the close")
				if r.Share == 0 {
					counter.Add(-1)
				}
				if err := o.Close(ctx); err != nil {
					t.Errorf("close: %v", err)
				}
				done[3].Add(1)
			}
		})
	}
	all.Wait()
	t.empty()
	if done[1].Load() == 0 || done[2].Load() == 0 {
		t.Errorf("nothing happened: %d refused, %d opens, %d renames", done[0].Load(), done[1].Load(), done[2].Load())
	}
	t.Logf("%d refused, %d opens, %d renames", done[0].Load(), done[1].Load(), done[2].Load())
}

// TestRacingFolderDelete removes and makes one folder and a file in it.
func TestRacingFolderDelete(tt *testing.T) {
	t := newTester(tt, Options{})
	end := time.Now().Add(300 * time.Millisecond)
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			tree := attach(tt, t.share, fmt.Sprint("user", i))
			for time.Now().Before(end) {
				o, _, err := tree.Open(ctx, OpenRequest{Path: "d", Access: vfs.Delete | vfs.ListDir, Share: shareAll, Disposition: OpenIf, Directory: true})
				if err != nil {
					if !vfs.IsKind(err, vfs.KindDeletePending) {
						t.Errorf("folder: %v", err)
					}
					continue
				}
				f, _, err := tree.Open(ctx, OpenRequest{Path: "d/f", Access: write | vfs.Delete, Share: shareAll, Disposition: OpenIf, DeleteOnClose: true})
				if err == nil {
					if a, err := f.Attr(ctx); err != nil || a.Links != 1 {
						t.Errorf("a file without a name: %+v, %v", a, err)
					}
					f.Close(ctx)
				} else if !vfs.IsKind(err, vfs.KindDeletePending) {
					t.Errorf("file: %v", err)
				}
				if err := o.SetDelete(ctx, true, 0); err != nil && !vfs.IsKind(err, vfs.KindNotEmpty) {
					t.Errorf("delete: %v", err)
				}
				if err := o.Close(ctx); err != nil {
					t.Errorf("close: %v", err)
				}
			}
		})
	}
	all.Wait()
	t.empty()
}
