package lock

import (
	"cmp"
	"math/rand/v2"
)

// held is a locked range: a node of a tree and of its owner's list.
type held struct {
	r          Range
	owner      *Owner
	times      int   // locked so often by its owner, one on top of the other
	prev, next *held // of the same owner

	left, right *held
	max         uint64 // highest last byte in this subtree
	weight      uint32 // random; no child's is higher, which keeps the tree flat
}

// tree is a treap of ranges, ordered by offset, length and owner, in which what
// overlaps is found by the highest last byte of each subtree.
type tree struct{ root *held }

// order compares r of o with h.
func order(o *Owner, r Range, h *held) int {
	return cmp.Or(
		cmp.Compare(r.Offset, h.r.Offset),
		cmp.Compare(r.Length, h.r.Length),
		cmp.Compare(o.id, h.owner.id),
	)
}

// exact returns the range of o that is r, or nil.
func (t *tree) exact(o *Owner, r Range) *held {
	h := t.root
	for h != nil {
		c := order(o, r, h)
		if c == 0 {
			return h
		}
		if c < 0 {
			h = h.left
		} else {
			h = h.right
		}
	}
	return nil
}

// find reports whether a range of another than except is in the way of r.
func (t *tree) find(r Range, except *Owner) bool { return find(t.root, r, except) }

func find(h *held, r Range, except *Owner) bool {
	for h != nil && h.max >= r.Offset {
		if find(h.left, r, except) {
			return true
		}
		if h.r.Offset > r.last() {
			return false
		}
		if h.owner != except && h.r.overlaps(r) {
			return true
		}
		h = h.right
	}
	return false
}

// each calls f for the owners of all ranges that are in the way of r, but for
// those of except, until f returns false.
func (t *tree) each(r Range, except *Owner, f func(*Owner) bool) { each(t.root, r, except, f) }

func each(h *held, r Range, except *Owner, f func(*Owner) bool) bool {
	for h != nil && h.max >= r.Offset {
		if !each(h.left, r, except, f) {
			return false
		}
		if h.r.Offset > r.last() {
			return true
		}
		if h.owner != except && h.r.overlaps(r) && !f(h.owner) {
			return false
		}
		h = h.right
	}
	return true
}

// insert adds h, to which none may be equal.
func (t *tree) insert(h *held) {
	h.weight = rand.Uint32()
	t.root = insert(t.root, h)
}

func insert(at, h *held) *held {
	if at == nil {
		return h
	}
	if h.weight > at.weight {
		h.left, h.right = split(at, h)
		h.update()
		return h
	}
	if order(h.owner, h.r, at) < 0 {
		at.left = insert(at.left, h)
	} else {
		at.right = insert(at.right, h)
	}
	at.update()
	return at
}

// split parts a subtree in what comes before h and what comes after.
func split(at, h *held) (before, after *held) {
	if at == nil {
		return nil, nil
	}
	if order(h.owner, h.r, at) < 0 {
		before, at.left = split(at.left, h)
		at.update()
		return before, at
	}
	at.right, after = split(at.right, h)
	at.update()
	return at, after
}

// remove takes h out, which must be in t.
func (t *tree) remove(h *held) { t.root = remove(t.root, h) }

func remove(at, h *held) *held {
	switch c := order(h.owner, h.r, at); {
	case c < 0:
		at.left = remove(at.left, h)
	case c > 0:
		at.right = remove(at.right, h)
	default:
		return join(at.left, at.right)
	}
	at.update()
	return at
}

// join makes one subtree of two, all of a coming before all of b.
func join(a, b *held) *held {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case a.weight > b.weight:
		a.right = join(a.right, b)
		a.update()
		return a
	default:
		b.left = join(a, b.left)
		b.update()
		return b
	}
}

// update computes max from the children.
func (h *held) update() {
	h.max = h.r.last()
	if h.left != nil {
		h.max = max(h.max, h.left.max)
	}
	if h.right != nil {
		h.max = max(h.max, h.right.max)
	}
}
