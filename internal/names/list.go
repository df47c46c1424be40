package names

import (
	"context"
	"io"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// Lister is one enumeration of a folder, for one caller at a time.
//
// It goes through the records of the folder's index as they were when it
// began. Records never move, so what comes and goes meanwhile changes nothing
// for what stays. Of a folder that has no names in memory, because it is over
// the budget or can't be read by name, it reads the disk, and the file system's
// own promise holds, which is the same.
type Lister struct {
	t    *Tree
	n    *disk.Node // of the folder, which whoever lists it keeps open
	d    *dir
	root bool
	from cursor

	disk *disk.Node // nil with an index
	buf  []byte
	rest disk.Dirents
}

// List begins an enumeration of the folder at dir, opened as n. Whether the
// caller may read the folder was decided when n was opened.
func (t *Tree) List(ctx context.Context, dir *Place, n *disk.Node) (l *Lister, err error) {
	l = &Lister{t: t, n: n}
	err = t.do(ctx, nil, true, "list", dir.Path(), func(r *request) error {
		st, err := n.Stat()
		switch {
		case err != nil:
			return err
		case st.Type != vfs.TypeDir:
			return errorOf(vfs.KindNotDir)
		}
		d, err := r.folder(dir)
		if err == errAgain {
			return err
		}
		if err == nil && d.ino == st.Ino && d.id.dev == st.Dev && r.cursor(d, l) {
			return nil
		}
		l.root = l.root || st.Ino == t.root.ino && st.Dev == t.root.id.dev
		l.disk, err = n.OpenList(nil)
		return err
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// cursor lets l begin in d's index, which is built if there is none. It
// reports false where there are no names.
func (r *request) cursor(d *dir, l *Lister) bool {
	l.d, l.root = d, d == r.t.root
	d.content.RLock()
	if d.watched() && d.names != nil && !d.dirty.Load() && d.valid() {
		l.from = d.names.names.cursor()
		d.content.RUnlock()
		return true
	}
	d.content.RUnlock()
	d.content.Lock()
	defer d.content.Unlock()
	if r.ensure(d) != nil || d.names == nil {
		return false
	}
	l.from = d.names.names.cursor()
	return true
}

// Next fills entries and returns how many, with io.EOF when there are no more.
// Every entry that is there from List to the end is seen exactly once while
// others come and go; these are seen once or not at all, so an entry may be
// gone when it is looked at. "." and ".." are not among them, nor is what stands
// beside another entry.
func (l *Lister) Next(ctx context.Context, entries []Entry) (int, error) {
	if ctx.Err() != nil {
		return 0, vfs.NewError("list", "", vfs.KindCanceled, context.Cause(ctx))
	}
	next := l.nextRecord
	if l.disk != nil {
		next = l.nextOnDisk
	} else {
		l.d.content.RLock()
		defer l.d.content.RUnlock()
	}
	n := 0
	for n < len(entries) {
		f, err := next()
		if err == io.EOF && n > 0 {
			break
		}
		if err != nil {
			return n, err
		}
		if l.root && isOwnFolder(f.name) || l.t.isBeside(l.n, f.name) {
			continue
		}
		entries[n] = Entry{f.name, f.shown, f.typ}
		n++
	}
	return n, nil
}

func (l *Lister) nextRecord() (found, error) {
	rec, _, ok := l.from.next()
	if !ok {
		return found{}, io.EOF
	}
	if l.d.names == nil || !rec.alias {
		return onDiskOnly(string(rec.name), rec.typ), nil
	}
	return l.d.names.found(rec), nil
}

func (l *Lister) nextOnDisk() (found, error) {
	for {
		if e, ok := l.rest.Next(); ok {
			return onDiskOnly(string(e.Name), e.Type), nil
		}
		if l.buf == nil {
			l.buf = make([]byte, disk.DirBuffer)
		}
		rest, done, err := l.disk.ReadDir(l.buf)
		if done {
			err = io.EOF
		}
		if err != nil {
			return found{}, err
		}
		l.rest = rest
	}
}

// Close frees what the enumeration holds.
func (l *Lister) Close() error {
	l.from, l.buf = cursor{}, nil
	if l.disk != nil {
		return l.disk.Close()
	}
	return nil
}
