package share

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dozo-server/dozo/internal/lock"
	"github.com/dozo-server/dozo/vfs"
)

// client is a Holder that notes what it is told and may answer.
type client struct {
	mu     sync.Mutex
	breaks []Oplock
	answer func(o *Open, to Oplock) // in a goroutine of its own
}

func (c *client) BreakOplock(o *Open, to Oplock) {
	c.mu.Lock()
	c.breaks = append(c.breaks, to)
	c.mu.Unlock()
	if c.answer != nil {
		go c.answer(o, to)
	}
}

// told returns what the client was told since it was asked last.
func (c *client) told() []Oplock {
	c.mu.Lock()
	defer c.mu.Unlock()
	breaks := c.breaks
	c.breaks = nil
	return breaks
}

func (t *tester) wantTold(c *client, want ...Oplock) {
	t.Helper()
	if got := c.told(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("told %v, want %v", got, want)
	}
}

// keeps answers a break with what may be kept.
func keeps(o *Open, to Oplock) { o.AcknowledgeBreak(to) }

// closes answers a break by closing.
func closes(o *Open, to Oplock) { o.Close(ctx) }

// held opens "f" for everything with an oplock.
func (t *tester) held(c *client, want Oplock) *Open {
	t.Helper()
	return t.do(OpenRequest{Path: "f", Access: everything, Share: shareAll, Disposition: OpenIf, Oplock: want, Holder: c})
}

// later runs a call and returns what tells, later, how it ended; nil as long
// as it waits.
func later(call func(ctx context.Context) error) (ended func() (error, bool), parks func() int, cancel func()) {
	var mu sync.Mutex
	var err error
	var done bool
	n := 0
	c, stop := context.WithCancel(OnPark(ctx, func(*Waiting) {
		mu.Lock()
		defer mu.Unlock()
		n++
	}))
	go func() {
		e := call(c)
		mu.Lock()
		defer mu.Unlock()
		err, done = e, true
	}()
	ended = func() (error, bool) {
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		return err, done
	}
	parks = func() int {
		mu.Lock()
		defer mu.Unlock()
		return n
	}
	return ended, parks, stop
}

func TestOplockGranted(tt *testing.T) {
	tests := []struct {
		name  string
		other *OpenRequest
		want  Oplock
		got   Oplock
	}{
		{"batch", nil, lock.Batch, lock.Batch},
		{"exclusive", nil, lock.Exclusive, lock.Exclusive},
		{"level II", nil, lock.LevelII, lock.LevelII},
		{"none", nil, lock.None, lock.None},
		{"batch beside a reader", &OpenRequest{Path: "f", Access: read, Share: shareAll, Disposition: OpenExisting}, lock.Batch, lock.LevelII},
		{"level II beside a reader", &OpenRequest{Path: "f", Access: read, Share: shareAll, Disposition: OpenExisting}, lock.LevelII, lock.LevelII},
	}
	for _, c := range tests {
		tt.Run(c.name, func(tt *testing.T) {
			t := newTester(tt, Options{})
			t.file("f")
			if c.other != nil {
				defer t.do(*c.other).Close(ctx)
			}
			o := t.held(&client{}, c.want)
			if got := o.Oplock(); got != c.got {
				t.Errorf("granted %v, want %v", got, c.got)
			}
			t.close(o)
		})
	}
	t := newTester(tt, Options{})
	t.folder("d")
	o := t.do(OpenRequest{Path: "d", Access: vfs.ListDir, Disposition: OpenExisting, Oplock: lock.Batch, Holder: &client{}})
	if got := o.Oplock(); got != lock.None {
		t.Errorf("a folder got %v", got)
	}
	t.close(o)
	t.file("f")
	o = t.do(OpenRequest{Path: "f", Access: read, Disposition: OpenExisting, Oplock: lock.Batch})
	if got := o.Oplock(); got != lock.None {
		t.Errorf("an open without a holder got %v", got)
	}
	t.close(o)
	t.empty()
}

