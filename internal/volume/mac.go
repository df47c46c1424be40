package volume

import (
	"context"
	"time"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/internal/meta"
	"github.com/dozo-server/dozo/vfs"
)

// Mac implements vfs.MacFile.
func (f *file) Mac(ctx context.Context) (vfs.Mac, error) {
	st, info, err := f.look()
	if err != nil || !f.hasMeta() {
		return vfs.Mac{}, err
	}
	if err := f.node.Hold("mac"); err != nil {
		return vfs.Mac{}, err
	}
	defer f.node.Drop()
	defer f.locked()()
	stored, err := f.readMac()
	if err != nil {
		return vfs.Mac{}, err
	}
	m := shownMac(stored.Mac, info, info.BirthOf(&st))
	if f.typ == vfs.TypeFile {
		fork, err := f.findFork()
		if err != nil {
			return vfs.Mac{}, err
		}
		m.Resource, _, err = fork.size(f)
		fork.close()
		if err != nil {
			return vfs.Mac{}, err
		}
	}
	return m, nil
}

// shownMac returns what of m callers see, for a node with the DOS attributes info and
// the time of birth: the rest is told there, or follows from it.
func shownMac(m vfs.Mac, info meta.Info, birth time.Time) vfs.Mac {
	if info.Stored {
		m.Attr &^= vfs.MacDOS
	}
	if !info.Birth.IsZero() || isAbout(m.Created, birth) {
		m.Created = time.Time{}
	}
	return m
}

// isAbout reports whether a server for Macs that made a node at the time b would have
// stored a.
func isAbout(a, b time.Time) bool {
	d := a.Sub(b)
	return -2*time.Second < d && d < 2*time.Second
}

// readMac returns what is stored about f. The caller holds the lock of the node.
func (f *file) readMac() (m meta.Mac, err error) {
	item, err := f.v.store.find(f, storedMac, "")
	if err != nil {
		return m, err
	}
	if item != nil {
		defer item.node.Close()
		buf := values.Get().(*[meta.MaxAttr]byte)
		defer values.Put(buf)
		n, err := item.readAt(buf[:], 0)
		if n > 0 {
			if m, ok := meta.DecodeMac(buf[:n]); ok {
				return m, nil
			}
		} else if err != nil {
			return m, err
		}
	}
	for _, form := range macForms {
		ok := false
		err := f.withValue(form.attr, func(value []byte) { m, ok = form.decode(value) })
		if err != nil && !noAttr(err) {
			return meta.Mac{}, err
		}
		if err == nil && ok {
			return m, nil
		}
	}
	n, fork, err := f.besideFork()
	if err != nil || n == nil {
		return meta.Mac{}, err
	}
	defer n.Close()
	m = meta.Mac{}
	m.Finder, err = fork.Finder()
	return m, err
}

// macForms are the attributes in which it is looked for, the first one found counts.
var macForms = [...]struct {
	attr   string
	decode func([]byte) (meta.Mac, bool)
}{{meta.NetatalkName, meta.DecodeMac}, {meta.AfpInfoName, meta.DecodeAfpInfo}}

// noAttr reports whether err means that there is no such attribute, or nothing that
// could be one.
func noAttr(err error) bool {
	switch vfs.KindOf(err) {
	case vfs.KindNoAttr, vfs.KindUnsupported, vfs.KindTooLarge, vfs.KindAccess:
		return true
	}
	return false
}

// SetMac implements vfs.MacFile.
func (f *file) SetMac(ctx context.Context, c *vfs.Caller, s vfs.SetMac) error {
	const op = "set mac"
	switch {
	case f.v.isReadOnly():
		return f.fail(op, vfs.KindReadOnly)
	case f.granted&(vfs.WriteAttr|vfs.WriteXattr|vfs.WriteData) == 0:
		return f.fail(op, vfs.KindNotGranted)
	case !f.hasMeta():
		return f.fail(op, vfs.KindUnsupported)
	case s.Set&vfs.SetComment != 0 && len(s.Comment) > vfs.MaxComment:
		return f.fail(op, vfs.KindInvalid)
	}
	st, info, err := f.look()
	if err != nil {
		return err
	}
	if err := f.node.Hold("mac"); err != nil {
		return err
	}
	defer f.node.Drop()
	defer f.locked()()
	m, err := f.readMac()
	if err != nil {
		return err
	}
	m.Mac = m.Mac.With(s)
	defer f.changed()
	birth := info.BirthOf(&st)
	if !m.Remembered() && (m.Created.IsZero() || !info.Birth.IsZero() || isAbout(m.Created, birth)) {
		return f.removeMac()
	}
	return f.storeMac(m.Encode(nil, birth, st.Modified))
}

