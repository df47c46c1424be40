package names

import (
	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// Some disks fold names by themselves: vfat, folders of ext4 with casefold,
// ntfs-3g when told to. There the disk is the judge of what is one name, and
// the index only tells how a name is stored. Which folder folds is found out by
// asking for another spelling of a name that is there.

// spelling returns how the entry that opened as name is stored in d. To find
// out that d does not fold costs two system calls, once.
func (r *request) spelling(d *dir, n *disk.Node, name string) (string, error) {
	other := swapCase(name)
	if d.folds.Load() == foldsNot || other == name {
		return name, nil
	}
	if d.folds.Load() == foldsUnknown {
		switch _, err := n.StatAt(other); {
		case vfs.IsKind(err, vfs.KindNotExist):
			if _, err := n.StatAt(name); err == nil { // else it went meanwhile
				d.folds.Store(foldsNot)
			}
			return name, nil
		case err != nil:
			return name, nil
		}
	}
	d.content.Lock()
	defer d.content.Unlock()
	for range 2 {
		if err := r.ensure(d); err != nil || d.names == nil {
			return name, err
		}
		if !r.foldsItself(d, n, name) {
			return name, nil
		}
		if rec, ok := d.names.find(name); ok {
			return string(rec.name), nil
		}
		d.invalid.Store(true) // it is there, so the index is old
	}
	return name, nil // the disk knows spellings that we don't
}

// foldsItself reports whether the disk folds names in d, where there is a name
// that can also be spelled name. It runs with content held exclusively and
// d's index ensured.
func (r *request) foldsItself(d *dir, n *disk.Node, name string) bool {
	other := swapCase(name)
	if v := d.folds.Load(); v != foldsUnknown || other == name || d.names == nil {
		return v == foldsItself
	}
	// Both spellings lead somewhere. If only one is listed, the other leads to
	// the same; the inode does not tell, since to some FUSE disks each
	// spelling is a node. What came this very moment must be listed, too, and
	// what went and came again must not count.
	if _, err := n.StatAt(other); err != nil {
		return false
	}
	const tries = 4
	for range tries {
		if d.watched() {
			d.q.drain()
		} else {
			d.invalid.Store(true)
		}
		before := d.changes.Load()
		if err := r.ensure(d); err != nil || d.names == nil {
			return false
		}
		if d.names.has(name) && d.names.has(other) {
			d.folds.Store(foldsNot)
			return false
		}
		for _, s := range []string{other, name} {
			if _, err := n.StatAt(s); err != nil {
				return false
			}
		}
		if d.watched() {
			d.q.drain()
		}
		if d.changes.Load() == before {
			d.folds.Store(foldsItself)
			return true
		}
	}
	return false
}

// swapCase returns name with the case of its ASCII letters changed.
func swapCase(name string) string {
	b := []byte(name)
	for i, c := range b {
		if 'a' <= c|0x20 && c|0x20 <= 'z' {
			b[i] ^= 0x20
		}
	}
	return string(b)
}