// TestOplockBrokenByOpen opens a file under each kind of oplock.
func TestOplockBrokenByOpen(tt *testing.T) {
	const violation = true
	tests := []struct {
		name   string
		held   Oplock
		share  Mode // of the holder
		second OpenRequest
		broken []Oplock
		failed bool
		got    Oplock // by the second, which asks for batch
	}{
		{"batch by a reader", lock.Batch, shareAll,
			OpenRequest{Access: read, Disposition: OpenExisting}, []Oplock{lock.LevelII}, false, lock.LevelII},
		{"exclusive by a reader", lock.Exclusive, shareAll,
			OpenRequest{Access: read, Disposition: OpenIf}, []Oplock{lock.LevelII}, false, lock.LevelII},
		{"level II by a reader", lock.LevelII, shareAll,
			OpenRequest{Access: read, Disposition: OpenExisting}, nil, false, lock.LevelII},
		{"level II by a writer", lock.LevelII, shareAll,
			OpenRequest{Access: write, Disposition: OpenExisting}, nil, false, lock.LevelII},
		{"batch by overwriting", lock.Batch, shareAll,
			OpenRequest{Access: write, Disposition: OverwriteIf}, []Oplock{lock.None}, false, lock.LevelII},
		{"exclusive by superseding", lock.Exclusive, shareAll,
			OpenRequest{Access: write, Disposition: Supersede}, []Oplock{lock.None}, false, lock.LevelII},
		{"level II by overwriting", lock.LevelII, shareAll,
			OpenRequest{Access: write, Disposition: Overwrite}, []Oplock{lock.None}, false, lock.LevelII},
		{"batch by overwriting for attributes", lock.Batch, shareAll,
			OpenRequest{Access: vfs.ReadAttr, Disposition: OverwriteIf}, []Oplock{lock.None}, false, lock.LevelII},

		{"batch by one who looks at attributes", lock.Batch, shareAll,
			OpenRequest{Access: vfs.ReadAttr | vfs.WriteAttr | vfs.Synchronize, Disposition: OpenExisting}, nil, false, lock.None},
		{"exclusive by one who looks at attributes", lock.Exclusive, 0,
			OpenRequest{Access: vfs.ReadAttr, Disposition: OpenExisting}, nil, false, lock.None},
		{"batch by one who looks at the security", lock.Batch, shareAll,
			OpenRequest{Access: vfs.ReadControl, Disposition: OpenExisting}, []Oplock{lock.LevelII}, false, lock.LevelII},
		{"batch by one who may delete", lock.Batch, shareAll,
			OpenRequest{Access: vfs.Delete, Disposition: OpenExisting}, []Oplock{lock.LevelII}, false, lock.LevelII},

		{"batch before the share modes", lock.Batch, 0,
			OpenRequest{Access: read, Disposition: OpenExisting}, []Oplock{lock.LevelII}, violation, 0},
		{"exclusive not when refused", lock.Exclusive, 0,
			OpenRequest{Access: read, Disposition: OpenExisting}, nil, violation, 0},
		{"level II not when refused", lock.LevelII, 0,
			OpenRequest{Access: read, Disposition: Overwrite}, nil, violation, 0},
	}
	for _, c := range tests {
		tt.Run(c.name, func(tt *testing.T) {
			t := newTester(tt, Options{})
			t.file("f")
			first := &client{answer: keeps}
			o := t.do(OpenRequest{Path: "f", Access: everything, Share: c.share, Disposition: OpenExisting, Oplock: c.held, Holder: first})
			r := c.second
			r.Path, r.Share, r.Oplock, r.Holder = "f", shareAll, lock.Batch, &client{}
			p, _, err := t.tree.Open(ctx, r)
			if c.failed {
				t.want("open", err, vfs.KindSharing)
			} else if err != nil {
				t.Fatal(err)
			}
			t.wantTold(first, c.broken...)
			want := c.held
			if len(c.broken) > 0 {
				want = c.broken[0]
			}
			if got := o.Oplock(); got != want {
				t.Errorf("the holder has %v, want %v", got, want)
			}
			if p != nil {
				if got := p.Oplock(); got != c.got {
					t.Errorf("the second got %v, want %v", got, c.got)
				}
				t.close(p)
			}
			t.close(o)
			t.empty()
		})
	}
}

