// Package meta keeps what DOS, Windows and Macs know of a file and Unix does not:
// DOS attributes and a time of birth that can be set, Finder info, resource forks
// and named streams. They are stored so that a volume can come from Samba and
// netatalk, and go back, without a copy; docs/metadata.md tells the forms.
//
// A node whose attributes are the ordinary ones has nothing stored.
package meta

import (
	"strings"
	"time"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// Info is what is stored about a node. The zero Info is nothing.
type Info struct {
	Stored bool        // whether there is anything; without it the rest is zero
	DOS    vfs.DOSAttr // of vfs.DOSStored, and what Samba keeps beside them
	Birth  time.Time   // zero: the file system's own counts

	shown bool // not hidden although the name begins with a dot
}

// Read returns what is stored about n. A file system without extended
// attributes has nothing stored, and nor has a symbolic link.
func Read(n *disk.Node) (Info, error) {
	var buf [maxXattr]byte
	value, err := n.GetXattr(XattrName, buf[:])
	return decode(value, err)
}

// ReadAt is Read for the entry name of the folder n.
func ReadAt(n *disk.Node, name string) (Info, error) {
	var buf [maxXattr]byte
	value, err := n.GetXattrAt(name, XattrName, buf[:])
	return decode(value, err)
}

func decode(value []byte, err error) (Info, error) {
	switch vfs.KindOf(err) {
	case vfs.KindNoAttr, vfs.KindUnsupported, vfs.KindTooLarge, vfs.KindAccess:
		// KindAccess is what symbolic links and devices answer.
		return Info{}, nil
	}
	if err != nil {
		return Info{}, err
	}
	info, _ := Decode(value)
	return info, nil
}

// Write stores i about n, a node of the type, and takes the stored away when i
// is nothing. It acts as the process: whoever calls has checked the right.
func (i Info) Write(n *disk.Node, typ vfs.Type) error {
	if !i.Stored {
		err := n.RemoveXattr(nil, XattrName)
		if vfs.IsKind(err, vfs.KindNoAttr) {
			return nil
		}
		return err
	}
	var buf [32]byte
	return n.SetXattr(nil, XattrName, i.Encode(buf[:0], typ))
}

// ordinary are the attributes that count when nothing is stored, but for the
// hidden one that a name gives.
func ordinary(typ vfs.Type) vfs.DOSAttr {
	if typ == vfs.TypeFile {
		return vfs.DOSArchive
	}
	return 0
}

// hides reports whether name alone makes a node hidden.
func hides(name string) bool { return strings.HasPrefix(name, ".") }

// DOSOf returns the attributes of a node called name, with those that follow
// from its type and name.
func (i Info) DOSOf(name string, typ vfs.Type) vfs.DOSAttr {
	dos := i.DOS
	if !i.Stored {
		dos = ordinary(typ)
	}
	if hides(name) && !i.shown {
		dos |= vfs.DOSHidden
	}
	switch typ {
	case vfs.TypeDir:
		dos |= vfs.DOSDirectory
	case vfs.TypeSymlink:
		dos |= vfs.DOSReparse
	}
	return dos
}

// New is what is to be stored about a new node that begins with the attributes
// dos. Its name hides it whether they do or not: a client that makes a file
// has no opinion on that.
func New(dos vfs.DOSAttr, name string, typ vfs.Type) Info {
	if hides(name) {
		dos |= vfs.DOSHidden
	}
	return Info{}.WithDOS(dos, name, typ)
}

// WithDOS returns i with the attributes dos, which a client set on a node called
// name. It is nothing when these are the ordinary ones and so is all else.
func (i Info) WithDOS(dos vfs.DOSAttr, name string, typ vfs.Type) Info {
	i.DOS = dos&vfs.DOSStored | i.DOS&^vfs.DOSStored
	i.shown = false
	if hides(name) {
		// What the name does is not stored, or it would outlive the name.
		i.shown = dos&vfs.DOSHidden == 0
		i.DOS &^= vfs.DOSHidden
	}
	i.Stored = i.DOS != ordinary(typ) || i.shown || !i.Birth.IsZero()
	if !i.Stored {
		return Info{}
	}
	return i
}

// WithBirth returns i with the time of birth, for a node of the type.
func (i Info) WithBirth(birth time.Time, typ vfs.Type) Info {
	if !i.Stored {
		i = Info{Stored: true, DOS: ordinary(typ)}
	}
	i.Birth = birth
	return i
}

// BirthOf returns the time of birth of a node with the attributes st: the
// stored one, else the file system's, else the earliest of its times.
func (i Info) BirthOf(st *disk.Stat) time.Time {
	switch {
	case !i.Birth.IsZero():
		return i.Birth
	case !st.Birth.IsZero():
		return st.Birth
	}
	first := st.Modified
	for _, t := range [...]time.Time{st.Changed, st.Accessed} {
		if t.Before(first) {
			first = t
		}
	}
	return first
}

// Settled reports whether what was read about a node when disk.Clock said looked
// may be remembered until its change time moves. A change time proves nothing
// when a later change may carry the same one: on disks with coarser stamps within
// two ticks, or two seconds where times are whole seconds.
func Settled(changed, looked time.Time) bool {
	grain := 20 * time.Millisecond // two ticks at 100 Hz, the slowest in use
	if changed.Nanosecond() == 0 {
		grain = 2 * time.Second
	}
	return looked.Sub(changed) > grain
}
