package share

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/lock"
	"github.com/dozo-server/dozo/vfs"
)

const everyChange Changes = 0xfff

// canceled is a context of those who don't wait.
var canceled = func() context.Context {
	c, cancel := context.WithCancel(ctx)
	cancel()
	return c
}()

// watch opens a folder and begins a watch.
func (t *tester) watch(path string, r WatchRequest) *Open {
	t.Helper()
	if r.Room == 0 {
		r.Room = 64 << 10
	}
	o := t.open(path, vfs.ListDir)
	_, _, err := o.Watch(canceled, r)
	t.want("the first request", err, vfs.KindCanceled)
	return o
}

var actions = [...]string{lock.Added: "+", lock.Removed: "-", lock.Modified: "*", lock.RenamedOld: "<", lock.RenamedNew: ">"}

// text is how changes stand in tests.
func text(changes []Change) string {
	var words []string
	for _, c := range changes {
		words = append(words, actions[c.Action]+c.Name)
	}
	return strings.Join(words, " ")
}

// seen returns what a watch saw since the last call.
func (t *tester) seen(o *Open) string {
	t.Helper()
	changes, missed, err := o.Watch(canceled, WatchRequest{Room: 1 << 20})
	if missed || err != nil && !vfs.IsKind(err, vfs.KindCanceled) {
		t.Errorf("watch of %q: missed %v, %v", o.Path(), missed, err)
	}
	return text(changes)
}

func TestWhatWatchesSee(tt *testing.T) {
	const written = lock.ChangeSize | lock.ChangeModified
	for _, c := range []struct {
		name string
		do   func(t *tester)
		kind Changes // seen with this and not without
		flat string  // seen by a watch of the folder d
		deep string  // seen by a recursive watch of the root
	}{
		{"a new file", func(t *tester) {
			t.close(t.do(OpenRequest{Path: "d/New", Access: write, Disposition: Create}))
		}, lock.ChangeFileName, "+New", "+d/New"},
		{"a new folder", func(t *tester) {
			t.close(t.do(OpenRequest{Path: "d/new", Access: read, Disposition: Create, Directory: true}))
		}, lock.ChangeDirName, "+new", "+d/new"},
		{"a file below", func(t *tester) {
			t.close(t.do(OpenRequest{Path: "d/sub/new", Access: write, Disposition: Create}))
		}, lock.ChangeFileName, "", "+d/sub/new"},
		{"a file that is there already", func(t *tester) {
			t.close(t.do(OpenRequest{Path: "d/f", Access: read, Share: shareAll, Disposition: OpenIf}))
		}, 0, "", ""},
		{"a file is emptied by an open", func(t *tester) {
			t.close(t.do(OpenRequest{Path: "d/f", Access: write, Disposition: Overwrite}))
		}, written | lock.ChangeAttributes, "*f", "*d/f"},
		{"a file goes with its close", func(t *tester) {
			t.close(t.do(OpenRequest{Path: "D/F", Access: vfs.Delete, Disposition: OpenExisting, DeleteOnClose: true}))
		}, lock.ChangeFileName, "-f", "-d/f"},
		{"a folder is removed", func(t *tester) {
			o := t.open("d/empty", vfs.Delete)
			t.ok("delete", o.SetDelete(ctx, true, 0))
			t.close(o)
		}, lock.ChangeDirName, "-empty", "-d/empty"},
		{"a file is renamed", func(t *tester) {
			t.ok("rename", t.open("d/f", vfs.Delete).Rename(ctx, "d/F2", 0))
		}, lock.ChangeFileName, "<f >F2", "<d/f >d/F2"},
		{"only its case is changed", func(t *tester) {
			t.ok("rename", t.open("d/f", vfs.Delete).Rename(ctx, "d/F", 0))
		}, lock.ChangeFileName, "<f >F", "<d/f >d/F"},
		{"nothing is changed by a rename", func(t *tester) {
			t.ok("rename", t.open("d/f", vfs.Delete).Rename(ctx, "d/f", Replace))
		}, 0, "", ""},
		{"a file is moved", func(t *tester) {
			t.ok("rename", t.open("d/f", vfs.Delete).Rename(ctx, "e/f", 0))
		}, lock.ChangeFileName, "-f", "-d/f +e/f"},
		{"a file replaces another", func(t *tester) {
			t.ok("rename", t.open("e/g", vfs.Delete).Rename(ctx, "d/f", Replace))
		}, lock.ChangeFileName, "-f +f", "-d/f -e/g +d/f"},
		{"a folder is renamed", func(t *tester) {
			t.ok("rename", t.open("d/empty", vfs.Delete).Rename(ctx, "d/full", 0))
		}, lock.ChangeDirName, "<empty >full", "<d/empty >d/full"},
		{"a link", func(t *tester) {
			t.ok("link", t.open("e/g", vfs.WriteAttr).Link(ctx, "D/link", 0))
		}, lock.ChangeFileName, "+link", "+d/link"},
		{"writes", func(t *tester) {
			o := t.open("d/f", write)
			for range 3 {
				_, err := o.WriteAt(ctx, []byte("x"), 0)
				t.ok("write", err)
			}
		}, written, "*f", "*d/f"},
		{"another size", func(t *tester) {
			t.ok("truncate", t.open("d/f", write).Truncate(ctx, 1))
		}, written, "*f", "*d/f"},
		{"attributes", func(t *tester) {
			t.ok("set", t.open("d/f", vfs.WriteAttr).SetAttr(ctx, vfs.SetAttr{Set: vfs.SetDOS, DOS: vfs.DOSHidden}))
		}, lock.ChangeAttributes, "*f", "*d/f"},
		{"the time of birth", func(t *tester) {
			t.ok("set", t.open("d/f", vfs.WriteAttr).SetAttr(ctx, vfs.SetAttr{Set: vfs.SetBirth, Birth: time.Unix(1, 0)}))
		}, lock.ChangeBirth, "*f", "*d/f"},
		{"the mode", func(t *tester) {
			t.ok("set", t.open("d/f", vfs.WriteControl).SetAttr(ctx, vfs.SetAttr{Set: vfs.SetMode, Mode: 0o600}))
		}, lock.ChangeSecurity, "*f", "*d/f"},
		{"the watched folder itself", func(t *tester) {
			t.ok("set", t.open("d", vfs.WriteAttr).SetAttr(ctx, vfs.SetAttr{Set: vfs.SetDOS, DOS: vfs.DOSHidden}))
		}, lock.ChangeAttributes, "", "*d"},
		{"a refused rename", func(t *tester) {
			t.want("rename", t.open("d/f", vfs.Delete).Rename(ctx, "e/g", 0), vfs.KindExist)
		}, 0, "", ""},
	} {
		tt.Run(c.name, func(tt *testing.T) {
			t := newTester(tt, Options{})
			for _, path := range []string{"d", "d/sub", "d/empty", "e"} {
				t.folder(path)
			}
			t.file("d/f")
			t.file("e/g")
			flat := t.watch("d", WatchRequest{Changes: everyChange})
			deep := t.watch("", WatchRequest{Changes: everyChange, Recursive: true})
			precise := t.watch("", WatchRequest{Changes: c.kind, Recursive: true})
			blind := t.watch("", WatchRequest{Changes: everyChange &^ c.kind, Recursive: true})
			c.do(t)
			for _, w := range []struct {
				name string
				open *Open
				want string
			}{{"flat", flat, c.flat}, {"deep", deep, c.deep}, {"precise", precise, c.deep}, {"blind", blind, ""}} {
				if got := t.seen(w.open); got != w.want {
					t.Errorf("%s: %q, want %q", w.name, got, w.want)
				}
			}
		})
	}
}

