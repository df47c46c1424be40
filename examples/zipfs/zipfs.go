// Package zipfs is a vfs.FS on a zip archive, to serve it without unpacking it:
// an example of a tree of files that is no folder, short enough to be read in one
// go. It is read-only, and shows what remains of the contract of package vfs then:
//
//   - names are found in any case and keep their spelling (tree.go);
//   - what can't be done has a Kind, and a right that can't be had is refused when
//     a file is opened (this file);
//   - an open file may be read by several goroutines, in any order, and closed at
//     any moment (file.go, unpack.go).
package zipfs

import (
	"archive/zip"
	"context"
	"math/rand/v2"

	"github.com/dozo-server/dozo/vfs"
)

// rights are all that anybody has to anything here.
const rights = vfs.AllAccess &^ vfs.Changing

// FS is an archive as a tree of files.
type FS struct {
	number   uint64 // which FS of the process it is, for Keys
	root     *node
	features vfs.Features
	space    vfs.Space
}

// New returns the tree of an archive, which must stay open. label is what clients
// call the volume.
func New(archive *zip.Reader, label string) *FS {
	s := &FS{number: rand.Uint64(), root: newFolder(nil, "", rootID)}
	id := s.fill(archive)
	s.features = vfs.Features{
		Label:         label,
		ID:            id,
		Serial:        uint32(id[0])<<24 | uint32(id[1])<<16 | uint32(id[2])<<8 | uint32(id[3]),
		CasePreserved: true,
		MaxName:       255,
		ReadOnly:      true,
		TimeGrain:     1e9,
	}
	return s
}

// Features implements vfs.FS.
func (s *FS) Features() vfs.Features { return s.features }

// Space implements vfs.FS: the volume is full.
func (s *FS) Space(ctx context.Context, c *vfs.Caller, f vfs.File) (vfs.Space, error) {
	return s.space, nil
}

// Open implements vfs.FS. Everybody may read everything, so callers don't matter.
func (s *FS) Open(ctx context.Context, c *vfs.Caller, path string, o vfs.OpenOptions) (vfs.File, error) {
	n, kind := s.walk(path, o.Exact)
	switch {
	case n == nil:
		return nil, vfs.NewError("open", path, kind, nil)
	case o.Access&vfs.Changing != 0:
		return nil, vfs.NewError("open", path, vfs.KindReadOnly, nil)
	}
	granted := o.Access
	if o.Maximum {
		granted = rights
	}
	return &file{fs: s, node: n, granted: granted, unpacker: unpacker{entry: n.entry}}, nil
}

// Create implements vfs.FS. Who wants to make what is there is told so, as on any
// other FS.
func (s *FS) Create(ctx context.Context, c *vfs.Caller, path string, o vfs.CreateOptions) (vfs.File, error) {
	n, kind := s.walk(path, o.Exact)
	switch {
	case n != nil:
		kind = vfs.KindExist
	case kind == vfs.KindNotExist:
		kind = vfs.KindReadOnly
	}
	return nil, vfs.NewError("create", path, kind, nil)
}

// Rename implements vfs.FS.
func (s *FS) Rename(ctx context.Context, c *vfs.Caller, f vfs.File, to string, replace bool) (string, error) {
	return "", vfs.NewError("rename", f.Path(), vfs.KindReadOnly, nil)
}

// Link implements vfs.FS.
func (s *FS) Link(ctx context.Context, c *vfs.Caller, f vfs.File, to string, replace bool) error {
	return vfs.NewError("link", f.Path(), vfs.KindReadOnly, nil)
}

// Remove implements vfs.FS.
func (s *FS) Remove(ctx context.Context, c *vfs.Caller, f vfs.File) error {
	return vfs.NewError("remove", f.Path(), vfs.KindReadOnly, nil)
}
