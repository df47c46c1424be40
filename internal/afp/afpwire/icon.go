package afpwire

import "github.com/dozo-server/dozo/internal/cursor"

// AddIconRequest stores an icon, whose Size bytes are the data of a DSIWrite.
type AddIconRequest struct {
	Desktop  DesktopID
	Creator  OSType
	Type     OSType
	IconType uint8
	Tag      uint32
	Size     uint16
}

// Decode reads the message.
func (m *AddIconRequest) Decode(r *cursor.Reader) {
	begin(r, AddIcon)
	r.U8() // Pad
	m.Desktop = DesktopID(r.BE16())
	r.Copy(m.Creator[:])
	r.Copy(m.Type[:])
	m.IconType = r.U8()
	r.U8() // Pad
	m.Tag = r.BE32()
	m.Size = r.BE16()
}

// Encode writes the message.
func (m *AddIconRequest) Encode(w *cursor.Writer) {
	padded(w, AddIcon)
	w.BE16(uint16(m.Desktop))
	w.Bytes(m.Creator[:])
	w.Bytes(m.Type[:])
	w.U8(m.IconType)
	w.U8(0)
	w.BE32(m.Tag)
	w.BE16(m.Size)
}

// GetIconRequest asks for an icon.
type GetIconRequest struct {
	Desktop  DesktopID
	Creator  OSType
	Type     OSType
	IconType uint8
	Size     uint16 // the most bytes of it
}

// Decode reads the message.
func (m *GetIconRequest) Decode(r *cursor.Reader) {
	begin(r, GetIcon)
	r.U8() // Pad
	m.Desktop = DesktopID(r.BE16())
	r.Copy(m.Creator[:])
	r.Copy(m.Type[:])
	m.IconType = r.U8()
	r.U8() // Pad
	m.Size = r.BE16()
}

// Encode writes the message.
func (m *GetIconRequest) Encode(w *cursor.Writer) {
	padded(w, GetIcon)
	w.BE16(uint16(m.Desktop))
	w.Bytes(m.Creator[:])
	w.Bytes(m.Type[:])
	w.U8(m.IconType)
	w.U8(0)
	w.BE16(m.Size)
}

// GetIconReply brings it.
type GetIconReply struct {
	Icon []byte
}

// Decode reads the reply block.
func (m *GetIconReply) Decode(r *cursor.Reader) {
	m.Icon = r.Rest()
}

// Encode writes the reply block.
func (m *GetIconReply) Encode(w *cursor.Writer) {
	w.Bytes(m.Icon)
}

// GetIconInfoRequest asks for the n-th icon of a creator.
type GetIconInfoRequest struct {
	Desktop DesktopID
	Creator OSType
	Index   uint16 // from 1
}

// Decode reads the message.
func (m *GetIconInfoRequest) Decode(r *cursor.Reader) {
	begin(r, GetIconInfo)
	r.U8() // Pad
	m.Desktop = DesktopID(r.BE16())
	r.Copy(m.Creator[:])
	m.Index = r.BE16()
}

// Encode writes the message.
func (m *GetIconInfoRequest) Encode(w *cursor.Writer) {
	padded(w, GetIconInfo)
	w.BE16(uint16(m.Desktop))
	w.Bytes(m.Creator[:])
	w.BE16(m.Index)
}

// GetIconInfoReply tells which it is.
type GetIconInfoReply struct {
	Tag      uint32
	Type     OSType
	IconType uint8
	Size     uint16 // in bytes
}

// Decode reads the reply block.
func (m *GetIconInfoReply) Decode(r *cursor.Reader) {
	m.Tag = r.BE32()
	r.Copy(m.Type[:])
	m.IconType = r.U8()
	r.U8() // Pad
	m.Size = r.BE16()
}

// Encode writes the reply block.
func (m *GetIconInfoReply) Encode(w *cursor.Writer) {
	w.BE32(m.Tag)
	w.Bytes(m.Type[:])
	w.U8(m.IconType)
	w.U8(0)
	w.BE16(m.Size)
}
