package smbwire

import "github.com/dozo-server/dozo/internal/cursor"

// SecurityInformation says which parts of a security descriptor a request is
// about ([MS-DTYP] 2.4.7).
type SecurityInformation uint32

// The parts.
const (
	OwnerSecurity     SecurityInformation = 0x01
	GroupSecurity     SecurityInformation = 0x02
	DACLSecurity      SecurityInformation = 0x04
	SACLSecurity      SecurityInformation = 0x08
	LabelSecurity     SecurityInformation = 0x10
	AttributeSecurity SecurityInformation = 0x20
	ScopeSecurity     SecurityInformation = 0x40
	BackupSecurity    SecurityInformation = 0x10000

	ProtectedDACLSecurity   SecurityInformation = 0x80000000
	ProtectedSACLSecurity   SecurityInformation = 0x40000000
	UnprotectedDACLSecurity SecurityInformation = 0x20000000
	UnprotectedSACLSecurity SecurityInformation = 0x10000000
)

// SecurityControl are the flags of a security descriptor ([MS-DTYP] 2.4.6).
type SecurityControl uint16

// The flags.
const (
	SecurityDACLPresent       SecurityControl = 0x0004
	SecurityDACLDefaulted     SecurityControl = 0x0008
	SecuritySACLPresent       SecurityControl = 0x0010
	SecurityDACLAutoInherited SecurityControl = 0x0400
	SecuritySACLAutoInherited SecurityControl = 0x0800
	SecurityDACLProtected     SecurityControl = 0x1000
	SecuritySACLProtected     SecurityControl = 0x2000
	SecuritySelfRelative      SecurityControl = 0x8000
)

// SecurityDescriptor says who owns something and who may do what with it
// ([MS-DTYP] 2.4.6), in its self-relative form.
type SecurityDescriptor struct {
	Control SecurityControl
	Owner   SID // zero: not said
	Group   SID // zero: not said
	SACL    *ACL
	DACL    *ACL // nil with SecurityDACLPresent: everyone may do everything
}

const (
	securityDescriptorHead = 20
	aclHead                = 8
	aceHead                = 4
)

// Decode reads a descriptor that extends to the end of r.
func (d *SecurityDescriptor) Decode(r *cursor.Reader) {
	*d = SecurityDescriptor{}
	s := cursor.NewReader(r.Rest()) // offsets count from the descriptor's start
	revision := s.U8()
	s.U8() // Sbz1: alignment, or the resource manager's
	d.Control = SecurityControl(s.U16())
	owner, group, sacl, dacl := s.U32(), s.U32(), s.U32(), s.U32()
	switch {
	case s.Err() != nil:
	case revision != 1:
		s.Failf("security descriptor of revision %d", revision)
	case d.Control&SecuritySelfRelative == 0:
		s.Failf("security descriptor is not self-relative")
	}
	if owner != 0 && partAt(s, owner) {
		d.Owner.Decode(s)
	}
	if group != 0 && partAt(s, group) {
		d.Group.Decode(s)
	}
	if sacl != 0 && d.Control&SecuritySACLPresent != 0 && partAt(s, sacl) {
		d.SACL = new(ACL)
		d.SACL.Decode(s)
	}
	if dacl != 0 && d.Control&SecurityDACLPresent != 0 && partAt(s, dacl) {
		d.DACL = new(ACL)
		d.DACL.Decode(s)
	}
	if err := s.Err(); err != nil {
		r.Fail(err)
	}
}

// partAt moves s to a part of a descriptor, which can't lie in its head.
func partAt(s *cursor.Reader, offset uint32) bool {
	if offset < securityDescriptorHead {
		s.Failf("part of a security descriptor at %d", offset)
	}
	s.Seek(int(offset))
	return s.Err() == nil
}

// Size returns how many bytes the descriptor takes on the wire.
func (d *SecurityDescriptor) Size() int {
	n := securityDescriptorHead
	for _, sid := range []SID{d.Owner, d.Group} {
		if !sid.IsZero() {
			n += sid.Size()
		}
	}
	for _, acl := range []*ACL{d.SACL, d.DACL} {
		if acl != nil {
			n += acl.Size()
		}
	}
	return n
}

// Encode writes what Decode reads. The flag for the self-relative form is set,
// those for lists that are present too.
func (d *SecurityDescriptor) Encode(w *cursor.Writer) {
	control := d.Control | SecuritySelfRelative
	if d.SACL != nil {
		control |= SecuritySACLPresent
	}
	if d.DACL != nil {
		control |= SecurityDACLPresent
	}
	start := w.Len()
	w.U8(1) // Revision
	w.U8(0)
	w.U16(uint16(control))
	offsets := w.Len()
	w.Zero(16)
	part := func(i int, present bool, encode func(*cursor.Writer)) {
		if present {
			w.PutU32(offsets+4*i, uint32(w.Len()-start))
			encode(w)
		}
	}
	part(0, !d.Owner.IsZero(), d.Owner.Encode)
	part(1, !d.Group.IsZero(), d.Group.Encode)
	part(2, d.SACL != nil, d.SACL.Encode)
	part(3, d.DACL != nil, d.DACL.Encode)
}

