package afpclient_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/afpclient"
	"github.com/dozo-server/dozo/internal/cursor"
)

// driver asks a server everything there is, and looks at the answers.
type driver struct {
	*testing.T
	*afpclient.Conn
	ctx  context.Context
	afp2 bool

	v *afpclient.Volume
}

// ok fails the test if a step did not do as it should.
func (d *driver) ok(what string, err error) {
	d.Helper()
	if err != nil {
		d.Errorf("%s: %v", what, err)
	}
}

// refused fails the test if a step was not refused with a result.
func (d *driver) refused(what string, err error, want afpwire.Result) {
	d.Helper()
	if !errors.Is(err, want) {
		d.Errorf("%s: %v, want %v", what, err, want)
	}
}

// session asks what has to do with no volume.
func (d *driver) session() {
	info, err := d.ServerInfo(d.ctx)
	d.ok("ServerInfo", err)
	if info.Name != "peer" || !slices.Contains(info.Versions, afpwire.Version34) || !slices.Contains(info.UAMs, afpwire.UAMDHX2) {
		d.Errorf("ServerInfo = %+v", info)
	}
	parms, err := d.ServerParms(d.ctx)
	d.ok("ServerParms", err)
	if !slices.Contains(parms.Volumes, afpwire.ListedVolume{Name: "afp1"}) {
		d.Errorf("ServerParms = %+v", parms)
	}
	text, err := d.ServerMessage(d.ctx, afpwire.LoginMessage)
	d.ok("ServerMessage", err)
	if text != "" {
		d.Errorf("ServerMessage = %q", text)
	}
	user, err := d.UserInfo(d.ctx, afpwire.UserBitID|afpwire.UserBitGroupID)
	d.ok("UserInfo", err)
	name, err := d.MapID(d.ctx, &afpwire.MapIDRequest{Function: afpwire.UserIDToName, ID: user.UserID})
	d.ok("MapID", err)
	if name.Name != "afptest1" {
		d.Errorf("MapID(%d) = %q", user.UserID, name.Name)
	}
	id, err := d.MapName(d.ctx, &afpwire.MapNameRequest{Function: afpwire.NameToUserID, Name: "afptest1"})
	d.ok("MapName", err)
	if id.ID != user.UserID {
		d.Errorf("MapName = %d, want %d", id.ID, user.UserID)
	}
	_, err = d.MapName(d.ctx, &afpwire.MapNameRequest{Function: afpwire.NameToGroupID, Name: "no such group"})
	d.refused("MapName of nobody", err, afpwire.ResultItemNotFound)
	if d.afp2 {
		return
	}
	name, err = d.MapID(d.ctx, &afpwire.MapIDRequest{Function: afpwire.UserIDToUTF8Name, ID: user.UserID})
	d.ok("MapID to UTF-8", err)
	if name.Name != "afptest1" {
		d.Errorf("MapID to UTF-8 = %q", name.Name)
	}
	id, err = d.MapName(d.ctx, &afpwire.MapNameRequest{Function: afpwire.UTF8NameToUserID, Name: "afptest1"})
	d.ok("MapName of UTF-8", err)
	if id.ID != user.UserID {
		d.Errorf("MapName of UTF-8 = %d, want %d", id.ID, user.UserID)
	}
	user, err = d.UserInfo(d.ctx, afpwire.UserBits)
	d.ok("UserInfo with the UUID", err)
	byUUID, err := d.MapID(d.ctx, &afpwire.MapIDRequest{Function: afpwire.UserUUIDToUTF8Name, UUID: user.UUID})
	d.ok("MapID of a UUID", err)
	if byUUID.Kind != afpwire.UUIDOfUser || byUUID.ID != user.UserID || byUUID.Name != "afptest1" {
		d.Errorf("MapID of a UUID = %+v", byUUID)
	}
	uuid, err := d.MapName(d.ctx, &afpwire.MapNameRequest{Function: afpwire.UTF8NameToUserUUID, Name: "afptest1"})
	d.ok("MapName to a UUID", err)
	if uuid.UUID != user.UUID {
		d.Errorf("MapName to a UUID = %x, want %x", uuid.UUID, user.UUID)
	}
	token, err := d.SessionToken(d.ctx, &afpwire.GetSessionTokenRequest{Type: afpwire.LoginWithTimeAndID, Timestamp: 1, ID: []byte("this machine")})
	d.ok("SessionToken", err)
	if len(token) == 0 {
		d.Error("the token is empty")
	}
	d.refused("DisconnectOldSession", d.DisconnectOldSession(d.ctx, []byte("no token")), afpwire.ResultMiscErr)
	d.ok("Sleep", d.Sleep(d.ctx, afpwire.SleepBegins))
	d.ok("Sleep", d.Sleep(d.ctx, afpwire.SleepEnds))
}

