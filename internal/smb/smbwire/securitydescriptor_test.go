package smbwire_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/hexdump"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

var sidTests = []struct {
	text string
	wire string
	sid  smbwire.SID
}{
	{"S-1-1-0", `01 01 000000000001 00000000`, smbwire.NewSID(1, 0)},
	{"S-1-5-32-544", `01 02 000000000005 20000000 20020000`, smbwire.NewSID(5, 32, 544)},
	{"S-1-5-21-1-2-4294967295-1000", `01 05 000000000005 15000000 01000000 02000000 ffffffff e8030000`, smbwire.NewSID(5, 21, 1, 2, 1<<32-1, 1000)},
	{"S-1-0x100000000000-7", `01 01 100000000000 07000000`, smbwire.NewSID(1<<44, 7)},
	{"S-1-16", `01 00 000000000010`, smbwire.NewSID(16)},
}

func TestSID(t *testing.T) {
	for _, tt := range sidTests {
		wire := hexdump.Bytes(t, tt.wire)
		var got smbwire.SID
		r := cursor.NewReader(wire)
		if got.Decode(r); r.Err() != nil || got != tt.sid {
			t.Errorf("Decode of %s = %v, %v", tt.text, got, r.Err())
		}
		w := cursor.NewWriter(nil)
		if tt.sid.Encode(w); !bytes.Equal(w.Message(), wire) || tt.sid.Size() != len(wire) {
			t.Errorf("Encode of %s = %x, Size %d, want %x", tt.text, w.Message(), tt.sid.Size(), wire)
		}
		if tt.sid.String() != tt.text {
			t.Errorf("String = %s, want %s", tt.sid, tt.text)
		}
		if got, err := smbwire.ParseSID(tt.text); err != nil || got != tt.sid {
			t.Errorf("ParseSID(%s) = %v, %v", tt.text, got, err)
		}
	}
}

func TestSIDRefusals(t *testing.T) {
	for _, text := range []string{
		"", "S-1", "S-2-5", "s-1-5", "S-1-", "S-1-5-", "S-1-x", "S-1--5", "S-1-5-4294967296", "S-1-0x1000000000000",
		"S-1-5" + strings.Repeat("-1", 16),
	} {
		if sid, err := smbwire.ParseSID(text); err == nil {
			t.Errorf("ParseSID(%q) = %v", text, sid)
		}
	}
	for _, wire := range []string{
		``, `01`, `02 00 000000000005`, `01 10 000000000005` + strings.Repeat(`00000000`, 16), `01 02 000000000005 00000000`,
	} {
		var sid smbwire.SID
		r := cursor.NewReader(hexdump.Bytes(t, wire))
		if sid.Decode(r); r.Err() == nil {
			t.Errorf("Decode(%s) = %v", wire, sid)
		}
	}
}

func TestSIDChildAndSplit(t *testing.T) {
	domain := smbwire.NewSID(5, 21, 1, 2, 3)
	user := domain.Child(1001)
	if user != smbwire.NewSID(5, 21, 1, 2, 3, 1001) {
		t.Errorf("Child = %v", user)
	}
	if d, rid, ok := user.Split(); d != domain || rid != 1001 || !ok {
		t.Errorf("Split = %v, %d, %v", d, rid, ok)
	}
	if _, _, ok := smbwire.NewSID(5).Split(); ok {
		t.Error("a bare authority can be split")
	}
}