func TestWatchWaits(tt *testing.T) {
	for _, c := range []struct {
		name string
		end  func(t *tester, o *Open, cancel func())
		want string
		kind vfs.Kind
	}{
		{"for a change", func(t *tester, o *Open, _ func()) {
			t.close(t.do(OpenRequest{Path: "d/x", Access: write, Disposition: Create}))
		}, "+x", 0},
		{"until it is canceled", func(_ *tester, _ *Open, cancel func()) { cancel() }, "", vfs.KindCanceled},
		{"until it is closed", func(t *tester, o *Open, _ func()) { t.close(o) }, "", vfs.KindClosed},
		{"until the folder is to be deleted", func(t *tester, _ *Open, _ func()) {
			t.ok("delete", t.open("d", vfs.Delete).SetDelete(ctx, true, 0))
		}, "", vfs.KindDeletePending},
		{"until the folder is deleted by a close", func(t *tester, _ *Open, _ func()) {
			t.close(t.do(OpenRequest{Path: "d", Access: vfs.Delete, Share: shareAll, Disposition: OpenExisting, DeleteOnClose: true}))
		}, "", vfs.KindDeletePending},
	} {
		tt.Run(c.name, func(tt *testing.T) {
			t := newTester(tt, Options{})
			t.folder("d")
			o := t.open("d", vfs.ListDir)
			parked := make(chan struct{})
			waiting, cancel := context.WithCancel(OnPark(ctx, func(*Waiting) { close(parked) }))
			defer cancel()
			type result struct {
				changes []Change
				err     error
			}
			ended := make(chan result, 1)
			go func() {
				changes, _, err := o.Watch(waiting, WatchRequest{Changes: everyChange, Room: 1000})
				ended <- result{changes, err}
			}()
			<-parked
			c.end(t, o, cancel)
			got := <-ended
			if text(got.changes) != c.want || c.kind != 0 && !vfs.IsKind(got.err, c.kind) || c.kind == 0 && got.err != nil {
				t.Errorf("got %q, %v", text(got.changes), got.err)
			}
			o.Close(ctx)
			if n := t.share.watches.count.Load(); n != 0 || len(t.share.watches.byPath) != 0 || t.share.watches.noticed != 0 {
				t.Errorf("%d watches are left, %d bytes", n, t.share.watches.noticed)
			}
		})
	}
}

