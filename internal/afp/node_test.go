package afp_test

import (
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/afpclient"
)

const top = afpwire.Root

// volume logs in and opens the volume "Bücher".
func (s *server) volume(version string) (*afpclient.Conn, *afpclient.Volume) {
	s.t.Helper()
	c := s.login(version)
	v, _, err := c.OpenVolume(s.t.Context(), c.Path("Bücher").Name, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	return c, v
}

func TestNodes(t *testing.T) {
	for _, version := range []string{afpwire.Version34, afpwire.Version22} {
		t.Run(version, func(t *testing.T) { testNodes(t, version) })
	}
}

func testNodes(t *testing.T, version string) {
	c, v := serve(t, nil).volume(version)
	ctx := t.Context()
	nameBit := afpwire.BitUTF8Name
	if version == afpwire.Version22 {
		nameBit = afpwire.BitLongName
	}
	nameOf := func(p *afpwire.Parms) string { return p.LongName + p.UTF8Name }

	dir, err := v.CreateDir(ctx, top, c.Path("Äpfel"))
	if err != nil || dir < afpwire.FirstNode {
		t.Fatal(dir, err)
	}
	_, err = v.CreateDir(ctx, top, c.Path("Äpfel"))
	want(t, "CreateDir again", err, afpwire.ResultObjectExists)
	opened, err := v.OpenDir(ctx, top, c.Path("ÄPFEL"))
	if err != nil || opened != dir {
		t.Errorf("OpenDir = %d, %v, want %d", opened, err, dir)
	}
	want(t, "CloseDir", v.CloseDir(ctx, dir), nil)
	want(t, "CreateFile", v.CreateFile(ctx, dir, c.Path("1/2"), false), nil)
	want(t, "CreateFile again", v.CreateFile(ctx, top, c.Path("Äpfel", "1/2"), false), afpwire.ResultObjectExists)
	want(t, "hard CreateFile", v.CreateFile(ctx, dir, c.Path("1/2"), true), nil)
	want(t, "CreateFile in nothing", v.CreateFile(ctx, top, c.Path("none", "f"), false), afpwire.ResultObjectNotFound)
	want(t, "CreateFile in the folder of a number that is none", v.CreateFile(ctx, 9999, c.Path("f"), false), afpwire.ResultObjectNotFound)
	want(t, "CreateFile where a folder is", v.CreateFile(ctx, top, c.Path("Äpfel"), false), afpwire.ResultObjectTypeErr)

	info := afpwire.FinderInfo([]byte("TEXTttxt........................"))
	set := afpwire.Parms{Created: 1000, Modified: 1500, BackedUp: 2000, FinderInfo: info, Attributes: afpwire.AttrSet | afpwire.AttrInvisible | afpwire.AttrMultiUser}
	some := afpwire.BitAttributes | afpwire.BitCreated | afpwire.BitModified | afpwire.BitBackedUp | afpwire.BitFinderInfo
	want(t, "SetFileParms", v.SetFileParms(ctx, dir, c.Path("1/2"), some, &set), nil)
	want(t, "SetDirParms of a file", v.SetDirParms(ctx, dir, c.Path("1/2"), afpwire.BitBackedUp, &afpwire.Parms{Dir: true}), afpwire.ResultObjectTypeErr)
	want(t, "SetParms of what can't be set", v.SetParms(ctx, dir, c.Path("1/2"), afpwire.BitParent, &set), afpwire.ResultBitmapErr)
	bits := some | afpwire.BitParent | afpwire.BitNodeID | nameBit
	p, err := v.Stat(ctx, top, c.Path("Äpfel", "1/2"), bits|afpwire.BitDataLength|afpwire.BitResourceLength, 0)
	if err != nil {
		t.Fatal(err)
	}
	if p.Dir || p.Parent != dir || p.Created != 1000 || p.Modified != 1500 || p.BackedUp != 2000 || p.FinderInfo != info || nameOf(p) != "1/2" ||
		p.Attributes != afpwire.AttrInvisible|afpwire.AttrMultiUser|afpwire.AttrBackupNeeded {
		t.Errorf("Stat = %+v", p)
	}
	id := p.ID
	set.Attributes = afpwire.AttrMultiUser | afpwire.AttrBackupNeeded // to be cleared
	want(t, "SetParms", v.SetParms(ctx, dir, c.Path("1/2"), afpwire.BitAttributes, &set), nil)
	if p, err = v.Stat(ctx, dir, c.Path("1/2"), bits, 0); err != nil || p.Attributes != afpwire.AttrInvisible {
		t.Errorf("after some were cleared there is %+v, %v", p, err)
	}

	p, err = v.Stat(ctx, top, c.Path(), 0, bits|afpwire.BitOffspring|afpwire.BitAccess|afpwire.BitOwner)
	if err != nil {
		t.Fatal(err)
	}
	if !p.Dir || p.ID != top || p.Parent != afpwire.RootParent || p.Offspring != 1 || nameOf(p) != c.Path("Bücher").Name ||
		p.OwnerID != 1000 || p.Access&afpwire.UserIsOwner == 0 {
		t.Errorf("Stat of the root = %+v", p)
	}
	if q, err := v.Stat(ctx, afpwire.RootParent, c.Path("Bücher", "Äpfel"), 0, afpwire.BitNodeID); err != nil || q.ID != dir {
		t.Errorf("Stat from above the root = %+v, %v", q, err)
	}
	_, err = v.Stat(ctx, top, c.Path("none"), bits, bits)
	want(t, "Stat of nothing", err, afpwire.ResultObjectNotFound)
	_, err = v.Stat(ctx, top, c.Path("Äpfel"), 0, afpwire.BitExtResourceLength)
	want(t, "bits that folders don't have", err, afpwire.ResultBitmapErr)

	want(t, "Rename", v.Rename(ctx, dir, c.Path("1/2"), c.Path("birne")), nil)
	want(t, "Rename of the case", v.Rename(ctx, dir, c.Path("birne"), c.Path("Birne")), nil)
	want(t, "Rename of the root", v.Rename(ctx, top, c.Path(), c.Path("x")), afpwire.ResultCantRename)
	want(t, "Move", v.Move(ctx, top, c.Path("Äpfel", "Birne"), top, c.Path(), c.Path("Quitte")), nil)
	if p, err := v.Stat(ctx, top, c.Path("Quitte"), bits, 0); err != nil || p.ID != id || p.Parent != top || nameOf(p) != "Quitte" {
		t.Errorf("after renames there is %+v, %v", p, err)
	}
	want(t, "Rename to what is there", v.Rename(ctx, top, c.Path("Quitte"), c.Path("Äpfel")), afpwire.ResultObjectExists)
	sub, err := v.CreateDir(ctx, dir, c.Path("sub"))
	want(t, "CreateDir", err, nil)
	want(t, "Move into itself", v.Move(ctx, top, c.Path("Äpfel"), sub, c.Path(), c.Path()), afpwire.ResultCantMove)
	want(t, "Move into a file", v.Move(ctx, top, c.Path("Äpfel"), top, c.Path("Quitte"), c.Path()), afpwire.ResultObjectTypeErr)

	want(t, "Delete of what is not empty", v.Delete(ctx, top, c.Path("Äpfel")), afpwire.ResultDirNotEmpty)
	lock := afpwire.Parms{Attributes: afpwire.AttrSet | afpwire.AttrDeleteInhibit | afpwire.AttrRenameInhibit}
	want(t, "SetParms", v.SetParms(ctx, top, c.Path("Quitte"), afpwire.BitAttributes, &lock), nil)
	want(t, "Delete of what is locked", v.Delete(ctx, top, c.Path("Quitte")), afpwire.ResultObjectLocked)
	want(t, "Rename of what is locked", v.Rename(ctx, top, c.Path("Quitte"), c.Path("x")), afpwire.ResultObjectLocked)
	lock.Attributes &^= afpwire.AttrSet
	want(t, "SetParms", v.SetParms(ctx, top, c.Path("Quitte"), afpwire.BitAttributes, &lock), nil)
	want(t, "Delete", v.Delete(ctx, top, c.Path("Quitte")), nil)
	want(t, "Delete again", v.Delete(ctx, top, c.Path("Quitte")), afpwire.ResultObjectNotFound)
	want(t, "Delete by a step up", v.Delete(ctx, sub, afpwire.Path{Type: c.Path().Type, Name: "\x00\x00sub"}), nil)
	want(t, "Delete of the root", v.Delete(ctx, top, c.Path()), afpwire.ResultAccessDenied)
	want(t, "Delete", v.Delete(ctx, dir, c.Path()), nil)
	_, err = v.Stat(ctx, dir, c.Path(), bits, bits)
	want(t, "Stat by the number of what is gone", err, afpwire.ResultObjectNotFound)
}

// A name that old clients can't have is told by its number, and found by that.
func TestLongNames(t *testing.T) {
	s := serve(t, nil)
	c, v := s.volume(afpwire.Version34)
	old, w := s.volume(afpwire.Version22)
	ctx := t.Context()
	for _, name := range []string{strings.Repeat("lang", 20) + ".txt", "日本語.txt", "日本語"} {
		want(t, "CreateFile", v.CreateFile(ctx, top, c.Path(name), false), nil)
		p, err := v.Stat(ctx, top, c.Path(name), afpwire.BitLongName|afpwire.BitNodeID|afpwire.BitUTF8Name, 0)
		if err != nil || len(p.LongName) > 31 || p.UTF8Name != c.Path(name).Name {
			t.Fatalf("%+v, %v", p, err)
		}
		q, err := w.Stat(ctx, top, afpwire.LongPath(p.LongName), afpwire.BitLongName|afpwire.BitNodeID, 0)
		if err != nil || q.ID != p.ID || q.LongName != p.LongName {
			t.Errorf("%q of %q is %+v, %v", p.LongName, name, q, err)
		}
	}
	_, err := w.Stat(ctx, top, old.Path("x#FFFF.txt"), afpwire.BitNodeID, 0)
	want(t, "a name with a number that is none", err, afpwire.ResultObjectNotFound)
}

func TestReadOnlyVolume(t *testing.T) {
	s := serve(t, nil)
	c := s.login(afpwire.Version34)
	ctx := t.Context()
	v, _, err := c.OpenVolume(ctx, "locked", 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = v.CreateDir(ctx, top, c.Path("d"))
	want(t, "CreateDir", err, afpwire.ResultVolLocked)
	want(t, "CreateFile", v.CreateFile(ctx, top, c.Path("f"), false), afpwire.ResultVolLocked)
	want(t, "Delete", v.Delete(ctx, top, c.Path("f")), afpwire.ResultVolLocked)
	want(t, "SetParms", v.SetParms(ctx, top, c.Path(), afpwire.BitBackedUp, &afpwire.Parms{Dir: true}), afpwire.ResultVolLocked)
	want(t, "Rename", v.Rename(ctx, top, c.Path("f"), c.Path("g")), afpwire.ResultVolLocked)
}
