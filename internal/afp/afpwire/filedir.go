package afpwire

import "github.com/dozo-server/dozo/internal/cursor"

// GetFileDirParmsRequest asks for the parameters of a file or folder.
type GetFileDirParmsRequest struct {
	Volume VolumeID
	Dir    NodeID
	Files  Bitmap // if it is a file
	Dirs   Bitmap // if it is a folder
	Path   Path
}

// Decode reads the message.
func (m *GetFileDirParmsRequest) Decode(r *cursor.Reader) {
	begin(r, GetFileDirParms)
	r.U8() // Pad
	m.Volume = VolumeID(r.BE16())
	m.Dir = NodeID(r.BE32())
	m.Files = Bitmap(r.BE16())
	m.Dirs = Bitmap(r.BE16())
	m.Path.decode(r)
}

// Encode writes the message.
func (m *GetFileDirParmsRequest) Encode(w *cursor.Writer) {
	padded(w, GetFileDirParms)
	w.BE16(uint16(m.Volume))
	w.BE32(uint32(m.Dir))
	w.BE16(uint16(m.Files))
	w.BE16(uint16(m.Dirs))
	m.Path.encode(w)
}

// GetFileDirParmsReply brings them. Parms.Dir says which bitmap holds.
type GetFileDirParmsReply struct {
	Files Bitmap
	Dirs  Bitmap
	Parms Parms
}

// Decode reads the reply block.
func (m *GetFileDirParmsReply) Decode(r *cursor.Reader) {
	m.Files = Bitmap(r.BE16())
	m.Dirs = Bitmap(r.BE16())
	m.Parms.Dir = r.U8()&highBit != 0
	r.U8() // Pad
	m.Parms.Decode(r, m.Parms.of(m.Files, m.Dirs))
}

// Encode writes the reply block.
func (m *GetFileDirParmsReply) Encode(w *cursor.Writer) {
	w.BE16(uint16(m.Files))
	w.BE16(uint16(m.Dirs))
	w.U8(flagged(m.Parms.Dir, highBit))
	w.U8(0)
	m.Parms.Encode(w, m.Parms.of(m.Files, m.Dirs))
}

// of chooses the bitmap that holds.
func (p *Parms) of(files, dirs Bitmap) Bitmap {
	if p.Dir {
		return dirs
	}
	return files
}

// SetParmsRequest changes parameters of a file or folder. It serves
// SetFileDirParms, SetFileParms and SetDirParms.
//
// What the block of parameters means depends on what Path leads to, so it is
// left to Parms.Decode, and written with Parms.Encode.
type SetParmsRequest struct {
	Command Command
	Volume  VolumeID
	Dir     NodeID
	Bitmap  Bitmap
	Path    Path
	Block   []byte
}

// Decode reads the message.
func (m *SetParmsRequest) Decode(r *cursor.Reader) {
	m.Command = beginOne(r, SetFileDirParms, SetFileParms, SetDirParms)
	r.U8() // Pad
	m.Volume = VolumeID(r.BE16())
	m.Dir = NodeID(r.BE32())
	m.Bitmap = Bitmap(r.BE16())
	m.Path.decode(r)
	r.Align(2)
	m.Block = r.Rest()
}

// Encode writes the message.
func (m *SetParmsRequest) Encode(w *cursor.Writer) {
	padded(w, m.Command)
	w.BE16(uint16(m.Volume))
	w.BE32(uint32(m.Dir))
	w.BE16(uint16(m.Bitmap))
	m.Path.encode(w)
	w.Align(2)
	w.Bytes(m.Block)
}
