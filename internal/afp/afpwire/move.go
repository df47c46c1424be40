package afpwire

import "github.com/dozo-server/dozo/internal/cursor"

// RenameRequest gives a file or folder another name, in the folder it is in.
type RenameRequest struct {
	Volume  VolumeID
	Dir     NodeID
	Path    Path
	NewName Path
}

// Decode reads the message.
func (m *RenameRequest) Decode(r *cursor.Reader) {
	begin(r, Rename)
	r.U8() // Pad
	m.Volume = VolumeID(r.BE16())
	m.Dir = NodeID(r.BE32())
	m.Path.decode(r)
	m.NewName.decode(r)
}

// Encode writes the message.
func (m *RenameRequest) Encode(w *cursor.Writer) {
	padded(w, Rename)
	w.BE16(uint16(m.Volume))
	w.BE32(uint32(m.Dir))
	m.Path.encode(w)
	m.NewName.encode(w)
}

// MoveAndRenameRequest moves a file or folder to another folder of the volume, under
// another name if NewName is not empty.
type MoveAndRenameRequest struct {
	Volume    VolumeID
	SourceDir NodeID
	DestDir   NodeID
	Source    Path
	Dest      Path // to the folder to move to
	NewName   Path
}

// Decode reads the message.
func (m *MoveAndRenameRequest) Decode(r *cursor.Reader) {
	begin(r, MoveAndRename)
	r.U8() // Pad
	m.Volume = VolumeID(r.BE16())
	m.SourceDir = NodeID(r.BE32())
	m.DestDir = NodeID(r.BE32())
	m.Source.decode(r)
	m.Dest.decode(r)
	m.NewName.decode(r)
}

// Encode writes the message.
func (m *MoveAndRenameRequest) Encode(w *cursor.Writer) {
	padded(w, MoveAndRename)
	w.BE16(uint16(m.Volume))
	w.BE32(uint32(m.SourceDir))
	w.BE32(uint32(m.DestDir))
	m.Source.encode(w)
	m.Dest.encode(w)
	m.NewName.encode(w)
}

// CopyFileRequest copies a file, with all that belongs to it, to a folder of the
// same or another volume, under another name if NewName is not empty.
type CopyFileRequest struct {
	SourceVolume VolumeID
	SourceDir    NodeID
	DestVolume   VolumeID
	DestDir      NodeID
	Source       Path
	Dest         Path // to the folder to copy to
	NewName      Path
}

// Decode reads the message.
func (m *CopyFileRequest) Decode(r *cursor.Reader) {
	begin(r, CopyFile)
	r.U8() // Pad
	m.SourceVolume = VolumeID(r.BE16())
	m.SourceDir = NodeID(r.BE32())
	m.DestVolume = VolumeID(r.BE16())
	m.DestDir = NodeID(r.BE32())
	m.Source.decode(r)
	m.Dest.decode(r)
	m.NewName.decode(r)
}

// Encode writes the message.
func (m *CopyFileRequest) Encode(w *cursor.Writer) {
	padded(w, CopyFile)
	w.BE16(uint16(m.SourceVolume))
	w.BE32(uint32(m.SourceDir))
	w.BE16(uint16(m.DestVolume))
	w.BE32(uint32(m.DestDir))
	m.Source.encode(w)
	m.Dest.encode(w)
	m.NewName.encode(w)
}

// ExchangeFilesRequest makes two files change places, so that a program can save a
// document as a new file and keep its name and id.
type ExchangeFilesRequest struct {
	Volume    VolumeID
	SourceDir NodeID
	DestDir   NodeID
	Source    Path
	Dest      Path
}

// Decode reads the message.
func (m *ExchangeFilesRequest) Decode(r *cursor.Reader) {
	begin(r, ExchangeFiles)
	r.U8() // Pad
	m.Volume = VolumeID(r.BE16())
	m.SourceDir = NodeID(r.BE32())
	m.DestDir = NodeID(r.BE32())
	m.Source.decode(r)
	m.Dest.decode(r)
}

// Encode writes the message.
func (m *ExchangeFilesRequest) Encode(w *cursor.Writer) {
	padded(w, ExchangeFiles)
	w.BE16(uint16(m.Volume))
	w.BE32(uint32(m.SourceDir))
	w.BE32(uint32(m.DestDir))
	m.Source.encode(w)
	m.Dest.encode(w)
}
