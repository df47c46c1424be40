package smb_test

import (
	"testing"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
	"github.com/dozo-server/dozo/vfs/memfs"
)

func TestIoctlsOfWhatIsNotThere(t *testing.T) {
	tree := emptyTree(t)
	f := newFile(t, tree, "file", "0123456789")
	none := smbwire.RelatedFileID
	for _, tt := range []struct {
		name string
		in   smbwire.IoctlRequest
		want smbwire.Status
	}{
		{"DFS", smbwire.IoctlRequest{CtlCode: smbwire.FsctlDFSGetReferrals, FileID: none}, smbwire.StatusFSDriverRequired},
		{"DFS of a file", smbwire.IoctlRequest{CtlCode: smbwire.FsctlDFSGetReferrals, FileID: f.ID()}, smbwire.StatusInvalidParameter},
		{"network interfaces", smbwire.IoctlRequest{CtlCode: smbwire.FsctlQueryNetworkInterfaceInfo, FileID: none}, smbwire.StatusNotSupported},
		{"snapshots", smbwire.IoctlRequest{CtlCode: smbwire.FsctlSrvEnumerateSnapshots, FileID: f.ID()}, smbwire.StatusNotSupported},
		{"resume key", smbwire.IoctlRequest{CtlCode: smbwire.FsctlSrvRequestResumeKey, FileID: f.ID()}, smbwire.StatusNotSupported},
		{"server-side copy", smbwire.IoctlRequest{CtlCode: smbwire.FsctlSrvCopyChunk, FileID: f.ID()}, smbwire.StatusNotSupported},
		{"resiliency", smbwire.IoctlRequest{CtlCode: smbwire.FsctlLMRRequestResiliency, FileID: f.ID()}, smbwire.StatusNotSupported},
		{"object id without room", smbwire.IoctlRequest{CtlCode: smbwire.FsctlCreateOrGetObjectID, FileID: f.ID(), MaxOutputResponse: 63}, smbwire.StatusInvalidParameter},
		{"another object id", smbwire.IoctlRequest{CtlCode: smbwire.FsctlSetObjectID, FileID: f.ID(), Input: make([]byte, 64)}, smbwire.StatusInvalidDeviceRequest},
		{"sparse", smbwire.IoctlRequest{CtlCode: smbwire.FsctlSetSparse, FileID: f.ID()}, smbwire.StatusInvalidDeviceRequest},
		{"zeros", smbwire.IoctlRequest{CtlCode: smbwire.FsctlSetZeroData, FileID: f.ID(), Input: make([]byte, 16)}, smbwire.StatusInvalidDeviceRequest},
		{"compression", smbwire.IoctlRequest{CtlCode: smbwire.FsctlGetCompression, FileID: f.ID()}, smbwire.StatusInvalidDeviceRequest},
		{"reparse point", smbwire.IoctlRequest{CtlCode: smbwire.FsctlGetReparsePoint, FileID: f.ID()}, smbwire.StatusNotAReparsePoint},
		{"path name", smbwire.IoctlRequest{CtlCode: smbwire.FsctlIsPathnameValid, FileID: f.ID()}, smbwire.StatusOK},
		{"a pipe's, of a file", smbwire.IoctlRequest{CtlCode: smbwire.FsctlPipeTransceive, FileID: f.ID()}, smbwire.StatusInvalidDeviceRequest},
		{"nobody's", smbwire.IoctlRequest{CtlCode: 0x0009ffff, FileID: f.ID()}, smbwire.StatusInvalidDeviceRequest},
		{"of what isn't open", smbwire.IoctlRequest{CtlCode: 0x0009ffff, FileID: smbwire.FileID{Volatile: 99}}, smbwire.StatusFileClosed},
		{"no file system control", smbwire.IoctlRequest{CtlCode: smbwire.FsctlIsPathnameValid, FileID: f.ID(), Flags: 2}, smbwire.StatusNotSupported},
		{"more than was paid for", smbwire.IoctlRequest{CtlCode: smbwire.FsctlIsPathnameValid, FileID: f.ID(), MaxOutputResponse: 64<<10 + 1}, smbwire.StatusInvalidParameter},
	} {
		if tt.in.Flags == 0 {
			tt.in.Flags = smbwire.IoctlIsFsctl
		}
		if got := send(t, tree, smbwire.Ioctl, &tt.in, nil); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestObjectIDsLast(t *testing.T) {
	tree := emptyTree(t)
	id := func(name string) (id smbwire.ObjectID) {
		f := open(t, tree, smbclient.Existing(name, smbwire.FileReadAttributes))
		defer f.Close(t.Context())
		m := &smbwire.IoctlRequest{
			CtlCode: smbwire.FsctlCreateOrGetObjectID, FileID: f.ID(),
			MaxOutputResponse: smbwire.ObjectIDSize, Flags: smbwire.IoctlIsFsctl,
		}
		var answer smbwire.IoctlResponse
		if status := send(t, tree, smbwire.Ioctl, m, &answer); status != smbwire.StatusOK || len(answer.Output) != smbwire.ObjectIDSize {
			t.Fatalf("object id of %s: %d bytes, %v", name, len(answer.Output), status)
		}
		id.Decode(cursor.NewReader(answer.Output))
		return id
	}
	for _, name := range []string{"a", "b"} {
		newFile(t, tree, name, "").Close(t.Context())
	}
	before := id("a")
	if id("b") == before {
		t.Errorf("two files have the id %x", before)
	}
	if err := tree.Rename(t.Context(), "a", "c", false); err != nil {
		t.Fatal(err)
	}
	if after := id("c"); after != before {
		t.Errorf("id %x became %x by a rename", before, after)
	}
}

func TestNegotiationIsValidated(t *testing.T) {
	// The client of the program asks by itself with dialects that need it, and
	// fails unless the answer is right.
	addr := serve(t, memfs.New(), share.Options{})
	for _, d := range []smbwire.Dialect{smbwire.Dialect210, smbwire.Dialect300, smbwire.Dialect302} {
		connect(t, addr, shareName, smbclient.Options{Dialects: []smbwire.Dialect{d}})
	}
}
