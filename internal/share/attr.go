package share

import (
	"context"

	"github.com/dozo-server/dozo/vfs"
)

// Attr returns the attributes as they are now. It asks for no right: protocols
// differ in what they let whom see.
func (o *Open) Attr(ctx context.Context) (vfs.Attr, error) {
	a, err := o.file.Attr(ctx)
	if err == nil {
		o.show(&a)
	}
	return a, err
}

// Which rights allow which changes of attributes.
const (
	byWriteAttr    = vfs.SetDOS | vfs.SetBirth | vfs.SetModified | vfs.SetAccessed | vfs.SetChanged
	byWriteControl = vfs.SetMode
	byWriteOwner   = vfs.SetOwner | vfs.SetGroup
)

// SetAttr changes attributes: times and DOS attributes with the right
// WriteAttr, the mode with WriteControl, owner and group with WriteOwner. The
// times of modification and of change, once set, are not changed by later writes
// and calls of SetAttr through o ([MS-FSA] 2.1.5.15.2), until Thaw.
func (o *Open) SetAttr(ctx context.Context, s vfs.SetAttr) error {
	const op = "setattr"
	var needed vfs.Access
	if s.Set&byWriteAttr != 0 {
		needed |= vfs.WriteAttr
	}
	if s.Set&byWriteControl != 0 {
		needed |= vfs.WriteControl
	}
	if s.Set&byWriteOwner != 0 {
		needed |= vfs.WriteOwner
	}
	if !o.granted.Has(needed) {
		return o.fail(op, vfs.KindNotGranted)
	}
	if s.Set&vfs.SetDOS != 0 && s.DOS&vfs.DOSTemporary != 0 && o.IsDir() {
		return o.fail(op, vfs.KindInvalid) // [MS-FSA] 2.1.5.15.2
	}
	if o.hidden() { // by its name, which is not stored: the client tells what it was told
		s.DOS &^= vfs.DOSHidden
	}
	if err := o.file.SetAttr(ctx, o.tree.caller, s); err != nil {
		return err
	}
	if s.Set&vfs.SetModified != 0 {
		when := s.Modified
		o.kept.Store(&when)
	}
	if s.Set&vfs.SetChanged != 0 {
		o.keptChange.Store(&s.Changed)
	}
	o.keepChange(ctx)
	if s.Set&vfs.SetDOS != 0 && !o.IsDir() {
		o.unarchived.Store(s.DOS&vfs.DOSArchive == 0)
	}
	o.reportChange(attributeChanges(s.Set))
	return nil
}

// keepChange shows the time of change that is to stay, after something was
// changed through o.
func (o *Open) keepChange(ctx context.Context) {
	if when := o.keptChange.Load(); when != nil {
		if a, err := o.file.Attr(ctx); err == nil {
			o.tree.share.times.keep(a, *when)
		}
	}
}

// Freeze keeps later writes through o from changing the given times; to SMB it
// is the time -1. It needs WriteAttr. The times of birth and of access are frozen
// anyway.
func (o *Open) Freeze(ctx context.Context, times vfs.AttrSet) error {
	if err := o.need("setattr", vfs.WriteAttr); err != nil {
		return err
	}
	if times&(vfs.SetModified|vfs.SetChanged) == 0 {
		return nil
	}
	a, err := o.Attr(ctx)
	if err != nil {
		return err
	}
	if times&vfs.SetModified != 0 {
		o.kept.Store(&a.Modified)
	}
	if times&vfs.SetChanged != 0 {
		o.keptChange.Store(&a.Changed)
	}
	return nil
}

// Thaw ends what Freeze or SetAttr did to the given times; to SMB it is the
// time -2. It needs WriteAttr.
func (o *Open) Thaw(times vfs.AttrSet) error {
	if err := o.need("setattr", vfs.WriteAttr); err != nil {
		return err
	}
	if times&vfs.SetModified != 0 {
		o.kept.Store(nil)
	}
	if times&vfs.SetChanged != 0 {
		o.keptChange.Store(nil)
	}
	return nil
}
