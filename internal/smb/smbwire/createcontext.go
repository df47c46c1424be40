package smbwire

import (
	"math"

	"github.com/dozo-server/dozo/internal/cursor"
)

// ContextName says what a create context is about.
type ContextName string

// The names of create contexts ([MS-SMB2] 2.2.13.2, 2.2.14.2).
const (
	ContextEABuffer           ContextName = "ExtA"
	ContextSecurityDescriptor ContextName = "SecD"
	ContextDurableRequest     ContextName = "DHnQ"
	ContextDurableReconnect   ContextName = "DHnC"
	ContextDurableRequestV2   ContextName = "DH2Q"
	ContextDurableReconnectV2 ContextName = "DH2C"
	ContextAllocationSize     ContextName = "AlSi"
	ContextMaximalAccess      ContextName = "MxAc"
	ContextTimewarp           ContextName = "TWrp"
	ContextDiskID             ContextName = "QFid"
	ContextLease              ContextName = "RqLs" // version 1 and 2, told apart by size
	ContextAppleExtension     ContextName = "AAPL"

	ContextAppInstanceID      ContextName = "\x45\xbc\xa6\x6a\xef\xa7\xf7\x4a\x90\x08\xfa\x46\x2e\x14\x4d\x74"
	ContextAppInstanceVersion ContextName = "\xb9\x82\xd0\xb7\x3b\x56\x07\x4f\xa0\x7b\x52\x4a\x81\x16\xa0\x10"
	ContextSharedVHDX         ContextName = "\x5c\xcf\x9e\x9b\xe7\xa6\xc5\x4d\xb0\x5c\x1e\x6d\x83\xf8\x6f\x5f"
	ContextPosix              ContextName = "\x93\xad\x25\x50\x9c\xb4\x11\xe7\xb4\x23\x83\xde\x96\x8b\xcd\x7c"
)

var contextNames = [...]ContextName{
	ContextEABuffer, ContextSecurityDescriptor, ContextDurableRequest, ContextDurableReconnect,
	ContextDurableRequestV2, ContextDurableReconnectV2, ContextAllocationSize, ContextMaximalAccess,
	ContextTimewarp, ContextDiskID, ContextLease, ContextAppleExtension, ContextAppInstanceID,
	ContextAppInstanceVersion, ContextSharedVHDX, ContextPosix,
}

// contextName returns b as a name, for known ones without an allocation.
func contextName(b []byte) ContextName {
	for _, name := range contextNames {
		if string(name) == string(b) {
			return name
		}
	}
	return ContextName(b)
}

// CreateContext is an addition to a CREATE ([MS-SMB2] 2.2.13.2).
type CreateContext struct {
	Name ContextName
	Data []byte
}

// CreateContexts are the additions to a CREATE, in their order on the wire.
type CreateContexts []CreateContext

const (
	createContextHeader = 16 // bytes before name and data
	minContextName      = 4  // Windows refuses shorter ones
)

// Find returns the data of the first context of that name.
func (c CreateContexts) Find(name ContextName) (data []byte, ok bool) {
	for i := range c {
		if c[i].Name == name {
			return c[i].Data, true
		}
	}
	return nil, false
}

// decode reads the chain of contexts that fills list. Offsets in it count from
// the beginning of each context.
func (c *CreateContexts) decode(r *cursor.Reader, list []byte) {
	*c = (*c)[:0]
	if r.Err() != nil {
		return
	}
	for len(list) > 0 {
		one := cursor.NewReader(list)
		next := one.U32()
		nameOffset, nameLength := one.U16(), one.U16()
		one.U16() // Reserved
		dataOffset, dataLength := one.U16(), one.U32()
		if next != 0 && (next%8 != 0 || next < createContextHeader || next >= uint32(len(list))) {
			one.Failf("next create context at %d", next)
		}
		if nameOffset < createContextHeader || dataLength > 0 && dataOffset < createContextHeader || dataLength > math.MaxInt32 {
			one.Failf("create context with a name at %d and data at %d", nameOffset, dataOffset)
		}
		if nameLength < minContextName {
			one.Failf("create context with a name of %d bytes", nameLength)
		}
		name := one.Slice(int(nameOffset), int(nameLength))
		var data []byte
		if dataLength > 0 {
			data = one.Slice(int(dataOffset), int(dataLength))
		}
		if err := one.Err(); err != nil {
			r.Fail(err)
			return
		}
		*c = append(*c, CreateContext{Name: contextName(name), Data: data})
		if next == 0 {
			return
		}
		list = list[next:]
	}
}

