package disk_test

import (
	"bytes"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// eachWay runs f on a file opened for use and as a mere place.
func eachWay(t *testing.T, f func(t *testing.T, n *disk.Node)) {
	for name, flags := range map[string]disk.Flags{"open": disk.Read | disk.Write, "path": disk.PathOnly} {
		t.Run(name, func(t *testing.T) {
			r, dir := root(t)
			build(t, dir, "f")
			n := must[*disk.Node](t)(r.Open(nil, "f", disk.How{Flags: flags}))
			defer n.Close()
			f(t, n)
		})
	}
}

func TestXattr(t *testing.T) {
	eachWay(t, func(t *testing.T, n *disk.Node) {
		const name = "user.dozo.test"
		_, err := n.GetXattr(name, make([]byte, 10))
		if vfs.IsKind(err, vfs.KindUnsupported) {
			t.Skip("no extended attributes here")
		}
		wantKind(t, "GetXattr of nothing", err, vfs.KindNoAttr)
		if err := n.SetXattr(nil, name, []byte("value")); err != nil {
			t.Fatal(err)
		}
		if v, err := n.GetXattr(name, make([]byte, 10)); string(v) != "value" || err != nil {
			t.Errorf("GetXattr = %q, %v", v, err)
		}
		_, err = n.GetXattr(name, make([]byte, 3))
		wantKind(t, "GetXattr into too little", err, vfs.KindTooLarge)
		if names, err := n.ListXattr(); !slices.Contains(names, name) || err != nil {
			t.Errorf("ListXattr = %q, %v", names, err)
		}
		if err := n.RemoveXattr(nil, name); err != nil {
			t.Error(err)
		}
		wantKind(t, "second removal", n.RemoveXattr(nil, name), vfs.KindNoAttr)
		if names, err := n.ListXattr(); slices.Contains(names, name) || err != nil {
			t.Errorf("ListXattr = %q, %v", names, err)
		}
	})
}

func TestSetAttributes(t *testing.T) {
	eachWay(t, func(t *testing.T, n *disk.Node) {
		modified := time.Date(2001, 2, 3, 4, 5, 6, 789012300, time.UTC)
		before := must[disk.Stat](t)(n.Stat())
		if err := n.SetTimes(nil, time.Time{}, modified); err != nil {
			t.Fatal(err)
		}
		if err := n.Chmod(nil, 0o751); err != nil {
			t.Fatal(err)
		}
		if err := n.Chown(nil, -1, -1); err != nil {
			t.Fatal(err)
		}
		st := must[disk.Stat](t)(n.Stat())
		if !st.Modified.Equal(modified) || !st.Accessed.Equal(before.Accessed) || st.Mode != 0o751 {
			t.Errorf("Stat = %+v", st)
		}
		if c := must[time.Time](t)(n.ChangeTime()); !c.Equal(st.Changed) {
			t.Errorf("ChangeTime = %v, Stat says %v", c, st.Changed)
		}
		if err := n.Access(nil, disk.MayRead|disk.MayExecute); err != nil {
			t.Error(err)
		}
	})
}

// TestFarTimes keeps times that 32 bits can't hold, as far as the disk can.
func TestFarTimes(t *testing.T) {
	eachWay(t, func(t *testing.T, n *disk.Node) {
		for _, want := range []time.Time{
			time.Date(1901, 12, 13, 20, 45, 53, 0, time.UTC),
			time.Date(2038, 1, 19, 3, 14, 9, 500, time.UTC),
			time.Date(2106, 2, 7, 6, 28, 17, 0, time.UTC),
		} {
			if err := n.SetTimes(nil, want, want); err != nil {
				t.Fatal(err)
			}
			if st := must[disk.Stat](t)(n.Stat()); !st.Modified.Equal(want) || !st.Accessed.Equal(want) {
				t.Errorf("%v: modified %v, accessed %v", want, st.Modified, st.Accessed)
			}
		}
	})
}

func TestHandlesTellNodesApart(t *testing.T) {
	r, dir := root(t)
	build(t, dir, "d/", "f", "g", "h == f")
	handles := map[disk.Handle]string{}
	for _, name := range []string{"d", "f", "g"} {
		n := must[*disk.Node](t)(r.Open(nil, name, disk.How{Flags: disk.PathOnly}))
		h := must[disk.Handle](t)(n.Handle())
		if at := must[disk.Handle](t)(r.HandleAt(name)); at != h {
			t.Errorf("%s: HandleAt = %v, Handle = %v", name, at, h)
		}
		if other, ok := handles[h]; ok {
			t.Errorf("%s and %s have one handle", name, other)
		}
		handles[h] = name
		n.Close()
	}
	if h := must[disk.Handle](t)(r.HandleAt("h")); handles[h] != "f" {
		t.Errorf("a further name of f has the handle of %q", handles[h])
	}
	// An inode that is used again must not bring the handle with it.
	for range 100 {
		if err := r.Remove(nil, "g", false); err != nil {
			t.Fatal(err)
		}
		build(t, dir, "g")
		h := must[disk.Handle](t)(r.HandleAt("g"))
		if _, ok := handles[h]; ok {
			t.Fatalf("the handle of a deleted file came back: %v", h)
		}
		handles[h] = "g"
	}
	if n, err := r.HandleAt("none"); !vfs.IsKind(err, vfs.KindNotExist) || !n.IsZero() {
		t.Errorf("HandleAt of nothing = %v, %v", n, err)
	}
}

func TestHolesAndRoom(t *testing.T) {
	r, _ := root(t)
	f := must[*disk.Node](t)(r.Open(nil, "f", disk.How{Flags: disk.Read | disk.Write | disk.Create, Mode: 0o600}))
	defer f.Close()
	if err := f.Allocate(0, 1<<20); vfs.IsKind(err, vfs.KindUnsupported) {
		t.Skip("no allocation here")
	} else if err != nil {
		t.Fatal(err)
	}
	if st := must[disk.Stat](t)(f.Stat()); st.Size != 0 || st.Allocated < 1<<20 {
		t.Errorf("after Allocate: size %d, allocated %d", st.Size, st.Allocated)
	}
	must[int](t)(f.WriteAt(bytes.Repeat([]byte{1}, 1<<20), 0))
	if err := f.PunchHole(64<<10, 128<<10); err != nil {
		t.Fatal(err)
	}
	if hole, err := f.SeekHole(0); hole != 64<<10 || err != nil {
		t.Errorf("SeekHole = %d, %v", hole, err)
	}
	if data, err := f.SeekData(64 << 10); data != 192<<10 || err != nil {
		t.Errorf("SeekData = %d, %v", data, err)
	}
	if err := f.Truncate(64 << 10); err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(1 << 20); err != nil {
		t.Fatal(err)
	}
	if _, err := f.SeekData(64 << 10); err != io.EOF {
		t.Errorf("SeekData in the last hole: %v", err)
	}
	if err := f.Sync(); err != nil {
		t.Error(err)
	}
	if err := f.DataSync(); err != nil {
		t.Error(err)
	}
}

func TestLocksExcludeOtherNodes(t *testing.T) {
	r, dir := root(t)
	build(t, dir, "f")
	open := func() *disk.Node {
		n := must[*disk.Node](t)(r.Open(nil, "f", disk.How{Flags: disk.Read | disk.Write}))
		return n
	}
	a, b := open(), open()
	defer b.Close()
	if err := a.LockRange(disk.LockExclusive, 10, 10); err != nil {
		t.Fatal(err)
	}
	wantKind(t, "overlapping lock", b.LockRange(disk.LockShared, 19, 5), vfs.KindLocked)
	if err := b.LockRange(disk.LockExclusive, 20, 0); err != nil {
		t.Errorf("lock beside: %v", err)
	}
	if err := a.LockRange(disk.LockNone, 10, 5); err != nil {
		t.Error(err)
	}
	if err := b.LockRange(disk.LockShared, 10, 5); err != nil {
		t.Errorf("lock of what was unlocked: %v", err)
	}
	a.Close()
	if err := b.LockRange(disk.LockExclusive, 15, 5); err != nil {
		t.Errorf("lock of what was closed: %v", err)
	}
}

func TestSpaceAndFileSystem(t *testing.T) {
	r, dir := root(t)
	s := must[disk.Space](t)(r.Space())
	if s.Total <= 0 || s.Free > s.Total || s.Available > s.Free || s.Block <= 0 || s.NameMax < 255 {
		t.Errorf("Space = %+v", s)
	}
	fs := must[disk.FileSystem](t)(r.FileSystem())
	build(t, dir, "d/")
	d := must[*disk.Node](t)(r.Open(nil, "d", disk.How{}))
	defer d.Close()
	if below := must[disk.FileSystem](t)(d.FileSystem()); below != fs || fs.Label == "" || fs.Kind == "" || fs.ID == [16]byte{} {
		t.Errorf("file system %+v, in a folder of it %+v", fs, below)
	}
}