// A holder that is done with the file closes it when its batch oplock is
// broken; the second open then finds nobody.
func TestBatchOplockClosedOnBreak(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	first := &client{answer: closes}
	t.do(OpenRequest{Path: "f", Access: everything, Share: 0, Disposition: OpenExisting, Oplock: lock.Batch, Holder: first})
	p := t.held(&client{}, lock.Batch)
	if got := p.Oplock(); got != lock.Batch {
		t.Errorf("got %v", got)
	}
	t.wantTold(first, lock.LevelII)
	t.close(p)

	// If it was to be deleted it is gone by then.
	first = &client{answer: closes}
	o := t.held(first, lock.Batch)
	o.deleteOnClose = true
	t.refused(OpenRequest{Path: "f", Access: read, Share: shareAll, Disposition: OpenExisting}, vfs.KindNotExist)
	t.wantTold(first, lock.LevelII)

	o = t.held(&client{answer: closes}, lock.Batch)
	o.deleteOnClose = true
	p = t.do(OpenRequest{Path: "f", Access: read, Share: shareAll, Disposition: OpenIf})
	if !t.exists("f") || p.AttrAtOpen().Links != 1 {
		t.Error("opened what is gone")
	}
	t.close(p)
	t.empty()
}

// What the holder writes before it answers the break is seen by the second.
func TestAttributesAfterBreak(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	t.held(&client{answer: func(o *Open, to Oplock) {
		o.WriteAt(ctx, []byte("flushed by the holder"), 0)
		o.SetAttr(ctx, vfs.SetAttr{Set: vfs.SetDOS, DOS: vfs.DOSReadOnly})
		o.AcknowledgeBreak(to)
	}}, lock.Exclusive)
	p := t.open("f", read)
	if a := p.AttrAtOpen(); a.Size != 21 || a.DOS != vfs.DOSReadOnly {
		t.Errorf("attributes %+v", a)
	}
}

func TestBreakTimesOut(tt *testing.T) {
	synctest.Test(tt, func(tt *testing.T) {
		t := newTester(tt, Options{})
		t.file("f")
		first := &client{}
		o := t.held(first, lock.Batch)
		began := time.Now()
		ended, parks, _ := later(func(ctx context.Context) error {
			p, _, err := t.tree.Open(ctx, OpenRequest{Path: "f", Access: read, Share: shareAll, Disposition: OpenExisting})
			if err == nil {
				defer p.Close(ctx)
			}
			return err
		})
		time.Sleep(BreakTimeout - time.Second)
		if _, done := ended(); done {
			t.Fatal("the open did not wait")
		}
		if parks() != 1 {
			t.Errorf("parked %d times", parks())
		}
		t.wantTold(first, lock.LevelII)
		if got := o.Oplock(); got != lock.Batch {
			t.Errorf("the holder has %v", got)
		}
		time.Sleep(2 * time.Second)
		err, done := ended()
		if !done || err != nil {
			t.Fatalf("after %v: done %v, %v", time.Since(began), done, err)
		}
		if got := o.Oplock(); got != lock.None {
			t.Errorf("the holder has %v", got)
		}
		if _, err := o.AcknowledgeBreak(lock.LevelII); !vfs.IsKind(err, vfs.KindInvalid) {
			t.Errorf("an answer that comes too late: %v", err)
		}
		t.close(o)
		t.empty()
	})
}

