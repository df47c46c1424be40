package memfs

import (
	"context"
	"io"

	"github.com/dozo-server/dozo/vfs"
)

// lister goes through the places of a folder that there were when it began.
type lister struct {
	file   *file
	caller *vfs.Caller
	last   uint64 // place of the entry given last
	end    uint64 // place of the last entry to give
}

func (f *file) List(ctx context.Context, c *vfs.Caller) (vfs.Lister, error) {
	const op = "list"
	done, err := f.reading(op, vfs.ListDir)
	if err != nil {
		return nil, err
	}
	defer done()
	if f.node.dir == nil || f.stream != nil {
		return nil, f.fail(op, vfs.KindNotDir)
	}
	return &lister{file: f, caller: c, end: f.node.dir.lastSeq}, nil
}

func (l *lister) Next(ctx context.Context, entries []vfs.Entry, names bool) (int, error) {
	done, err := l.file.reading("list", 0)
	if err != nil {
		return 0, err
	}
	defer done()
	d := l.file.node.dir
	n := 0
	for _, p := range d.order[d.after(l.last):] {
		if n == len(entries) || p.seq > l.end {
			break
		}
		l.last = p.seq
		if p.e == nil {
			continue
		}
		entries[n] = l.file.look(l.caller, p.e)
		if names {
			a := &entries[n].Attr
			*a = vfs.Attr{Type: a.Type, Short: a.Short}
		}
		n++
	}
	if n == 0 && len(entries) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (l *lister) Close() error { return nil }

func (f *file) Lookup(ctx context.Context, c *vfs.Caller, name string, exact bool) (vfs.Entry, error) {
	const op = "lookup"
	done, err := f.reading(op, 0)
	if err != nil {
		return vfs.Entry{}, err
	}
	defer done()
	if f.node.dir == nil || f.stream != nil {
		return vfs.Entry{}, f.fail(op, vfs.KindNotDir)
	}
	if !f.fs.modeAccess(c, f.node).Has(vfs.Traverse) {
		return vfs.Entry{}, f.fail(op, vfs.KindAccess)
	}
	e := f.fs.find(f.node, name, exact)
	if e == nil {
		return vfs.Entry{}, f.fail(op, vfs.KindNotExist)
	}
	return f.look(c, e), nil
}

// look returns what the folder f shows of its entry e.
func (f *file) look(c *vfs.Caller, e *entry) vfs.Entry {
	return vfs.Entry{Name: e.name, Attr: f.attr(f.seen(c, e).node, e)}
}

// seen returns what c sees of the folder f's entry e.
func (f *file) seen(c *vfs.Caller, e *entry) found {
	at := found{parent: e.parent, entry: e, node: e.node}
	if !f.noFollow {
		w := walk{fs: f.fs, caller: c}
		w.through(&at) // a link that leads nowhere is shown all the same
	}
	return at
}
