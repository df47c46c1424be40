package volume

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/internal/meta"
	"github.com/dozo-server/dozo/vfs"
)

// Attr implements vfs.File.
func (f *file) Attr(ctx context.Context) (vfs.Attr, error) {
	st, info, err := f.look()
	if err != nil {
		return vfs.Attr{}, err
	}
	var a vfs.Attr
	f.fill(&a, &st, info, f.name.Name(), f.id)
	return a, nil
}

// fill makes a the attributes of a node called name, as seen by who opened f.
func (f *file) fill(a *vfs.Attr, st *disk.Stat, info meta.Info, name string, id uint64) {
	typ := st.Type
	if typ == vfs.TypeSymlink && !f.noFollow {
		typ = vfs.TypeFile // it leads nowhere
	}
	*a = vfs.Attr{
		Type:      typ,
		DOS:       info.DOSOf(name, typ),
		Size:      st.Size,
		Allocated: st.Allocated,
		Links:     st.Links,
		Mode:      st.Mode,
		UID:       st.UID,
		GID:       st.GID,
		Device:    st.Dev,
		ID:        id,
		Birth:     info.BirthOf(st),
		Modified:  st.Modified,
		Changed:   st.Changed,
		Accessed:  st.Accessed,
		Short:     f.v.tree.ShortName(name),
	}
	if typ == vfs.TypeDir || typ != st.Type {
		a.Size, a.Allocated = 0, 0 // of the list of names, or of a path: nobody's business
	}
}

// SetAttr implements vfs.File. What was granted with the open is done as the
// process: a may have the right without being the owner, whom alone the system
// lets do some of it.
func (f *file) SetAttr(ctx context.Context, c *vfs.Caller, s vfs.SetAttr) error {
	if f.v.isReadOnly() {
		return f.fail("setattr", vfs.KindReadOnly)
	}
	if err := f.node.Hold(disk.OpStat); err != nil {
		return err
	}
	defer f.node.Drop()
	defer f.changed()
	a := f.v.account(c)
	has := func(set vfs.AttrSet) bool { return s.Set&set != 0 }

	// In this order, because a new owner takes bits of the mode away.
	if has(vfs.SetOwner | vfs.SetGroup) {
		if err := f.chown(a, s); err != nil {
			return err
		}
	}
	if has(vfs.SetMode) {
		if err := f.node.Chmod(a.cred, s.Mode&0o7777); err != nil {
			return err
		}
	}
	if has(vfs.SetDOS | vfs.SetBirth) {
		if err := f.setMeta(s); err != nil {
			return err
		}
	}
	if has(vfs.SetModified | vfs.SetAccessed) {
		var accessed, modified time.Time
		if has(vfs.SetAccessed) {
			accessed = s.Accessed
		}
		if has(vfs.SetModified) {
			modified = s.Modified
		}
		return f.node.SetTimes(nil, accessed, modified)
	}
	return nil
}

func (f *file) chown(a *account, s vfs.SetAttr) error {
	uid, gid := -1, -1
	if s.Set&vfs.SetOwner != 0 {
		uid = int(s.UID)
	}
	if s.Set&vfs.SetGroup != 0 {
		gid = int(s.GID)
	}
	st, err := f.node.Stat()
	if err != nil {
		return err
	}
	// Nobody needs a right to leave things as they are.
	if uid == int(st.UID) {
		uid = -1
	}
	if gid == int(st.GID) {
		gid = -1
	}
	if uid < 0 && gid < 0 {
		return nil
	}
	fork, _, err := f.besideFork()
	if err != nil {
		return err
	}
	if fork != nil {
		defer fork.Close()
	}
	if err := f.node.Chown(a.cred, uid, gid); err != nil || fork == nil {
		return err
	}
	return fork.Chown(nil, uid, gid) // or it would be another's, and no fork any more
}

// setMeta changes what is stored about f.
func (f *file) setMeta(s vfs.SetAttr) error {
	if !f.hasMeta() {
		return nil
	}
	lock := f.metaLock()
	lock.Lock()
	defer lock.Unlock()
	info, err := f.readMeta()
	if err != nil {
		return err
	}
	if s.Set&vfs.SetDOS != 0 {
		info = info.WithDOS(s.DOS, f.name.Name(), f.typ)
	}
	if s.Set&vfs.SetBirth != 0 {
		info = info.WithBirth(s.Birth, f.typ)
	}
	return f.store(info)
}

func (f *file) metaLock() *sync.Mutex { return &f.v.metaLocks[int(f.bucket)%len(f.v.metaLocks)] }

// store writes what is stored about f. A disk that can't hold it goes without:
// to a client the attributes are a courtesy, and to refuse a copy because of
// them would be worse.
func (f *file) store(info meta.Info) error {
	err := f.protected(func() error { return info.Write(f.node, f.typ) })
	if vfs.IsKind(err, vfs.KindUnsupported) {
		return nil
	}
	return err
}

// protected runs change, which changes what is stored about f, also where the owner
// acts, who may not write to f: see unprotected.
func (f *file) protected(change func() error) error {
	err := change()
	if vfs.IsKind(err, vfs.KindAccess) && f.v.self != nil {
		return f.unprotected(change)
	}
	return err
}

// unprotected runs change on a file that its owner may not write to: the system
// counts extended attributes as data. The owner may change the mode, so for a
// moment the owner may write.
func (f *file) unprotected(change func() error) error {
	const ownerWrites = 0o200
	st, err := f.node.Stat()
	if err != nil {
		return err
	}
	if err := f.node.Chmod(nil, st.Mode|ownerWrites); err != nil {
		return err
	}
	err = change()
	return errors.Join(err, f.node.Chmod(nil, st.Mode))
}
