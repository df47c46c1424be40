package afpwire

import "github.com/dozo-server/dozo/internal/cursor"

// OpenDirRequest asks for the id of a folder.
type OpenDirRequest struct {
	Volume VolumeID
	Dir    NodeID
	Path   Path
}

// Decode reads the message.
func (m *OpenDirRequest) Decode(r *cursor.Reader) {
	begin(r, OpenDir)
	r.U8() // Pad
	m.Volume = VolumeID(r.BE16())
	m.Dir = NodeID(r.BE32())
	m.Path.decode(r)
}

// Encode writes the message.
func (m *OpenDirRequest) Encode(w *cursor.Writer) {
	padded(w, OpenDir)
	w.BE16(uint16(m.Volume))
	w.BE32(uint32(m.Dir))
	m.Path.encode(w)
}

// OpenDirReply brings it.
type OpenDirReply struct {
	ID NodeID
}

// Decode reads the reply block.
func (m *OpenDirReply) Decode(r *cursor.Reader) {
	m.ID = NodeID(r.BE32())
}

// Encode writes the reply block.
func (m *OpenDirReply) Encode(w *cursor.Writer) {
	w.BE32(uint32(m.ID))
}

// CloseDirRequest says that the id of a folder is no longer needed.
type CloseDirRequest struct {
	Volume VolumeID
	Dir    NodeID
}

// Decode reads the message.
func (m *CloseDirRequest) Decode(r *cursor.Reader) {
	begin(r, CloseDir)
	r.U8() // Pad
	m.Volume = VolumeID(r.BE16())
	m.Dir = NodeID(r.BE32())
}

// Encode writes the message.
func (m *CloseDirRequest) Encode(w *cursor.Writer) {
	padded(w, CloseDir)
	w.BE16(uint16(m.Volume))
	w.BE32(uint32(m.Dir))
}

// SyncDirRequest asks that everything in a folder, and below, be on the disk
// before the reply.
type SyncDirRequest struct {
	Volume VolumeID
	Dir    NodeID
}

// Decode reads the message.
func (m *SyncDirRequest) Decode(r *cursor.Reader) {
	begin(r, SyncDir)
	r.U8() // Pad
	m.Volume = VolumeID(r.BE16())
	m.Dir = NodeID(r.BE32())
}

// Encode writes the message.
func (m *SyncDirRequest) Encode(w *cursor.Writer) {
	padded(w, SyncDir)
	w.BE16(uint16(m.Volume))
	w.BE32(uint32(m.Dir))
}
