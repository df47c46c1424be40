package share

import (
	"strings"

	"github.com/dozo-server/dozo/vfs"
)

// resolve opens or makes what is to stand at r.Path, and nothing more: what is
// there already is not changed before all rules were asked.
func (t *Tree) resolve(c *call, r *OpenRequest) (f vfs.File, made bool, err error) {
	// Which is tried first does not matter but for speed: who means to empty
	// the file has mostly a new one in mind.
	create := r.Disposition.creates() && r.Disposition != OpenIf
	for range maxRaces {
		if create {
			f, err = t.create(c, r)
			if !vfs.IsKind(err, vfs.KindExist) || r.Disposition == Create {
				return f, err == nil, err
			}
		} else {
			f, err = t.openExisting(c, r)
			if !vfs.IsKind(err, vfs.KindNotExist) || !r.Disposition.creates() {
				return f, false, err
			}
		}
		create = !create
	}
	return nil, false, c.fail(vfs.KindNotExist) // a symbolic link that leads nowhere, mostly
}

func (t *Tree) openExisting(c *call, r *OpenRequest) (vfs.File, error) {
	options := vfs.OpenOptions{Access: r.Access, Maximum: r.Maximum, NoFollow: r.NoFollow}
	if r.Disposition.overwrites() {
		// Whoever empties a file must be allowed to write it, whatever the
		// open is for.
		options.Access |= vfs.WriteData
	}
	return t.share.fs.Open(c.ctx, t.caller, r.Path, options)
}

func (t *Tree) create(c *call, r *OpenRequest) (vfs.File, error) {
	options := vfs.CreateOptions{
		Access: r.Access, Maximum: r.Maximum,
		Directory: r.Directory,
		DOS:       newDOS(r),
		HasMode:   r.HasMode, Mode: r.Mode,
	}
	switch {
	case t.ReadOnly():
		return nil, t.refuse(c.op, r.Path)
	case r.DeleteOnClose && options.DOS&vfs.DOSReadOnly != 0:
		return nil, c.fail(vfs.KindCannotDelete)
	}
	if err := t.parentLives(c, r.Path); err != nil {
		return nil, err
	}
	if err := t.parentSeen(c, r.Path); err != nil {
		return nil, err
	}
	if t.reserved(r.Path) {
		if f, err := t.share.fs.Open(c.ctx, t.caller, r.Path, vfs.OpenOptions{NoFollow: true}); err == nil {
			f.Close()
			return nil, c.fail(vfs.KindExist)
		}
		return nil, c.fail(vfs.KindAccess)
	}
	f, err := t.share.fs.Create(c.ctx, t.caller, r.Path, options)
	if r.Disposition == Create && vfs.IsKind(err, vfs.KindExist) &&
		t.share.doomed.Load() > 0 && t.isDoomed(c, r.Path, false) {
		return nil, c.fail(vfs.KindDeletePending)
	}
	return f, err
}

// newDOS returns the attributes of a new or emptied file, or of a new folder.
func newDOS(r *OpenRequest) vfs.DOSAttr {
	if r.Directory {
		return r.DOS & vfs.DOSStored &^ vfs.DOSArchive
	}
	return r.DOS&vfs.DOSStored | vfs.DOSArchive // [MS-FSA] 2.1.5.1.1
}

// parentLives refuses a new name in a folder that is about to go.
func (t *Tree) parentLives(c *call, path string) error {
	if t.share.doomedFolders.Load() > 0 && t.isDoomed(c, parent(path), true) {
		return c.fail(vfs.KindDeletePending)
	}
	return nil
}

// isDoomed reports whether what stands at path goes with its last close: the
// name, or the folder that it leads to.
func (t *Tree) isDoomed(c *call, path string, folder bool) bool {
	f, err := t.share.fs.Open(c.ctx, t.caller, path, vfs.OpenOptions{})
	if err != nil {
		return false
	}
	defer f.Close()
	_, linked := f.Target()
	s := t.share.table.shard(f.Key())
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.rows[f.Key()]; r != nil {
		if l := r.find(f, linked && !folder, !folder); l != nil {
			return l.doomed
		}
	}
	return false
}

func parent(path string) string {
	return path[:max(0, strings.LastIndexByte(path, '/'))]
}
