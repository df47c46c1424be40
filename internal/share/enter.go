package share

import (
	"context"
	"errors"
	"time"

	"github.com/dozo-server/dozo/internal/lock"
	"github.com/dozo-server/dozo/vfs"
)

// maxRaces is how often an open is tried again because others made, removed or
// replaced the file at just that moment.
const maxRaces = 50

// errRace says that what was found is there no longer: look again.
var errRace = errors.New("lost a race")

// Open opens or creates r.Path ([MS-FSA] 2.1.5.1). It waits for oplocks to be
// broken. Errors beyond those of vfs: KindSharing, KindDeletePending,
// KindCannotDelete for DeleteOnClose of what is read-only, KindReadOnly or
// KindAccess for a change in a read-only share or tree, KindCanceled.
func (t *Tree) Open(ctx context.Context, r OpenRequest) (*Open, Action, error) {
	c := call{ctx: ctx, op: "open", path: r.Path, timeout: t.options.BreakTimeout}
	if err := t.check(&c, &r); err != nil {
		t.auditOpen(&r, nil, 0, err)
		return nil, 0, err
	}
	for range maxRaces {
		o, action, err := t.open(&c, &r)
		if err != errRace {
			t.auditOpen(&r, o, action, err)
			return o, action, err
		}
	}
	return nil, 0, c.fail(vfs.KindBusy)
}

// check refuses what makes no sense or is never allowed.
func (t *Tree) check(c *call, r *OpenRequest) error {
	switch {
	case r.Disposition > OverwriteIf,
		r.Directory && r.NonDirectory,
		r.Directory && r.Disposition.overwrites(),
		r.Directory && r.Disposition.creates() && r.DOS&vfs.DOSTemporary != 0,
		r.DeleteOnClose && !r.Maximum && !r.Access.Has(vfs.Delete):
		return c.fail(vfs.KindInvalid)
	case !t.max.Has(r.Access),
		t.ReadOnly() && (r.DeleteOnClose || r.Disposition.overwrites() || r.Disposition == Create):
		return t.refuse(c.op, r.Path)
	case r.DeleteOnClose && r.Path == "":
		return c.fail(vfs.KindCannotDelete)
	case r.Disposition.creates():
		return t.options.filter.mayBe(c, r.Path)
	}
	return t.options.filter.seen(c, r.Path)
}

// open is one attempt at Open.
func (t *Tree) open(c *call, r *OpenRequest) (*Open, Action, error) {
	start := t.share.table.removals.Load()
	f, made, err := t.resolve(c, r)
	if err != nil {
		return nil, 0, err
	}
	if filter := t.options.filter; filter != nil && !made {
		if err := filter.seen(c, f.Path()); err != nil { // it was named by its short name
			f.Close()
			return nil, 0, err
		}
	}
	o := &Open{
		tree: t, file: f, shard: t.share.table.shard(f.Key()), since: time.Now(),
		share: r.Share, holder: r.Holder, onClose: r.DeleteOnClose, deleteOnClose: r.DeleteOnClose,
	}
	o.temporary = made && r.DeleteOnClose
	_, o.linked = f.Target()
	o.oplock.Of, o.ranges.Of = o, o
	err = o.settle(c, r, made, start)
	c.notify()
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	action := Opened
	switch {
	case made:
		action = Created
	case r.Disposition == Supersede:
		action = Superseded
	case r.Disposition.overwrites():
		action = Overwritten
	}
	if err := o.begin(c, r, action); err != nil {
		o.shard.mu.Lock()
		o.deleteOnClose = made
		o.shard.mu.Unlock()
		o.Close(c.ctx)
		return nil, 0, err
	}
	switch action {
	case Created:
		o.reportName(lock.Added)
	case Superseded, Overwritten:
		o.reportChange(byOverwrite)
	}
	o.unarchived.Store(!o.IsDir() && o.opened.DOS&vfs.DOSArchive == 0)
	return o, action, nil
}

// settle asks all rules and enters o into the table, if need be after a wait.
func (o *Open) settle(c *call, r *OpenRequest, made bool, start uint64) (err error) {
	for again := true; again && err == nil; {
		now := o.tree.share.table.removals.Load()
		if o.opened, err = o.file.Attr(c.ctx); err != nil {
			return err
		}
		o.granted = o.tree.grants(r, o.file, &o.opened)
		switch {
		case !made:
			if err := o.admit(c, r); err != nil {
				return err
			}
		case o.opened.Links == 0:
			return errRace // somebody found the new file and removed it
		default:
			start = now // it has its name still
		}
		again, err = o.enter(c, r, made, start)
	}
	return err
}

