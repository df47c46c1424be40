package smbclient

import (
	"context"
	"slices"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// maxInfo is room for what QUERY_INFO may answer.
const maxInfo = 64 << 10

// Query asks for information about the file.
func (f *File) Query(ctx context.Context, class smbwire.FileInfoClass, info Decoder) error {
	return f.query(ctx, &smbwire.QueryInfoRequest{Type: smbwire.InfoFile, Class: uint8(class)}, info)
}

// QueryVolume asks for information about the volume that the file is on.
func (f *File) QueryVolume(ctx context.Context, class smbwire.FSInfoClass, info Decoder) error {
	return f.query(ctx, &smbwire.QueryInfoRequest{Type: smbwire.InfoFileSystem, Class: uint8(class)}, info)
}

// QuerySecurity asks for parts of the file's security descriptor.
func (f *File) QuerySecurity(ctx context.Context, parts smbwire.SecurityInformation) (*smbwire.SecurityDescriptor, error) {
	d := new(smbwire.SecurityDescriptor)
	err := f.query(ctx, &smbwire.QueryInfoRequest{Type: smbwire.InfoSecurity, AdditionalInformation: uint32(parts)}, d)
	return d, err
}

// query completes a request, sends it and decodes the information, which may
// keep what it was decoded from.
func (f *File) query(ctx context.Context, m *smbwire.QueryInfoRequest, info Decoder) error {
	m.FileID = f.id
	m.OutputBufferLength = min(maxInfo, f.tree.session.conn.agreed.MaxTransact)
	var answer smbwire.QueryInfoResponse
	r, err := f.tree.session.conn.Do(ctx, &Request{Command: smbwire.QueryInfo, Body: m, Tree: f.tree})
	if err != nil {
		return err
	}
	defer r.Free()
	if err := r.Err(); err != nil {
		return err
	}
	if err := r.Decode(&answer); err != nil {
		return err
	}
	return decodeInfo(answer.Data, info)
}

// decodeInfo decodes information from a copy of the bytes.
func decodeInfo(data []byte, info Decoder) error {
	r := cursor.NewReader(slices.Clone(data))
	info.Decode(r)
	return r.Err()
}

// Set changes what is known about the file.
func (f *File) Set(ctx context.Context, class smbwire.FileInfoClass, info Encoder) error {
	return f.set(ctx, &smbwire.SetInfoRequest{Type: smbwire.InfoFile, Class: uint8(class)}, info)
}

// SetSecurity changes parts of the file's security descriptor.
func (f *File) SetSecurity(ctx context.Context, parts smbwire.SecurityInformation, d *smbwire.SecurityDescriptor) error {
	return f.set(ctx, &smbwire.SetInfoRequest{Type: smbwire.InfoSecurity, AdditionalInformation: uint32(parts)}, d)
}

func (f *File) set(ctx context.Context, m *smbwire.SetInfoRequest, info Encoder) error {
	w := cursor.NewWriter(nil)
	info.Encode(w)
	m.FileID, m.Data = f.id, w.Message()
	return f.tree.ask(ctx, smbwire.SetInfo, m, &smbwire.SetInfoResponse{})
}

// Ioctl asks for a control operation and returns its output, of at most room
// bytes.
func (f *File) Ioctl(ctx context.Context, code smbwire.CtlCode, input []byte, room uint32) ([]byte, error) {
	r, err := f.tree.session.conn.Do(ctx, &Request{
		Command: smbwire.Ioctl,
		Tree:    f.tree,
		Charge:  charge(max(len(input), int(room))),
		Body:    &smbwire.IoctlRequest{CtlCode: code, FileID: f.id, Input: input, MaxOutputResponse: room, Flags: smbwire.IoctlIsFsctl},
	})
	if err != nil {
		return nil, err
	}
	defer r.Free()
	if r.Header.Status != smbwire.StatusBufferOverflow { // which brings what there is room for
		if err := r.Err(); err != nil {
			return nil, err
		}
	}
	var answer smbwire.IoctlResponse
	if err := r.Decode(&answer); err != nil {
		return nil, err
	}
	return slices.Clone(answer.Output), nil
}
