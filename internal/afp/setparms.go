package afp

import (
	"context"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/vfs"
)

// What can be set of files and folders, of folders only, and since AFP 3.0.
const (
	settable = afpwire.BitAttributes | afpwire.BitCreated | afpwire.BitModified | afpwire.BitBackedUp | afpwire.BitFinderInfo
	ofDirs   = afpwire.BitOwner | afpwire.BitGroup | afpwire.BitAccess
	ofAFP3   = afpwire.BitUnixPrivs
)

// setParms answers FPSetFileDirParms, FPSetFileParms and FPSetDirParms.
func (r *request) setParms(ctx context.Context, m *afpwire.SetParmsRequest) (reply, error) {
	v, done, err := r.volume(m.Volume)
	if err != nil {
		return nil, err
	}
	defer done()
	if v.tree.ReadOnly() {
		return nil, afpwire.ResultVolLocked
	}
	path, err := v.resolve(ctx, m.Dir, m.Path)
	if err != nil {
		return nil, err
	}
	known := settable
	if r.session.version.utf8() {
		known |= ofAFP3
	}
	if m.Command != afpwire.SetFileParms {
		known |= ofDirs
	}
	if m.Bitmap&^known != 0 || m.Bitmap == 0 {
		return nil, afpwire.ResultBitmapErr
	}
	o, err := v.open(ctx, path, neededTo(m.Bitmap))
	if err != nil {
		return nil, err
	}
	defer o.Close(ctx)
	if m.Command == afpwire.SetFileParms && o.IsDir() || m.Command == afpwire.SetDirParms && !o.IsDir() {
		return nil, afpwire.ResultObjectTypeErr
	}
	if m.Bitmap&ofDirs != 0 && !o.IsDir() {
		return nil, afpwire.ResultBitmapErr
	}
	p := afpwire.Parms{Dir: o.IsDir(), AFP2: !r.session.version.utf8()}
	rd := cursor.NewReader(m.Block)
	if p.Decode(rd, m.Bitmap); rd.Err() != nil {
		return nil, afpwire.ResultOf(rd.Err())
	}
	return nil, set(ctx, o, m.Bitmap, &p)
}

// neededTo are the rights to set what bits name.
func neededTo(bits afpwire.Bitmap) vfs.Access {
	a := vfs.ReadAttr
	if bits&settable != 0 {
		a |= vfs.WriteAttr
	}
	if bits&(afpwire.BitAccess|afpwire.BitUnixPrivs) != 0 {
		a |= vfs.WriteControl
	}
	if bits&(afpwire.BitOwner|afpwire.BitGroup) != 0 {
		a |= vfs.WriteOwner
	}
	return a
}

// set changes what bits name.
func set(ctx context.Context, o *share.Open, bits afpwire.Bitmap, p *afpwire.Parms) error {
	n, err := look(ctx, o)
	if err != nil {
		return err
	}
	var s vfs.SetAttr
	var mac vfs.SetMac
	if bits&afpwire.BitAttributes != 0 {
		setAttributes(&n, p.Attributes, &s, &mac)
	}
	if bits&afpwire.BitCreated != 0 {
		s.Set |= vfs.SetBirth
		s.Birth = p.Created.Time()
	}
	if bits&afpwire.BitModified != 0 {
		s.Set |= vfs.SetModified
		s.Modified = p.Modified.Time()
	}
	if bits&afpwire.BitBackedUp != 0 {
		mac.Set |= vfs.SetBackup
		mac.Backup = p.BackedUp.Time()
	}
	if bits&afpwire.BitFinderInfo != 0 {
		mac.Set |= vfs.SetFinder
		mac.Finder = p.FinderInfo
	}
	if bits&afpwire.BitOwner != 0 && p.OwnerID != n.attr.UID {
		s.Set |= vfs.SetOwner
		s.UID = p.OwnerID
	}
	if bits&afpwire.BitGroup != 0 && p.GroupID != n.attr.GID {
		s.Set |= vfs.SetGroup
		s.GID = p.GroupID
	}
	if bits&afpwire.BitAccess != 0 {
		s.Set |= vfs.SetMode
		s.Mode = n.attr.Mode&^0o777 | modeOf(p.Access)
	}
	if bits&afpwire.BitUnixPrivs != 0 {
		s.Set |= vfs.SetMode
		s.Mode = p.UnixPrivs.Mode & 0o7777
	}
	// What Macs know comes first: it may change times that are to be set.
	if mac.Set != 0 {
		if err := o.SetMac(ctx, mac); err != nil {
			return err
		}
	}
	if s.Set == 0 {
		return nil
	}
	return o.SetAttr(ctx, s)
}

// setAttributes sets or clears attributes, as AttrSet among them says.
func setAttributes(n *node, a afpwire.Attributes, s *vfs.SetAttr, mac *vfs.SetMac) {
	now := vfs.MacAttr(macAttributes(n))
	change := vfs.MacAttr(a) & vfs.MacStored &^ vfs.MacAttr(afpwire.AttrFixed)
	if a&afpwire.AttrSet != 0 {
		now |= change
	} else {
		now &^= change
	}
	s.Set |= vfs.SetDOS
	s.DOS = n.attr.DOS & vfs.DOSStored
	for _, both := range shared {
		s.DOS &^= both.dos
		if now&both.mac != 0 {
			s.DOS |= both.dos
		}
	}
	if now &^= vfs.MacDOS; now != n.mac.Attr&^vfs.MacDOS {
		mac.Set |= vfs.SetMacAttr
		mac.Attr = now
	}
}

// modeOf are the permission bits of access rights.
func modeOf(a afpwire.AccessRights) (mode uint32) {
	for shift, right := range map[uint32]afpwire.AccessRights{6: a >> afpwire.OwnersRights, 3: a >> afpwire.GroupsRights, 0: a >> afpwire.EveryonesRight} {
		for bit, may := range map[uint32]afpwire.AccessRights{4: afpwire.MayRead, 2: afpwire.MayWrite, 1: afpwire.MaySearch} {
			if right&may != 0 {
				mode |= bit << shift
			}
		}
	}
	return mode
}
