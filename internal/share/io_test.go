package share

import (
	"errors"
	"io"
	"testing"
	"time"

	"github.com/dozo-server/dozo/vfs"
)

func TestRightsOfCalls(tt *testing.T) {
	calls := []struct {
		name  string
		needs []vfs.Access // one of them
		do    func(o *Open) error
	}{
		{"read", []vfs.Access{vfs.ReadData, vfs.Execute}, func(o *Open) error {
			_, err := o.ReadAt(ctx, make([]byte, 1), 0)
			return err
		}},
		{"write", []vfs.Access{vfs.WriteData}, func(o *Open) error {
			_, err := o.WriteAt(ctx, []byte("x"), 0)
			return err
		}},
		{"append", []vfs.Access{vfs.WriteData, vfs.AppendData}, func(o *Open) error {
			_, err := o.WriteAt(ctx, []byte("x"), o.AttrAtOpen().Size)
			return err
		}},
		{"truncate", []vfs.Access{vfs.WriteData}, func(o *Open) error { return o.Truncate(ctx, 1) }},
		{"allocate", []vfs.Access{vfs.WriteData}, func(o *Open) error { return o.Allocate(ctx, 1) }},
		{"flush", []vfs.Access{vfs.WriteData, vfs.AppendData}, func(o *Open) error { return o.Flush(ctx) }},
		{"attributes", nil, func(o *Open) error { _, err := o.Attr(ctx); return err }},
		{"set a time", []vfs.Access{vfs.WriteAttr}, func(o *Open) error {
			return o.SetAttr(ctx, vfs.SetAttr{Set: vfs.SetModified, Modified: time.Now()})
		}},
		{"set the mode", []vfs.Access{vfs.WriteControl}, func(o *Open) error {
			return o.SetAttr(ctx, vfs.SetAttr{Set: vfs.SetMode, Mode: 0o755})
		}},
		{"set the group", []vfs.Access{vfs.WriteOwner}, func(o *Open) error {
			return o.SetAttr(ctx, vfs.SetAttr{Set: vfs.SetGroup, GID: 1000})
		}},
		{"freeze", []vfs.Access{vfs.WriteAttr}, func(o *Open) error { return o.Freeze(ctx, vfs.SetModified) }},
		{"thaw", []vfs.Access{vfs.WriteAttr}, func(o *Open) error { return o.Thaw(vfs.SetModified) }},
		{"rename", []vfs.Access{vfs.Delete}, func(o *Open) error { return o.Rename(ctx, "f", 0) }},
		{"delete", []vfs.Access{vfs.Delete}, func(o *Open) error { return o.SetDelete(ctx, false, 0) }},
		{"lock", []vfs.Access{vfs.ReadData, vfs.WriteData, vfs.AppendData, vfs.Execute}, func(o *Open) error {
			return o.Lock(ctx, []Range{{Length: 1}}, false)
		}},
		{"space", nil, func(o *Open) error { _, err := o.Space(ctx); return err }},
		{"access", nil, func(o *Open) error { _, err := o.MaxAccess(ctx); return err }},
	}
	t := newTester(tt, Options{})
	for _, c := range calls {
		t.file("f")
		for right := vfs.Access(1); right < vfs.AllAccess; right <<= 1 {
			if right&vfs.AllAccess == 0 {
				continue
			}
			may := len(c.needs) == 0
			for _, n := range c.needs {
				may = may || n == right
			}
			o := t.open("f", right)
			err := c.do(o)
			if may && err != nil && !errors.Is(err, io.EOF) {
				t.Errorf("%s with %#x: %v", c.name, right, err)
			}
			if !may {
				t.want(c.name, err, vfs.KindNotGranted)
			}
			t.close(o)
		}
		o := t.do(OpenRequest{Path: "f", Access: deleter, DeleteOnClose: true, Disposition: OpenExisting})
		t.close(o)
	}
	t.empty()
}