// volume opens one, tries everything in it, and leaves it as it was.
func (d *driver) volume() {
	_, _, err := d.OpenVolume(d.ctx, "no such volume", 0)
	d.refused("OpenVolume", err, afpwire.ResultObjectNotFound)
	bits := afpwire.VolBits
	v, parms, err := d.OpenVolume(d.ctx, "afp1", bits)
	if err != nil {
		d.Fatal(err)
	}
	d.v = v
	if parms.ID != v.ID || parms.Signature != afpwire.FixedDirIDs || parms.Name != "afp1" || parms.BytesTotal < parms.BytesFree || parms.BytesTotal < 1<<32 {
		d.Errorf("OpenVolume = %+v", parms)
	}
	d.ok("SetBackupDate", v.SetBackupDate(d.ctx, 1000))
	parms, err = v.Parms(d.ctx, afpwire.VolBitBackedUp)
	d.ok("Parms", err)
	if parms.BackedUp != 1000 {
		d.Errorf("the date of the backup is %d", parms.BackedUp)
	}
	_, err = v.Parms(d.ctx, 0x8000)
	d.refused("Parms that there are not", err, afpwire.ResultBitmapErr)

	d.nodes()
	d.listing()
	d.forks()
	if !d.afp2 {
		d.extAttrs()
	}
	d.desktop()
	d.remove()
	d.ok("Flush", v.Flush(d.ctx))
	d.ok("Close", v.Close(d.ctx))
	d.refused("Flush of a closed volume", v.Flush(d.ctx), afpwire.ResultParamErr)
}

// name is the bit for the name that the version has.
func (d *driver) name() afpwire.Bitmap {
	if d.afp2 {
		return afpwire.BitLongName
	}
	return afpwire.BitUTF8Name
}

// nameOf returns it.
func (d *driver) nameOf(p *afpwire.Parms) string {
	if d.afp2 {
		return p.LongName
	}
	return p.UTF8Name
}

const top = afpwire.Root

