package names

import (
	"slices"

	"github.com/dozo-server/dozo/internal/disk"
)

// enter makes r see d as it was when r began, or later, and checks that r's
// caller may search it. When nothing changed it costs one drain a request and
// no other system call.
func (r *request) enter(d *dir) error {
	if d.q != nil && !d.unwatched.Load() {
		r.drain(d.q)
		if !d.watched() {
			r.watch(d)
		}
	}
	if seen := r.t.mounts.Load(); d.mounts.Load() != seen {
		r.t.shape.Lock()
		d.doubtChildren()
		d.mounts.Store(seen)
		r.t.shape.Unlock()
	}
	return r.pass(d)
}

// enterAll does for d and all folders above it what walk did on the way to a
// name that was found earlier: the caller must still be let through.
func (r *request) enterAll(d *dir) error {
	var way []*dir
	r.t.shape.RLock()
	for p := d; p != nil; p = p.parent {
		r.pin(p)
		way = append(way, p)
	}
	r.t.shape.RUnlock()
	for _, p := range slices.Backward(way) {
		if err := r.enter(p); err != nil {
			return err
		}
	}
	return nil
}

// pass returns nil if r's caller may search d. The answer is remembered until
// d's attributes change.
func (r *request) pass(d *dir) error {
	if r.c == nil && disk.CanAct() {
		return nil // root may
	}
	if known := d.passes.Load(); known != nil && slices.ContainsFunc(*known, r.isCaller) {
		return nil
	}
	attrs := d.attrs.Load()
	n, err := r.node(d)
	if err != nil {
		return err
	}
	if err := n.Access(r.c, disk.MayExecute); err != nil {
		return err
	}
	if d.watched() {
		d.rememberPass(r.c, attrs)
	}
	return nil
}

func (r *request) isCaller(c *disk.Cred) bool {
	if c == r.c {
		return true
	}
	return c != nil && r.c != nil && c.UID == r.c.UID && c.GID == r.c.GID && slices.Equal(c.Groups, r.c.Groups)
}

// maxPasses bounds how many accounts are remembered for a folder.
const maxPasses = 16

// rememberPass notes that c may search d, unless d's attributes changed since
// there were attrs changes.
func (d *dir) rememberPass(c *disk.Cred, attrs uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.attrs.Load() != attrs {
		return
	}
	var known []*disk.Cred
	if old := d.passes.Load(); old != nil {
		known = (*old)[max(0, len(*old)-maxPasses+1):]
	}
	known = append(slices.Clip(known), c)
	d.passes.Store(&known)
}

// forgetPasses is called when d's attributes changed.
func (d *dir) forgetPasses() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.attrs.Add(1)
	d.passes.Store(nil)
}
