package smb_test

import (
	"testing"

	"github.com/dozo-server/dozo/internal/hexdump"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
	"github.com/dozo-server/dozo/vfs/memfs"
)

// bindSrvsvc is a BIND to srvsvc ([C706] 12.6.4.3).
const bindSrvsvc = `
	05 00 0b 03 10000000 4800 0000 01000000  # version 5.0, bind, first and last, little-endian, 72 bytes, call 1
	b810 b810 00000000                       # fragments of 4280 bytes, no group
	01 000000 0000 01 00                     # one context, 0, of one transfer syntax
	c84f324b7016d30112785a47bf6ee188 03000000
	045d888aeb1cc9119fe808002b104860 02000000
`

func TestPipes(t *testing.T) {
	ipc := connect(t, serve(t, memfs.New(), share.Options{}), "IPC$", smbclient.Options{})
	for _, name := range []string{"srvsvc", "WKSSVC", "lsarpc"} {
		f := open(t, ipc, smbclient.Existing(name, smbwire.GenericRead|smbwire.GenericWrite))
		if i := f.Info(); i.CreateAction != smbwire.FileOpened || i.FileAttributes != 0x80 || i.EndOfFile != 0 {
			t.Errorf("CREATE of %s = %+v", name, *i)
		}
	}
	for name, want := range map[string]smbwire.Status{
		"spoolss":      smbwire.StatusObjectNameNotFound,
		"":             smbwire.StatusObjectNameNotFound,
		`\srvsvc`:      smbwire.StatusInvalidParameter,
		`..\srvsvc`:    smbwire.StatusObjectPathSyntaxBad,
		`srvsvc:a`:     smbwire.StatusObjectNameInvalid,
		`etc\passwd`:   smbwire.StatusObjectNameNotFound,
		"srvsvc\x00.x": smbwire.StatusObjectNameInvalid,
	} {
		_, err := ipc.Create(t.Context(), smbclient.Existing(name, smbwire.GenericRead))
		wants(t, "CREATE of "+name, err, want)
	}
}

// A pipe holds the answers that are not read yet, so there may be so many only.
func TestPipesAreBounded(t *testing.T) {
	ipc := connect(t, serve(t, memfs.New(), share.Options{}), "IPC$", smbclient.Options{})
	const bound = 128
	m := smbclient.Existing("srvsvc", smbwire.GenericRead|smbwire.GenericWrite)
	var last *smbclient.File
	for range bound {
		last = open(t, ipc, m)
	}
	_, err := ipc.Create(t.Context(), m)
	wants(t, "one more pipe", err, smbwire.StatusTooManyOpenedFiles)
	if err := last.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	open(t, ipc, m)
	_, err = ipc.Create(t.Context(), m)
	wants(t, "one more pipe, again", err, smbwire.StatusTooManyOpenedFiles)

	again, err := ipc.Session().Tree(t.Context(), "IPC$")
	if err != nil {
		t.Fatal(err)
	}
	if err := ipc.Disconnect(t.Context()); err != nil {
		t.Fatal(err)
	}
	open(t, again, m)
}

func TestPipeReadsAndWrites(t *testing.T) {
	ipc := connect(t, serve(t, memfs.New(), share.Options{}), "IPC$", smbclient.Options{})
	f := open(t, ipc, smbclient.Existing("srvsvc", smbwire.GenericRead|smbwire.GenericWrite))
	bind := hexdump.Bytes(t, bindSrvsvc)

	if status := send(t, ipc, smbwire.Read, &smbwire.ReadRequest{FileID: f.ID(), Length: 100}, nil); status != smbwire.StatusPipeEmpty {
		t.Errorf("READ before a WRITE: %v", status)
	}
	var wrote smbwire.WriteResponse
	if status := send(t, ipc, smbwire.Write, &smbwire.WriteRequest{FileID: f.ID(), Data: bind}, &wrote); status != smbwire.StatusOK || int(wrote.Count) != len(bind) {
		t.Fatalf("WRITE = %d, %v", wrote.Count, status)
	}
	var head, rest smbwire.ReadResponse
	if status := send(t, ipc, smbwire.Read, &smbwire.ReadRequest{FileID: f.ID(), Length: 16}, &head); status != smbwire.StatusBufferOverflow {
		t.Errorf("READ of a part: %v", status)
	}
	if status := send(t, ipc, smbwire.Read, &smbwire.ReadRequest{FileID: f.ID(), Length: 4096}, &rest); status != smbwire.StatusOK {
		t.Errorf("READ of the rest: %v", status)
	}
	const bindAck = 12
	if len(head.Data) != 16 || head.Data[2] != bindAck || int(head.Data[8]) != 16+len(rest.Data) {
		t.Errorf("answer = % x, then %d bytes", head.Data, len(rest.Data))
	}
	if status := send(t, ipc, smbwire.Flush, &smbwire.FlushRequest{FileID: f.ID()}, nil); status != smbwire.StatusOK {
		t.Errorf("FLUSH: %v", status)
	}
	lock := &smbwire.LockRequest{FileID: f.ID(), Locks: []smbwire.LockElement{{Length: 1, Flags: exclusive}}}
	if status := send(t, ipc, smbwire.Lock, lock, nil); status != smbwire.StatusInvalidDeviceRequest {
		t.Errorf("LOCK: %v", status)
	}
	wants(t, "CLOSE", f.Close(t.Context()), smbwire.StatusOK)
}

func TestPipeTransceive(t *testing.T) {
	ipc := connect(t, serve(t, memfs.New(), share.Options{}), "IPC$", smbclient.Options{})
	for _, tt := range []struct {
		room uint32
		want smbwire.Status
	}{
		{4096, smbwire.StatusOK},
		{16, smbwire.StatusBufferOverflow},
	} {
		f := open(t, ipc, smbclient.Existing("srvsvc", smbwire.GenericRead|smbwire.GenericWrite))
		m := &smbwire.IoctlRequest{
			CtlCode: smbwire.FsctlPipeTransceive, FileID: f.ID(), Input: hexdump.Bytes(t, bindSrvsvc),
			MaxOutputResponse: tt.room, Flags: smbwire.IoctlIsFsctl,
		}
		var answer smbwire.IoctlResponse
		if status := send(t, ipc, smbwire.Ioctl, m, &answer); status != tt.want || len(answer.Output) == 0 || len(answer.Output) > int(tt.room) {
			t.Errorf("with room for %d: %d bytes, %v; want %v", tt.room, len(answer.Output), status, tt.want)
		}
	}
}
