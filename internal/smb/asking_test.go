package smb_test

import (
	"context"
	"errors"
	"testing"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
	"github.com/dozo-server/dozo/vfs/memfs"
)

var ctx = context.Background()

// mount serves a file system in memory and connects to it.
func mount(t testing.TB, fs *memfs.FS) *smbclient.Tree {
	t.Helper()
	return mountWith(t, fs, smbclient.Options{})
}

func mountWith(t testing.TB, fs *memfs.FS, o smbclient.Options) *smbclient.Tree {
	t.Helper()
	return connect(t, serve(t, fs, share.Options{}), shareName, o)
}

// everything is a CREATE that asks for all rights.
func everything(name string) *smbwire.CreateRequest {
	return smbclient.Existing(name, smbwire.FileAllAccess)
}

// folder is a CREATE of a folder that asks for all rights.
func folder(name string) *smbwire.CreateRequest {
	m := everything(name)
	m.Options = smbwire.DirectoryFile
	return m
}

// made opens what m says, which must not have been there.
func made(t testing.TB, tree *smbclient.Tree, m *smbwire.CreateRequest) *smbclient.File {
	t.Helper()
	m.Disposition = smbwire.FileCreate
	return open(t, tree, m)
}

// ask sends a request to a file's tree and returns the status, with the data of
// a response that has some.
func ask(t testing.TB, f *smbclient.File, command smbwire.Command, m smbclient.Encoder) ([]byte, smbwire.Status) {
	t.Helper()
	r, err := f.Tree().Session().Conn().Do(ctx, &smbclient.Request{Command: command, Body: m, Tree: f.Tree(), Charge: 128})
	if err != nil {
		t.Fatal(err)
	}
	var answer smbwire.QueryInfoResponse
	if !r.Header.Status.IsError() && command != smbwire.SetInfo {
		if err := r.Decode(&answer); err != nil {
			t.Fatal(err)
		}
	}
	return answer.Data, r.Header.Status
}

// query asks for information with a buffer of n bytes.
func query(t testing.TB, f *smbclient.File, kind smbwire.InfoType, class uint8, n uint32) ([]byte, smbwire.Status) {
	t.Helper()
	return ask(t, f, smbwire.QueryInfo, &smbwire.QueryInfoRequest{Type: kind, Class: class, OutputBufferLength: n, FileID: f.ID()})
}

// set changes information and returns the status.
func set(t testing.TB, f *smbclient.File, class smbwire.FileInfoClass, i smbclient.Encoder) smbwire.Status {
	t.Helper()
	return setRaw(t, f, smbwire.InfoFile, uint8(class), bytesOf(i))
}

func setRaw(t testing.TB, f *smbclient.File, kind smbwire.InfoType, class uint8, data []byte) smbwire.Status {
	t.Helper()
	_, status := ask(t, f, smbwire.SetInfo, &smbwire.SetInfoRequest{Type: kind, Class: class, FileID: f.ID(), Data: data})
	return status
}

func bytesOf(i smbclient.Encoder) []byte {
	w := cursor.NewWriter(nil)
	i.Encode(w)
	return w.Message()
}

// statusIn returns the status in an error of the client.
func statusIn(err error) smbwire.Status {
	status, _ := errors.AsType[smbwire.Status](err)
	return status
}
