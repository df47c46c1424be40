package share

import (
	"cmp"
	"context"
	"io"
	"time"

	"github.com/dozo-server/dozo/vfs"
)

// maxBinDepth bounds how far below the bin Expire looks, and so the folders that
// it has open at a time.
const maxBinDepth = 100

// Expire removes the files that the bin has for longer than Options.RecycleFor,
// and the folders that are empty then. It returns how many went, and the first
// error that kept one there. What clients have open stays until the next time. It
// ends early with ctx, and is not called twice at a time.
//
// In the folder of each user its owner acts, wherever that leads, so nothing goes
// that this account could not remove; and nothing else than what was listed:
// whoever puts a link in the place of a folder meanwhile leads nowhere by that.
func (s *Share) Expire(ctx context.Context) (gone int, err error) {
	o := *s.o.Load()
	if o.Recycle == "" || o.RecycleFor == 0 || o.ReadOnly || s.fs.Features().ReadOnly {
		return 0, nil
	}
	o.filter = nil // what is vetoed goes, too
	e := &expiry{ctx: ctx, share: s, options: &o, before: time.Now().Add(-o.RecycleFor)}
	bin, err := s.fs.Open(ctx, nil, o.Recycle, vfs.OpenOptions{NoFollow: true})
	if vfs.IsKind(err, vfs.KindNotExist) {
		return 0, nil // nobody has deleted anything
	}
	if err != nil {
		return 0, err
	}
	a, err := bin.Attr(ctx)
	bin.Close()
	if err == nil && a.Type == vfs.TypeDir {
		e.empty(ownerOf(&a), bin.Path(), &a, 0)
	}
	return e.gone, cmp.Or(err, e.err)
}

// expiry is a call of Expire.
type expiry struct {
	ctx     context.Context
	share   *Share
	options *Options
	before  time.Time

	gone int
	err  error
}

// keep notes why something stays.
func (e *expiry) keep(err error) {
	if e.err == nil && e.ctx.Err() == nil {
		e.err = err
	}
}

// ownerOf acts for the owner of what has the attributes a.
func ownerOf(a *vfs.Attr) *vfs.Caller { return &vfs.Caller{HasID: true, UID: a.UID, GID: a.GID} }

// empty removes, for c, what is too old in a folder, whose attributes were a when it
// was found, and reports whether nothing is left.
func (e *expiry) empty(c *vfs.Caller, path string, a *vfs.Attr, depth int) bool {
	f, err := e.share.fs.Open(e.ctx, c, path, vfs.OpenOptions{Access: vfs.ListDir, NoFollow: true})
	if err != nil {
		e.keep(err)
		return false
	}
	defer f.Close()
	if now, err := f.Attr(e.ctx); err != nil || now.ID != a.ID {
		return false
	}
	l, err := f.List(e.ctx, c)
	if err != nil {
		e.keep(err)
		return false
	}
	defer l.Close()
	t := &Tree{share: e.share, options: e.options, caller: c, max: vfs.AllAccess, expires: true}
	if err := t.begin(); err != nil {
		return false // the share ended
	}
	defer t.Release()
	left, entries := 0, make([]vfs.Entry, 64)
	for err == nil {
		var n int
		n, err = l.Next(e.ctx, entries, false)
		for i := range entries[:n] {
			if !e.entry(t, path+"/"+entries[i].Name, &entries[i].Attr, depth) {
				left++
			}
		}
	}
	if err != io.EOF {
		e.keep(err)
	}
	return left == 0 && err == io.EOF
}

// entry removes what is in a folder of that depth, if it is too old or a folder
// that held nothing else, and reports whether it is gone.
func (e *expiry) entry(t *Tree, path string, a *vfs.Attr, depth int) bool {
	if e.ctx.Err() != nil {
		return false
	}
	if a.Type != vfs.TypeDir {
		return e.isOld(a) && e.remove(t, path, a)
	}
	before, c := e.gone, t.caller
	if depth == 0 {
		c = ownerOf(a)
	}
	if depth >= maxBinDepth || !e.empty(c, path, a, depth+1) || depth == 0 { // those of users stay
		return false
	}
	return (e.gone > before || e.isOld(a)) && e.remove(t, path, a)
}

// isOld reports whether the bin has something for too long. Its time of change is
// that of its deletion at least; some disks keep none, and there it is the time
// of access, which was set then.
func (e *expiry) isOld(a *vfs.Attr) bool {
	return a.Changed.Before(e.before) && (a.Type == vfs.TypeDir || a.Accessed.Before(e.before))
}

// remove removes what had the attributes a. Nobody else has it open meanwhile, so
// it is not just being moved out of the bin.
func (e *expiry) remove(t *Tree, path string, a *vfs.Attr) bool {
	o, _, err := t.Open(e.ctx, OpenRequest{Path: path, Access: vfs.Delete, Disposition: OpenExisting, NoFollow: true})
	switch {
	case vfs.IsKind(err, vfs.KindSharing), vfs.IsKind(err, vfs.KindNotExist), vfs.IsKind(err, vfs.KindDeletePending):
		return false
	case err != nil:
		e.keep(err)
		return false
	}
	if o.opened.ID != a.ID || !o.IsDir() && !e.isOld(&o.opened) {
		o.Close(e.ctx)
		return false
	}
	err = o.SetDelete(e.ctx, true, DeleteReadOnly)
	if failed := o.Close(e.ctx); err == nil {
		err = failed
	}
	if err != nil {
		if !vfs.IsKind(err, vfs.KindNotEmpty) {
			e.keep(err)
		}
		return false
	}
	e.gone++
	return true
}
