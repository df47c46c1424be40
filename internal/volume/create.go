package volume

import (
	"context"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/internal/meta"
	"github.com/dozo-server/dozo/internal/names"
	"github.com/dozo-server/dozo/vfs"
)

// Create implements vfs.FS. Its maker is granted all rights to a new node,
// whatever its mode says, as by open(2) with O_CREAT.
func (v *Volume) Create(ctx context.Context, c *vfs.Caller, path string, o vfs.CreateOptions) (vfs.File, error) {
	a := v.account(c)
	mode, err := v.modeOf(ctx, path, o)
	if err != nil {
		return nil, err
	}
	n, p, err := v.createNode(ctx, a, path, mode, o)
	if err != nil {
		return nil, err
	}
	f, err := v.newFile(n, p)
	if err != nil {
		n.Close()
		p.Release()
		return nil, err
	}
	f.granted = o.Access
	if o.Maximum {
		f.granted = vfs.AllAccess
	}
	if err := v.furnish(ctx, a, f, o); err != nil {
		v.tree.Remove(ctx, a.cred, p, n)
		f.Close()
		return nil, err
	}
	return f, nil
}

func (v *Volume) createNode(ctx context.Context, a *account, path string, mode uint32, o vfs.CreateOptions) (*disk.Node, *names.Place, error) {
	if o.Directory {
		return v.tree.Mkdir(ctx, a.cred, path, disk.How{Flags: disk.Read, Mode: mode}, o.Exact)
	}
	return v.tree.Create(ctx, a.cred, path, disk.How{Flags: disk.Read | disk.Write, Mode: mode}, o.Exact)
}

// modeOf returns the permission bits that something new at path begins with.
func (v *Volume) modeOf(ctx context.Context, path string, o vfs.CreateOptions) (uint32, error) {
	if o.HasMode {
		return o.Mode & 0o7777, nil
	}
	if v.modes.Load().InheritPermissions {
		dir, st, err := v.openFolder(ctx, path, o.Exact)
		if err != nil {
			// Making the node will find the same, in its own words.
			return v.modes.Load().mode(o.Directory), nil
		}
		dir.Close()
		if o.Directory {
			return st.Mode, nil
		}
		return st.Mode & 0o666, nil
	}
	return v.modes.Load().mode(o.Directory), nil
}

// mode returns the permission bits that the masks leave.
func (m *Modes) mode(directory bool) uint32 {
	if directory {
		return 0o777&m.DirectoryMask | m.ForceDirectoryMode
	}
	return 0o666&m.CreateMask | m.ForceCreateMode
}

// furnish gives f, which a just made, what making it could not.
func (v *Volume) furnish(ctx context.Context, a *account, f *file, o vfs.CreateOptions) error {
	restat, err := v.giveAway(ctx, a, f)
	if err != nil {
		return err
	}
	info := meta.New(o.DOS, f.place.Name(), f.typ)
	if info.Stored {
		if err := f.store(info); err != nil {
			return err
		}
		restat = true
	}
	if restat {
		if f.first.st, err = f.node.Stat(); err != nil {
			return err
		}
	}
	f.first.info, f.first.hasInfo = info, true
	return nil
}

// giveAway makes f belong to whom it should if that is not who made it: the
// folder's owner where that is inherited, and never root in a volume that is
// somebody else's.
func (v *Volume) giveAway(ctx context.Context, a *account, f *file) (changed bool, err error) {
	to := int64(-1)
	if a.isRoot() && !v.owner.isRoot() {
		to = int64(v.owner.UID)
	}
	if v.modes.Load().InheritOwner && v.self == nil {
		dir, st, err := v.openFolder(ctx, f.Path(), true)
		if err != nil {
			return false, err
		}
		dir.Close()
		to = int64(st.UID)
	}
	if to < 0 || uint32(to) == f.first.st.UID {
		return false, nil
	}
	return true, f.node.Chown(nil, int(to), -1)
}