// encode writes the chain and, at at, its offset and length. Without contexts
// it writes nothing.
func (c CreateContexts) encode(w *cursor.Writer, at int) {
	if len(c) == 0 {
		return
	}
	w.Align(8)
	first := w.Len()
	w.PutU32(at, uint32(first))
	for i := range c {
		begin := w.Len()
		w.U32(0)
		w.U16(createContextHeader)
		w.U16(uint16(len(c[i].Name)))
		w.U16(0)
		dataOffsetAt := w.Len()
		w.U16(0)
		w.U32(uint32(len(c[i].Data)))
		for j := range len(c[i].Name) {
			w.U8(c[i].Name[j])
		}
		w.Align(8)
		if len(c[i].Data) > 0 {
			w.PutU16(dataOffsetAt, uint16(w.Len()-begin))
			w.Bytes(c[i].Data)
		}
		if i < len(c)-1 {
			w.Align(8)
			w.PutU32(begin, uint32(w.Len()-begin))
		}
	}
	w.PutU32(at+4, uint32(w.Len()-first))
}

// MaximalAccessRequest asks for the rights the client has to the file; it may
// be empty ([MS-SMB2] 2.2.13.2.5).
type MaximalAccessRequest struct {
	Timestamp FileTime // answer only if the file changed since
}

// Decode reads the data of the context.
func (m *MaximalAccessRequest) Decode(r *cursor.Reader) {
	m.Timestamp = 0
	if r.Len() > 0 {
		m.Timestamp = FileTime(r.U64())
	}
}

// Encode writes the data of the context.
func (m *MaximalAccessRequest) Encode(w *cursor.Writer) {
	if m.Timestamp != 0 {
		w.U64(uint64(m.Timestamp))
	}
}

// MaximalAccessResponse answers it ([MS-SMB2] 2.2.14.2.5).
type MaximalAccessResponse struct {
	QueryStatus   Status
	MaximalAccess AccessMask
}

// Decode reads the data of the context.
func (m *MaximalAccessResponse) Decode(r *cursor.Reader) {
	m.QueryStatus = Status(r.U32())
	m.MaximalAccess = AccessMask(r.U32())
}

// Encode writes the data of the context.
func (m *MaximalAccessResponse) Encode(w *cursor.Writer) {
	w.U32(uint32(m.QueryStatus))
	w.U32(uint32(m.MaximalAccess))
}

// DiskIDResponse tells the numbers of the file and its volume, asked for by an
// empty context ([MS-SMB2] 2.2.14.2.9).
type DiskIDResponse struct {
	DiskFileID uint64
	VolumeID   uint64
}

const diskIDReserved = 16

// Decode reads the data of the context.
func (m *DiskIDResponse) Decode(r *cursor.Reader) {
	m.DiskFileID = r.U64()
	m.VolumeID = r.U64()
	r.Skip(diskIDReserved)
}

// Encode writes the data of the context.
func (m *DiskIDResponse) Encode(w *cursor.Writer) {
	w.U64(m.DiskFileID)
	w.U64(m.VolumeID)
	w.Zero(diskIDReserved)
}

// AllocationSizeRequest says how much room a new file needs, in bytes
// ([MS-SMB2] 2.2.13.2.6).
type AllocationSizeRequest struct {
	AllocationSize uint64
}

// Decode reads the data of the context.
func (m *AllocationSizeRequest) Decode(r *cursor.Reader) { m.AllocationSize = r.U64() }

// Encode writes the data of the context.
func (m *AllocationSizeRequest) Encode(w *cursor.Writer) { w.U64(m.AllocationSize) }

// TimewarpRequest asks for the file as it was at a time ([MS-SMB2] 2.2.13.2.7).
type TimewarpRequest struct {
	Timestamp FileTime
}

// Decode reads the data of the context.
func (m *TimewarpRequest) Decode(r *cursor.Reader) { m.Timestamp = FileTime(r.U64()) }

// Encode writes the data of the context.
func (m *TimewarpRequest) Encode(w *cursor.Writer) { w.U64(uint64(m.Timestamp)) }
