package share

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/dozo-server/dozo/vfs"
)

func excl(offset, length uint64) Range {
	return Range{Offset: offset, Length: length, Exclusive: true}
}

func TestRangesAreEnforced(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	a, b := t.open("f", everything), t.open("f", everything)
	t.ok("lock", a.Lock(ctx, []Range{excl(0, 10), {Offset: 20, Length: 10}}, false))
	buf := make([]byte, 5)
	tests := []struct {
		name        string
		o           *Open
		off         int64
		read, write bool
	}{
		{"own exclusive", a, 0, true, true},
		{"another's exclusive", b, 8, false, false},
		{"free", b, 12, true, true},
		{"own shared", a, 20, true, false},
		{"another's shared", b, 29, true, false},
	}
	for _, c := range tests {
		if _, err := c.o.WriteAt(ctx, buf, c.off); c.write != (err == nil) || !c.write && !vfs.IsKind(err, vfs.KindLocked) {
			t.Errorf("write to %s: %v", c.name, err)
		}
		if _, err := c.o.ReadAt(ctx, buf, c.off); vfs.IsKind(err, vfs.KindLocked) == c.read {
			t.Errorf("read of %s: %v", c.name, err)
		}
	}
	if _, err := b.ReadAt(ctx, nil, 5); err != nil {
		t.Errorf("read of nothing: %v", err)
	}
	t.ok("truncate", b.Truncate(ctx, 0)) // sizes are nobody's bytes

	t.want("wrong length", a.Unlock([]Range{excl(0, 9)}), vfs.KindRangeNotHeld)
	t.want("another's", b.Unlock([]Range{excl(0, 10)}), vfs.KindRangeNotHeld)
	t.ok("unlock", a.Unlock([]Range{excl(0, 10)}))
	_, err := b.WriteAt(ctx, buf, 0)
	t.ok("write", err)
	t.close(a)
	_, err = b.WriteAt(ctx, buf, 20)
	t.ok("write after the close of who locked", err)
	if b.row.guarded.Load() {
		t.Error("reads still look for locks")
	}
	t.close(b)
	t.empty()
}

func TestLockAllOrNothing(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	a, b := t.open("f", everything), t.open("f", everything)
	t.ok("lock", a.Lock(ctx, []Range{excl(100, 1)}, false))
	t.want("lock", b.Lock(ctx, []Range{excl(0, 1), {Offset: 50, Length: 1}, excl(100, 1)}, false), vfs.KindLocked)
	t.ok("lock", a.Lock(ctx, []Range{excl(0, 1), excl(50, 1)}, false))

	// One by one: those before the one that is not held stay unlocked.
	t.want("unlock", a.Unlock([]Range{excl(0, 1), excl(1, 1), excl(50, 1)}), vfs.KindRangeNotHeld)
	t.ok("lock", b.Lock(ctx, []Range{excl(0, 1)}, false))
	t.want("lock", b.Lock(ctx, []Range{excl(50, 1)}, false), vfs.KindLocked)
	t.close(a, b)
	t.empty()
}

func TestLockRefused(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	t.folder("d")
	o := t.open("f", vfs.ReadAttr)
	t.want("without a right", o.Lock(ctx, []Range{excl(0, 1)}, false), vfs.KindNotGranted)
	d := t.open("d", vfs.ListDir)
	t.want("of a folder", d.Lock(ctx, []Range{excl(0, 1)}, false), vfs.KindInvalid)
	p := t.open("f", read)
	t.want("waiting for two", p.Lock(ctx, []Range{excl(0, 1), excl(1, 1)}, true), vfs.KindInvalid)
	for i := range uint64(maxRanges) {
		if err := p.Lock(ctx, []Range{excl(i, 1)}, false); err != nil {
			t.Fatal(err)
		}
	}
	t.want("too many", p.Lock(ctx, []Range{excl(1<<40, 1)}, false), vfs.KindNoMemory)
	t.close(o, d, p)
	t.empty()
}

func TestLockWaits(tt *testing.T) {
	synctest.Test(tt, func(tt *testing.T) {
		t := newTester(tt, Options{})
		t.file("f")
		a, b, c := t.open("f", everything), t.open("f", everything), t.open("f", everything)
		lock := func(o *Open, r Range) func(ctx context.Context) error {
			return func(ctx context.Context) error { return o.Lock(ctx, []Range{r}, true) }
		}
		free, parks, _ := later(lock(a, excl(0, 10)))
		if err, done := free(); !done || err != nil || parks() != 0 {
			t.Fatalf("a free range: done %v, %v, parked %d times", done, err, parks())
		}
		second, parks, _ := later(lock(b, excl(5, 10)))
		if _, done := second(); done || parks() != 1 {
			t.Fatalf("done %v, parked %d times", done, parks())
		}
		third, _, _ := later(lock(c, excl(8, 1)))
		third()
		t.ok("unlock", a.Unlock([]Range{excl(0, 10)}))
		if err, done := second(); !done || err != nil {
			t.Errorf("second: done %v, %v", done, err)
		}
		if _, done := third(); done {
			t.Error("the third did not wait for the second")
		}
		t.close(b)
		if err, done := third(); !done || err != nil {
			t.Errorf("third: done %v, %v", done, err)
		}
		t.close(a, c)
		t.empty()
	})
}

func TestLockEndsEarly(tt *testing.T) {
	synctest.Test(tt, func(tt *testing.T) {
		t := newTester(tt, Options{})
		t.file("f")
		a, b := t.open("f", everything), t.open("f", everything)
		t.ok("lock", a.Lock(ctx, []Range{excl(0, 10)}, false))
		wait := func(ctx context.Context) error { return b.Lock(ctx, []Range{excl(0, 10)}, true) }

		canceled, _, cancel := later(wait)
		canceled()
		cancel()
		if err, done := canceled(); !done || !vfs.IsKind(err, vfs.KindCanceled) {
			t.Errorf("canceled: done %v, %v", done, err)
		}
		t.want("unlock of what was never locked", b.Unlock([]Range{excl(0, 10)}), vfs.KindRangeNotHeld)

		closed, _, _ := later(wait)
		closed()
		t.close(b)
		if err, done := closed(); !done || !vfs.IsKind(err, vfs.KindRangeNotHeld) {
			t.Errorf("closed: done %v, %v", done, err)
		}
		t.ok("unlock", a.Unlock([]Range{excl(0, 10)}))
		t.ok("lock", a.Lock(ctx, []Range{excl(0, 10)}, false)) // nobody got it
		t.close(a)
		t.empty()
	})
}
