package share

import (
	"github.com/dozo-server/dozo/internal/audit"
	"github.com/dozo-server/dozo/vfs"
)

// audit notes what the tree's caller did to a path, or tried to do.
func (t *Tree) audit(op audit.Operation, path, to string, err error) {
	t.options.Audit.Note(t.event(op, path, to, err))
}

// event is what audit notes.
func (t *Tree) event(op audit.Operation, path, to string, err error) audit.Event {
	e := audit.Event{Operation: op, User: t.caller.User, Address: t.from, Share: t.share.Name(), Path: path, To: to}
	if err != nil {
		e.Result = vfs.KindOf(err).String()
	}
	return e
}

// isRefusal reports whether an error says that somebody may not do what he wants:
// others, such as that a file is not there, are nobody's business.
func isRefusal(err error) bool {
	kind := vfs.KindOf(err)
	return kind == vfs.KindAccess || kind == vfs.KindReadOnly || kind == vfs.KindCannotDelete
}

// auditOpen notes an open that changes something, or may, and one that was
// refused. Who asks for all rights that there are may mean to read: that is noted
// when something is written.
func (t *Tree) auditOpen(r *OpenRequest, o *Open, action Action, err error) {
	if !t.options.Audit.On() || err != nil && !isRefusal(err) {
		return
	}
	path, writes := r.Path, r.Access&(vfs.WriteData|vfs.AppendData) != 0 && !r.Directory
	if err == nil {
		path, writes = o.Path(), writes && !o.IsDir()
	}
	switch {
	case err == nil && action == Created, err != nil && r.Disposition == Create:
		t.audit(audit.Create, path, "", err)
	case err == nil && action != Opened, err != nil && r.Disposition.overwrites():
		t.audit(audit.Overwrite, path, "", err)
	case writes:
		t.audit(audit.Write, path, "", err)
	case err == nil:
		o.unnoted.Store(o.granted&(vfs.WriteData|vfs.AppendData) != 0 && !o.IsDir())
	case r.Access.Has(vfs.Delete): // what is deleted is noted when it goes
		t.audit(audit.Delete, path, "", err)
	}
}

// auditDelete notes that o's name from went, or may not.
func (t *Tree) auditDelete(o *Open, from string, err error) {
	if !t.options.Audit.On() || err != nil && (t.expires || !isRefusal(err)) {
		return
	}
	switch now := o.Path(); {
	case t.expires:
		t.audit(audit.Expire, from, "", nil)
	case now != from && err == nil:
		t.audit(audit.Recycle, from, now, nil)
	default:
		t.audit(audit.Delete, from, "", err)
	}
}

// auditSwept notes that what clients do not see went with the folder that it was
// in, or may not.
func (t *Tree) auditSwept(path string, err error) {
	if t.options.Audit.On() && (err == nil || isRefusal(err)) {
		t.audit(audit.Delete, path, "", err)
	}
}

// auditName notes that o, which was at from, got the name to, and whether another
// file lost it by that, or that it did not.
func (o *Open) auditName(op audit.Operation, from, to string, replaced bool, err error) {
	if err != nil && !isRefusal(err) {
		return
	}
	if err == nil && op == audit.Rename {
		to = o.Path()
	}
	e := o.tree.event(op, from, to, err)
	e.Replaced = replaced
	o.tree.options.Audit.Note(e)
}
