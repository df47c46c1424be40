package share

import (
	"testing"

	"github.com/dozo-server/dozo/vfs"
)

const deleter = read | vfs.Delete

func TestDeleteOnLastClose(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	a, b := t.open("f", deleter), t.open("F", read)
	t.ok("delete", a.SetDelete(ctx, true, 0))
	if !a.DeletePending() || !b.DeletePending() {
		t.Error("not pending for all")
	}
	t.refused(OpenRequest{Path: "f", Access: vfs.ReadAttr, Share: shareAll, Disposition: OpenExisting}, vfs.KindDeletePending)
	t.refused(OpenRequest{Path: "f", Access: read, Share: shareAll, Disposition: OpenIf}, vfs.KindDeletePending)
	t.refused(OpenRequest{Path: "f", Access: read, Share: shareAll, Disposition: Overwrite}, vfs.KindDeletePending)
	t.refused(OpenRequest{Path: "f", Access: read, Share: shareAll, Disposition: Create}, vfs.KindDeletePending)
	t.close(a)
	if !t.exists("f") {
		t.Fatal("it went while it was open")
	}
	t.refused(OpenRequest{Path: "f", Access: read, Share: shareAll, Disposition: OpenExisting}, vfs.KindDeletePending)
	if got := t.content("f"); got != "f" {
		t.Errorf("content = %q", got)
	}
	t.close(b)
	if t.exists("f") {
		t.Error("it stayed")
	}
	t.want("second close", b.Close(ctx), vfs.KindClosed)
	t.empty()
}

func TestDeleteIsTakenBack(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	a, b := t.open("f", deleter), t.open("f", deleter)
	t.ok("delete", a.SetDelete(ctx, true, 0))
	t.close(a)
	t.ok("no delete", b.SetDelete(ctx, false, 0)) // anybody may
	t.close(t.open("f", read), b)
	if !t.exists("f") {
		t.Error("it went")
	}
	t.empty()
}

func TestDeleteOnClose(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	a := t.do(OpenRequest{Path: "f", Access: deleter, Share: shareAll, Disposition: OpenExisting, DeleteOnClose: true})
	if a.DeletePending() {
		t.Error("pending before the close")
	}
	b := t.open("f", read) // until then, all is as always
	t.close(a)
	if !b.DeletePending() {
		t.Error("not pending after the close")
	}
	t.refused(OpenRequest{Path: "f", Access: read, Share: shareAll, Disposition: OpenExisting}, vfs.KindDeletePending)
	t.close(b)
	if t.exists("f") {
		t.Error("it stayed")
	}

	// A temporary file that is made and never seen again.
	t.close(t.do(OpenRequest{Path: "tmp", Access: write | vfs.Delete, Disposition: Create, DeleteOnClose: true}))
	t.close(t.do(OpenRequest{Path: "dir", Access: vfs.Delete, Disposition: OpenIf, Directory: true, DeleteOnClose: true}))
	if t.exists("tmp") || t.exists("dir") {
		t.Error("it stayed")
	}
	t.empty()
}

func TestDeleteRefused(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	t.folder("d")
	t.file("d/f")
	o := t.open("f", read)
	t.want("without the right", o.SetDelete(ctx, true, 0), vfs.KindNotGranted)
	t.close(o)

	o = t.open("f", deleter)
	t.set("f", vfs.SetAttr{Set: vfs.SetDOS, DOS: vfs.DOSReadOnly})
	t.want("read-only", o.SetDelete(ctx, true, 0), vfs.KindCannotDelete)
	t.want("read-only, posix", o.SetDelete(ctx, true, DeletePOSIX), vfs.KindCannotDelete)
	t.close(o)

	o = t.open("d", vfs.Delete)
	t.want("not empty", o.SetDelete(ctx, true, 0), vfs.KindNotEmpty)
	t.close(o)
	t.refused(OpenRequest{Path: "f", Access: read, Share: ShareRead | ShareWrite, Disposition: OpenExisting, DeleteOnClose: true}, vfs.KindInvalid)
	if !t.exists("f") || !t.exists("d/f") {
		t.Error("something went")
	}
	t.empty()
}

// Nothing is made in a folder that is about to go, and one that was filled all
// the same stays without an error.
func TestDeleteFolder(tt *testing.T) {
	t := newTester(tt, Options{})
	t.folder("d")
	o := t.open("d", vfs.Delete)
	t.ok("delete", o.SetDelete(ctx, true, 0))
	t.refused(OpenRequest{Path: "d/f", Access: write, Disposition: Create}, vfs.KindDeletePending)
	t.refused(OpenRequest{Path: "d/f", Access: write, Disposition: OverwriteIf}, vfs.KindDeletePending)
	t.close(t.do(OpenRequest{Path: "f", Access: write, Disposition: Create}))
	f := t.open("f", vfs.Delete)
	t.want("rename into it", f.Rename(ctx, "d/f", 0), vfs.KindDeletePending)
	t.close(f)
	t.file("d/local") // by somebody else
	t.close(o)
	if !t.exists("d/local") {
		t.Error("the folder went")
	}
	t.close(t.open("d", vfs.ListDir))
	t.empty()
}

