package memfs

import (
	"context"

	"github.com/dozo-server/dozo/vfs"
)

// macOf returns what Macs know of n.
func (s *FS) macOf(n *node) vfs.Mac {
	m := n.mac
	if fork := s.findStream(n, vfs.ResourceFork); fork != nil {
		m.Resource = fork.data.size
	}
	return m
}

func (f *file) Mac(ctx context.Context) (vfs.Mac, error) {
	done, err := f.reading("mac", 0)
	if err != nil {
		return vfs.Mac{}, err
	}
	defer done()
	return f.fs.macOf(f.node), nil
}

func (f *file) SetMac(ctx context.Context, c *vfs.Caller, s vfs.SetMac) error {
	const op = "set mac"
	done, err := f.changing(op, vfs.WriteAttr|vfs.WriteXattr|vfs.WriteData)
	if err != nil {
		return err
	}
	defer done()
	switch {
	case !f.node.hasStreams():
		return f.fail(op, vfs.KindUnsupported)
	case s.Set&vfs.SetComment != 0 && len(s.Comment) > vfs.MaxComment:
		return f.fail(op, vfs.KindInvalid)
	}
	f.node.mac = f.node.mac.With(s)
	f.node.changed = f.fs.now()
	return nil
}

func (f *file) ListedMacs(ctx context.Context, c *vfs.Caller, entries []vfs.Entry, macs []vfs.Mac) error {
	const op = "list macs"
	done, err := f.reading(op, 0)
	if err != nil {
		return err
	}
	defer done()
	if f.node.dir == nil || f.stream != nil {
		return f.fail(op, vfs.KindNotDir)
	}
	for i := range entries {
		macs[i] = vfs.Mac{}
		if e := f.fs.find(f.node, entries[i].Name, true); e != nil {
			macs[i] = f.fs.macOf(f.seen(c, e).node)
		}
	}
	return nil
}
