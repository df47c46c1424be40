package smb_test

import (
	"bytes"
	"testing"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
	"github.com/dozo-server/dozo/vfs/memfs"
)

const allParts = smbwire.OwnerSecurity | smbwire.GroupSecurity | smbwire.DACLSecurity

var (
	everyone  = smbwire.NewSID(1, 0)
	ownerSID  = smbwire.NewSID(5, 21, 0, 0, 0, 3000) // of uid 1000, whose FS it is
	groupSID  = smbwire.NewSID(5, 21, 0, 0, 0, 3001)
	otherUser = smbwire.NewSID(5, 21, 0, 0, 0, 3002)
)

func TestSecurityShowsOwnersAndMode(t *testing.T) {
	f := fiveBytes(t, mount(t, memfs.New()))
	d, err := f.QuerySecurity(ctx, allParts)
	if err != nil {
		t.Fatal(err)
	}
	if d.Owner != ownerSID || d.Group != groupSID || d.DACL == nil || d.SACL != nil {
		t.Errorf("descriptor %+v", d)
	}
	var last smbwire.ACE
	for _, e := range d.DACL.Entries {
		last = e
	}
	if last.SID != everyone || last.Mask&smbwire.FileWriteData != 0 {
		t.Errorf("the last entry is %+v, want what everyone may", last)
	}
	d, err = f.QuerySecurity(ctx, smbwire.OwnerSecurity)
	if err != nil || d.Owner != ownerSID || !d.Group.IsZero() || d.DACL != nil {
		t.Errorf("just the owner: %+v, %v", d, err)
	}
}

// A buffer that is too small is told the size that is needed, in the form of
// the dialect.
func TestSecurityTellsTheSizeItNeeds(t *testing.T) {
	for _, dialect := range []smbwire.Dialect{smbwire.Dialect210, smbwire.Dialect311} {
		f := fiveBytes(t, mountWith(t, memfs.New(), smbclient.Options{Dialects: []smbwire.Dialect{dialect}}))
		m := &smbwire.QueryInfoRequest{Type: smbwire.InfoSecurity, AdditionalInformation: uint32(smbwire.OwnerSecurity), FileID: f.ID()}
		r, err := f.Tree().Session().Conn().Do(ctx, &smbclient.Request{Command: smbwire.QueryInfo, Body: m, Tree: f.Tree()})
		if err != nil {
			t.Fatal(err)
		}
		var e smbwire.ErrorResponse
		if err := r.Decode(&e); err != nil || r.Header.Status != smbwire.StatusBufferTooSmall {
			t.Fatalf("%v, %v", r.Header.Status, err)
		}
		data := e.Data
		if dialect == smbwire.Dialect311 {
			if len(e.Contexts) != 1 {
				t.Fatalf("%d contexts", len(e.Contexts))
			}
			data = e.Contexts[0].Data
		}
		if !bytes.Equal(data, []byte{20 + 28, 0, 0, 0}) {
			t.Errorf("%#x: data % x, want the size of a descriptor with one SID", dialect, data)
		}
		m.OutputBufferLength = 20 + 28
		if _, status := ask(t, f, smbwire.QueryInfo, m); status != smbwire.StatusOK {
			t.Errorf("%#x: with that size: %v", dialect, status)
		}
	}
}

func TestSecurityChangesTheMode(t *testing.T) {
	tree := mount(t, memfs.New())
	f := fiveBytes(t, tree)
	want := &smbwire.ACL{Revision: 2, Entries: []smbwire.ACE{
		{SID: ownerSID, Mask: smbwire.FileAllAccess},
		{SID: groupSID, Mask: 0x1200a9}, // read and execute
	}}
	if err := f.SetSecurity(ctx, smbwire.DACLSecurity, &smbwire.SecurityDescriptor{DACL: want}); err != nil {
		t.Fatal(err)
	}
	d, err := f.QuerySecurity(ctx, allParts)
	if err != nil {
		t.Fatal(err)
	}
	rights := map[smbwire.SID]smbwire.AccessMask{}
	for _, e := range d.DACL.Entries {
		if e.Type != smbwire.ACEAllow {
			t.Errorf("entry %+v", e)
		}
		rights[e.SID] = e.Mask
	}
	const data = smbwire.FileReadData | smbwire.FileWriteData | smbwire.FileAppendData | smbwire.FileExecute
	if rights[ownerSID]&data != data || rights[groupSID]&data != smbwire.FileReadData|smbwire.FileExecute || rights[everyone]&data != 0 {
		t.Errorf("rights are %v", rights)
	}
	// What is shown can be set again, and changes nothing.
	if err := f.SetSecurity(ctx, allParts, d); err != nil {
		t.Fatal(err)
	}
	again, err := f.QuerySecurity(ctx, allParts)
	if err != nil || !bytes.Equal(bytesOf(again), bytesOf(d)) {
		t.Errorf("%+v became %+v, %v", d, again, err)
	}
}

