package volume

import (
	"context"
	"time"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/internal/meta"
	"github.com/dozo-server/dozo/internal/names"
	"github.com/dozo-server/dozo/vfs"
)

// byName fills a with what is known of the entry e without a look at it. It
// reports false where that is not even its type.
func (f *file) byName(e *names.Entry, a *vfs.Attr) bool {
	if e.Type == 0 || e.Type == vfs.TypeSymlink && !f.noFollow {
		return false
	}
	*a = vfs.Attr{Type: e.Type, Short: f.v.tree.ShortName(e.Name)}
	return true
}

// lookAt fills a with the attributes of the entry e of the folder f, as who sees
// them. The id and what is stored are taken from known, probably from its place
// at, if it has them. The memo that it returns is empty if what was found may
// not be remembered.
func (f *file) lookAt(who *account, e *names.Entry, known *folder, at *int, looked time.Time, a *vfs.Attr) (memo, error) {
	st, err := f.node.StatAt(e.Name)
	if err != nil {
		return memo{}, err
	}
	if st.Type == vfs.TypeSymlink && !f.noFollow {
		if err := f.lookThrough(who, e, a); !leadsNowhere(err) {
			return memo{}, err
		}
	}
	m, ok := known.find(&st, at)
	if !ok {
		if m, err = f.learn(e.Name, &st); err != nil {
			return memo{}, err
		}
	}
	f.fill(a, &st, m.info, e.Name, m.id)
	a.Parent = f.id
	if !ok && (st.Dev != f.dev || !meta.Settled(st.Changed, looked)) {
		return memo{}, nil
	}
	return m, nil
}

// learn asks for what stat does not tell about the entry name of f.
func (f *file) learn(name string, st *disk.Stat) (memo, error) {
	h, err := f.node.HandleAt(name)
	if err != nil {
		return memo{}, err
	}
	system, err := f.systemAt(name, st.Dev)
	if err != nil {
		return memo{}, err
	}
	m := memo{ino: st.Ino, changed: st.Changed.UnixNano(), id: system.identify(h).id}
	if st.Type == vfs.TypeFile || st.Type == vfs.TypeDir {
		m.info, err = meta.ReadAt(f.node, name)
	}
	return m, err
}

// systemAt returns the system that the entry name of f is on: another than f's
// if something is mounted there.
func (f *file) systemAt(name string, dev uint64) (*system, error) {
	if dev == f.dev {
		return f.v.systems.of(f.node, dev)
	}
	n, err := f.node.Open(nil, name, disk.How{Flags: disk.PathOnly | disk.NoFollow})
	if err != nil {
		return nil, err
	}
	defer n.Close()
	return f.v.systems.of(n, dev)
}

// Lookup implements vfs.File.
func (f *file) Lookup(ctx context.Context, c *vfs.Caller, name string, exact bool) (vfs.Entry, error) {
	if f.typ != vfs.TypeDir {
		return vfs.Entry{}, f.fail("lookup", vfs.KindNotDir)
	}
	if err := f.node.Hold("lookup"); err != nil {
		return vfs.Entry{}, err
	}
	defer f.node.Drop()
	a := f.v.account(c)
	e, err := f.v.tree.Lookup(ctx, a.cred, f.place, name, exact)
	if err != nil {
		return vfs.Entry{}, err
	}
	found := vfs.Entry{Name: e.Shown}
	_, err = f.lookAt(a, &e, nil, nil, time.Time{}, &found.Attr)
	return found, err
}
