package afpwire

import (
	"bytes"

	"github.com/dozo-server/dozo/internal/cursor"
)

// ExtAttrBitmap says how to use an extended attribute ("Extended Attributes
// Bitmap").
type ExtAttrBitmap uint16

// The bits of ExtAttrBitmap.
const (
	ExtAttrNoFollow ExtAttrBitmap = 0x1 // of a symbolic link itself
	ExtAttrCreate   ExtAttrBitmap = 0x2 // SetExtAttr: it must not be there yet
	ExtAttrReplace  ExtAttrBitmap = 0x4 // SetExtAttr: it must be there
)

// GetExtAttrRequest asks for the value of an extended attribute.
type GetExtAttrRequest struct {
	Volume   VolumeID
	Dir      NodeID
	Bitmap   ExtAttrBitmap
	Offset   int64  // 0
	Count    int64  // -1
	MaxReply uint32 // 0: only its length is wanted
	Path     Path
	Name     string // UTF-8
}

// Decode reads the message.
func (m *GetExtAttrRequest) Decode(r *cursor.Reader) {
	begin(r, GetExtAttr)
	r.U8() // Pad
	m.Volume = VolumeID(r.BE16())
	m.Dir = NodeID(r.BE32())
	m.Bitmap = ExtAttrBitmap(r.BE16())
	m.Offset = int64(r.BE64())
	m.Count = int64(r.BE64())
	m.MaxReply = r.BE32()
	m.Path.decode(r)
	r.Align(2)
	m.Name = readUTF8(r)
}

// Encode writes the message.
func (m *GetExtAttrRequest) Encode(w *cursor.Writer) {
	padded(w, GetExtAttr)
	w.BE16(uint16(m.Volume))
	w.BE32(uint32(m.Dir))
	w.BE16(uint16(m.Bitmap))
	w.BE64(uint64(m.Offset))
	w.BE64(uint64(m.Count))
	w.BE32(m.MaxReply)
	m.Path.encode(w)
	w.Align(2)
	writeUTF8(w, m.Name)
}

// GetExtAttrReply brings it.
type GetExtAttrReply struct {
	Bitmap ExtAttrBitmap
	Length uint32 // of the whole value
	Value  []byte // nothing if only Length was wanted
}

// Decode reads the reply block.
func (m *GetExtAttrReply) Decode(r *cursor.Reader) {
	m.Bitmap = ExtAttrBitmap(r.BE16())
	m.Length = r.BE32()
	m.Value = r.Rest()
}

// Encode writes the reply block.
func (m *GetExtAttrReply) Encode(w *cursor.Writer) {
	w.BE16(uint16(m.Bitmap))
	w.BE32(m.Length)
	w.Bytes(m.Value)
}

// SetExtAttrRequest sets the value of an extended attribute.
type SetExtAttrRequest struct {
	Volume VolumeID
	Dir    NodeID
	Bitmap ExtAttrBitmap
	Offset int64 // 0
	Path   Path
	Name   string // UTF-8
	Value  []byte
}

// Decode reads the message.
func (m *SetExtAttrRequest) Decode(r *cursor.Reader) {
	begin(r, SetExtAttr)
	r.U8() // Pad
	m.Volume = VolumeID(r.BE16())
	m.Dir = NodeID(r.BE32())
	m.Bitmap = ExtAttrBitmap(r.BE16())
	m.Offset = int64(r.BE64())
	m.Path.decode(r)
	r.Align(2)
	m.Name = readUTF8(r)
	m.Value = r.Bytes(int(r.BE32()))
}

// Encode writes the message.
func (m *SetExtAttrRequest) Encode(w *cursor.Writer) {
	padded(w, SetExtAttr)
	w.BE16(uint16(m.Volume))
	w.BE32(uint32(m.Dir))
	w.BE16(uint16(m.Bitmap))
	w.BE64(uint64(m.Offset))
	m.Path.encode(w)
	w.Align(2)
	writeUTF8(w, m.Name)
	w.BE32(uint32(len(m.Value)))
	w.Bytes(m.Value)
}

// RemoveExtAttrRequest removes an extended attribute.
type RemoveExtAttrRequest struct {
	Volume VolumeID
	Dir    NodeID
	Bitmap ExtAttrBitmap
	Path   Path
	Name   string // UTF-8
}

// Decode reads the message.
func (m *RemoveExtAttrRequest) Decode(r *cursor.Reader) {
	begin(r, RemoveExtAttr)
	r.U8() // Pad
	m.Volume = VolumeID(r.BE16())
	m.Dir = NodeID(r.BE32())
	m.Bitmap = ExtAttrBitmap(r.BE16())
	m.Path.decode(r)
	r.Align(2)
	m.Name = readUTF8(r)
}

// Encode writes the message.
func (m *RemoveExtAttrRequest) Encode(w *cursor.Writer) {
	padded(w, RemoveExtAttr)
	w.BE16(uint16(m.Volume))
	w.BE32(uint32(m.Dir))
	w.BE16(uint16(m.Bitmap))
	m.Path.encode(w)
	w.Align(2)
	writeUTF8(w, m.Name)
}

// ListExtAttrsRequest asks for the names of the extended attributes of a file or
// folder.
type ListExtAttrsRequest struct {
	Volume   VolumeID
	Dir      NodeID
	Bitmap   ExtAttrBitmap
	Count    uint16 // 0
	Start    uint32 // 0
	MaxReply uint32 // 0: only their length is wanted
	Path     Path
}

// Decode reads the message.
func (m *ListExtAttrsRequest) Decode(r *cursor.Reader) {
	begin(r, ListExtAttrs)
	r.U8() // Pad
	m.Volume = VolumeID(r.BE16())
	m.Dir = NodeID(r.BE32())
	m.Bitmap = ExtAttrBitmap(r.BE16())
	m.Count = r.BE16()
	m.Start = r.BE32()
	m.MaxReply = r.BE32()
	m.Path.decode(r)
}

// Encode writes the message.
func (m *ListExtAttrsRequest) Encode(w *cursor.Writer) {
	padded(w, ListExtAttrs)
	w.BE16(uint16(m.Volume))
	w.BE32(uint32(m.Dir))
	w.BE16(uint16(m.Bitmap))
	w.BE16(m.Count)
	w.BE32(m.Start)
	w.BE32(m.MaxReply)
	m.Path.encode(w)
}

// ListExtAttrsReply brings them.
type ListExtAttrsReply struct {
	Bitmap ExtAttrBitmap
	Length uint32   // of all names, each with a NUL behind it
	Names  []string // UTF-8; none if only Length was wanted
}

// NamesLength returns what Length is for names.
func NamesLength(names []string) uint32 {
	n := 0
	for _, name := range names {
		n += len(name) + 1
	}
	return uint32(n)
}

// Decode reads the reply block.
func (m *ListExtAttrsReply) Decode(r *cursor.Reader) {
	m.Bitmap = ExtAttrBitmap(r.BE16())
	m.Length = r.BE32()
	m.Names = m.Names[:0]
	rest := r.Rest()
	for len(rest) > 0 {
		name, after, ended := bytes.Cut(rest, []byte{0})
		if !ended {
			r.Failf("name of an extended attribute without an end")
			return
		}
		m.Names = append(m.Names, string(name))
		rest = after
	}
}

// Encode writes the reply block.
func (m *ListExtAttrsReply) Encode(w *cursor.Writer) {
	w.BE16(uint16(m.Bitmap))
	w.BE32(m.Length)
	for _, name := range m.Names {
		w.Bytes([]byte(name))
		w.U8(0)
	}
}
