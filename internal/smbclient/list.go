package smbclient

import (
	"context"
	"iter"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// maxListing is how many bytes of entries one request asks for.
const maxListing = 1 << 20

// List goes through the entries of the folder that match a pattern, "*" for
// all, from its start. An entry is valid until the next. The second value is
// an error, after which it ends.
func (f *File) List(ctx context.Context, class smbwire.FileInfoClass, pattern string) iter.Seq2[*smbwire.DirectoryEntry, error] {
	return func(yield func(*smbwire.DirectoryEntry, error) bool) {
		flags := smbwire.QueryRestartScans
		for {
			r, err := f.entries(ctx, class, pattern, flags)
			if err != nil {
				yield(nil, err)
				return
			}
			if r == nil {
				return
			}
			more := yieldEntries(r, class, yield)
			r.Free()
			if !more {
				return
			}
			flags = 0
		}
	}
}

// entries asks for the next entries; nil means that there are no more.
func (f *File) entries(ctx context.Context, class smbwire.FileInfoClass, pattern string, flags smbwire.QueryDirectoryFlags) (*Response, error) {
	size := min(maxListing, f.maxOf(f.tree.session.conn.agreed.MaxTransact))
	r, err := f.tree.session.conn.Do(ctx, &Request{
		Command: smbwire.QueryDirectory,
		Tree:    f.tree,
		Charge:  charge(size),
		Body: &smbwire.QueryDirectoryRequest{
			Class: class, Flags: flags, FileID: f.id, OutputBufferLength: uint32(size), FileName: pattern,
		},
	})
	if err != nil {
		return nil, err
	}
	switch r.Header.Status {
	case smbwire.StatusNoMoreFiles, smbwire.StatusNoSuchFile:
		r.Free()
		return nil, nil
	}
	if err := r.Err(); err != nil {
		r.Free()
		return nil, err
	}
	return r, nil
}

// yieldEntries hands out the entries of a response and reports whether there
// is to be a next one.
func yieldEntries(r *Response, class smbwire.FileInfoClass, yield func(*smbwire.DirectoryEntry, error) bool) bool {
	var answer smbwire.QueryDirectoryResponse
	if err := r.Decode(&answer); err != nil {
		yield(nil, err)
		return false
	}
	for e, err := range smbwire.DirectoryEntries(class, answer.Data) {
		if !yield(e, err) || err != nil {
			return false
		}
	}
	return true
}
