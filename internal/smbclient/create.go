package smbclient

import (
	"context"
	"slices"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// shareAll lets others do what they want with the file.
const shareAll = smbwire.ShareRead | smbwire.ShareWrite | smbwire.ShareDelete

// Existing is a CREATE that opens what is there.
func Existing(name string, access smbwire.AccessMask) *smbwire.CreateRequest {
	return &smbwire.CreateRequest{
		ImpersonationLevel: smbwire.ImpersonationImpersonation,
		DesiredAccess:      access,
		ShareAccess:        shareAll,
		Disposition:        smbwire.FileOpen,
		Name:               name,
	}
}

// Making is a CREATE of a file to read and write, which is emptied if it is
// there.
func Making(name string) *smbwire.CreateRequest {
	m := Existing(name, smbwire.GenericRead|smbwire.GenericWrite|smbwire.Delete)
	m.Disposition = smbwire.FileOverwriteIf
	m.Options = smbwire.NonDirectoryFile
	m.FileAttributes = AttributeNormal
	return m
}

// Folder is a CREATE that opens a folder to list it.
func Folder(name string) *smbwire.CreateRequest {
	m := Existing(name, smbwire.FileListDirectory|smbwire.FileReadAttributes|smbwire.Synchronize)
	m.Options = smbwire.DirectoryFile
	return m
}

// MakingFolder is a CREATE that makes a folder, which must not be there.
func MakingFolder(name string) *smbwire.CreateRequest {
	m := Folder(name)
	m.Disposition = smbwire.FileCreate
	return m
}

// AttributeNormal is the attribute of a file without any.
const AttributeNormal smbwire.FileAttributes = 0x80

// File is an open file, folder or pipe. All methods may be called by several
// goroutines at once.
type File struct {
	tree *Tree
	id   smbwire.FileID
	info smbwire.CreateResponse
}

// ID returns the file's id.
func (f *File) ID() smbwire.FileID { return f.id }

// Tree returns the share the file is in.
func (f *File) Tree() *Tree { return f.tree }

// Info returns what the server said when the file was opened.
func (f *File) Info() *smbwire.CreateResponse { return &f.info }

// Create opens a file, or makes one, just as m says.
func (t *Tree) Create(ctx context.Context, m *smbwire.CreateRequest) (*File, error) {
	r, err := t.session.conn.Do(ctx, &Request{Command: smbwire.Create, Body: m, Tree: t})
	if err != nil {
		return nil, err
	}
	return t.opened(r)
}

// opened makes a File of the response to a CREATE, and frees it.
func (t *Tree) opened(r *Response) (*File, error) {
	defer r.Free()
	if err := r.Err(); err != nil {
		return nil, err
	}
	f := &File{tree: t}
	if err := r.Decode(&f.info); err != nil {
		return nil, err
	}
	f.id = f.info.FileID
	for i := range f.info.Contexts { // they alias the response
		f.info.Contexts[i].Data = slices.Clone(f.info.Contexts[i].Data)
	}
	return f, nil
}

// FileOf is the file of an id that came some other way than by Create.
func (t *Tree) FileOf(id smbwire.FileID) *File { return &File{tree: t, id: id} }

// Close ends the use of the file.
func (f *File) Close(ctx context.Context) error {
	return f.tree.ask(ctx, smbwire.Close, &smbwire.CloseRequest{FileID: f.id}, &smbwire.CloseResponse{})
}

// CloseAttributes is Close, and returns the attributes as they are after it.
func (f *File) CloseAttributes(ctx context.Context) (smbwire.CloseResponse, error) {
	var answer smbwire.CloseResponse
	err := f.tree.ask(ctx, smbwire.Close, &smbwire.CloseRequest{Flags: smbwire.ClosePostQueryAttributes, FileID: f.id}, &answer)
	return answer, err
}

// Open opens what is there, for the given rights.
func (t *Tree) Open(ctx context.Context, name string, access smbwire.AccessMask) (*File, error) {
	return t.Create(ctx, Existing(name, access))
}
