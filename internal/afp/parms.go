package afp

import (
	"context"
	"io"
	"math"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/vfs"
)

// node is a file or folder as its parameters are told.
type node struct {
	name   string // "" for the root
	attr   vfs.Attr
	mac    vfs.Mac
	number vfs.Number
}

// look finds out about an open file or folder.
func look(ctx context.Context, o *share.Open) (n node, err error) {
	n.name = base(o.Path())
	if n.attr, err = o.Attr(ctx); err != nil {
		return n, err
	}
	if n.mac, err = o.Mac(ctx); err != nil {
		return n, err
	}
	n.number, err = o.Number(ctx)
	return n, err
}

// dir reports whether it is a folder.
func (n *node) dir() bool { return n.attr.Type == vfs.TypeDir }

// created is the time of birth.
func (n *node) created() afpwire.Date {
	if !n.mac.Created.IsZero() {
		return afpwire.DateOf(n.mac.Created)
	}
	return afpwire.DateOf(n.attr.Birth)
}

// parms fills in what bits ask for of a node. What takes more than a look at the
// node is left to count and access.
func (v *volume) parms(n *node, bits afpwire.Bitmap, ver version) *afpwire.Parms {
	p := &afpwire.Parms{
		Dir:        n.dir(),
		AFP2:       !ver.utf8(),
		Attributes: macAttributes(n),
		Parent:     afpwire.NodeID(n.number.Parent),
		Created:    n.created(),
		Modified:   afpwire.DateOf(n.attr.Modified),
		BackedUp:   afpwire.DateOf(n.mac.Backup),
		FinderInfo: n.mac.Finder,
		ID:         afpwire.NodeID(n.number.Node),
		OwnerID:    n.attr.UID,
		GroupID:    n.attr.GID,
		Access:     v.access(n),
	}
	name := n.name
	if name == "" {
		name = v.tree.Share().Name()
	}
	if bits&afpwire.BitLongName != 0 {
		p.LongName = longName(name, n.number.Node)
	}
	if bits&afpwire.BitUTF8Name != 0 && ver.utf8() {
		p.UTF8Name = wireName(name)
	}
	if !p.Dir {
		p.DataLength, p.ResourceLength = uint64(n.attr.Size), uint64(n.mac.Resource)
	}
	p.UnixPrivs = afpwire.UnixPrivs{UserID: n.attr.UID, GroupID: n.attr.GID, Mode: n.attr.Mode | modeType(n.attr.Type), Access: p.Access}
	return p
}

// The types of nodes in a mode.
const (
	modeDir     = 0o040000
	modeFile    = 0o100000
	modeSymlink = 0o120000
)

func modeType(t vfs.Type) uint32 {
	switch t {
	case vfs.TypeDir:
		return modeDir
	case vfs.TypeSymlink:
		return modeSymlink
	}
	return modeFile
}

// shared are the attributes that DOS has, too.
var shared = []struct {
	dos vfs.DOSAttr
	mac vfs.MacAttr
}{
	{vfs.DOSHidden, vfs.MacInvisible},
	{vfs.DOSSystem, vfs.MacSystem},
	{vfs.DOSReadOnly, vfs.MacWriteInhibit},
	{vfs.DOSArchive, vfs.MacBackupNeeded},
}

// macAttributes are all attributes that AFP has of a node.
func macAttributes(n *node) afpwire.Attributes {
	a := n.mac.Attr
	for _, s := range shared {
		if n.attr.DOS&s.dos != 0 {
			a |= s.mac
		}
	}
	if n.dir() {
		a &^= vfs.MacMultiUser | vfs.MacCopyProtect
	}
	return afpwire.Attributes(a)
}

// access are the rights to a node by its mode, and those of who asks.
func (v *volume) access(n *node) afpwire.AccessRights {
	rights := func(bits uint32) (a afpwire.AccessRights) {
		if bits&4 != 0 {
			a |= afpwire.MayRead
		}
		if bits&2 != 0 {
			a |= afpwire.MayWrite
		}
		if bits&1 != 0 || !n.dir() && bits&4 != 0 {
			a |= afpwire.MaySearch
		}
		return a
	}
	m, c := n.attr.Mode, v.tree.Caller()
	all := rights(m>>6)<<afpwire.OwnersRights | rights(m>>3)<<afpwire.GroupsRights | rights(m)<<afpwire.EveryonesRight
	mine := rights(m)
	switch {
	case !c.HasID || c.UID == 0:
		mine = afpwire.MayAll
	case c.UID == n.attr.UID:
		mine = rights(m >> 6)
		all |= afpwire.UserIsOwner
	case inGroup(c, n.attr.GID):
		mine = rights(m >> 3)
	}
	if v.tree.ReadOnly() {
		mine &^= afpwire.MayWrite
	}
	return all | mine<<afpwire.UsersRights
}

func inGroup(c *vfs.Caller, gid uint32) bool {
	for _, g := range c.Groups {
		if g == gid {
			return true
		}
	}
	return c.GID == gid
}

// count returns how many entries a folder has, as many as AFP can say. A folder
// that can't be listed seems empty.
func (v *volume) count(ctx context.Context, path string) uint16 {
	o, _, err := v.tree.Open(ctx, share.OpenRequest{Path: path, Access: vfs.ListDir, Share: everything, Disposition: share.OpenExisting, Directory: true})
	if err != nil {
		return 0
	}
	defer o.Close(ctx)
	l, err := o.List(ctx)
	if err != nil {
		return 0
	}
	defer l.Close()
	entries, total := make([]vfs.Entry, 64), 0
	for total < math.MaxUint16 {
		n, err := l.Next(ctx, entries, true)
		total += n
		if err == io.EOF || err != nil {
			break
		}
	}
	return uint16(min(total, math.MaxUint16))
}