// Who comes while a break is under way waits for the same answer, and no longer
// than the first.
func TestBreakIsWaitedForByAll(tt *testing.T) {
	synctest.Test(tt, func(tt *testing.T) {
		t := newTester(tt, Options{BreakTimeout: 10 * time.Second})
		t.file("f")
		first := &client{}
		o := t.held(first, lock.Exclusive)
		open := func(d Disposition) func(ctx context.Context) error {
			return func(ctx context.Context) error {
				_, _, err := t.tree.Open(ctx, OpenRequest{Path: "f", Access: write, Share: shareAll, Disposition: d})
				return err
			}
		}
		second, _, _ := later(open(OpenExisting))
		time.Sleep(6 * time.Second)
		third, _, _ := later(open(OverwriteIf))
		fourth, _, cancel := later(open(OpenExisting))
		cancel()
		if err, done := fourth(); !done || !vfs.IsKind(err, vfs.KindCanceled) {
			t.Errorf("canceled: %v, %v", done, err)
		}
		t.wantTold(first, lock.LevelII)

		// The answer leaves level II, which the third breaks again.
		level, err := o.AcknowledgeBreak(lock.LevelII)
		if level != lock.LevelII || err != nil {
			t.Errorf("AcknowledgeBreak = %v, %v", level, err)
		}
		for name, ended := range map[string]func() (error, bool){"second": second, "third": third} {
			if err, done := ended(); !done || err != nil {
				t.Errorf("%s: done %v, %v", name, done, err)
			}
		}
		t.wantTold(first, lock.None)
		if got := o.Oplock(); got != lock.None {
			t.Errorf("the holder has %v", got)
		}
		if time.Since(o.broken) > time.Second {
			t.Error("somebody waited for the timeout")
		}
	})
}

// A break that nobody waits for any more is not forgotten.
func TestBreakOutlivesItsCause(tt *testing.T) {
	synctest.Test(tt, func(tt *testing.T) {
		t := newTester(tt, Options{})
		t.file("f")
		first := &client{}
		o := t.held(first, lock.Batch)
		open := func(ctx context.Context) error {
			p, _, err := t.tree.Open(ctx, OpenRequest{Path: "f", Access: read, Share: shareAll, Disposition: OpenExisting})
			if err == nil {
				p.Close(ctx)
			}
			return err
		}
		ended, _, cancel := later(open)
		ended()
		cancel()
		if err, done := ended(); !done || !vfs.IsKind(err, vfs.KindCanceled) {
			t.Fatalf("done %v, %v", done, err)
		}
		time.Sleep(BreakTimeout + time.Second)
		// The holder has had its time.
		ended, _, _ = later(open)
		if err, done := ended(); !done || err != nil {
			t.Errorf("done %v, %v", done, err)
		}
		t.wantTold(first, lock.LevelII)
		t.close(o)
		t.empty()
	})
}

// TestLevelIIBroken sees which calls break level II: all that change bytes or
// lock some, by whomever.
func TestLevelIIBroken(tt *testing.T) {
	for _, c := range []struct {
		name   string
		do     func(o *Open) error
		broken bool
	}{
		{"read", func(o *Open) error { _, err := o.ReadAt(ctx, make([]byte, 1), 0); return err }, false},
		{"write", func(o *Open) error { _, err := o.WriteAt(ctx, []byte("x"), 0); return err }, true},
		{"truncate", func(o *Open) error { return o.Truncate(ctx, 3) }, true},
		{"allocate", func(o *Open) error { return o.Allocate(ctx, 1<<20) }, true},
		{"lock", func(o *Open) error { return o.Lock(ctx, []Range{{Length: 1}}, false) }, true},
		{"flush", func(o *Open) error { return o.Flush(ctx) }, false},
		{"attributes", func(o *Open) error { return o.SetAttr(ctx, vfs.SetAttr{Set: vfs.SetDOS}) }, false},
		{"rename", func(o *Open) error { return o.Rename(ctx, "g", 0) }, false},
		{"delete", func(o *Open) error { return o.SetDelete(ctx, true, 0) }, false},
	} {
		tt.Run(c.name, func(tt *testing.T) {
			t := newTester(tt, Options{})
			t.file("f")
			a, b := &client{}, &client{}
			first, second := t.held(a, lock.LevelII), t.held(b, lock.LevelII)
			plain := t.open("f", everything)
			t.ok("another", c.do(plain))
			for name, h := range map[string]*client{"first": a, "second": b} {
				if got := len(h.told()) == 1; got != c.broken {
					t.Errorf("%s was told: %v", name, got)
				}
			}
			t.close(first, second, plain)
			if t.exists("g") || !t.exists("f") {
				return
			}
			// The holder itself.
			first = t.held(a, lock.LevelII)
			t.ok("the holder", c.do(first))
			if got := len(a.told()) == 1; got != c.broken {
				t.Errorf("the holder was told of itself: %v", got)
			}
			t.close(first)
			t.empty()
		})
	}
}

