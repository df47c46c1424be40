package main

import (
	"slices"
	"strings"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// node is a file or folder of the model, which does in memory what a server
// should make of a folder.
type node struct {
	entries map[string]*node // of a folder, by the names as they are stored; nil for a file
	text    string           // what a file holds
	links   uint32           // names of a file
	id      uint64           // by which the server knows it; 0 as long as nobody asked
}

func newFolder() *node                { return &node{entries: map[string]*node{}} }
func newFile(text string) *node       { return &node{text: text} }
func (n *node) isFolder() bool        { return n.entries != nil }
func (n *node) put(s string, e *node) { n.entries[s] = e; e.links++ }

func (n *node) take(stored string) *node {
	e := n.entries[stored]
	delete(n.entries, stored)
	e.links--
	return e
}

// find is how a client's name is understood: the exact spelling, else the first
// of the others in the order of bytes.
func (n *node) find(name string) (stored string, e *node) {
	if e := n.entries[name]; e != nil {
		return name, e
	}
	for s, other := range n.entries {
		if key(s) == key(name) && (e == nil || s < stored) {
			stored, e = s, other
		}
	}
	return stored, e
}

// place is where a path leads: a folder, and what stands there by the name.
type place struct {
	dir    *node
	folder string // path of dir, as it is stored; "" or with a slash at its end
	asked  string // the last component of the path
	name   string // as it is stored; asked if there is nothing
	n      *node  // nil if there is nothing
}

func (p place) path() string { return p.folder + p.name }

// resolve follows a path of a client. The status is that of a folder on the way.
func (n *node) resolve(path string) (p place, status smbwire.Status) {
	parts := strings.Split(path, "/")
	p.dir = n
	for _, part := range parts[:len(parts)-1] {
		stored, e := p.dir.find(part)
		if e == nil || !e.isFolder() {
			return p, smbwire.StatusObjectPathNotFound
		}
		p.dir, p.folder = e, p.folder+stored+"/"
	}
	p.asked = parts[len(parts)-1]
	if p.name, p.n = p.dir.find(p.asked); p.n == nil {
		p.name = p.asked
	}
	return p, smbwire.StatusOK
}

// existing is resolve for what must be there.
func (n *node) existing(path string) (place, smbwire.Status) {
	p, status := n.resolve(path)
	if status == smbwire.StatusOK && p.n == nil {
		status = smbwire.StatusObjectNameNotFound
	}
	return p, status
}

// holds reports whether other is n or below it.
func (n *node) holds(other *node) bool {
	if n == other {
		return true
	}
	for _, e := range n.entries {
		if e.isFolder() && e.holds(other) {
			return true
		}
	}
	return false
}

// paths returns all stored paths in order, those of folders with a slash.
func (n *node) paths(folder string) (all []string) {
	for name, e := range n.entries {
		if e.isFolder() {
			all = append(append(all, folder+name+"/"), e.paths(folder+name+"/")...)
		} else {
			all = append(all, folder+name)
		}
	}
	slices.Sort(all)
	return all
}

// The operations of clients, with the statuses that they should get.

func (n *node) create(path string, made *node) smbwire.Status {
	p, status := n.resolve(path)
	switch {
	case status != smbwire.StatusOK:
		return status
	case p.n != nil:
		return smbwire.StatusObjectNameCollision
	}
	p.dir.put(p.name, made)
	return smbwire.StatusOK
}

func (n *node) remove(path string) smbwire.Status {
	p, status := n.existing(path)
	switch {
	case status != smbwire.StatusOK:
		return status
	case len(p.n.entries) > 0:
		return smbwire.StatusDirectoryNotEmpty
	}
	p.dir.take(p.name)
	return smbwire.StatusOK
}

func (n *node) rename(from, to string, replace bool) smbwire.Status {
	src, status := n.existing(from)
	if status != smbwire.StatusOK {
		return status
	}
	dst, status := n.resolve(to)
	own := src.dir == dst.dir && src.name == dst.name
	intoItself := src.n.isFolder() && src.n.holds(dst.dir)
	switch {
	case status != smbwire.StatusOK:
		return status
	case dst.dir == src.n: // which is open to be renamed
		return smbwire.StatusSharingViolation
	case own:
	case dst.n != nil && !replace:
		return smbwire.StatusObjectNameCollision
	case dst.n != nil && dst.n.isFolder():
		return smbwire.StatusAccessDenied
	case intoItself:
		return smbwire.StatusInvalidParameter
	case dst.n != nil && src.n.isFolder():
		return smbwire.StatusNotADirectory
	}
	src.dir.take(src.name)
	if dst.n != nil && !own {
		dst.dir.take(dst.name)
	}
	dst.dir.put(dst.asked, src.n)
	return smbwire.StatusOK
}

func (n *node) link(from, to string, replace bool) smbwire.Status {
	src, status := n.existing(from)
	switch {
	case status != smbwire.StatusOK:
		return status
	case src.n.isFolder():
		return smbwire.StatusFileIsADirectory
	}
	dst, status := n.resolve(to)
	switch {
	case status != smbwire.StatusOK:
		return status
	case dst.n == nil:
	case !replace:
		return smbwire.StatusObjectNameCollision
	case dst.n == src.n:
		return smbwire.StatusOK
	case dst.n.isFolder():
		return smbwire.StatusAccessDenied
	default:
		dst.dir.take(dst.name)
	}
	dst.dir.put(dst.asked, src.n)
	return smbwire.StatusOK
}
