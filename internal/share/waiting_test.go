package share

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dozo-server/dozo/internal/lock"
	"github.com/dozo-server/dozo/vfs"
)

// waits runs a call that has to wait and returns what it waits for.
func (t *tester) waits(call func(ctx context.Context) error) (w *Waiting, ended chan error) {
	t.Helper()
	ended = make(chan error, 1)
	go func() { ended <- call(OnPark(ctx, func(p *Waiting) { w = p })) }()
	synctest.Wait()
	if w == nil {
		t.Fatal("the call does not wait")
	}
	return w, ended
}

func TestWhoWaitsForWhom(tt *testing.T) {
	wants := func(o *Open, r Range) func(context.Context) error {
		return func(ctx context.Context) error { return o.Lock(ctx, []Range{r}, true) }
	}
	opens := func(t *tester, r OpenRequest) func(context.Context) error {
		return func(ctx context.Context) error {
			o, _, err := t.tree.Open(ctx, r)
			if err == nil {
				o.Close(ctx)
			}
			return err
		}
	}
	for _, c := range []struct {
		name  string
		begin func(t *tester, a, b, c *Open) (call func(context.Context) error, by []*Open)
		want  WaitInfo
	}{
		{"for a range that two have", func(t *tester, a, b, c *Open) (func(context.Context) error, []*Open) {
			t.ok("lock", a.Lock(ctx, []Range{{Offset: 0, Length: 1}, {Offset: 5, Length: 1}}, false))
			t.ok("lock", b.Lock(ctx, []Range{{Offset: 0, Length: 9}}, false))
			return wants(c, excl(0, 10)), []*Open{a, b}
		}, WaitInfo{Op: "lock", For: ForRange, Range: excl(0, 10)}},
		{"for one who came first", func(t *tester, a, b, c *Open) (func(context.Context) error, []*Open) {
			t.ok("lock", a.Lock(ctx, []Range{excl(0, 10)}, false))
			t.waits(wants(b, excl(5, 10)))
			return wants(c, excl(12, 1)), []*Open{b}
		}, WaitInfo{Op: "lock", For: ForRange, Range: excl(12, 1)}},
		{"to share a range", func(t *tester, a, b, c *Open) (func(context.Context) error, []*Open) {
			t.ok("lock", a.Lock(ctx, []Range{{Offset: 0, Length: 10}}, false))
			t.ok("lock", b.Lock(ctx, []Range{excl(20, 1)}, false))
			return wants(c, Range{Offset: 0, Length: 30}), []*Open{b}
		}, WaitInfo{Op: "lock", For: ForRange, Range: Range{Offset: 0, Length: 30}}},
		{"for an oplock", func(t *tester, a, b, c *Open) (func(context.Context) error, []*Open) {
			t.close(a, b, c)
			o := t.held(&client{}, lock.Batch)
			return opens(t, OpenRequest{Path: "F", Access: read, Share: shareAll, Disposition: OpenExisting}), []*Open{o}
		}, WaitInfo{Op: "open", Path: "F", For: ForOplock}},
	} {
		tt.Run(c.name, func(tt *testing.T) {
			synctest.Test(tt, func(tt *testing.T) {
				t := newTester(tt, Options{})
				t.file("f")
				opens := []*Open{t.open("f", everything), t.open("f", everything), t.open("f", everything)}
				call, by := c.begin(t, opens[0], opens[1], opens[2])
				began := time.Now()
				w, ended := t.waits(call)
				time.Sleep(time.Second)
				got, waits := w.Info()
				if !waits || got.Op != c.want.Op || got.For != c.want.For || got.Range != c.want.Range || !got.Since.Equal(began) {
					t.Errorf("waits %v: %+v, want %+v", waits, got, c.want)
				}
				if c.want.Path != "" && (got.Path != c.want.Path || got.Open != nil) ||
					c.want.Path == "" && (got.Path != "f" || got.Open != opens[2]) {
					t.Errorf("it is about %q", got.Path)
				}
				if len(got.By) != len(by) || slices.ContainsFunc(by, func(o *Open) bool { return !slices.Contains(got.By, o) }) {
					t.Errorf("it waits for %v, want %v", got.By, by)
				}
				for _, o := range append(by, opens[0], opens[1]) {
					o.Close(ctx)
				}
				if err := <-ended; err != nil && !vfs.IsKind(err, vfs.KindRangeNotHeld) {
					t.Error(err)
				}
				if got, waits := w.Info(); waits {
					t.Errorf("afterwards: %+v", got)
				}
				opens[2].Close(ctx)
			})
		})
	}
}
