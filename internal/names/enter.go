package names

import (
	"slices"

	"github.com/dozo-server/dozo/internal/disk"
)

// enter makes r see d as it was when r began, or later, and checks that r's
// caller may search it. When nothing changed it costs one drain a request and
// no other system call, but for folders that can be put back.
func (r *request) enter(d *dir) error {
	if d.q != nil && d.mayWatch() {
		r.drain(d.q)
		if !d.watched() {
			r.watch(d)
		}
		if d.q.restorable {
			if err := r.lookBack(d); err != nil {
				return err
			}
		}
	}
	return r.may(d, disk.MayExecute)
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
