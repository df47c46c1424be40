package afpwire

import "github.com/dozo-server/dozo/internal/cursor"

// CreateIDRequest gives a file an id. All files have one today, so that the answer
// is ResultIDExists.
type CreateIDRequest struct {
	Volume VolumeID
	Dir    NodeID
	Path   Path
}

// Decode reads the message.
func (m *CreateIDRequest) Decode(r *cursor.Reader) {
	begin(r, CreateID)
	r.U8() // Pad
	m.Volume = VolumeID(r.BE16())
	m.Dir = NodeID(r.BE32())
	m.Path.decode(r)
}

// Encode writes the message.
func (m *CreateIDRequest) Encode(w *cursor.Writer) {
	padded(w, CreateID)
	w.BE16(uint16(m.Volume))
	w.BE32(uint32(m.Dir))
	m.Path.encode(w)
}

// CreateIDReply tells it, with ResultNoErr and with ResultIDExists. The AFP
// Reference forgot it.
type CreateIDReply struct {
	ID NodeID
}

// Decode reads the reply block.
func (m *CreateIDReply) Decode(r *cursor.Reader) {
	m.ID = NodeID(r.BE32())
}

// Encode writes the reply block.
func (m *CreateIDReply) Encode(w *cursor.Writer) {
	w.BE32(uint32(m.ID))
}

// DeleteIDRequest takes the id from a file.
type DeleteIDRequest struct {
	Volume VolumeID
	ID     NodeID
}

// Decode reads the message.
func (m *DeleteIDRequest) Decode(r *cursor.Reader) {
	begin(r, DeleteID)
	r.U8() // Pad
	m.Volume = VolumeID(r.BE16())
	m.ID = NodeID(r.BE32())
}

// Encode writes the message.
func (m *DeleteIDRequest) Encode(w *cursor.Writer) {
	padded(w, DeleteID)
	w.BE16(uint16(m.Volume))
	w.BE32(uint32(m.ID))
}

// ResolveIDRequest asks for the parameters of the file with an id.
type ResolveIDRequest struct {
	Volume VolumeID
	ID     NodeID
	Bitmap Bitmap
}

// Decode reads the message.
func (m *ResolveIDRequest) Decode(r *cursor.Reader) {
	begin(r, ResolveID)
	r.U8() // Pad
	m.Volume = VolumeID(r.BE16())
	m.ID = NodeID(r.BE32())
	m.Bitmap = Bitmap(r.BE16())
}

// Encode writes the message.
func (m *ResolveIDRequest) Encode(w *cursor.Writer) {
	padded(w, ResolveID)
	w.BE16(uint16(m.Volume))
	w.BE32(uint32(m.ID))
	w.BE16(uint16(m.Bitmap))
}

// ResolveIDReply brings them.
type ResolveIDReply struct {
	Bitmap Bitmap
	Parms  Parms // of a file
}

// Decode reads the reply block.
func (m *ResolveIDReply) Decode(r *cursor.Reader) {
	m.Bitmap = Bitmap(r.BE16())
	m.Parms.Decode(r, m.Bitmap)
}

// Encode writes the reply block.
func (m *ResolveIDReply) Encode(w *cursor.Writer) {
	w.BE16(uint16(m.Bitmap))
	m.Parms.Encode(w, m.Bitmap)
}