func TestPosixDelete(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	a, b := t.open("f", deleter), t.open("f", deleter|write)
	t.ok("delete", a.SetDelete(ctx, true, DeletePOSIX))
	if !t.exists("f") {
		t.Error("it went before the close")
	}
	t.close(a)
	if t.exists("f") {
		t.Error("the name stayed")
	}
	// Who has it open keeps it, and another can take the name.
	if _, err := b.WriteAt(ctx, []byte("still"), 0); err != nil {
		t.Error(err)
	}
	if b.DeletePending() {
		t.Error("still pending")
	}
	c := t.do(OpenRequest{Path: "f", Access: deleter, Disposition: Create})
	t.ok("delete of what is gone", b.SetDelete(ctx, true, 0))
	t.close(b)
	if !t.exists("f") {
		t.Error("another file went")
	}
	t.close(c)
	t.empty()
}

// A hard link goes by itself, and its file stays under the other name.
func TestDeleteOfOneOfSeveralNames(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	a := t.open("f", deleter)
	t.ok("link", a.Link(ctx, "g", 0))
	t.ok("delete", a.SetDelete(ctx, true, 0))
	b := t.open("g", deleter)
	if b.DeletePending() {
		t.Error("the other name is pending")
	}
	t.refused(OpenRequest{Path: "f", Access: read, Share: shareAll, Disposition: OpenExisting}, vfs.KindDeletePending)
	t.close(a)
	if t.exists("f") || !t.exists("g") {
		t.Error("the wrong name went")
	}
	t.ok("delete", b.SetDelete(ctx, true, 0))
	t.close(b)
	if t.exists("g") {
		t.Error("the last name stayed")
	}
	t.empty()
}

// What a user was allowed to delete is deleted, even if another who may not is
// the last to close it.
func TestDeleteIsDoneByWhoAsked(tt *testing.T) {
	t := newTester(tt, Options{ReadOnlyUsers: []string{"bob"}})
	t.file("f")
	a := t.open("f", deleter)
	b, _, err := attach(tt, t.share, "bob").Open(ctx, OpenRequest{Path: "f", Access: read, Share: shareAll, Disposition: OpenExisting})
	if err != nil {
		t.Fatal(err)
	}
	t.ok("delete", a.SetDelete(ctx, true, 0))
	t.close(a, b)
	if t.exists("f") {
		t.Error("it stayed")
	}
	t.empty()
}

func TestDeleteOfWhatALocalProcessRemoved(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	o := t.open("f", deleter)
	t.ok("delete", o.SetDelete(ctx, true, 0))
	f, err := t.fs.Open(ctx, nil, "f", vfs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.ok("remove", t.fs.Remove(ctx, nil, f))
	f.Close()
	t.file("f") // another
	t.close(o)
	if !t.exists("f") {
		t.Error("another file was removed")
	}
	t.empty()
}

func TestClosed(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	o := t.open("f", everything)
	t.close(o)
	_, err := o.ReadAt(ctx, make([]byte, 1), 0)
	t.want("read", err, vfs.KindClosed)
	_, err = o.WriteAt(ctx, make([]byte, 1), 0)
	t.want("write", err, vfs.KindClosed)
	t.want("truncate", o.Truncate(ctx, 0), vfs.KindClosed)
	t.want("delete", o.SetDelete(ctx, true, 0), vfs.KindClosed)
	t.want("lock", o.Lock(ctx, []Range{{Length: 1}}, true), vfs.KindClosed)
	t.want("unlock", o.Unlock([]Range{{Length: 1}}), vfs.KindClosed)
	t.want("rename", o.Rename(ctx, "g", 0), vfs.KindClosed)
	_, err = o.AcknowledgeBreak(0)
	t.want("break", err, vfs.KindInvalid)
	t.empty()
}

// What an open to delete on close was opened for can be taken back, and meant
// again; no other becomes one.
func TestDeleteOnCloseIsTakenBack(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	plain := t.open("f", deleter)
	t.want("of an open without", plain.SetDelete(ctx, true, DeleteOnClose), vfs.KindUnsupported)
	t.close(plain)
	request := OpenRequest{Path: "f", Access: deleter, Share: shareAll, Disposition: OpenExisting, DeleteOnClose: true}
	o := t.do(request)
	t.ok("not after all", o.SetDelete(ctx, false, DeleteOnClose))
	t.close(o)
	if !t.exists("f") {
		t.Fatal("it went")
	}
	o = t.do(request)
	t.ok("not after all", o.SetDelete(ctx, false, DeleteOnClose))
	t.ok("but yes", o.SetDelete(ctx, true, DeleteOnClose))
	if o.DeletePending() {
		t.Error("pending before the close")
	}
	t.close(o)
	if t.exists("f") {
		t.Error("it stayed")
	}
	t.empty()
}

func TestDeleteReadOnly(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	t.set("f", vfs.SetAttr{Set: vfs.SetDOS, DOS: vfs.DOSReadOnly})
	o := t.open("f", deleter)
	t.want("delete", o.SetDelete(ctx, true, 0), vfs.KindCannotDelete)
	t.ok("delete", o.SetDelete(ctx, true, DeleteReadOnly))
	t.close(o)
	if t.exists("f") {
		t.Error("it stayed")
	}
	t.empty()
}