// nodes makes, changes, moves and renames files and folders: afterwards there
// are Café with a and b in it.
func (d *driver) nodes() {
	v, ctx := d.v, d.ctx
	dir, err := v.CreateDir(ctx, top, d.Path("Café"))
	if err != nil {
		d.Fatal(err)
	}
	_, err = v.CreateDir(ctx, top, d.Path("Café"))
	d.refused("CreateDir again", err, afpwire.ResultObjectExists)
	opened, err := v.OpenDir(ctx, top, d.Path("Café"))
	d.ok("OpenDir", err)
	if opened != dir {
		d.Errorf("OpenDir = %d, want %d", opened, dir)
	}
	d.ok("CloseDir", v.CloseDir(ctx, dir))

	d.ok("CreateFile", v.CreateFile(ctx, top, d.Path("Café", "file"), false))
	d.refused("CreateFile again", v.CreateFile(ctx, dir, d.Path("file"), false), afpwire.ResultObjectExists)
	d.ok("hard CreateFile", v.CreateFile(ctx, dir, d.Path("file"), true))

	bits := afpwire.BitAttributes | afpwire.BitParent | afpwire.BitCreated | afpwire.BitBackedUp | afpwire.BitFinderInfo | afpwire.BitNodeID
	set := afpwire.Parms{Created: 1000, BackedUp: 2000, FinderInfo: afpwire.FinderInfo([]byte("TEXTttxt........................"))}
	d.ok("SetParms", v.SetParms(ctx, dir, d.Path("file"), afpwire.BitCreated|afpwire.BitFinderInfo, &set))
	d.ok("SetFileParms", v.SetFileParms(ctx, dir, d.Path("file"), afpwire.BitBackedUp, &set))
	p, err := v.Stat(ctx, top, d.Path("Café", "file"), bits|d.name(), bits)
	d.ok("Stat", err)
	if p.Dir || p.Parent != dir || p.ID < afpwire.FirstNode || p.Created != 1000 || p.BackedUp != 2000 || p.FinderInfo != set.FinderInfo || d.nameOf(p) != "file" {
		d.Errorf("Stat = %+v", p)
	}
	set = afpwire.Parms{Dir: true, Attributes: afpwire.AttrSet | afpwire.AttrInvisible, BackedUp: 3000}
	d.ok("SetDirParms", v.SetDirParms(ctx, dir, d.Path(), afpwire.BitAttributes|afpwire.BitBackedUp, &set))
	dirBits := bits | afpwire.BitOffspring | afpwire.BitOwner | afpwire.BitGroup | afpwire.BitAccess | d.name()
	p, err = v.Stat(ctx, dir, d.Path(), bits, dirBits)
	d.ok("Stat of a folder", err)
	if name := d.Path("Café").Name; !p.Dir || p.Parent != top || p.ID != dir || p.Offspring != 1 || p.BackedUp != 3000 ||
		p.Attributes&afpwire.AttrInvisible == 0 || p.Access&afpwire.UserIsOwner == 0 || d.nameOf(p) != name {
		d.Errorf("Stat of a folder = %+v, want the name %q", p, name)
	}
	d.refused("SetDirParms of a file", v.SetDirParms(ctx, dir, d.Path("file"), afpwire.BitBackedUp, &set), afpwire.ResultObjectTypeErr)
	_, err = v.Stat(ctx, dir, d.Path("nothing"), bits, bits)
	d.refused("Stat of nothing", err, afpwire.ResultObjectNotFound)
	if !d.afp2 {
		p, err := v.Stat(ctx, dir, d.Path("file"), afpwire.BitUnixPrivs|afpwire.BitExtDataLength|afpwire.BitExtResourceLength, 0)
		d.ok("Stat of UNIX privileges", err)
		if p.UnixPrivs.Mode&0o170000 != 0o100000 || p.DataLength != 0 || p.ResourceLength != 0 {
			d.Errorf("Stat of UNIX privileges = %+v", p)
		}
	}

	id, err := v.CreateID(ctx, dir, d.Path("file"))
	d.refused("CreateID", err, afpwire.ResultIDExists)
	p, err = v.ResolveID(ctx, id, afpwire.BitParent|d.name())
	d.ok("ResolveID", err)
	if p.Parent != dir || d.nameOf(p) != "file" {
		d.Errorf("ResolveID(%d) = %+v", id, p)
	}
	d.ok("DeleteID", v.DeleteID(ctx, id))

	d.ok("Rename", v.Rename(ctx, dir, d.Path("file"), d.Path("a")))
	d.ok("Copy", v.Copy(ctx, dir, d.Path("a"), v, top, d.Path(), d.Path("copy")))
	d.ok("Move", v.Move(ctx, top, d.Path("copy"), dir, d.Path(), d.Path("b")))
	a, err := v.Stat(ctx, dir, d.Path("a"), afpwire.BitNodeID, 0)
	d.ok("Stat", err)
	d.ok("Exchange", v.Exchange(ctx, dir, d.Path("a"), dir, d.Path("b")))
	after, err := v.Stat(ctx, dir, d.Path("a"), afpwire.BitNodeID, 0)
	d.ok("Stat", err)
	if after.ID != a.ID {
		d.Errorf("after an exchange the id of a is %d, before it was %d", after.ID, a.ID)
	}
	d.ok("SyncDir", v.SyncDir(ctx, top))
}

