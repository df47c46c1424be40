package vfstest

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dozo-server/dozo/vfs"
)

// testClosed calls everything on files that were closed.
func testClosed(t *tree) {
	t.build("f", "d/")
	f, d := t.open("f"), t.openDir("d")
	t.close(f)
	t.close(d)
	want := func(what string, err error) {
		t.want(what, err, vfs.KindClosed)
	}
	_, err := f.Attr(ctx)
	want("attr", err)
	want("setattr", f.SetAttr(ctx, t.caller, vfs.SetAttr{Set: vfs.SetDOS}))
	_, err = f.MaxAccess(ctx, t.caller)
	want("access", err)
	_, err = f.ReadAt(ctx, make([]byte, 1), 0)
	want("read", err)
	_, err = f.WriteAt(ctx, make([]byte, 1), 0)
	want("write", err)
	want("truncate", f.Truncate(ctx, 0))
	want("allocate", f.Allocate(ctx, 10))
	want("sync", f.Sync(ctx))
	_, err = d.List(ctx, t.caller)
	want("list", err)
	_, err = d.Lookup(ctx, t.caller, "x", false)
	want("lookup", err)
	_, err = t.fs.Rename(ctx, t.caller, f, "g", false)
	want("rename", err)
	if t.fs.Features().HardLinks {
		want("link", t.fs.Link(ctx, t.caller, f, "g", false))
	}
	want("remove", t.fs.Remove(ctx, t.caller, f))
	_, err = t.fs.Space(ctx, t.caller, f)
	want("space", err)
	want("close", f.Close())
	if got := f.Path(); got != "f" {
		t.Errorf("Path = %q", got)
	}
	if got := t.names(""); !slices.Equal(got, []string{"d", "f"}) {
		t.Errorf("names = %q", got)
	}
}

// testCloseWhileUsed closes files under calls: each call is done or fails with
// KindClosed, and no call ever touches another file.
func testCloseWhileUsed(t *tree) {
	t.build("mine", "other")
	mine := strings.Repeat("m", 100_000)
	f := t.open("mine")
	t.write(f, mine, 0)
	t.close(f)

	for range 30 {
		f := t.open("mine")
		var calls sync.WaitGroup
		for range 4 {
			calls.Go(func() {
				b := make([]byte, len(mine))
				for {
					n, err := f.ReadAt(ctx, b, 0)
					if vfs.IsKind(err, vfs.KindClosed) {
						return
					}
					if n != len(mine) || string(b) != mine {
						t.Errorf("read %d bytes of something else (%v)", n, err)
						return
					}
					if _, err := f.WriteAt(ctx, []byte(mine[:1000]), 0); vfs.IsKind(err, vfs.KindClosed) {
						return
					} else if err != nil {
						t.Errorf("write: %v", err)
						return
					}
				}
			})
		}
		calls.Go(func() {
			time.Sleep(200 * time.Microsecond)
			if err := f.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
			// If descriptors are given again too early, this is whose.
			g := t.open("other")
			if got := t.content(g); got != "other" {
				t.Errorf("other = %.20q", got)
			}
			t.close(g)
		})
		calls.Wait()
	}
}

// testRacingCreators lets many make one name in many spellings: one wins.
func testRacingCreators(t *tree) {
	spellings := []string{"racer", "RACER", "Racer", "rACER"}
	if t.fs.Features().CaseSensitive {
		spellings = spellings[:1]
	}
	for round := range 40 {
		t.build(fmt.Sprintf("%d/", round))
		var made atomic.Int32
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				path := fmt.Sprintf("%d/%s", round, spellings[i%len(spellings)])
				f, err := t.fs.Create(ctx, t.caller, path, vfs.CreateOptions{Access: everything, Directory: i%3 == 0})
				if err != nil {
					t.want("create of what another made", err, vfs.KindExist)
					return
				}
				made.Add(1)
				f.Close()
			})
		}
		all.Wait()
		if got := made.Load(); got != 1 {
			t.Fatalf("round %d: %d creators made one name", round, got)
		}
		if got := t.names(fmt.Sprint(round)); len(got) != 1 {
			t.Fatalf("round %d: the folder holds %q", round, got)
		}
	}
}

// testRacingRenames lets many rename their file to one name: without
// replacing one wins, and nothing is ever lost.
func testRacingRenames(t *tree) {
	for round := range 40 {
		dir := fmt.Sprint(round)
		t.build(dir + "/")
		var moved atomic.Int32
		var all sync.WaitGroup
		for i := range 6 {
			f := t.create(fmt.Sprintf("%s/%d", dir, i))
			all.Go(func() {
				defer f.Close()
				_, err := t.fs.Rename(ctx, t.caller, f, dir+"/target", false)
				if err != nil {
					t.want("rename to a name that is taken", err, vfs.KindExist)
					return
				}
				moved.Add(1)
			})
		}
		all.Wait()
		if got := moved.Load(); got != 1 {
			t.Fatalf("round %d: %d renames to one name", round, got)
		}
		if got := t.names(dir); len(got) != 6 {
			t.Fatalf("round %d: the folder holds %q", round, got)
		}
	}
}

// testListWhileChanging lists a folder while others change it.
func testListWhileChanging(t *tree) {
	t.build("d/")
	stays := map[string]bool{}
	for i := range 200 {
		name := fmt.Sprintf("stays %d", i)
		t.close(t.create("d/" + name))
		stays[name] = true
	}
	stop := make(chan struct{})
	var changers sync.WaitGroup
	for w := range 2 {
		changers.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				f, err := t.fs.Create(ctx, t.caller, fmt.Sprintf("d/comes %d %d", w, i%50), vfs.CreateOptions{Access: everything})
				if err != nil {
					t.Errorf("create: %v", err)
					return
				}
				if err := t.fs.Remove(ctx, t.caller, f); err != nil {
					t.Errorf("remove: %v", err)
				}
				f.Close()
			}
		})
	}
	d := t.openDir("d")
	defer d.Close()
	for range 20 {
		l, err := d.List(ctx, t.caller)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]int{}
		buf := make([]vfs.Entry, 13)
		for {
			n, err := l.Next(ctx, buf, false)
			for _, e := range buf[:n] {
				seen[e.Name]++
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Errorf("list: %v", err)
				break
			}
		}
		l.Close()
		for name := range stays {
			if seen[name] != 1 {
				t.Errorf("%s was listed %d times", name, seen[name])
			}
		}
	}
	close(stop)
	changers.Wait()
}