// The holder of an exclusive oplock does what it likes.
func TestOwnOplockIsKept(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	c := &client{}
	o := t.held(c, lock.Batch)
	_, err := o.WriteAt(ctx, []byte("x"), 0)
	t.ok("write", err)
	t.ok("truncate", o.Truncate(ctx, 0))
	t.ok("lock", o.Lock(ctx, []Range{{Length: 1}}, false))
	t.ok("rename", o.Rename(ctx, "g", 0))
	t.wantTold(c)
	if got := o.Oplock(); got != lock.Batch {
		t.Errorf("has %v", got)
	}
	t.close(o)
	t.empty()
}

// No level II while bytes are locked: its holder would read what it may not.
func TestNoLevelIIBesideByteRanges(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	o := t.open("f", everything)
	t.ok("lock", o.Lock(ctx, []Range{{Length: 1}}, false))
	p := t.held(&client{}, lock.LevelII)
	if got := p.Oplock(); got != lock.None {
		t.Errorf("got %v", got)
	}
	t.close(o, p)
}

// A rename over a file, or of a folder, asks holders of batch oplocks whether
// they still need theirs.
func TestRenameBreaksBatchOplocks(tt *testing.T) {
	for _, c := range []struct {
		name   string
		answer func(*Open, Oplock)
		ok     bool
	}{
		{"closed", closes, true},
		{"kept open", keeps, false},
	} {
		tt.Run(c.name, func(tt *testing.T) {
			t := newTester(tt, Options{})
			t.folder("d")
			t.file("d/f")
			t.file("g")
			for _, r := range []struct{ what, to string }{{"g", "d/f"}, {"d", "e"}} {
				h := &client{answer: c.answer}
				holder := t.do(OpenRequest{Path: "d/f", Access: everything, Share: shareAll, Disposition: OpenExisting, Oplock: lock.Batch, Holder: h})
				o := t.open(r.what, vfs.Delete)
				err := o.Rename(ctx, r.to, Replace)
				if c.ok {
					t.ok("rename", err)
				} else {
					t.want("rename", err, vfs.KindAccess)
				}
				t.wantTold(h, lock.LevelII)
				t.close(o)
				if err := holder.Close(ctx); c.ok != vfs.IsKind(err, vfs.KindClosed) {
					t.Errorf("close of the holder: %v", err)
				}
			}
			t.empty()
		})
	}
}

// A client may answer a break before it was told of it, and so have the next
// begin: each notice says what its own break left.
func TestAnswersThatComeTooEarly(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	for range 300 {
		c := &client{}
		holder := t.held(c, lock.Batch)
		var all sync.WaitGroup
		all.Go(func() {
			for holder.Oplock() == lock.Batch {
				if _, err := holder.AcknowledgeBreak(lock.LevelII); err != nil {
					holder.AcknowledgeBreak(lock.None)
				}
			}
		})
		for _, d := range []Disposition{OpenExisting, Overwrite} {
			all.Go(func() {
				o, _, err := t.tree.Open(ctx, OpenRequest{Path: "f", Access: everything, Share: shareAll, Disposition: d})
				if err != nil {
					t.Error(err)
					return
				}
				o.Close(ctx)
			})
		}
		all.Wait()
		holder.Close(ctx)
		// Either break may come first, and the answer to one may leave nothing
		// for the other; but no level is taken twice.
		if told := c.told(); len(told) == 0 || len(told) == 2 && told[0] == told[1] || len(told) > 2 {
			t.Fatalf("told %v", told)
		}
	}
}