// listing lists Café, and looks for what is in it.
func (d *driver) listing() {
	p, err := d.v.Stat(d.ctx, top, d.Path("Café"), 0, afpwire.BitNodeID)
	d.ok("Stat", err)
	dir := p.ID
	var names []string
	for p, err := range d.v.List(d.ctx, dir, d.Path(), d.name()|afpwire.BitParent, d.name()) {
		if err != nil {
			d.Error(err)
			break
		}
		names = append(names, d.nameOf(p))
		if p.Parent != dir {
			d.Errorf("the parent of %q is %d, want %d", d.nameOf(p), p.Parent, dir)
		}
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{"a", "b"}) {
		d.Errorf("the folder has %q", names)
	}
	for _, command := range []afpwire.Command{afpwire.Enumerate, afpwire.EnumerateExt, afpwire.EnumerateExt2} {
		if d.afp2 && command != afpwire.Enumerate {
			continue
		}
		m := &afpwire.EnumerateRequest{Command: command, Dir: top, Dirs: d.name() | afpwire.BitNodeID, Count: 10, Start: 1, MaxReply: 1000, Path: d.Path()}
		entries, err := d.v.Enumerate(d.ctx, m)
		d.ok(command.String(), err)
		if len(entries) != 1 || !entries[0].Dir || entries[0].ID != dir || d.nameOf(&entries[0]) != d.Path("Café").Name {
			d.Errorf("%v = %+v", command, entries)
		}
		m.Start = 2
		_, err = d.v.Enumerate(d.ctx, m)
		d.refused(command.String()+" beyond the end", err, afpwire.ResultObjectNotFound)
	}
	d.search(dir)
}

// search looks for a by its name.
func (d *driver) search(dir afpwire.NodeID) {
	m := &afpwire.CatSearchRequest{Command: afpwire.CatSearchExt, Matches: 10, Files: d.name() | afpwire.BitParent, Search: afpwire.SearchBitmap(d.name())}
	if d.afp2 {
		m.Command = afpwire.CatSearch
	}
	m.Spec1 = block(d.name(), &afpwire.Parms{LongName: "a", UTF8Name: "a"})
	m.Spec2 = block(d.name(), &afpwire.Parms{})
	var found []afpwire.Parms
	for range 10 {
		matches, err := d.v.CatSearch(d.ctx, m)
		found = append(found, matches...)
		if errors.Is(err, afpwire.ResultEOFErr) {
			break
		}
		if err != nil {
			d.Errorf("CatSearch: %v", err)
			return
		}
	}
	if len(found) != 1 || found[0].Parent != dir || d.nameOf(&found[0]) != "a" {
		d.Errorf("CatSearch finds %+v", found)
	}
}

// block lays out parameters.
func block(bits afpwire.Bitmap, p *afpwire.Parms) []byte {
	w := cursor.NewWriter(nil)
	p.Encode(w, bits)
	return w.Message()
}

