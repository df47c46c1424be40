package smbclient

import (
	"context"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// Related sends messages about the tree as one related compound and waits for
// all responses, whatever their statuses. The messages after the first name
// its file by smbwire.RelatedFileID. An error means that there are no
// responses.
func (t *Tree) Related(ctx context.Context, requests ...*Request) ([]*Response, error) {
	for i, r := range requests {
		r.Tree, r.Related = t, i > 0
	}
	return t.session.conn.DoAll(ctx, requests...)
}

// DoAll sends requests as one compound and waits for all responses, whatever
// their statuses. An error means that there are no responses.
func (c *Conn) DoAll(ctx context.Context, requests ...*Request) ([]*Response, error) {
	calls, err := c.Start(ctx, requests...)
	if err != nil {
		return nil, err
	}
	responses := make([]*Response, len(calls))
	for i, k := range calls {
		r, e := k.Wait(ctx)
		if e != nil && err == nil {
			err = e
		}
		responses[i] = r
	}
	if err != nil {
		freeAll(responses)
		return nil, err
	}
	return responses, nil
}

func freeAll(responses []*Response) {
	for _, r := range responses {
		if r != nil {
			r.Free()
		}
	}
}

// open, the messages between and close are one compound, whose first error is
// returned. The response to the second message goes to see.
func (t *Tree) brief(ctx context.Context, open *smbwire.CreateRequest, between *Request, see func(*Response) error) error {
	requests := []*Request{{Command: smbwire.Create, Body: open}}
	if between != nil {
		requests = append(requests, between)
	}
	requests = append(requests, &Request{Command: smbwire.Close, Body: &smbwire.CloseRequest{FileID: smbwire.RelatedFileID}})
	responses, err := t.Related(ctx, requests...)
	if err != nil {
		return err
	}
	defer freeAll(responses)
	for _, r := range responses {
		if err := r.Err(); err != nil {
			return err
		}
	}
	if see != nil {
		return see(responses[1])
	}
	return nil
}

// WriteFile makes a file of data, which must fit into one WRITE, with one
// round trip.
func (t *Tree) WriteFile(ctx context.Context, name string, data []byte) error {
	write := &Request{
		Command: smbwire.Write,
		Charge:  charge(len(data)),
		Body:    &smbwire.WriteRequest{FileID: smbwire.RelatedFileID, Data: data},
	}
	return t.brief(ctx, Making(name), write, nil)
}

// ReadFile returns the first n bytes of a file, as many as one READ brings,
// with one round trip. An empty file is an error.
func (t *Tree) ReadFile(ctx context.Context, name string, n int) (data []byte, err error) {
	read := &Request{
		Command: smbwire.Read,
		Charge:  charge(n),
		Body:    &smbwire.ReadRequest{FileID: smbwire.RelatedFileID, Length: uint32(n)},
	}
	err = t.brief(ctx, Existing(name, smbwire.GenericRead), read, func(r *Response) error {
		var answer smbwire.ReadResponse
		if err := r.Decode(&answer); err != nil {
			return err
		}
		data = append([]byte{}, answer.Data...)
		return nil
	})
	return data, err
}

// Stat returns what is known about a file or folder, with one round trip.
func (t *Tree) Stat(ctx context.Context, name string) (info smbwire.NetworkOpenInformation, err error) {
	query := &Request{Command: smbwire.QueryInfo, Body: &smbwire.QueryInfoRequest{
		Type: smbwire.InfoFile, Class: uint8(smbwire.FileNetworkOpenInformation),
		OutputBufferLength: maxInfo, FileID: smbwire.RelatedFileID,
	}}
	err = t.brief(ctx, Existing(name, smbwire.FileReadAttributes), query, func(r *Response) error {
		var answer smbwire.QueryInfoResponse
		if err := r.Decode(&answer); err != nil {
			return err
		}
		return decodeInfo(answer.Data, &info)
	})
	return info, err
}

// Mkdir makes a folder.
func (t *Tree) Mkdir(ctx context.Context, name string) error {
	return t.brief(ctx, MakingFolder(name), nil, nil)
}

// Remove deletes a file or an empty folder.
func (t *Tree) Remove(ctx context.Context, name string) error {
	open := Existing(name, smbwire.Delete)
	open.Options = smbwire.DeleteOnClose | smbwire.OpenReparsePoint
	return t.brief(ctx, open, nil, nil)
}

// Rename moves a file or folder.
func (t *Tree) Rename(ctx context.Context, from, to string, replace bool) error {
	w := cursor.NewWriter(nil)
	(&smbwire.RenameInformation{ReplaceIfExists: replace, FileName: to}).Encode(w)
	set := &Request{Command: smbwire.SetInfo, Body: &smbwire.SetInfoRequest{
		Type: smbwire.InfoFile, Class: uint8(smbwire.FileRenameInformation), FileID: smbwire.RelatedFileID, Data: w.Message(),
	}}
	return t.brief(ctx, Existing(from, smbwire.Delete), set, nil)
}
