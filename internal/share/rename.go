package share

import (
	"context"
	"strings"

	"github.com/dozo-server/dozo/internal/audit"
	"github.com/dozo-server/dozo/internal/lock"
	"github.com/dozo-server/dozo/vfs"
)

// Replacing says what a new name may take the place of. A folder is never
// replaced.
type Replacing uint8

// What may be replaced. The others say nothing without Replace.
const (
	Replace         Replacing = 1 << iota // a file
	ReplaceOpen                           // one that others have open, who keep it, if all of them share deleting
	ReplaceReadOnly                       // one that is read-only, if the caller might change that
)

// Rename moves o to the path to ([MS-FSA] 2.1.5.15.11). It needs Delete. It
// waits for batch oplocks on what is open and in the way. Errors: KindSharing
// when an open of the new folder, or with ReplaceOpen of the target, is in the
// way, KindAccess when the target is otherwise not to be replaced or when
// something below a folder is open, KindExist without Replace,
// KindDeletePending.
func (o *Open) Rename(ctx context.Context, to string, how Replacing) error {
	c := o.call(ctx, "rename")
	c.path = to
	if err := o.need(c.op, vfs.Delete); err != nil {
		return err
	}
	if o.IsDir() && !o.linked {
		if err := o.freeBelow(&c); err != nil {
			return err
		}
	}
	return o.nameTo(&c, to, how, func(replace bool) error {
		from := o.Path()
		now, err := o.tree.share.fs.Rename(ctx, o.tree.caller, o.file, to, replace)
		if err == nil {
			o.reportRename(from, now, replace)
		}
		return err
	})
}

// Link gives the file the further name to ([MS-FSA] 2.1.5.15.6). Errors as for
// Rename, and KindIsDir.
func (o *Open) Link(ctx context.Context, to string, how Replacing) error {
	c := o.call(ctx, "link")
	c.path = to
	if o.IsDir() {
		return c.fail(vfs.KindIsDir)
	}
	return o.nameTo(&c, to, how, func(replace bool) error {
		err := o.tree.share.fs.Link(ctx, o.tree.caller, o.file, to, replace)
		if err == nil {
			o.reportLink(ctx, to, replace)
		}
		return err
	})
}

// nameTo gives o a name by name, after it got what is in the way of it out of
// the way.
func (o *Open) nameTo(c *call, to string, how Replacing, name func(replace bool) error) (err error) {
	t := o.tree
	if t.options.Audit.On() {
		from, replaced, change := o.Path(), false, name
		name = func(replace bool) error {
			err := change(replace)
			replaced = replace && err == nil
			return err
		}
		defer func() { o.auditName(audit.Operation(c.op), from, to, replaced, err) }()
	}
	switch {
	case t.ReadOnly():
		return t.refuse(c.op, to)
	case o.DeletePending():
		return c.fail(vfs.KindDeletePending)
	case o.Path() == "" || to == "", // the root
		t.reserved(to), !strings.Contains(o.Path(), "/") && t.reserved(o.Path()),
		o.IsDir() && t.inBin(to) && !t.inBin(o.Path()): // what is in it would be old at once
		return c.fail(vfs.KindAccess)
	}
	if err := t.options.filter.mayBe(c, to); err != nil {
		return err
	}
	if err := t.parentSeen(c, to); err != nil {
		return err
	}
	if err := o.parentShares(c, to); err != nil {
		return err
	}
	for range maxRaces {
		target, err := t.share.fs.Open(c.ctx, t.caller, to, vfs.OpenOptions{NoFollow: true})
		if vfs.IsKind(err, vfs.KindNotExist) {
			// What comes there at this moment is not replaced unseen.
			err = name(false)
			if how&Replace != 0 && vfs.IsKind(err, vfs.KindExist) {
				continue
			}
			return err
		}
		if err != nil {
			return err
		}
		if t.options.filter != nil {
			if err := t.options.filter.mayBe(c, target.Path()); err != nil {
				target.Close()
				return err
			}
		}
		err = o.replace(c, target, how, name)
		target.Close()
		if err != errRace {
			return err
		}
	}
	return c.fail(vfs.KindBusy)
}

// replace is nameTo for a name that is there already.
func (o *Open) replace(c *call, target vfs.File, how Replacing, name func(replace bool) error) error {
	a, err := target.Attr(c.ctx)
	own := target.Key() == o.Key()
	if o.linked {
		own = target.Path() == o.Path()
	}
	switch {
	case err != nil:
		return err
	case own:
		// Most likely it is o's own name, in another spelling perhaps. With
		// replace the FS would replace whatever is there by now.
		err := name(false)
		switch {
		case how&Replace == 0 || !vfs.IsKind(err, vfs.KindExist):
			return err
		case a.Links > 1:
			return name(true) // a hard link
		}
		return errRace
	case how&Replace == 0:
		return c.fail(vfs.KindExist)
	case a.Type == vfs.TypeDir,
		a.DOS&vfs.DOSReadOnly != 0 && !o.tree.mayIgnore(c, target, how),
		target.Key() == o.Key(): // what a link leads to, which is open by that
		return c.fail(vfs.KindAccess)
	}
	row, err := o.tree.take(c, target.Key(), how&ReplaceOpen != 0)
	if err != nil {
		return err
	}
	// Before it was taken, others may have put something else there.
	if o.tree.leadsTo(c, target.Key()) {
		err = name(true)
	} else {
		err = errRace
	}
	o.tree.giveBack(row, target, err == nil)
	return err
}

