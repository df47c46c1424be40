package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
)

// client is a connection. Paths are as they are stored, with slashes.
type client struct{ tree *smbclient.Tree }

// wire is how a path is sent.
func wire(path string) string { return smbclient.Name(shown(path)) }

// statusOf is what the server answered; anything else that goes wrong is an
// error.
func statusOf(err error) (smbwire.Status, error) {
	if err == nil {
		return smbwire.StatusOK, nil
	}
	if status, ok := errors.AsType[smbwire.Status](err); ok {
		return status, nil
	}
	return 0, err
}

// seen is what the server says of something that was opened.
type seen struct {
	path   string // as it is stored
	folder bool
	size   uint64
	links  uint32
	id     uint64
}

// brief opens a file, asks one thing of it and closes it, with one round trip.
func (c *client) brief(ctx context.Context, open *smbwire.CreateRequest, ask *smbclient.Request, see func(*smbclient.Response) error) error {
	responses, err := c.tree.Related(ctx, &smbclient.Request{Command: smbwire.Create, Body: open}, ask,
		&smbclient.Request{Command: smbwire.Close, Body: &smbwire.CloseRequest{FileID: smbwire.RelatedFileID}})
	if err != nil {
		return err
	}
	for _, r := range responses {
		defer r.Free()
	}
	for _, r := range responses {
		if err := r.Err(); err != nil {
			return err
		}
	}
	if see == nil {
		return nil
	}
	return see(responses[1])
}

// look opens what is at path and asks for all that is known of it.
func (c *client) look(ctx context.Context, path string) (s seen, err error) {
	ask := &smbclient.Request{Command: smbwire.QueryInfo, Body: &smbwire.QueryInfoRequest{
		Type: smbwire.InfoFile, Class: uint8(smbwire.FileAllInformation),
		OutputBufferLength: 1 << 12, FileID: smbwire.RelatedFileID,
	}}
	err = c.brief(ctx, smbclient.Existing(wire(path), smbwire.FileReadAttributes), ask, func(r *smbclient.Response) error {
		var answer smbwire.QueryInfoResponse
		if err := r.Decode(&answer); err != nil {
			return err
		}
		var info smbwire.AllInformation
		data := cursor.NewReader(answer.Data)
		info.Decode(data)
		s = seen{stored(info.Name), info.Standard.Directory, info.Standard.EndOfFile, info.Standard.NumberOfLinks, info.FileID}
		return data.Err()
	})
	return s, err
}

// stored is the path that the server shows as name.
func stored(name string) string {
	return strings.NewReplacer(`\`, "/", "\uf022", ":").Replace(strings.TrimPrefix(name, `\`))
}

// put makes a file that was not there.
func (c *client) put(ctx context.Context, path, text string) error {
	open := smbclient.Making(wire(path))
	open.Disposition = smbwire.FileCreate
	write := &smbwire.WriteRequest{FileID: smbwire.RelatedFileID, Data: []byte(text)}
	return c.brief(ctx, open, &smbclient.Request{Command: smbwire.Write, Body: write}, nil)
}

// read returns what a file holds.
func (c *client) read(ctx context.Context, path string) (string, error) {
	data, err := c.tree.ReadFile(ctx, wire(path), 1<<12)
	return string(data), err
}

func (c *client) mkdir(ctx context.Context, path string) error { return c.tree.Mkdir(ctx, wire(path)) }

// remove takes a name away. That a folder holds something is an error, which it
// isn't if it is to go with its close from the start.
func (c *client) remove(ctx context.Context, path string) error {
	set := &smbwire.SetInfoRequest{
		Type: smbwire.InfoFile, Class: uint8(smbwire.FileDispositionInformation), FileID: smbwire.RelatedFileID, Data: []byte{1},
	}
	return c.brief(ctx, smbclient.Existing(wire(path), smbwire.Delete), &smbclient.Request{Command: smbwire.SetInfo, Body: set}, nil)
}

func (c *client) rename(ctx context.Context, from, to string, replace bool) error {
	return c.tree.Rename(ctx, wire(from), wire(to), replace)
}

func (c *client) link(ctx context.Context, from, to string, replace bool) error {
	f, err := c.tree.Open(ctx, wire(from), smbwire.FileReadAttributes)
	if err != nil {
		return err
	}
	err = f.Set(ctx, smbwire.FileLinkInformation, &smbwire.RenameInformation{ReplaceIfExists: replace, FileName: wire(to)})
	return errors.Join(err, f.Close(ctx))
}

// classes are the listings that show ids.
var classes = []smbwire.FileInfoClass{
	smbwire.FileIDBothDirectoryInformation, smbwire.FileIDFullDirectoryInformation,
	smbwire.FileIDExtdDirectoryInformation, smbwire.FileIDExtdBothDirectoryInformation,
}

// list returns what a folder holds, by name as it is stored, "." and ".."
// included.
func (c *client) list(ctx context.Context, path string, class smbwire.FileInfoClass, pattern string) (map[string]smbwire.DirectoryEntry, error) {
	f, err := c.tree.Create(ctx, smbclient.Folder(wire(path)))
	if err != nil {
		return nil, err
	}
	defer f.Close(ctx)
	found := map[string]smbwire.DirectoryEntry{}
	for e, err := range f.List(ctx, class, pattern) {
		if err != nil {
			return nil, err
		}
		name := stored(e.FileName)
		if _, twice := found[name]; twice {
			return nil, fmt.Errorf("%q is listed twice in %q", name, path)
		}
		found[name] = *e
	}
	return found, nil
}
