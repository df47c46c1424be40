package vfstest

import (
	"testing"

	"github.com/dozo-server/dozo/vfs"
)

func (t *tree) openWith(path string, o vfs.OpenOptions) vfs.File {
	t.Helper()
	f, err := t.fs.Open(ctx, t.caller, path, o)
	if err != nil {
		t.Fatalf("open %s: %v", path, err)
	}
	return f
}

// testRights lets another account try what the mode allows and what not.
func testRights(t *tree) {
	if t.lacks(Callers) {
		t.Skip("the process can't act for other accounts")
	}
	t.build("open/", "closed/f", "list/f", "sticky/")
	t.chmod("open", 0o777)
	t.chmod("closed", 0o700)
	t.chmod("list", 0o755)
	t.chmod("sticky", 0o1777)
	for name, mode := range map[string]uint32{"none": 0o600, "read": 0o644, "write": 0o666} {
		t.close(t.create("open/" + name))
		t.close(t.create("sticky/" + name))
		t.chmod("open/"+name, mode)
		t.chmod("sticky/"+name, mode)
	}
	other := &vfs.Caller{User: "other", HasID: true, UID: 54321, GID: 54321}

	for _, c := range []struct {
		path   string
		access vfs.Access
		ok     bool
	}{
		{"open/none", vfs.ReadAttr, true},
		{"open/none", vfs.ReadData, false},
		{"open/none", vfs.WriteData, false},
		{"open/read", vfs.ReadData, true},
		{"open/read", vfs.WriteData, false},
		{"open/read", vfs.WriteControl, false},
		{"open/write", vfs.ReadData | vfs.WriteData, true},
		{"open/write", vfs.WriteOwner, false},
		{"open/read", vfs.Delete, true}, // the folder's mode decides
		{"sticky/write", vfs.Delete, false},
		{"list/f", vfs.ReadData, true},
		{"list/f", vfs.Delete, false},
		{"list", vfs.ListDir, true},
		{"list", vfs.AddFile, false},
		{"closed", vfs.ReadAttr, true},
		{"closed", vfs.ListDir, false},
		{"closed/f", vfs.ReadAttr, false},
		{"closed/missing", vfs.ReadAttr, false},
	} {
		f, err := t.fs.Open(ctx, other, c.path, vfs.OpenOptions{Access: c.access})
		if err == nil {
			f.Close()
		}
		if c.ok && err != nil {
			t.Errorf("open %s for %#x: %v", c.path, c.access, err)
		}
		if !c.ok {
			t.want("open "+c.path, err, vfs.KindAccess)
		}
	}

	f, err := t.fs.Open(ctx, other, "open/read", vfs.OpenOptions{Maximum: true})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := f.Granted(); !got.Has(vfs.ReadData|vfs.ReadAttr) || got&vfs.WriteData != 0 {
		t.Errorf("Maximum grants %#x", got)
	}

	for path, ok := range map[string]bool{"open/new": true, "list/new": false, "closed/new": false} {
		f, err := t.fs.Create(ctx, other, path, vfs.CreateOptions{Access: vfs.WriteData | vfs.ReadAttr})
		if !ok {
			t.want("create "+path, err, vfs.KindAccess)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if a := t.attr(f); a.UID != other.UID {
			t.Errorf("a new file belongs to %d, want its maker %d", a.UID, other.UID)
		}
		t.close(f)
	}
	// What exists is said to exist, even to whom may not make it.
	_, err = t.fs.Create(ctx, other, "list/f", vfs.CreateOptions{Access: vfs.WriteData})
	t.want("create of what is there", err, vfs.KindExist)

	g := t.open("list/f")
	defer g.Close()
	t.want("remove", t.fs.Remove(ctx, other, g), vfs.KindAccess)
	_, err = t.fs.Rename(ctx, other, g, "open/f", false)
	t.want("rename out of a folder", err, vfs.KindAccess)
	h := t.open("open/write")
	defer h.Close()
	_, err = t.fs.Rename(ctx, other, h, "list/g", false)
	t.want("rename into a folder", err, vfs.KindAccess)
	if t.fs.Features().HardLinks {
		t.want("link into a folder", t.fs.Link(ctx, other, h, "list/g", false), vfs.KindAccess)
	}
	t.want("giving a file away", h.SetAttr(ctx, other, vfs.SetAttr{Set: vfs.SetOwner, UID: 1}), vfs.KindAccess)
}

func (t *tree) chmod(path string, mode uint32) {
	t.Helper()
	f := t.openFor(path, vfs.WriteControl)
	t.set(f, vfs.SetAttr{Set: vfs.SetMode, Mode: mode})
	t.close(f)
}

// NoSpace tests what an FS does when it is full. s must hold no more than its
// root and be full after room bytes, at most 64 MiB, or a little less.
func NoSpace(tt *testing.T, s vfs.FS, room int64) {
	t := &tree{T: tt, fs: s}
	f := t.create("f")
	defer f.Close()
	piece := make([]byte, 300_000)
	for i := range piece {
		piece[i] = byte(i)
	}
	var size int64
	for {
		n, err := f.WriteAt(ctx, piece, size)
		size += int64(n)
		if err != nil {
			t.want("write to a full disk", err, vfs.KindNoSpace)
			break
		}
		if size > room {
			t.Fatalf("%d bytes fit where %d should", size, room)
		}
	}
	if got := t.attr(f).Size; got != size {
		t.Errorf("the file is %d bytes long, written were %d", got, size)
	}
	if size < room/2 {
		t.Errorf("full after %d bytes of %d", size, room)
	}
	err := f.Allocate(ctx, 10*room)
	t.want("allocate on a full disk", err, vfs.KindNoSpace, vfs.KindUnsupported)
	// Room comes back.
	if err := f.Truncate(ctx, 0); err != nil {
		t.Fatal(err)
	}
	t.write(f, "fits again", 0)
	if err := t.fs.Remove(ctx, nil, f); err != nil {
		t.Fatal(err)
	}
}

// ReadOnly tests an FS on which nothing can be changed. s must hold a file at
// path.
func ReadOnly(tt *testing.T, s vfs.FS, path string) {
	t := &tree{T: tt, fs: s}
	if !s.Features().ReadOnly {
		t.Error("its features don't say that it is read-only")
	}
	_, err := s.Open(ctx, nil, path, vfs.OpenOptions{Access: vfs.WriteData})
	t.want("open for writing", err, vfs.KindReadOnly)
	_, err = s.Create(ctx, nil, "new", vfs.CreateOptions{Access: vfs.WriteData})
	t.want("create", err, vfs.KindReadOnly)
	_, err = s.Create(ctx, nil, path, vfs.CreateOptions{Access: vfs.WriteData})
	t.want("create of what is there", err, vfs.KindExist)

	f, err := s.Open(ctx, nil, path, vfs.OpenOptions{Maximum: true})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := f.Granted() & vfs.Changing; got != 0 {
		t.Errorf("Maximum grants %#x", got)
	}
	_, err = s.Rename(ctx, nil, f, "moved", false)
	t.want("rename", err, vfs.KindReadOnly)
	t.want("link", s.Link(ctx, nil, f, "linked", false), vfs.KindReadOnly, vfs.KindUnsupported)
	t.want("remove", s.Remove(ctx, nil, f), vfs.KindReadOnly)
	t.want("setattr", f.SetAttr(ctx, nil, vfs.SetAttr{Set: vfs.SetDOS}), vfs.KindReadOnly)
	_, err = f.WriteAt(ctx, []byte("x"), 0)
	t.want("write", err, vfs.KindReadOnly, vfs.KindNotGranted)
	t.want("truncate", f.Truncate(ctx, 0), vfs.KindReadOnly, vfs.KindNotGranted)
	if t.content(f) == "" {
		t.Error("the file was emptied")
	}
	if s.Features().Streams {
		_, err = streamer(f).CreateStream(ctx, nil, "new", rw)
		t.want("create of a stream", err, vfs.KindReadOnly)
		t.want("clear", streamer(f).Clear(ctx), vfs.KindReadOnly, vfs.KindNotGranted)
	}
	if s.Features().Mac {
		err = f.(vfs.MacFile).SetMac(ctx, nil, vfs.SetMac{Set: vfs.SetFinder})
		t.want("set mac", err, vfs.KindReadOnly, vfs.KindNotGranted)
	}
}