// mayIgnore reports whether target is to be replaced although it is read-only.
func (t *Tree) mayIgnore(c *call, target vfs.File, how Replacing) bool {
	if how&ReplaceReadOnly == 0 {
		return false
	}
	may, err := target.MaxAccess(c.ctx, t.caller)
	return err == nil && may.Has(vfs.WriteAttr)
}

// leadsTo reports whether the node k stands at the path of c.
func (t *Tree) leadsTo(c *call, k vfs.Key) bool {
	f, err := t.share.fs.Open(c.ctx, t.caller, c.path, vfs.OpenOptions{NoFollow: true})
	if err != nil {
		return false
	}
	defer f.Close()
	return f.Key() == k
}

// take makes sure that nobody has a node open, or with open that all who do share
// its deletion, and that nobody can open it, until the row that it returns is
// given back. A batch oplock is broken: its holder may be done with the file.
// After a wait it returns errRace.
func (t *Tree) take(c *call, k vfs.Key, open bool) (*row, error) {
	s := t.share.table.shard(k)
	defer c.notify()
	s.mu.Lock()
	defer s.mu.Unlock()
	row := s.row(k)
	breaks := row.count > 0 && row.oplocks.Top() == lock.Batch && c.breakTo(row, lock.LevelII, nil)
	switch {
	case row.count > 0 && !breaks && !open:
		return nil, c.fail(vfs.KindAccess)
	case row.count > 0 && !breaks && !row.sharing.Allows(ShareDelete, lock.ShareAll):
		return nil, c.fail(vfs.KindSharing)
	case breaks, row.pins > 0: // another rename or removal is at work
		if err := c.await(s, row); err != nil {
			return nil, err
		}
		return nil, errRace
	}
	row.taken = true
	row.pins++
	return row, nil
}

// giveBack ends what take began. replaced says that the node lost its name f,
// for those as well who have it open by that.
func (t *Tree) giveBack(row *row, f vfs.File, replaced bool) {
	s := t.share.table.shard(row.key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if replaced {
		for l := row.links; l != nil; l = l.next {
			if !l.removed && !l.some.linked && l.some.file.Path() == f.Path() {
				l.some.spare()
				l.removed = true
			}
		}
		t.share.table.removed(s, row)
	}
	row.taken = false
	row.pins--
	row.wake()
	s.drop(row)
}

// parentShares fails if an open of the folder that is to hold the path to
// does not go together with a change of its names: the new folder is opened
// for that, as it were, sharing reading and writing.
func (o *Open) parentShares(c *call, to string) error {
	t := o.tree
	if t.share.folders.Load() == 0 {
		return nil
	}
	f, err := t.share.fs.Open(c.ctx, t.caller, parent(to), vfs.OpenOptions{})
	if err != nil {
		if vfs.IsKind(err, vfs.KindNotExist) {
			err = c.fail(vfs.KindPathNotExist)
		}
		return err
	}
	defer f.Close()
	s := t.share.table.shard(f.Key())
	s.mu.Lock()
	defer s.mu.Unlock()
	row := s.rows[f.Key()]
	if row == nil {
		return nil
	}
	switch l := row.find(f, false, false); {
	case l != nil && l.doomed:
		return c.fail(vfs.KindDeletePending)
	case !row.sharing.Allows(ShareWrite, ShareRead|ShareWrite):
		return c.fail(vfs.KindSharing)
	}
	return nil
}

// freeBelow fails with KindAccess if something below the folder o is open
// ([MS-FSA] 2.1.4.2), after it broke the batch oplocks there.
func (o *Open) freeBelow(c *call) error {
	for {
		below := o.openBelow()
		if below == nil {
			return nil
		}
		if err := below.giveUp(c); err != nil {
			return err
		}
	}
}

// openBelow returns an open of something below o, or nil.
func (o *Open) openBelow() *Open {
	table := &o.tree.share.table
	if table.opens.Load() == 1 { // o
		return nil
	}
	var others []*Open
	table.each(func(p *Open) {
		if p.row != o.row {
			others = append(others, p)
		}
	})
	folder := o.place() + "/"
	for _, p := range others {
		if strings.HasPrefix(p.place(), folder) {
			return p
		}
	}
	return nil
}

// giveUp waits for o to be closed, which is to be hoped for only if it holds a
// batch oplock.
func (o *Open) giveUp(c *call) error {
	defer c.notify()
	s := o.shard
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.closed {
		return nil
	}
	if o.row.oplocks.Top() != lock.Batch || !c.breakTo(o.row, lock.LevelII, nil) {
		return c.fail(vfs.KindAccess)
	}
	return c.await(s, o.row)
}
