package share

import (
	"context"
	"testing"
	"time"

	"github.com/dozo-server/dozo/vfs"
	"github.com/dozo-server/dozo/vfs/memfs"
)

// likeADisk is an FS that can't set times of change.
type likeADisk struct{ vfs.FS }

type onDisk struct{ vfs.File }

func (f likeADisk) Open(ctx context.Context, c *vfs.Caller, path string, o vfs.OpenOptions) (vfs.File, error) {
	file, err := f.FS.Open(ctx, c, path, o)
	return onDisk{file}, err
}

func (f likeADisk) Create(ctx context.Context, c *vfs.Caller, path string, o vfs.CreateOptions) (vfs.File, error) {
	file, err := f.FS.Create(ctx, c, path, o)
	return onDisk{file}, err
}

func (f onDisk) SetAttr(ctx context.Context, c *vfs.Caller, s vfs.SetAttr) error {
	s.Set &^= vfs.SetChanged
	return f.File.SetAttr(ctx, c, s)
}

// A time of change that a client set is shown everywhere, until the node
// changes.
func TestChangeTimeIsShownUntilTheNextChange(t *testing.T) {
	for _, fs := range []vfs.FS{likeADisk{memfs.New()}, memfs.New()} {
		tree := attach(t, New(fs, Options{Name: "s"}), "alice")
		open := func(d Disposition) *Open {
			o, _, err := tree.Open(ctx, OpenRequest{Path: "f", Access: vfs.WriteAttr | vfs.ReadAttr | vfs.WriteData, Share: shareAll, Disposition: d})
			if err != nil {
				t.Fatal(err)
			}
			return o
		}
		o := open(Create)
		root, _, err := tree.Open(ctx, OpenRequest{Access: vfs.ListDir, Share: shareAll, Disposition: OpenExisting, Directory: true})
		if err != nil {
			t.Fatal(err)
		}
		day := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
		if err := o.SetAttr(ctx, vfs.SetAttr{Set: vfs.SetChanged | vfs.SetModified, Changed: day, Modified: day}); err != nil {
			t.Fatal(err)
		}
		shown := func() map[string]time.Time {
			a, err := o.Attr(ctx)
			if err != nil {
				t.Fatal(err)
			}
			e, err := root.Lookup(ctx, "F", false)
			if err != nil {
				t.Fatal(err)
			}
			l, err := root.List(ctx)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			var entries [2]vfs.Entry
			if n, _ := l.Next(ctx, entries[:], false); n != 1 {
				t.Fatalf("%d entries", n)
			}
			again := open(OpenExisting)
			defer again.Close(ctx)
			return map[string]time.Time{"open": a.Changed, "look-up": e.Attr.Changed, "listing": entries[0].Attr.Changed, "next open": again.AttrAtOpen().Changed}
		}
		for where, got := range shown() {
			if !got.Equal(day) {
				t.Errorf("%T: %s shows %v", fs, where, got)
			}
		}
		// What is done through the same open leaves it as it is.
		if _, err := o.WriteAt(ctx, []byte("x"), 0); err != nil {
			t.Fatal(err)
		}
		if err := o.SetAttr(ctx, vfs.SetAttr{Set: vfs.SetDOS, DOS: vfs.DOSHidden}); err != nil {
			t.Fatal(err)
		}
		for where, got := range shown() {
			if !got.Equal(day) {
				t.Errorf("%T: %s shows %v after a write", fs, where, got)
			}
		}
		if err := o.Thaw(vfs.SetChanged); err != nil {
			t.Fatal(err)
		}
		if err := o.SetAttr(ctx, vfs.SetAttr{Set: vfs.SetDOS, DOS: vfs.DOSArchive}); err != nil {
			t.Fatal(err)
		}
		for where, got := range shown() {
			if got.Equal(day) {
				t.Errorf("%T: %s shows what was set before the last change", fs, where)
			}
		}
	}
}

func TestChangeTimesAreBounded(t *testing.T) {
	var c changeTimes
	day := time.Unix(1e9, 0)
	for id := range uint64(maxChangeTimes + 100) {
		c.keep(vfs.Attr{ID: id, Changed: day}, day.Add(time.Hour))
	}
	if len(c.set) != maxChangeTimes {
		t.Errorf("%d are remembered", len(c.set))
	}
	a := vfs.Attr{ID: maxChangeTimes + 99, Changed: day}
	if c.show(&a); !a.Changed.Equal(day.Add(time.Hour)) {
		t.Error("the last one is forgotten")
	}
}
