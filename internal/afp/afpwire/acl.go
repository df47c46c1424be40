package afpwire

import (
	"math"

	"github.com/dozo-server/dozo/internal/cursor"
)

// ACLBitmap says which parts of a file's security GetACL and SetACL mean
// ("Access Control List Bitmap").
type ACLBitmap uint16

// The bits of ACLBitmap.
const (
	ACLBitOwner   ACLBitmap = 0x01 // kFileSec_UUID
	ACLBitGroup   ACLBitmap = 0x02 // kFileSec_GRPUUID
	ACLBitACL     ACLBitmap = 0x04 // kFileSec_ACL
	ACLBitRemove  ACLBitmap = 0x08 // kFileSec_REMOVEACL: SetACL removes the list
	ACLBitInherit ACLBitmap = 0x10 // kFileSec_Inherit: SetACL keeps inherited entries
)

// ACLRights are what an entry of a list is about ("ACL Access Rights"). Of a
// pair the first name is for files, the second for folders.
type ACLRights uint32

// The rights.
const (
	ACLReadData           ACLRights = 1 << 1
	ACLListDirectory                = ACLReadData
	ACLWriteData          ACLRights = 1 << 2
	ACLAddFile                      = ACLWriteData
	ACLExecute            ACLRights = 1 << 3
	ACLSearch                       = ACLExecute
	ACLDelete             ACLRights = 1 << 4
	ACLAppendData         ACLRights = 1 << 5
	ACLAddSubdirectory              = ACLAppendData
	ACLDeleteChild        ACLRights = 1 << 6
	ACLReadAttributes     ACLRights = 1 << 7
	ACLWriteAttributes    ACLRights = 1 << 8
	ACLReadExtAttributes  ACLRights = 1 << 9
	ACLWriteExtAttributes ACLRights = 1 << 10
	ACLReadSecurity       ACLRights = 1 << 11
	ACLWriteSecurity      ACLRights = 1 << 12
	ACLChangeOwner        ACLRights = 1 << 13
	ACLSynchronize        ACLRights = 1 << 20
	ACLGenericAll         ACLRights = 1 << 21
	ACLGenericExecute     ACLRights = 1 << 22
	ACLGenericWrite       ACLRights = 1 << 23
	ACLGenericRead        ACLRights = 1 << 24
)

// ACEFlags say what an entry does, and to what it goes over (kauth.h).
type ACEFlags uint32

// The flags.
const (
	ACEPermit           ACEFlags = 1
	ACEDeny             ACEFlags = 2
	ACEKind             ACEFlags = 0xf // the bits of the two
	ACEInherited        ACEFlags = 1 << 4
	ACEFileInherit      ACEFlags = 1 << 5
	ACEDirectoryInherit ACEFlags = 1 << 6
	ACELimitInherit     ACEFlags = 1 << 7
	ACEOnlyInherit      ACEFlags = 1 << 8
)

// ACE is an entry of an ACL (kauth_ace).
type ACE struct {
	Who    UUID
	Flags  ACEFlags
	Rights ACLRights
}

const aceSize = 24

// ACL is an access control list (kauth_acl).
type ACL struct {
	Flags   uint32
	Entries []ACE
}

// MaxACEs is the most entries that a Mac knows a list to have.
const MaxACEs = 128

// noACL as the number of entries says that there is no list at all.
const noACL = math.MaxUint32

func (a *ACL) decode(r *cursor.Reader) {
	a.Entries = a.Entries[:0]
	count := r.BE32()
	a.Flags = r.BE32()
	if count == noACL {
		count = 0
	}
	if r.Err() == nil && (count > MaxACEs || int(count)*aceSize > r.Len()) {
		r.Failf("list of %d access control entries in %d bytes", count, r.Len())
	}
	if r.Err() != nil {
		return
	}
	for range count {
		var e ACE
		r.Copy(e.Who[:])
		e.Flags = ACEFlags(r.BE32())
		e.Rights = ACLRights(r.BE32())
		a.Entries = append(a.Entries, e)
	}
}

func (a *ACL) encode(w *cursor.Writer) {
	entries := a.Entries[:min(len(a.Entries), MaxACEs)]
	w.BE32(uint32(len(entries)))
	w.BE32(a.Flags)
	for _, e := range entries {
		w.Bytes(e.Who[:])
		w.BE32(uint32(e.Flags))
		w.BE32(uint32(e.Rights))
	}
}

// Security is the part of GetACL's reply and SetACL's request that a bitmap
// chooses from.
type Security struct {
	Owner UUID
	Group UUID
	ACL   ACL
}