// ACL is a list of who may, or may not, do what ([MS-DTYP] 2.4.5).
type ACL struct {
	Revision uint8 // 2, or 4 with entries about objects; 0 writes 2
	Entries  []ACE
}

// Decode reads a list.
func (a *ACL) Decode(r *cursor.Reader) {
	*a = ACL{Revision: r.U8()}
	r.U8() // Sbz1
	size, count := int(r.U16()), int(r.U16())
	r.U16() // Sbz2
	if r.Err() == nil && (a.Revision < 2 || a.Revision > 4 || size < aclHead || count > (size-aclHead)/aceHead) {
		r.Failf("ACL of revision %d with %d entries in %d bytes", a.Revision, count, size)
	}
	body := cursor.NewReader(r.Bytes(size - aclHead))
	if r.Err() != nil {
		return
	}
	a.Entries = make([]ACE, count)
	for i := range a.Entries {
		a.Entries[i].Decode(body)
	}
	if err := body.Err(); err != nil {
		r.Fail(err)
		a.Entries = nil
	}
}

// Size returns how many bytes the list takes on the wire.
func (a *ACL) Size() int {
	n := aclHead
	for i := range a.Entries {
		n += a.Entries[i].Size()
	}
	return n
}

// Encode writes what Decode reads.
func (a *ACL) Encode(w *cursor.Writer) {
	w.U8(max(a.Revision, 2))
	w.U8(0)
	w.U16(uint16(a.Size()))
	w.U16(uint16(len(a.Entries)))
	w.U16(0)
	for i := range a.Entries {
		a.Entries[i].Encode(w)
	}
}

// ACEType is the kind of an entry ([MS-DTYP] 2.4.4.1).
type ACEType uint8

// The kinds that mean something to files.
const (
	ACEAllow ACEType = 0
	ACEDeny  ACEType = 1
	ACEAudit ACEType = 2
)

// object reports whether entries of this kind have the identifiers of a
// directory server's objects between mask and SID.
func (t ACEType) object() bool {
	switch t {
	case 5, 6, 7, 8, 11, 12, 15, 16:
		return true
	}
	return false
}

// ACEFlags say how an entry is inherited ([MS-DTYP] 2.4.4.1).
type ACEFlags uint8

// The flags.
const (
	ACEObjectInherit    ACEFlags = 0x01 // by files below
	ACEContainerInherit ACEFlags = 0x02 // by folders below
	ACENoPropagate      ACEFlags = 0x04
	ACEInheritOnly      ACEFlags = 0x08 // means nothing for the folder itself
	ACEInherited        ACEFlags = 0x10
	ACESuccess          ACEFlags = 0x40
	ACEFailure          ACEFlags = 0x80
)

// ACE is one entry of a list ([MS-DTYP] 2.4.4).
type ACE struct {
	Type  ACEType
	Flags ACEFlags
	Mask  AccessMask
	SID   SID    // whom it is about; zero in entries about objects
	Data  []byte // what follows; in entries about objects all after the mask
}

// Decode reads an entry. Data aliases the message.
func (e *ACE) Decode(r *cursor.Reader) {
	*e = ACE{Type: ACEType(r.U8()), Flags: ACEFlags(r.U8())}
	size := int(r.U16())
	if r.Err() == nil && (size < aceHead+4 || size%4 != 0) {
		r.Failf("ACE of %d bytes", size)
	}
	body := cursor.NewReader(r.Bytes(size - aceHead))
	if r.Err() != nil {
		return
	}
	e.Mask = AccessMask(body.U32())
	if !e.Type.object() {
		e.SID.Decode(body)
	}
	if rest := body.Rest(); len(rest) > 0 {
		e.Data = rest
	}
	if err := body.Err(); err != nil {
		r.Fail(err)
	}
}

// Size returns how many bytes the entry takes on the wire.
func (e *ACE) Size() int {
	n := aceHead + 4 + len(e.Data)
	if !e.Type.object() {
		n += e.SID.Size()
	}
	return n
}

// Encode writes what Decode reads.
func (e *ACE) Encode(w *cursor.Writer) {
	w.U8(uint8(e.Type))
	w.U8(uint8(e.Flags))
	w.U16(uint16(e.Size()))
	w.U32(uint32(e.Mask))
	if !e.Type.object() {
		e.SID.Encode(w)
	}
	w.Bytes(e.Data)
}
