package afpwire

import "github.com/dozo-server/dozo/internal/cursor"

// CreateFileRequest makes an empty file.
type CreateFileRequest struct {
	Hard   bool // replace a file that is there and not open
	Volume VolumeID
	Dir    NodeID
	Path   Path // of the file
}

// Decode reads the message.
func (m *CreateFileRequest) Decode(r *cursor.Reader) {
	begin(r, CreateFile)
	m.Hard = r.U8()&highBit != 0
	m.Volume = VolumeID(r.BE16())
	m.Dir = NodeID(r.BE32())
	m.Path.decode(r)
}

// Encode writes the message.
func (m *CreateFileRequest) Encode(w *cursor.Writer) {
	w.U8(uint8(CreateFile))
	w.U8(flagged(m.Hard, highBit))
	w.BE16(uint16(m.Volume))
	w.BE32(uint32(m.Dir))
	m.Path.encode(w)
}

// CreateDirRequest makes an empty folder.
type CreateDirRequest struct {
	Volume VolumeID
	Dir    NodeID
	Path   Path // of the folder
}

// Decode reads the message.
func (m *CreateDirRequest) Decode(r *cursor.Reader) {
	begin(r, CreateDir)
	r.U8() // Pad
	m.Volume = VolumeID(r.BE16())
	m.Dir = NodeID(r.BE32())
	m.Path.decode(r)
}

// Encode writes the message.
func (m *CreateDirRequest) Encode(w *cursor.Writer) {
	padded(w, CreateDir)
	w.BE16(uint16(m.Volume))
	w.BE32(uint32(m.Dir))
	m.Path.encode(w)
}

// CreateDirReply tells its id.
type CreateDirReply struct {
	ID NodeID
}

// Decode reads the reply block.
func (m *CreateDirReply) Decode(r *cursor.Reader) {
	m.ID = NodeID(r.BE32())
}

// Encode writes the reply block.
func (m *CreateDirReply) Encode(w *cursor.Writer) {
	w.BE32(uint32(m.ID))
}

// DeleteRequest deletes a file, or an empty folder.
type DeleteRequest struct {
	Volume VolumeID
	Dir    NodeID
	Path   Path
}

// Decode reads the message.
func (m *DeleteRequest) Decode(r *cursor.Reader) {
	begin(r, Delete)
	r.U8() // Pad
	m.Volume = VolumeID(r.BE16())
	m.Dir = NodeID(r.BE32())
	m.Path.decode(r)
}

// Encode writes the message.
func (m *DeleteRequest) Encode(w *cursor.Writer) {
	padded(w, Delete)
	w.BE16(uint16(m.Volume))
	w.BE32(uint32(m.Dir))
	m.Path.encode(w)
}