func TestWhoMayWatch(tt *testing.T) {
	t := newTester(tt, Options{})
	t.folder("d")
	t.file("f")
	r := WatchRequest{Changes: everyChange, Room: 1000}
	_, _, err := t.open("d", vfs.ReadAttr).Watch(canceled, r)
	t.want("without the right", err, vfs.KindNotGranted)
	_, _, err = t.open("f", vfs.ReadData).Watch(canceled, r)
	t.want("a file", err, vfs.KindNotDir)
	o := t.open("d", vfs.ListDir|vfs.Delete)
	t.ok("delete", o.SetDelete(ctx, true, 0))
	_, _, err = o.Watch(canceled, r)
	t.want("a folder that goes", err, vfs.KindDeletePending)
	t.close(o)
	_, _, err = o.Watch(canceled, r)
	t.want("after the close", err, vfs.KindClosed)
}

func TestTooMuchToTell(tt *testing.T) {
	t := newTester(tt, Options{})
	fill := func(from, to int) {
		for i := range to - from {
			t.close(t.do(OpenRequest{Path: fmt.Sprintf("file%02d", from+i), Access: write, Disposition: Create}))
		}
	}
	const room = 10 * (12 + 12) // ten names of six characters
	o := t.watch("", WatchRequest{Changes: lock.ChangeFileName, Room: room})
	for _, c := range []struct {
		name           string
		from, to, room int
		missed         bool
	}{
		{"as much as fits", 0, 10, room, false},
		{"one more", 10, 21, room, true},
		{"afterwards", 21, 22, room, false},
		{"a smaller buffer", 22, 24, 47, true},
		{"a buffer that is just large enough", 24, 26, 48, false},
	} {
		fill(c.from, c.to)
		changes, missed, err := o.Watch(canceled, WatchRequest{Room: c.room})
		if err != nil || missed != c.missed || !missed && len(changes) != c.to-c.from || missed && len(changes) > 0 {
			t.Errorf("%s: %d changes, missed %v, %v", c.name, len(changes), missed, err)
		}
	}
}

// TestWatchesOfPrivateFolders has one user watch what another keeps to himself.
func TestWatchesOfPrivateFolders(tt *testing.T) {
	t := newTester(tt, Options{})
	t.folder("open")
	f, err := t.fs.Create(ctx, nil, "private", vfs.CreateOptions{Directory: true, HasMode: true, Mode: 0o700})
	t.ok("create", err)
	f.Close()
	other := &Tree{share: t.share, options: t.share.o.Load(), caller: &vfs.Caller{HasID: true, UID: 2, GID: 2}, max: vfs.AllAccess}
	o, _, err := other.Open(ctx, OpenRequest{Access: vfs.ListDir, Share: shareAll, Disposition: OpenExisting})
	t.ok("open", err)
	r := WatchRequest{Changes: everyChange, Recursive: true, Room: 1000}
	_, _, err = o.Watch(canceled, r)
	t.want("the first request", err, vfs.KindCanceled)
	for _, path := range []string{"private", "open"} {
		for i := range 2 {
			t.close(t.do(OpenRequest{Path: fmt.Sprint(path, "/", i), Access: write, Disposition: Create}))
		}
	}
	if got := t.seen(o); got != "+open/0 +open/1" {
		t.Errorf("seen %q", got)
	}
}