// forks writes and reads Café/a.
func (d *driver) forks() {
	ctx := d.ctx
	path := d.Path("Café", "a")
	f, p, err := d.v.OpenFork(ctx, top, path, false, afpwire.OpenRead|afpwire.OpenWrite|afpwire.OpenDenyWrite, d.name()|afpwire.BitDataLength)
	if err != nil {
		d.Fatal(err)
	}
	if p.DataLength != 0 || d.nameOf(p) != "a" {
		d.Errorf("OpenFork = %+v", p)
	}
	_, _, err = d.v.OpenFork(ctx, top, path, false, afpwire.OpenRead|afpwire.OpenWrite, 0)
	d.refused("OpenFork against a deny mode", err, afpwire.ResultDenyConflict)

	end, err := f.Write(ctx, []byte("hello"), 0)
	d.ok("Write", err)
	appended, err := f.Append(ctx, []byte(" world"))
	d.ok("Append", err)
	if end != 5 || appended != 11 {
		d.Errorf("writes end at %d and %d", end, appended)
	}
	buf := make([]byte, 11)
	n, err := f.Read(ctx, buf, 0)
	d.ok("Read", err)
	if string(buf[:n]) != "hello world" {
		d.Errorf("Read = %q", buf[:n])
	}
	buf = bytes.Repeat([]byte("x"), 20)
	n, err = f.Read(ctx, buf, 6)
	if string(buf[:n]) != "world" || err != io.EOF {
		d.Errorf("Read at the end = %q, %v", buf[:n], err)
	}
	start, err := f.Lock(ctx, -5, 5, true)
	d.ok("Lock", err)
	if start != 6 {
		d.Errorf("the lock begins at %d", start)
	}
	_, err = f.Lock(ctx, 8, afpwire.LockToEnd, false)
	d.refused("Lock of what is locked", err, afpwire.ResultRangeOverlap)
	d.ok("Unlock", f.Unlock(ctx, 6, 5))
	d.refused("Unlock of what is not locked", f.Unlock(ctx, 6, 5), afpwire.ResultRangeNotLocked)
	d.ok("SetLength", f.SetLength(ctx, afpwire.BitDataLength, 5))
	p, err = f.Parms(ctx, afpwire.BitDataLength)
	d.ok("Parms", err)
	if p.DataLength != 5 {
		d.Errorf("the fork has %d bytes", p.DataLength)
	}
	d.refused("SetLength of the other fork", f.SetLength(ctx, afpwire.BitResourceLength, 5), afpwire.ResultBitmapErr)
	if !d.afp2 {
		d.ok("SetLength beyond 4 GiB", f.SetLength(ctx, afpwire.BitExtDataLength, 5<<30))
		p, err := f.Parms(ctx, afpwire.BitDataLength|afpwire.BitExtDataLength)
		d.ok("Parms beyond 4 GiB", err)
		if p.DataLength != 5<<30 {
			d.Errorf("the fork has %d bytes", p.DataLength)
		}
		d.ok("SetLength", f.SetLength(ctx, afpwire.BitExtDataLength, 5))
	}
	d.ok("Flush", f.Flush(ctx))
	d.ok("Sync", f.Sync(ctx))

	r, _, err := d.v.OpenFork(ctx, top, path, true, afpwire.OpenRead|afpwire.OpenWrite, 0)
	if err != nil {
		d.Fatal(err)
	}
	_, err = r.Write(ctx, []byte("resources"), 0)
	d.ok("Write to the resource fork", err)
	d.ok("Close", r.Close(ctx))
	d.ok("Close", f.Close(ctx))
	d.refused("Close of a closed fork", f.Close(ctx), afpwire.ResultParamErr)
	p, err = d.v.Stat(ctx, top, path, afpwire.BitDataLength|afpwire.BitResourceLength, 0)
	d.ok("Stat", err)
	if p.DataLength != 5 || p.ResourceLength != 9 {
		d.Errorf("the forks have %d and %d bytes", p.DataLength, p.ResourceLength)
	}
}

// extAttrs gives Café/a an extended attribute, and asks for its security.
func (d *driver) extAttrs() {
	v, ctx := d.v, d.ctx
	path := d.Path("Café", "a")
	const name = "com.example.test"
	d.ok("SetExtAttr", v.SetExtAttr(ctx, top, path, afpwire.ExtAttrCreate, name, []byte("value")))
	if err := v.SetExtAttr(ctx, top, path, afpwire.ExtAttrCreate, name, []byte("value")); err == nil {
		d.Error("SetExtAttr creates an attribute that is there")
	}
	value, err := v.GetExtAttr(ctx, top, path, 0, name, 100)
	d.ok("GetExtAttr", err)
	if value.Length != 5 || string(value.Value) != "value" {
		d.Errorf("GetExtAttr = %+v", value)
	}
	value, err = v.GetExtAttr(ctx, top, path, 0, name, 0)
	d.ok("GetExtAttr of the length", err)
	if value.Length != 5 || len(value.Value) != 0 {
		d.Errorf("GetExtAttr of the length = %+v", value)
	}
	names, err := v.ListExtAttrs(ctx, top, path, 0, 1000)
	d.ok("ListExtAttrs", err)
	if !slices.Contains(names.Names, name) || names.Length != afpwire.NamesLength(names.Names) {
		d.Errorf("ListExtAttrs = %+v", names)
	}
	d.ok("RemoveExtAttr", v.RemoveExtAttr(ctx, top, path, 0, name))
	_, err = v.GetExtAttr(ctx, top, path, 0, name, 100)
	d.refused("GetExtAttr of what is removed", err, afpwire.ResultItemNotFound)

	user, err := d.UserInfo(ctx, afpwire.UserBitUUID)
	d.ok("UserInfo", err)
	s, err := v.GetACL(ctx, top, path, afpwire.ACLBitOwner|afpwire.ACLBitGroup)
	d.ok("GetACL", err)
	if s.Owner != user.UUID {
		d.Errorf("the owner is %x, want %x", s.Owner, user.UUID)
	}
	d.ok("Access", v.Access(ctx, top, path, user.UUID, afpwire.ACLReadData))
	if err := v.SetACL(ctx, top, path, afpwire.ACLBitRemove, &afpwire.Security{}); err != nil && !errors.Is(err, afpwire.ResultMiscErr) {
		d.Errorf("SetACL: %v", err)
	}
}

