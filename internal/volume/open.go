package volume

import (
	"context"
	"time"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/internal/names"
	"github.com/dozo-server/dozo/vfs"
)

// Rights that need a descriptor of their kind.
const (
	reads  = vfs.ReadData | vfs.Execute
	writes = vfs.WriteData | vfs.AppendData
)

// Open implements vfs.FS.
func (v *Volume) Open(ctx context.Context, c *vfs.Caller, path string, o vfs.OpenOptions) (vfs.File, error) {
	const op = "open"
	a := v.account(c)
	if v.isReadOnly() && o.Access&vfs.Changing != 0 {
		return nil, vfs.NewError(op, path, vfs.KindReadOnly, nil)
	}
	f, err := v.openFile(ctx, a, path, o, disk.NoFollow)
	if err != nil {
		return nil, err
	}
	if f.typ == vfs.TypeSymlink && !o.NoFollow {
		if f, err = v.follow(ctx, a, path, o, f); err != nil {
			return nil, err
		}
	}
	f.noFollow = o.NoFollow
	if f.granted, err = v.grant(ctx, a, f, o); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// openFile opens path, a symbolic link itself if links is disk.NoFollow and what
// it leads to if it is 0.
func (v *Volume) openFile(ctx context.Context, a *account, path string, o vfs.OpenOptions, links disk.Flags) (*file, error) {
	n, p, err := v.openNode(ctx, a, path, o, links)
	if err != nil {
		return nil, err
	}
	f, err := v.newFile(n, p)
	if err != nil {
		n.Close()
		p.Release()
		return nil, err
	}
	return f, nil
}

// openNode opens path with as much as o asks for and a may, by one call in all
// ordinary cases. Whether path is a file or a folder is not known before, and
// what Maximum grants neither; then a refusal leads to the next attempt.
func (v *Volume) openNode(ctx context.Context, a *account, path string, o vfs.OpenOptions, links disk.Flags) (*disk.Node, *names.Place, error) {
	read := o.Maximum || o.Access&reads != 0
	write := (o.Maximum || o.Access&writes != 0) && !v.isReadOnly()
	for {
		n, p, err := v.tree.Open(ctx, a.cred, path, disk.How{Flags: flags(read, write) | links}, o.Exact)
		if err == nil {
			return n, p, nil
		}
		switch kind := vfs.KindOf(err); {
		case kind == vfs.KindIsDir && write:
			write = false
		case (kind == vfs.KindAccess || kind == vfs.KindReadOnly || kind == vfs.KindBusy) && write && o.Access&writes == 0:
			write = false
		case kind == vfs.KindAccess && read && o.Access&vfs.ReadData == 0:
			read = false
		case kind == vfs.KindLoop && links != 0 && (read || write), kind == vfs.KindUnsupported && (read || write):
			// The link itself, or a socket or device, can't be opened for data.
			read, write = false, false
		default:
			return nil, nil, err
		}
	}
}

func flags(read, write bool) disk.Flags {
	switch {
	case read && write:
		return disk.Read | disk.Write
	case write:
		return disk.Write
	case read:
		return disk.Read
	}
	return disk.PathOnly
}

// newFile makes the file of a node that was just opened. It takes n and p only
// if there is no error.
func (v *Volume) newFile(n *disk.Node, p *names.Place) (*file, error) {
	h, err := n.Handle()
	if err != nil {
		return nil, err
	}
	f := &file{v: v, node: n, place: p, name: p, bucket: bucketOf(h)}
	f.first.mark, f.first.at, f.first.clock = v.changes.mark(f.bucket), time.Now(), disk.Clock()
	st, err := n.Stat()
	if err != nil {
		return nil, err
	}
	system, err := v.systems.of(n, st.Dev)
	if err != nil {
		return nil, err
	}
	f.first.st, f.typ, f.dev, f.identity = st, st.Type, st.Dev, system.identify(h)
	n.AfterClose(p.Release)
	return f, nil
}

// grant decides what f, opened by a, may be used for.
func (v *Volume) grant(ctx context.Context, a *account, f *file, o vfs.OpenOptions) (vfs.Access, error) {
	st := &f.first.st
	if f.typ == vfs.TypeOther && o.Access&(reads|writes) != 0 {
		return 0, vfs.NewError("open", f.Path(), vfs.KindAccess, nil)
	}
	may := always // and what the system agreed to by opening
	if f.node.Flags().Has(disk.Write) {
		may |= byWrite
	}
	if f.node.Flags().Has(disk.Read) {
		may |= byRead
	}
	if !may.Has(o.Access) || o.Maximum {
		may |= v.rights(a, f.node, st)
		if (o.Maximum || o.Access.Has(vfs.Delete)) && v.mayUnlink(ctx, a, f, st) {
			may |= vfs.Delete
		}
		may &^= f.without()
	}
	if !may.Has(o.Access) {
		return 0, vfs.NewError("open", f.Path(), vfs.KindAccess, nil)
	}
	if o.Maximum {
		return may, nil
	}
	return o.Access, nil
}

// without are the rights that f's descriptor is not good for.
func (f *file) without() (a vfs.Access) {
	if !f.node.Flags().Has(disk.Read) {
		a |= vfs.ReadData
		if f.typ != vfs.TypeDir {
			a |= vfs.Execute
		}
	}
	if !f.node.Flags().Has(disk.Write) && f.typ != vfs.TypeDir {
		a |= writes
	}
	return a
}