// grants returns the rights of the open that r becomes.
func (t *Tree) grants(r *OpenRequest, f vfs.File, a *vfs.Attr) vfs.Access {
	if !r.Maximum {
		return r.Access
	}
	granted := f.Granted() & t.max
	if a.DOS&vfs.DOSReadOnly != 0 && a.Type == vfs.TypeFile {
		granted &^= vfs.WriteData | vfs.AppendData // [MS-FSA] 2.1.5.1.2.1
	}
	return granted | r.Access
}

// admit checks r against what is there already ([MS-FSA] 2.1.5.1.2). The
// read-only attribute does not protect the links to what has it.
func (o *Open) admit(c *call, r *OpenRequest) error {
	a := &o.opened
	folder := a.Type == vfs.TypeDir
	readOnly := a.DOS&vfs.DOSReadOnly != 0
	switch {
	case r.Directory && !folder:
		return c.fail(vfs.KindNotDir)
	case r.NonDirectory && folder:
		return c.fail(vfs.KindIsDir)
	case r.DeleteOnClose && readOnly && !o.linked:
		return c.fail(vfs.KindCannotDelete)
	case readOnly && !folder && r.Access&(vfs.WriteData|vfs.AppendData) != 0:
		return c.fail(vfs.KindAccess)
	case !r.Disposition.overwrites():
		return nil
	case folder:
		return c.fail(vfs.KindExist)
	case readOnly, a.Type != vfs.TypeFile,
		// Who empties a file says, by naming them, that it knows of these.
		a.DOS&^r.DOS&(vfs.DOSHidden|vfs.DOSSystem) != 0:
		return c.fail(vfs.KindAccess)
	}
	return nil
}

// enter puts o into the table, if the opens that are there allow it. If again is
// true, it waited and all that was found out before may have changed.
func (o *Open) enter(c *call, r *OpenRequest, made bool, start uint64) (again bool, err error) {
	empties := r.Disposition.overwrites() && !made
	uses := uses(o.granted)
	to := lock.LevelII
	if empties {
		uses |= ShareWrite
		to = lock.None
	}
	key := o.file.Key()
	s := o.shard
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wentAway(key, start) {
		if made {
			return true, nil
		}
		return false, errRace
	}
	row := s.row(key)
	defer s.drop(row) // if o does not come in
	if row.taken {
		if err := c.await(s, row); err != nil {
			return false, err
		}
		return false, errRace
	}
	name := row.find(o.file, o.linked, !o.IsDir() && o.opened.Links > 1)
	if name != nil && name.doomed {
		return false, c.fail(vfs.KindDeletePending)
	}

	// A batch oplock is broken before the share modes are compared: its
	// holder may have closed the file long ago, as its user sees it. Any
	// other is left alone if the open is refused ([MS-FSA] 2.1.5.1.2).
	looks := !empties && !r.Maximum && r.Access&^attributes == 0
	if !looks && row.oplocks.Top() == lock.Batch && c.breakTo(row, to, nil) {
		return true, c.await(s, row)
	}
	if !row.sharing.Allows(uses, o.share) {
		return false, c.fail(vfs.KindSharing)
	}
	if !looks && c.breakTo(row, to, nil) {
		return true, c.await(s, row)
	}

	row.add(o, name)
	o.tree.share.countOpens(o, 1)
	o.tree.Use()
	if o.holder != nil && o.opened.Type == vfs.TypeFile {
		row.oplocks.Request(&o.oplock, r.Oplock, row.count == 1, row.ranges.Locked())
		row.guard()
	}
	return false, nil
}

// attributes are the rights that break no oplock: with them an open sees and
// changes nothing that a holder caches ([MS-FSA] 2.1.4.12).
const attributes = vfs.ReadAttr | vfs.WriteAttr | vfs.Synchronize

// begin does what an open begins with: it empties the file and reserves room.
func (o *Open) begin(c *call, r *OpenRequest, action Action) error {
	if action == Opened || o.IsDir() || action == Created && r.Allocation == 0 {
		return nil
	}
	if action != Created {
		if err := o.file.Truncate(c.ctx, 0); err != nil {
			return err
		}
		if dos := newDOS(r); dos != o.opened.DOS&vfs.DOSStored {
			err := o.file.SetAttr(c.ctx, o.tree.caller, vfs.SetAttr{Set: vfs.SetDOS, DOS: dos})
			if err != nil {
				return err
			}
		}
	}
	if r.Allocation > 0 {
		err := o.file.Allocate(c.ctx, r.Allocation)
		if err != nil && !vfs.IsKind(err, vfs.KindUnsupported) {
			return err
		}
	}
	a, err := o.file.Attr(c.ctx)
	if err == nil {
		o.opened = a
	}
	return err
}
