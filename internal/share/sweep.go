package share

import (
	"context"
	"errors"
	"io"

	"github.com/dozo-server/dozo/vfs"
)

// takeAway removes the name that o was opened by, for who attached t, or moves it
// into the bin. A folder that holds only what clients do not see goes with that,
// if the share says so.
func (o *Open) takeAway(ctx context.Context, t *Tree) error {
	if o.recycles(t) {
		why := o.recycle(ctx, t)
		gone := beyond(why)
		if failed := t.options.BinFailed; failed != nil && (gone || isRefusal(why)) {
			failed(o.Path(), gone, why)
		}
		if !gone {
			return why
		}
	}
	return o.unlink(ctx, t)
}

// unlink is takeAway for good.
func (o *Open) unlink(ctx context.Context, t *Tree) error {
	fs, c, f := t.share.fs, t.caller, t.options.filter
	err := fs.Remove(ctx, c, o.file)
	if f == nil || !f.sweeps || !vfs.IsKind(err, vfs.KindNotEmpty) {
		return err
	}
	names, listed := o.entries(ctx, c)
	for _, name := range names {
		if listed != nil || !f.vetoes(name) {
			return err
		}
	}
	for _, name := range names {
		if err := t.removeAll(ctx, o.Path()+"/"+name); err != nil {
			return err
		}
	}
	return fs.Remove(ctx, c, o.file)
}

// entries returns the names in the folder o, which may have been opened without
// the right to list it.
func (o *Open) entries(ctx context.Context, c *vfs.Caller) ([]string, error) {
	f, err := o.tree.share.fs.Open(ctx, c, o.Path(), vfs.OpenOptions{Access: vfs.ListDir, NoFollow: true})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Key() != o.Key() {
		return nil, errRace
	}
	return list(ctx, c, f)
}

// list returns the names in a folder.
func list(ctx context.Context, c *vfs.Caller, f vfs.File) (names []string, err error) {
	l, err := f.List(ctx, c)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	entries := make([]vfs.Entry, 64)
	for err == nil {
		var n int
		n, err = l.Next(ctx, entries, true)
		for i := range entries[:n] {
			names = append(names, entries[i].Name)
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return names, nil
}

// removeAll removes what stands at path, with all that is below it.
func (t *Tree) removeAll(ctx context.Context, path string) (err error) {
	fs, c := t.share.fs, t.caller
	f, err := fs.Open(ctx, c, path, vfs.OpenOptions{NoFollow: true})
	if err != nil {
		return err
	}
	defer f.Close()
	a, err := f.Attr(ctx)
	if err != nil {
		return err
	}
	if a.Type == vfs.TypeDir {
		d, err := fs.Open(ctx, c, path, vfs.OpenOptions{Access: vfs.ListDir, NoFollow: true})
		if err != nil {
			return err
		}
		names, err := list(ctx, c, d)
		d.Close()
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := t.removeAll(ctx, path+"/"+name); err != nil {
				return err
			}
		}
	}
	err = fs.Remove(ctx, c, f)
	t.auditSwept(path, err)
	return err
}