// storeMac writes netatalk's attribute.
func (f *file) storeMac(value []byte) error {
	item, err := f.v.store.find(f, storedMac, "")
	if err != nil {
		return err
	}
	if item == nil {
		err = f.protected(func() error { return f.node.SetXattr(nil, meta.NetatalkName, value) })
		if err == nil || !refused(err) {
			return err
		}
	} else {
		item.node.Close()
	}
	made, err := f.v.store.put(f, storedMac, "", value, item)
	if err != nil {
		return err
	}
	made.node.Close()
	return f.removeMacAttrs()
}

// removeMac takes away what is stored, in all its forms; the one that counts goes
// last.
func (f *file) removeMac() error {
	n, fork, err := f.besideFork()
	if err != nil {
		return err
	}
	if n != nil {
		err = fork.ClearFinder()
		n.Close()
		if err != nil {
			return err
		}
	}
	if err := f.removeMacAttrs(); err != nil {
		return err
	}
	item, err := f.v.store.find(f, storedMac, "")
	if err != nil || item == nil {
		return err
	}
	defer item.node.Close()
	return f.v.store.remove(f, item)
}

func (f *file) removeMacAttrs() error {
	for i := len(macForms) - 1; i >= 0; i-- {
		err := f.protected(func() error { return f.node.RemoveXattr(nil, macForms[i].attr) })
		if err != nil && !noAttr(err) {
			return err
		}
	}
	return nil
}

// ListedMacs implements vfs.MacFile.
func (f *file) ListedMacs(ctx context.Context, c *vfs.Caller, entries []vfs.Entry, macs []vfs.Mac) error {
	const op = "list macs"
	if f.typ != vfs.TypeDir {
		return f.fail(op, vfs.KindNotDir)
	}
	if err := f.node.Hold(op); err != nil {
		return err
	}
	defer f.node.Drop()
	stored, have := make([]string, len(entries)), make([]bool, len(entries))
	for i := range entries {
		stored[i], _ = f.v.tree.Stored(ctx, f.place, entries[i].Name)
	}
	err := f.v.tree.HaveBeside(ctx, f.place, stored, have)
	if vfs.IsKind(err, vfs.KindNotExist) { // removed, and still open
		clear(macs)
		return nil
	}
	if err != nil {
		return err
	}
	for i := range entries {
		macs[i] = vfs.Mac{}
		if stored[i] == "" {
			continue
		}
		if macs[i], err = f.listedMac(c, stored[i], &entries[i], have[i]); err != nil && !isGone(err) {
			return err
		}
	}
	return nil
}

// isGone reports whether err means that an entry went away.
func isGone(err error) bool {
	switch vfs.KindOf(err) {
	case vfs.KindNotExist, vfs.KindPathNotExist, vfs.KindStale:
		return true
	}
	return false
}

// listedMac returns what is kept about the entry stored of the folder f. beside tells
// whether there is something that may be its fork: that, and what else is rare, is
// found out by opening.
func (f *file) listedMac(c *vfs.Caller, stored string, e *vfs.Entry, beside bool) (vfs.Mac, error) {
	if beside || f.v.store.has(e.Attr.ID) {
		return f.openedMac(c, e)
	}
	if f.v.macless.has(&e.Attr) {
		return vfs.Mac{}, nil
	}
	looked := disk.Clock()
	m, err := f.macAt(stored)
	if vfs.IsKind(err, vfs.KindAccess) { // a symbolic link, which may be shown as what it leads to
		return f.openedMac(c, e)
	}
	if err != nil {
		return vfs.Mac{}, err
	}
	if !m.Stored() {
		f.v.macless.add(&e.Attr, looked)
		return vfs.Mac{}, nil
	}
	var info meta.Info
	if m.Attr&vfs.MacDOS != 0 || !isAbout(m.Created, e.Attr.Birth) {
		if info, err = meta.ReadAt(f.node, stored); err != nil {
			return vfs.Mac{}, err
		}
	}
	return shownMac(m.Mac, info, e.Attr.Birth), nil
}

// macAt returns what is stored in attributes of the entry stored of f.
func (f *file) macAt(stored string) (meta.Mac, error) {
	buf := values.Get().(*[meta.MaxAttr]byte)
	defer values.Put(buf)
	for _, form := range macForms {
		value, err := f.node.GetXattrAt(stored, form.attr, buf[:])
		if err == nil {
			if m, ok := form.decode(value); ok {
				return m, nil
			}
		} else if !noAttr(err) || vfs.IsKind(err, vfs.KindAccess) {
			return meta.Mac{}, err
		}
	}
	return meta.Mac{}, nil
}

// openedMac opens the entry e of the folder f, as c sees it, for its Mac.
func (f *file) openedMac(c *vfs.Caller, e *vfs.Entry) (vfs.Mac, error) {
	path := e.Name
	if folder := f.Path(); folder != "" {
		path = folder + "/" + path
	}
	g, err := f.v.Open(context.Background(), c, path, vfs.OpenOptions{NoFollow: f.noFollow})
	if err != nil {
		if leadsNowhere(err) {
			err = nil
		}
		return vfs.Mac{}, err
	}
	defer g.Close()
	return g.(*file).Mac(context.Background())
}