func TestListAndLookup(tt *testing.T) {
	t := newTester(tt, Options{})
	t.folder("d")
	t.file("d/File")
	d := t.open("d", vfs.ListDir)
	l, err := d.List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	entries := make([]vfs.Entry, 2)
	if n, err := l.Next(ctx, entries, true); n != 1 || err != nil || entries[0].Name != "File" {
		t.Errorf("listed %v, %v", entries[:n], err)
	}
	l.Close()
	if e, err := d.Lookup(ctx, "FILE", false); err != nil || e.Name != "File" {
		t.Errorf("Lookup = %v, %v", e, err)
	}
	t.close(d)
	d = t.open("d", vfs.ReadAttr)
	_, err = d.List(ctx)
	t.want("list", err, vfs.KindNotGranted)
	_, err = d.Lookup(ctx, "File", false)
	t.want("lookup", err, vfs.KindNotGranted)
	t.close(d)
}

// A time that a client set is not changed by what it writes afterwards.
func TestTimeStaysAsSet(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	when := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	o, p := t.open("f", everything), t.open("f", everything)
	modified := func() time.Time {
		a, err := o.Attr(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return a.Modified
	}
	change := func(o *Open) {
		t.Helper()
		_, err := o.WriteAt(ctx, []byte("x"), 0)
		t.ok("write", err)
		t.ok("truncate", o.Truncate(ctx, 1))
	}
	t.ok("set", o.SetAttr(ctx, vfs.SetAttr{Set: vfs.SetModified, Modified: when}))
	change(o)
	if got := modified(); !got.Equal(when) {
		t.Errorf("after a write: %v", got)
	}
	change(p) // another open is not bound by it
	if got := modified(); got.Equal(when) {
		t.Error("a write by another changed nothing")
	}

	t.ok("set by another", p.SetAttr(ctx, vfs.SetAttr{Set: vfs.SetModified, Modified: when}))
	t.ok("thaw", o.Thaw(vfs.SetModified))
	change(o)
	if got := modified(); got.Equal(when) {
		t.Error("thawed, a write changed nothing")
	}
	frozen := modified()
	t.ok("freeze", o.Freeze(ctx, vfs.SetModified|vfs.SetAccessed))
	change(o)
	if got := modified(); !got.Equal(frozen) {
		t.Errorf("frozen at %v, now %v", frozen, got)
	}
	t.ok("thaw of another time", o.Thaw(vfs.SetBirth))
	change(o)
	if got := modified(); !got.Equal(frozen) {
		t.Errorf("frozen at %v, now %v", frozen, got)
	}
	t.close(o, p)
	t.empty()
}

func TestWriteSetsArchive(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	t.set("f", vfs.SetAttr{Set: vfs.SetDOS, DOS: vfs.DOSHidden})
	o := t.open("f", everything)
	dos := func() vfs.DOSAttr {
		a, err := o.Attr(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return a.DOS
	}
	if got := dos(); got != vfs.DOSHidden {
		t.Errorf("after the open: %#x", got)
	}
	_, err := o.WriteAt(ctx, []byte("x"), 0)
	t.ok("write", err)
	if got := dos(); got != vfs.DOSHidden|vfs.DOSArchive {
		t.Errorf("after a write: %#x", got)
	}
	t.ok("clear", o.SetAttr(ctx, vfs.SetAttr{Set: vfs.SetDOS}))
	if got := dos(); got != 0 {
		t.Errorf("after it was cleared: %#x", got)
	}
	t.ok("truncate", o.Truncate(ctx, 0))
	if got := dos(); got != vfs.DOSArchive {
		t.Errorf("after a truncation: %#x", got)
	}
	t.close(o)

	t.folder("d")
	d := t.open("d", vfs.WriteAttr)
	t.want("temporary folder", d.SetAttr(ctx, vfs.SetAttr{Set: vfs.SetDOS, DOS: vfs.DOSTemporary}), vfs.KindInvalid)
	t.close(d)
}