func TestSecurityRefusals(t *testing.T) {
	tree := mount(t, memfs.New())
	f := fiveBytes(t, tree)
	before, _ := f.QuerySecurity(ctx, allParts)
	reader := open(t, tree, smbclient.Existing(`d\five.txt`, smbwire.FileReadData))
	control := open(t, tree, smbclient.Existing(`d\five.txt`, smbwire.ReadControl|smbwire.WriteDAC))
	list := func(sid smbwire.SID, mask smbwire.AccessMask) *smbwire.SecurityDescriptor {
		return &smbwire.SecurityDescriptor{DACL: &smbwire.ACL{Entries: []smbwire.ACE{{SID: sid, Mask: mask}}}}
	}
	for _, tt := range []struct {
		name  string
		file  *smbclient.File
		parts smbwire.SecurityInformation
		d     *smbwire.SecurityDescriptor
		want  smbwire.Status
	}{
		{"no right", reader, smbwire.DACLSecurity, list(everyone, smbwire.FileAllAccess), smbwire.StatusAccessDenied},
		{"a right to the list only", control, smbwire.OwnerSecurity, &smbwire.SecurityDescriptor{Owner: ownerSID}, smbwire.StatusAccessDenied},
		{"the audit list", f, smbwire.SACLSecurity, &smbwire.SecurityDescriptor{}, smbwire.StatusAccessDenied},
		{"a list about another user", f, smbwire.DACLSecurity, list(otherUser, smbwire.FileAllAccess), smbwire.StatusNotSupported},
		{"a list with half of a write", f, smbwire.DACLSecurity, list(everyone, smbwire.FileWriteData), smbwire.StatusNotSupported},
		{"no list", f, smbwire.DACLSecurity, &smbwire.SecurityDescriptor{}, smbwire.StatusInvalidSecurityDescriptor},
		{"no owner", f, smbwire.OwnerSecurity, &smbwire.SecurityDescriptor{}, smbwire.StatusInvalidOwner},
		{"a group for an owner", f, smbwire.OwnerSecurity, &smbwire.SecurityDescriptor{Owner: groupSID}, smbwire.StatusInvalidOwner},
		{"a user for a group", f, smbwire.GroupSecurity, &smbwire.SecurityDescriptor{Group: ownerSID}, smbwire.StatusInvalidPrimaryGroup},
		{"everyone for a group", f, smbwire.GroupSecurity, &smbwire.SecurityDescriptor{Group: everyone}, smbwire.StatusInvalidPrimaryGroup},
		{"an owner that only root may make", f, smbwire.OwnerSecurity, &smbwire.SecurityDescriptor{Owner: otherUser}, smbwire.StatusAccessDenied},
	} {
		if status := statusIn(tt.file.SetSecurity(ctx, tt.parts, tt.d)); status != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, status, tt.want)
		}
	}
	if status := setRaw(t, f, smbwire.InfoSecurity, 0, []byte{1, 0}); status != smbwire.StatusInvalidSecurityDescriptor {
		t.Errorf("two bytes: %v", status)
	}
	if _, err := reader.QuerySecurity(ctx, allParts); statusIn(err) != smbwire.StatusAccessDenied {
		t.Errorf("query without the right: %v", err)
	}
	if d, err := reader.QuerySecurity(ctx, 0); err != nil || d.Size() != 20 {
		t.Errorf("query of nothing without the right: %+v, %v", d, err)
	}
	if _, err := f.QuerySecurity(ctx, smbwire.SACLSecurity); statusIn(err) != smbwire.StatusAccessDenied {
		t.Errorf("query of the audit list: %v", err)
	}
	after, err := f.QuerySecurity(ctx, allParts)
	if err != nil || !bytes.Equal(bytesOf(after), bytesOf(before)) {
		t.Errorf("what was refused changed %+v to %+v, %v", before, after, err)
	}
}
