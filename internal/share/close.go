package share

import (
	"context"
	"io"

	"github.com/dozo-server/dozo/vfs"
)

// Close ends the use ([MS-FSA] 2.1.5.5): byte ranges are unlocked, the oplock
// is given back, and if it was the last one of a file that was to be deleted,
// the file goes. The error tells what failed of that; the open is closed in any
// case. A second Close is KindClosed.
func (o *Open) Close(ctx context.Context) error {
	s, r := o.shard, o.row
	s.mu.Lock()
	if o.closed {
		s.mu.Unlock()
		return vfs.NewError("close", "", vfs.KindClosed, nil)
	}
	o.closed = true
	if o.closing != nil {
		close(o.closing)
	}
	r.ranges.Release(&o.ranges)
	r.oplocks.Release(&o.oplock)
	r.guard()
	r.remove(o)
	r.wake()
	l := o.link
	if o.deleteOnClose {
		o.doom()
	}
	var err error
	if l.doomed && !l.removed && (l.opens == 0 || o.posixDelete) {
		err = o.removeName(ctx)
	}
	r.unlink(l)
	s.drop(r)
	s.mu.Unlock()

	if o.watch != nil {
		o.tree.share.watches.end(o.watch)
	}
	o.tree.share.countOpens(o, -1)
	o.file.Close()
	o.tree.Release()
	return err
}

// removeName removes the name that o was opened by, in the name of whoever said
// that it goes. The caller holds the shard's lock, which is free meanwhile;
// nobody can open the file by this name then.
func (o *Open) removeName(ctx context.Context) error {
	s, r, l := o.shard, o.row, o.link
	deleter := l.deleter
	r.pins++
	s.mu.Unlock()
	// What was promised is kept, even if the client did not wait for it.
	told, from := o.watched() || deleter.options.Audit.On(), ""
	if told {
		from = o.Path()
	}
	err := o.takeAway(context.WithoutCancel(ctx), deleter)
	if told {
		deleter.auditDelete(o, from, err)
		if err == nil {
			o.reportGone(from)
		}
	}
	s.mu.Lock()
	r.pins--
	r.wake()
	o.spare()
	switch {
	case err == nil, vfs.IsKind(err, vfs.KindNotExist): // or a local process was faster
		l.removed = true
		o.tree.share.table.removed(s, r)
		return nil
	case vfs.IsKind(err, vfs.KindNotEmpty):
		return nil // a folder that was filled meanwhile stays
	}
	return err
}

// doom says that o's name goes with its last close. The caller holds the
// shard's lock.
func (o *Open) doom() {
	if o.link.doomed || o.link.removed {
		return
	}
	o.link.doomed, o.link.deleter = true, o.tree
	for p := o.row.opens; p != nil; p = p.next {
		if p.watch != nil && p.link == o.link {
			o.tree.share.watches.doomed(p.watch)
		}
	}
	o.tree.share.countDoomed(o, 1)
}

// spare is the opposite of doom.
func (o *Open) spare() {
	if !o.link.doomed {
		return
	}
	o.link.doomed = false
	o.tree.share.countDoomed(o, -1)
}

func (s *Share) countOpens(o *Open, n int64) {
	s.table.opens.Add(n)
	if o.IsDir() {
		s.folders.Add(n)
	}
}

func (s *Share) countDoomed(o *Open, n int64) {
	s.doomed.Add(n)
	if o.IsDir() {
		s.doomedFolders.Add(n)
	}
}

// DeleteHow says how a file is to go.
type DeleteHow uint8

// The ways, to be combined.
const (
	DeletePOSIX    DeleteHow = 1 << iota // its name with Open.Close, even if others have it open, which keep it
	DeleteReadOnly                       // even if it is read-only
	DeleteOnClose                        // by what Tree.Open was asked for, which is taken back or meant again
)

// SetDelete says whether the file goes with its last close ([MS-FSA]
// 2.1.5.15.3). It needs Delete. Errors: KindNotEmpty, KindCannotDelete for what
// is read-only or the root, KindUnsupported for DeleteOnClose if Tree.Open was
// not asked for that.
func (o *Open) SetDelete(ctx context.Context, on bool, how DeleteHow) error {
	const op = "delete"
	if err := o.need(op, vfs.Delete); err != nil {
		return err
	}
	if how&DeleteOnClose != 0 && !o.onClose {
		return o.fail(op, vfs.KindUnsupported)
	}
	if on {
		if err := o.deletable(ctx, op, how); err != nil {
			if vfs.IsKind(err, vfs.KindCannotDelete) {
				o.tree.auditDelete(o, o.Path(), err)
			}
			return err
		}
	}
	o.shard.mu.Lock()
	defer o.shard.mu.Unlock()
	if o.closed {
		return vfs.NewError(op, "", vfs.KindClosed, nil)
	}
	o.posixDelete = on && how&DeletePOSIX != 0
	switch {
	case how&DeleteOnClose != 0:
		o.deleteOnClose = on
	case on:
		o.doom()
	default:
		o.spare()
	}
	return nil
}

// deletable fails if the file can't be deleted as it is. A symbolic link can.
func (o *Open) deletable(ctx context.Context, op string, how DeleteHow) error {
	if o.linked {
		return nil
	}
	a, err := o.file.Attr(ctx)
	switch {
	case err != nil:
		return err
	case a.DOS&vfs.DOSReadOnly != 0 && how&DeleteReadOnly == 0, o.Path() == "":
		return o.fail(op, vfs.KindCannotDelete)
	case o.IsDir() && o.holdsSomething(ctx):
		return o.fail(op, vfs.KindNotEmpty)
	}
	return nil
}

// holdsSomething reports whether a folder is known to hold something. What o was
// opened for may not allow it to look; then the FS refuses to remove it in the
// end.
func (o *Open) holdsSomething(ctx context.Context) bool {
	options := vfs.OpenOptions{Access: vfs.ListDir, NoFollow: true}
	f, err := o.tree.share.fs.Open(ctx, o.tree.caller, o.Path(), options)
	if err != nil {
		return false
	}
	defer f.Close()
	if f.Key() != o.Key() {
		return false
	}
	l, err := f.List(ctx, o.tree.caller)
	if err != nil {
		return false
	}
	defer l.Close()
	filter, entries := o.tree.options.filter, make([]vfs.Entry, 1)
	for {
		n, err := l.Next(ctx, entries, true)
		if n == 0 || err != nil && err != io.EOF {
			return false
		}
		if filter == nil || !filter.sweeps || !filter.vetoes(entries[0].Name) {
			return true
		}
	}
}

// DeletePending reports whether the file goes with its last close.
func (o *Open) DeletePending() bool {
	o.shard.mu.Lock()
	defer o.shard.mu.Unlock()
	return !o.closed && o.link.doomed
}
