package afpwire

import "github.com/dozo-server/dozo/internal/cursor"

// AddAPPLRequest notes that a file is an application of a creator.
type AddAPPLRequest struct {
	Desktop DesktopID
	Dir     NodeID
	Creator OSType
	Tag     uint32
	Path    Path
}

// Decode reads the message.
func (m *AddAPPLRequest) Decode(r *cursor.Reader) {
	begin(r, AddAPPL)
	r.U8() // Pad
	m.Desktop = DesktopID(r.BE16())
	m.Dir = NodeID(r.BE32())
	r.Copy(m.Creator[:])
	m.Tag = r.BE32()
	m.Path.decode(r)
}

// Encode writes the message.
func (m *AddAPPLRequest) Encode(w *cursor.Writer) {
	padded(w, AddAPPL)
	w.BE16(uint16(m.Desktop))
	w.BE32(uint32(m.Dir))
	w.Bytes(m.Creator[:])
	w.BE32(m.Tag)
	m.Path.encode(w)
}

// RemoveAPPLRequest forgets it.
type RemoveAPPLRequest struct {
	Desktop DesktopID
	Dir     NodeID
	Creator OSType
	Path    Path
}

// Decode reads the message.
func (m *RemoveAPPLRequest) Decode(r *cursor.Reader) {
	begin(r, RemoveAPPL)
	r.U8() // Pad
	m.Desktop = DesktopID(r.BE16())
	m.Dir = NodeID(r.BE32())
	r.Copy(m.Creator[:])
	m.Path.decode(r)
}

// Encode writes the message.
func (m *RemoveAPPLRequest) Encode(w *cursor.Writer) {
	padded(w, RemoveAPPL)
	w.BE16(uint16(m.Desktop))
	w.BE32(uint32(m.Dir))
	w.Bytes(m.Creator[:])
	m.Path.encode(w)
}

// GetAPPLRequest asks for the n-th application of a creator.
type GetAPPLRequest struct {
	Desktop DesktopID
	Creator OSType
	Index   uint16 // from 1; 0 is the first, too
	Bitmap  Bitmap
}

// Decode reads the message.
func (m *GetAPPLRequest) Decode(r *cursor.Reader) {
	begin(r, GetAPPL)
	r.U8() // Pad
	m.Desktop = DesktopID(r.BE16())
	r.Copy(m.Creator[:])
	m.Index = r.BE16()
	m.Bitmap = Bitmap(r.BE16())
}

// Encode writes the message.
func (m *GetAPPLRequest) Encode(w *cursor.Writer) {
	padded(w, GetAPPL)
	w.BE16(uint16(m.Desktop))
	w.Bytes(m.Creator[:])
	w.BE16(m.Index)
	w.BE16(uint16(m.Bitmap))
}

// GetAPPLReply brings it.
type GetAPPLReply struct {
	Bitmap Bitmap
	Tag    uint32
	Parms  Parms // of a file
}

// Decode reads the reply block.
func (m *GetAPPLReply) Decode(r *cursor.Reader) {
	m.Bitmap = Bitmap(r.BE16())
	m.Tag = r.BE32()
	m.Parms.Decode(r, m.Bitmap)
}

// Encode writes the reply block.
func (m *GetAPPLReply) Encode(w *cursor.Writer) {
	w.BE16(uint16(m.Bitmap))
	w.BE32(m.Tag)
	m.Parms.Encode(w, m.Bitmap)
}