func (s *Security) decode(r *cursor.Reader, bits ACLBitmap) {
	*s = Security{ACL: ACL{Entries: s.ACL.Entries[:0]}}
	if bits&ACLBitOwner != 0 {
		r.Copy(s.Owner[:])
	}
	if bits&ACLBitGroup != 0 {
		r.Copy(s.Group[:])
	}
	if bits&ACLBitACL != 0 && bits&ACLBitRemove == 0 {
		s.ACL.decode(r)
	}
}

func (s *Security) encode(w *cursor.Writer, bits ACLBitmap) {
	if bits&ACLBitOwner != 0 {
		w.Bytes(s.Owner[:])
	}
	if bits&ACLBitGroup != 0 {
		w.Bytes(s.Group[:])
	}
	if bits&ACLBitACL != 0 && bits&ACLBitRemove == 0 {
		s.ACL.encode(w)
	}
}

// GetACLRequest asks for the owner, group and access control list of a file or
// folder.
type GetACLRequest struct {
	Volume   VolumeID
	Dir      NodeID
	Bitmap   ACLBitmap
	MaxReply uint32 // 0
	Path     Path
}

// Decode reads the message.
func (m *GetACLRequest) Decode(r *cursor.Reader) {
	begin(r, GetACL)
	r.U8() // Pad
	m.Volume = VolumeID(r.BE16())
	m.Dir = NodeID(r.BE32())
	m.Bitmap = ACLBitmap(r.BE16())
	m.MaxReply = r.BE32()
	m.Path.decode(r)
}

// Encode writes the message.
func (m *GetACLRequest) Encode(w *cursor.Writer) {
	padded(w, GetACL)
	w.BE16(uint16(m.Volume))
	w.BE32(uint32(m.Dir))
	w.BE16(uint16(m.Bitmap))
	w.BE32(m.MaxReply)
	m.Path.encode(w)
}

// GetACLReply brings them.
type GetACLReply struct {
	Bitmap   ACLBitmap
	Security Security
}

// Decode reads the reply block.
func (m *GetACLReply) Decode(r *cursor.Reader) {
	m.Bitmap = ACLBitmap(r.BE16())
	m.Security.decode(r, m.Bitmap)
}

// Encode writes the reply block.
func (m *GetACLReply) Encode(w *cursor.Writer) {
	w.BE16(uint16(m.Bitmap))
	m.Security.encode(w, m.Bitmap)
}

// SetACLRequest changes them.
type SetACLRequest struct {
	Volume   VolumeID
	Dir      NodeID
	Bitmap   ACLBitmap
	Path     Path
	Security Security
}

// Decode reads the message.
func (m *SetACLRequest) Decode(r *cursor.Reader) {
	begin(r, SetACL)
	r.U8() // Pad
	m.Volume = VolumeID(r.BE16())
	m.Dir = NodeID(r.BE32())
	m.Bitmap = ACLBitmap(r.BE16())
	m.Path.decode(r)
	r.Align(2)
	m.Security.decode(r, m.Bitmap)
}

// Encode writes the message.
func (m *SetACLRequest) Encode(w *cursor.Writer) {
	padded(w, SetACL)
	w.BE16(uint16(m.Volume))
	w.BE32(uint32(m.Dir))
	w.BE16(uint16(m.Bitmap))
	m.Path.encode(w)
	w.Align(2)
	m.Security.encode(w, m.Bitmap)
}

// AccessRequest asks whether someone has rights to a file or folder. The result
// is the answer: ResultNoErr or ResultAccessDenied.
type AccessRequest struct {
	Volume VolumeID
	Dir    NodeID
	Bitmap uint16 // 0
	Who    UUID
	Rights ACLRights
	Path   Path
}

// Decode reads the message.
func (m *AccessRequest) Decode(r *cursor.Reader) {
	begin(r, Access)
	r.U8() // Pad
	m.Volume = VolumeID(r.BE16())
	m.Dir = NodeID(r.BE32())
	m.Bitmap = r.BE16()
	r.Copy(m.Who[:])
	m.Rights = ACLRights(r.BE32())
	m.Path.decode(r)
}

// Encode writes the message.
func (m *AccessRequest) Encode(w *cursor.Writer) {
	padded(w, Access)
	w.BE16(uint16(m.Volume))
	w.BE32(uint32(m.Dir))
	w.BE16(m.Bitmap)
	w.Bytes(m.Who[:])
	w.BE32(uint32(m.Rights))
	m.Path.encode(w)
}