// desktop keeps a comment, an icon and an application.
func (d *driver) desktop() {
	ctx := d.ctx
	path := d.Path("Café", "a")
	dt, err := d.v.OpenDesktop(ctx)
	if err != nil {
		d.Fatal(err)
	}
	d.ok("AddComment", dt.AddComment(ctx, top, path, "a comment"))
	comment, err := dt.Comment(ctx, top, path)
	d.ok("Comment", err)
	if comment != "a comment" {
		d.Errorf("the comment is %q", comment)
	}
	d.ok("RemoveComment", dt.RemoveComment(ctx, top, path))
	_, err = dt.Comment(ctx, top, path)
	d.refused("Comment that is removed", err, afpwire.ResultItemNotFound)

	creator, kind := afpwire.OSType([]byte("dozo")), afpwire.OSType([]byte("TEXT"))
	icon := bytes.Repeat([]byte{0xaa, 0x55}, 64)
	d.ok("AddIcon", dt.AddIcon(ctx, &afpwire.AddIconRequest{Creator: creator, Type: kind, IconType: 1, Tag: 7}, icon))
	info, err := dt.IconInfo(ctx, creator, 1)
	d.ok("IconInfo", err)
	if info.Tag != 7 || info.Type != kind || info.IconType != 1 || int(info.Size) != len(icon) {
		d.Errorf("IconInfo = %+v", info)
	}
	got, err := dt.Icon(ctx, &afpwire.GetIconRequest{Creator: creator, Type: kind, IconType: 1, Size: 1000})
	d.ok("Icon", err)
	if !bytes.Equal(got, icon) {
		d.Errorf("Icon = % x", got)
	}
	// netatalk finds no application below a folder with an accent, and forgets
	// the tag.
	program := d.Path("program")
	d.ok("CreateFile", d.v.CreateFile(ctx, top, program, false))
	d.ok("AddAPPL", dt.AddAPPL(ctx, top, program, creator, 9))
	appl, err := dt.APPL(ctx, creator, 1, d.name())
	d.ok("APPL", err)
	if d.nameOf(&appl.Parms) != "program" {
		d.Errorf("APPL = %+v", appl)
	}
	d.ok("RemoveAPPL", dt.RemoveAPPL(ctx, top, program, creator))
	d.ok("Delete", d.v.Delete(ctx, top, program))
	d.ok("Close", dt.Close(ctx))
}

// remove deletes what the others made.
func (d *driver) remove() {
	v, ctx := d.v, d.ctx
	d.refused("Delete of a folder that is not empty", v.Delete(ctx, top, d.Path("Café")), afpwire.ResultDirNotEmpty)
	for _, path := range []afpwire.Path{d.Path("Café", "a"), d.Path("Café", "b"), d.Path("Café")} {
		d.ok("Delete", v.Delete(ctx, top, path))
	}
	d.refused("Delete again", v.Delete(ctx, top, d.Path("Café")), afpwire.ResultObjectNotFound)
}