// TestWatchesAgainstModel does everything at random and tells by paths alone
// what each watch has to see.
func TestWatchesAgainstModel(tt *testing.T) {
	type modelWatch struct {
		open *Open
		path string
		deep bool
		want []Change
	}
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 7))
	for round := range 30 {
		t := newTester(tt, Options{})
		there := map[string]bool{} // folders by path: true
		var watches []*modelWatch
		pick := func() string {
			parts := make([]string, 1+random.IntN(3))
			for i := range parts {
				parts[i] = string("abc"[random.IntN(3)])
			}
			return strings.Join(parts, "/")
		}
		tell := func(action lock.Action, path string) {
			for _, w := range watches {
				folder := w.path
				if folder != "" {
					folder += "/"
				}
				name, ok := strings.CutPrefix(path, folder)
				if !ok || !w.deep && strings.Contains(name, "/") {
					continue
				}
				c := Change{Action: action, Name: name}
				if n := len(w.want); action == lock.Modified && n > 0 && w.want[n-1] == c {
					continue
				}
				w.want = append(w.want, c)
			}
		}
		for step := range 200 {
			path := pick()
			switch random.IntN(7) {
			case 0:
				o, _, err := t.tree.Open(ctx, OpenRequest{Path: path, Access: vfs.ListDir, Share: shareAll, Disposition: Create, Directory: true})
				if err == nil {
					t.close(o)
					there[path] = true
					tell(lock.Added, path)
				}
			case 1:
				o, _, err := t.tree.Open(ctx, OpenRequest{Path: path, Access: write, Share: shareAll, Disposition: Create})
				if err == nil {
					t.close(o)
					there[path] = false
					tell(lock.Added, path)
				}
			case 2:
				if folder, ok := there[path]; ok && !folder {
					o := t.open(path, write)
					_, err := o.WriteAt(ctx, []byte("x"), 0)
					t.ok("write", err)
					t.close(o)
					tell(lock.Modified, path)
				}
			case 3:
				if _, ok := there[path]; !ok || slices.ContainsFunc(watches, func(w *modelWatch) bool { return w.path == path }) {
					continue
				}
				o := t.open(path, vfs.Delete|vfs.ListDir)
				if o.SetDelete(ctx, true, 0) == nil {
					delete(there, path)
					tell(lock.Removed, path)
				}
				t.close(o)
			case 4:
				if _, ok := there[path]; !ok {
					continue
				}
				to := pick()
				o := t.open(path, vfs.Delete)
				err := o.Rename(ctx, to, 0)
				t.close(o)
				if err != nil || to == path {
					continue
				}
				before, after := lock.RenamedOld, lock.RenamedNew
				if parent(path) != parent(to) {
					before, after = lock.Removed, lock.Added
				}
				moved := func(p string) (string, bool) {
					if p == path || strings.HasPrefix(p, path+"/") {
						return to + p[len(path):], true
					}
					return p, false
				}
				now := map[string]bool{}
				for p, folder := range there {
					p, _ = moved(p)
					now[p] = folder
				}
				there = now
				for _, w := range watches {
					w.path, _ = moved(w.path)
				}
				tell(before, path)
				tell(after, to)
			case 5:
				if folder := there[path]; folder && len(watches) < 5 {
					deep := random.IntN(2) == 0
					o := t.watch(path, WatchRequest{Changes: everyChange, Recursive: deep})
					watches = append(watches, &modelWatch{open: o, path: path, deep: deep})
				} else if len(watches) == 0 {
					o := t.watch("", WatchRequest{Changes: everyChange, Recursive: true})
					watches = append(watches, &modelWatch{open: o, deep: true})
				}
			case 6:
				if len(watches) == 0 {
					continue
				}
				i := random.IntN(len(watches))
				w := watches[i]
				if got, want := t.seen(w.open), text(w.want); got != want {
					t.Fatalf("seed %d, round %d, step %d: the watch of %q (deep %v) saw %q, want %q", seed, round, step, w.path, w.deep, got, want)
				}
				w.want = nil
				if random.IntN(4) == 0 {
					t.close(w.open)
					watches = slices.Delete(watches, i, i+1)
				}
			}
		}
	}
}

func TestNobodyWatching(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	o := t.open("f", write)
	o.file = pathless{o.file}
	o.wrote(ctx)
	o.reportName(lock.Added)
	if n := testing.AllocsPerRun(100, func() { o.wrote(ctx) }); n != 0 {
		t.Errorf("%v allocations for nobody", n)
	}
}

// pathless is a file whose path nobody may ask for.
type pathless struct{ vfs.File }

func (pathless) Path() string { panic("the path was built for nobody") }

// TestWatchesAreServedInTurn has several requests wait on one open.
func TestWatchesAreServedInTurn(tt *testing.T) {
	t := newTester(tt, Options{})
	o := t.watch("", WatchRequest{Changes: everyChange})
	var told [5]atomic.Pointer[string]
	done := make(chan int)
	for i := range told {
		parked := make(chan struct{})
		go func() {
			changes, _, err := o.Watch(OnPark(ctx, func(*Waiting) { close(parked) }), WatchRequest{Room: 1000})
			t.ok("watch", err)
			s := text(changes)
			told[i].Store(&s)
			done <- i
		}()
		<-parked
	}
	for i := range told {
		t.close(t.do(OpenRequest{Path: fmt.Sprint(i), Access: write, Disposition: Create}))
		if got := <-done; got != i || *told[i].Load() != fmt.Sprint("+", i) {
			t.Errorf("change %d was told to request %d as %q", i, got, *told[i].Load())
		}
	}
}
