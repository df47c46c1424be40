package smb

import (
	"testing"

	"github.com/dozo-server/dozo/internal/lock"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/vfs"
)

// plain is a CREATE against which nothing can be said; tests change it.
func plain(change func(*smbwire.CreateRequest)) *smbwire.CreateRequest {
	m := &smbwire.CreateRequest{
		ImpersonationLevel: smbwire.ImpersonationImpersonation,
		DesiredAccess:      smbwire.FileReadData,
		ShareAccess:        smbwire.ShareRead,
		Disposition:        smbwire.FileOpen,
		Name:               `folder\file`,
	}
	change(m)
	return m
}

func TestCreateRefusesWhatMakesNoSense(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(m *smbwire.CreateRequest)
		want   error
	}{
		{"nothing wrong", func(m *smbwire.CreateRequest) {}, nil},
		{"impersonation level", func(m *smbwire.CreateRequest) { m.ImpersonationLevel = 4 }, smbwire.StatusBadImpersonationLevel},
		{"anonymous", func(m *smbwire.CreateRequest) { m.ImpersonationLevel = smbwire.ImpersonationAnonymous }, nil},
		{"disposition", func(m *smbwire.CreateRequest) { m.Disposition = 6 }, smbwire.StatusInvalidParameter},
		{"share access", func(m *smbwire.CreateRequest) { m.ShareAccess = 8 }, smbwire.StatusInvalidParameter},
		{"device attribute", func(m *smbwire.CreateRequest) { m.FileAttributes = 0x40 }, smbwire.StatusInvalidParameter},
		{"volume attribute", func(m *smbwire.CreateRequest) { m.FileAttributes = 0x08 }, smbwire.StatusInvalidParameter},
		{"option of the top byte", func(m *smbwire.CreateRequest) { m.Options = 0x01000000 }, smbwire.StatusInvalidParameter},
		{"by file id", func(m *smbwire.CreateRequest) { m.Options = smbwire.OpenByFileID }, smbwire.StatusNotSupported},
		{"tree connection", func(m *smbwire.CreateRequest) { m.Options = 0x80 }, smbwire.StatusNotSupported},
		{"opfilter", func(m *smbwire.CreateRequest) { m.Options = smbwire.ReserveOpfilter }, smbwire.StatusNotSupported},
		{"both folder and not", func(m *smbwire.CreateRequest) { m.Options = smbwire.DirectoryFile | smbwire.NonDirectoryFile }, smbwire.StatusInvalidParameter},
		{"supersede a folder", func(m *smbwire.CreateRequest) {
			m.Options, m.Disposition = smbwire.DirectoryFile, smbwire.FileSupersede
		}, smbwire.StatusInvalidParameter},
		{"overwrite a folder", func(m *smbwire.CreateRequest) {
			m.Options, m.Disposition = smbwire.DirectoryFile, smbwire.FileOverwrite
		}, smbwire.StatusInvalidParameter},
		{"make or overwrite a folder", func(m *smbwire.CreateRequest) {
			m.Options, m.Disposition = smbwire.DirectoryFile, smbwire.FileOverwriteIf
		}, smbwire.StatusInvalidParameter},
		{"make a folder", func(m *smbwire.CreateRequest) {
			m.Options, m.Disposition = smbwire.DirectoryFile, smbwire.FileCreate
		}, nil},
		{"no access", func(m *smbwire.CreateRequest) { m.DesiredAccess = 0 }, smbwire.StatusAccessDenied},
		{"no access before anything else", func(m *smbwire.CreateRequest) { m.DesiredAccess, m.FileAttributes = 0, 0x08 }, smbwire.StatusAccessDenied},
		{"access that doesn't exist", func(m *smbwire.CreateRequest) { m.DesiredAccess = 0x04000000 }, smbwire.StatusAccessDenied},
		{"access of another kind of object", func(m *smbwire.CreateRequest) { m.DesiredAccess = 0x200 }, smbwire.StatusAccessDenied},
		{"the audit list", func(m *smbwire.CreateRequest) { m.DesiredAccess = smbwire.AccessSystemSecurity }, smbwire.StatusPrivilegeNotHeld},
		{"delete without the right to", func(m *smbwire.CreateRequest) { m.Options = smbwire.DeleteOnClose }, smbwire.StatusInvalidParameter},
		{"delete", func(m *smbwire.CreateRequest) {
			m.Options, m.DesiredAccess = smbwire.DeleteOnClose, smbwire.Delete
		}, nil},
		{"delete with all rights", func(m *smbwire.CreateRequest) {
			m.Options, m.DesiredAccess = smbwire.DeleteOnClose, smbwire.GenericAll
		}, nil},
		{"delete with what rights there are", func(m *smbwire.CreateRequest) {
			m.Options, m.DesiredAccess = smbwire.DeleteOnClose, smbwire.MaximumAllowed
		}, nil},
		{"name", func(m *smbwire.CreateRequest) { m.Name = "a*" }, smbwire.StatusObjectNameInvalid},
		{"name of a folder for a file", func(m *smbwire.CreateRequest) {
			m.Name, m.Options = `folder\`, smbwire.NonDirectoryFile
		}, smbwire.StatusObjectNameInvalid},
		{"name of a file for a folder", func(m *smbwire.CreateRequest) {
			m.Name, m.Options = `file::$DATA`, smbwire.DirectoryFile
		}, smbwire.StatusNotADirectory},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := openRequest(plain(tt.change)); err != tt.want {
				t.Errorf("error = %v, want %v", err, tt.want)
			}
		})
	}
}

func TestCreateHintsAreNotRefused(t *testing.T) {
	const acted = smbwire.DirectoryFile | smbwire.DeleteOnClose | refusedOptions | invalidOptions
	for bit := smbwire.CreateOptions(1); bit != 0; bit <<= 1 {
		if bit&acted != 0 {
			continue
		}
		if _, err := openRequest(plain(func(m *smbwire.CreateRequest) { m.Options = bit })); err != nil {
			t.Errorf("option %#x is refused: %v", uint32(bit), err)
		}
	}
}

func TestCreateSaysToTheShare(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(m *smbwire.CreateRequest)
		want   share.OpenRequest
	}{
		{
			name:   "a file",
			change: func(m *smbwire.CreateRequest) { m.Options = smbwire.NonDirectoryFile },
			want: share.OpenRequest{
				Path: "folder/file", Access: vfs.ReadData, Share: share.ShareRead, Disposition: share.OpenExisting,
				NonDirectory: true, DOS: vfs.DOSArchive,
			},
		},
		{
			name: "everything",
			change: func(m *smbwire.CreateRequest) {
				m.DesiredAccess = smbwire.MaximumAllowed | smbwire.GenericRead | smbwire.Delete
				m.ShareAccess = smbwire.ShareRead | smbwire.ShareWrite | smbwire.ShareDelete
				m.Disposition = smbwire.FileOverwriteIf
				m.Options = smbwire.DeleteOnClose | smbwire.OpenReparsePoint
				m.FileAttributes = 0x3fb7
				m.OplockLevel = smbwire.OplockBatch
			},
			want: share.OpenRequest{
				Path: "folder/file", Access: 0x120089 | vfs.Delete, Maximum: true,
				Share: share.ShareRead | share.ShareWrite | share.ShareDelete, Disposition: share.OverwriteIf,
				DeleteOnClose: true, DOS: vfs.DOSStored, Oplock: lock.Batch,
			},
		},
		{
			name: "a folder by its name",
			change: func(m *smbwire.CreateRequest) {
				m.Name, m.Disposition, m.FileAttributes = `new\`, smbwire.FileCreate, 0x02
			},
			want: share.OpenRequest{
				Path: "new", Access: vfs.ReadData, Share: share.ShareRead, Disposition: share.Create,
				Directory: true, DOS: vfs.DOSHidden,
			},
		},
		{
			name:   "a lease is no oplock",
			change: func(m *smbwire.CreateRequest) { m.OplockLevel = smbwire.OplockLease },
			want: share.OpenRequest{
				Path: "folder/file", Access: vfs.ReadData, Share: share.ShareRead, Disposition: share.OpenExisting, DOS: vfs.DOSArchive,
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := openRequest(plain(tt.change))
			if err != nil || got != tt.want {
				t.Errorf("openRequest = %+v, %v\n        want %+v", got, err, tt.want)
			}
		})
	}
}

func TestGenericRights(t *testing.T) {
	for mask, want := range map[smbwire.AccessMask]vfs.Access{
		smbwire.GenericRead:                        0x120089,
		smbwire.GenericWrite:                       0x120116,
		smbwire.GenericExecute:                     0x1200a0,
		smbwire.GenericAll:                         0x1f01ff,
		smbwire.GenericRead | smbwire.GenericWrite: 0x12019f,
		smbwire.Synchronize:                        0x100000,
	} {
		if got, maximum, err := accessOf(mask); got != want || maximum || err != nil {
			t.Errorf("accessOf(%#x) = %#x, %v, %v; want %#x", uint32(mask), uint32(got), maximum, err, uint32(want))
		}
	}
	if got, maximum, err := accessOf(smbwire.MaximumAllowed); got != 0 || !maximum || err != nil {
		t.Errorf("accessOf(MAXIMUM_ALLOWED) = %#x, %v, %v", uint32(got), maximum, err)
	}
}

func TestWishes(t *testing.T) {
	eight := []byte{1, 0, 0, 0, 0, 0, 0, 0}
	for _, tt := range []struct {
		name string
		in   smbwire.CreateContexts
		want wishes
		err  error
	}{
		{"none", nil, wishes{}, nil},
		{"maximal access", smbwire.CreateContexts{{Name: smbwire.ContextMaximalAccess}}, wishes{maximalAccess: true}, nil},
		{"maximal access since", smbwire.CreateContexts{{Name: smbwire.ContextMaximalAccess, Data: eight}}, wishes{maximalAccess: true, since: 1}, nil},
		{"maximal access malformed", smbwire.CreateContexts{{Name: smbwire.ContextMaximalAccess, Data: eight[:3]}}, wishes{}, smbwire.StatusInvalidParameter},
		{"allocation and disk id", smbwire.CreateContexts{{Name: smbwire.ContextAllocationSize, Data: eight}, {Name: smbwire.ContextDiskID}}, wishes{allocation: 1, diskID: true}, nil},
		{"allocation malformed", smbwire.CreateContexts{{Name: smbwire.ContextAllocationSize}}, wishes{}, smbwire.StatusInvalidParameter},
		{"allocation beyond all disks", smbwire.CreateContexts{{Name: smbwire.ContextAllocationSize, Data: []byte{0, 0, 0, 0, 0, 0, 0, 0x80}}}, wishes{}, smbwire.StatusDiskFull},
		{"extended attributes", smbwire.CreateContexts{{Name: smbwire.ContextEABuffer, Data: eight}}, wishes{}, smbwire.StatusEAsNotSupported},
		{"no extended attributes", smbwire.CreateContexts{{Name: smbwire.ContextEABuffer}}, wishes{}, nil},
		{"a snapshot", smbwire.CreateContexts{{Name: smbwire.ContextTimewarp, Data: eight}}, wishes{}, smbwire.StatusObjectNameNotFound},
		{"no snapshot", smbwire.CreateContexts{{Name: smbwire.ContextTimewarp, Data: make([]byte, 8)}}, wishes{}, nil},
		{"a reconnection", smbwire.CreateContexts{{Name: smbwire.ContextDurableReconnect, Data: make([]byte, 16)}}, wishes{}, smbwire.StatusObjectNameNotFound},
		{"what isn't done here", smbwire.CreateContexts{{Name: smbwire.ContextLease, Data: make([]byte, 32)}, {Name: smbwire.ContextDurableRequest, Data: make([]byte, 16)}, {Name: "FooO"}}, wishes{}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := wishesOf(tt.in); got != tt.want || err != tt.err {
				t.Errorf("wishesOf = %+v, %v; want %+v, %v", got, err, tt.want, tt.err)
			}
		})
	}
}

func TestNewMode(t *testing.T) {
	s := &Server{}
	caller := &vfs.Caller{HasID: true, UID: 1000, GID: 100}
	list := func(entries ...smbwire.ACE) *smbwire.SecurityDescriptor {
		return &smbwire.SecurityDescriptor{
			Control: smbwire.SecurityDACLPresent,
			DACL:    &smbwire.ACL{Revision: 2, Entries: entries},
		}
	}
	allow := func(sid smbwire.SID, mask smbwire.AccessMask) smbwire.ACE {
		return smbwire.ACE{Type: smbwire.ACEAllow, SID: sid, Mask: mask}
	}
	const all, read = smbwire.GenericAll, smbwire.GenericRead
	owned := list(allow(everyone, all))
	owned.Owner = s.userSID(1001)
	for _, tt := range []struct {
		name   string
		d      *smbwire.SecurityDescriptor
		caller *vfs.Caller
		mode   uint32
		ok     bool
		err    error
	}{
		{"no descriptor", nil, caller, 0, false, nil},
		{"no list", &smbwire.SecurityDescriptor{}, caller, 0, false, nil},
		{"an absent list", &smbwire.SecurityDescriptor{Control: smbwire.SecurityDACLPresent}, caller, 0o777, true, nil},
		{"the owner alone", list(allow(s.userSID(1000), all)), caller, 0o700, true, nil},
		{"owner and group", list(allow(s.userSID(1000), all), allow(s.groupSID(100), read)), caller, 0o740, true, nil},
		{"somebody else", list(allow(s.userSID(1000), all), allow(s.userSID(1001), read)), caller, 0, false, smbwire.StatusNotSupported},
		{"everyone, whoever that is", list(allow(everyone, all)), &vfs.Caller{}, 0o777, true, nil},
		{"root, which the caller is not", list(allow(s.userSID(0), all)), &vfs.Caller{}, 0, false, smbwire.StatusNotSupported},
		{"another owner", owned, caller, 0, false, smbwire.StatusInvalidOwner},
	} {
		t.Run(tt.name, func(t *testing.T) {
			mode, ok, err := s.newMode(tt.d, tt.caller, false)
			if mode != tt.mode || ok != tt.ok || err != tt.err {
				t.Errorf("newMode = %03o, %v, %v; want %03o, %v, %v", mode, ok, err, tt.mode, tt.ok, tt.err)
			}
		})
	}
}