var descriptorTests = []struct {
	name string
	wire string
	want smbwire.SecurityDescriptor
}{
	{
		name: "owner, group and two entries",
		wire: `
			01 00 0480                                        # Revision, Sbz1, Control: DACL, self-relative
			14000000 20000000 00000000 2c000000               # offsets of owner, group, SACL, DACL
			01 01 000000000005 12000000                       # S-1-5-18
			01 01 000000000001 00000000                       # S-1-1-0
			02 00 3000 0200 0000                              # AclRevision, AclSize, AceCount
			01 00 1400 02000000 01 01 000000000001 00000000   # deny S-1-1-0
			00 13 1400 ff011f00 01 01 000000000005 12000000   # allow, inherited by all
		`,
		want: smbwire.SecurityDescriptor{
			Control: smbwire.SecuritySelfRelative | smbwire.SecurityDACLPresent,
			Owner:   smbwire.NewSID(5, 18),
			Group:   smbwire.NewSID(1, 0),
			DACL: &smbwire.ACL{Revision: 2, Entries: []smbwire.ACE{
				{Type: smbwire.ACEDeny, Mask: smbwire.FileWriteData, SID: smbwire.NewSID(1, 0)},
				{
					Flags: smbwire.ACEObjectInherit | smbwire.ACEContainerInherit | smbwire.ACEInherited,
					Mask:  smbwire.FileAllAccess, SID: smbwire.NewSID(5, 18),
				},
			}},
		},
	},
	{
		name: "a null DACL",
		wire: `01 00 0480 00000000 00000000 00000000 00000000`,
		want: smbwire.SecurityDescriptor{Control: smbwire.SecuritySelfRelative | smbwire.SecurityDACLPresent},
	},
	{
		name: "an empty DACL and a SACL with an entry about objects",
		wire: `
			01 00 1484 00000000 00000000 14000000 30000000
			04 00 1c00 0100 0000
			05 00 1400 01000000 01000000 0102030405060708
			02 00 0800 0000 0000
		`,
		want: smbwire.SecurityDescriptor{
			Control: smbwire.SecuritySelfRelative | smbwire.SecurityDACLPresent | smbwire.SecuritySACLPresent | smbwire.SecurityDACLAutoInherited,
			SACL: &smbwire.ACL{Revision: 4, Entries: []smbwire.ACE{
				{Type: 5, Mask: 1, Data: []byte{1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}},
			}},
			DACL: &smbwire.ACL{Revision: 2, Entries: []smbwire.ACE{}},
		},
	},
}

func TestSecurityDescriptor(t *testing.T) {
	for _, tt := range descriptorTests {
		t.Run(tt.name, func(t *testing.T) {
			wire := hexdump.Bytes(t, tt.wire)
			var got smbwire.SecurityDescriptor
			r := cursor.NewReader(wire)
			got.Decode(r)
			if r.Err() != nil {
				t.Fatal(r.Err())
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("Decode = %+v, want %+v", got, tt.want)
			}
			if b := encoded(&tt.want); !bytes.Equal(b, wire) || tt.want.Size() != len(wire) {
				t.Errorf("Encode =\n%x, Size %d, want\n%x", b, tt.want.Size(), wire)
			}
			for n := range wire {
				r := cursor.NewReader(wire[:n])
				if got.Decode(r); r.Err() == nil {
					t.Errorf("the first %d of %d bytes are enough", n, len(wire))
				}
			}
		})
	}
}

func TestSecurityDescriptorRefusals(t *testing.T) {
	const acl = `01 00 0480 00000000 00000000 00000000 14000000 `
	for _, tt := range []struct{ name, wire string }{
		{"revision 2", `02 00 0080 00000000 00000000 00000000 00000000`},
		{"not self-relative", `01 00 0000 00000000 00000000 00000000 00000000`},
		{"owner in the head", `01 00 0080 04000000 00000000 00000000 00000000 01 01 000000000001 00000000`},
		{"owner beyond the end", `01 00 0080 ffffffff 00000000 00000000 00000000`},
		{"a list shorter than its head", acl + `02 00 0400 0000 0000`},
		{"a list longer than the message", acl + `02 00 0c00 0000 0000`},
		{"a list of revision 1", acl + `01 00 0800 0000 0000`},
		{"more entries than there is room for", acl + `02 00 1000 ffff 0000 00 00 0800 00000000`},
		{"an entry without a SID", acl + `02 00 1000 0100 0000 00 00 0800 00000000`},
		{"an entry of no bytes", acl + `02 00 1000 0100 0000 00 00 0000 00000000`},
		{"an entry of 22 bytes", acl + `02 00 1e00 0100 0000 00 00 1600 00000000 01 01 000000000001 00000000 0000`},
		{"an entry longer than its list", acl + `02 00 1c00 0100 0000 00 00 1800 00000000 01 01 000000000001 00000000 00000000`},
	} {
		var d smbwire.SecurityDescriptor
		r := cursor.NewReader(hexdump.Bytes(t, tt.wire))
		if d.Decode(r); r.Err() == nil {
			t.Errorf("%s is accepted: %+v", tt.name, d)
		}
	}
}

func FuzzSecurityDescriptor(f *testing.F) {
	for _, tt := range descriptorTests {
		f.Add(hexdump.Bytes(f, tt.wire))
	}
	f.Fuzz(func(t *testing.T, wire []byte) {
		roundTrip(t, reflect.TypeFor[smbwire.SecurityDescriptor](), nil, wire)
	})
}

func FuzzParseSID(f *testing.F) {
	for _, tt := range sidTests {
		f.Add(tt.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		sid, err := smbwire.ParseSID(text)
		if err != nil {
			return
		}
		if again, err := smbwire.ParseSID(sid.String()); err != nil || again != sid {
			t.Fatalf("%q is %v, which is %v, %v", text, sid, again, err)
		}
	})
}
