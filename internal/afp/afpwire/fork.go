package afpwire

import "github.com/dozo-server/dozo/internal/cursor"

// OpenMode says what a fork is opened for, and what others may not do with it.
type OpenMode uint16

// The bits of OpenMode.
const (
	OpenRead      OpenMode = 0x01
	OpenWrite     OpenMode = 0x02
	OpenDenyRead  OpenMode = 0x10
	OpenDenyWrite OpenMode = 0x20
)

// OpenForkRequest opens a fork of a file.
type OpenForkRequest struct {
	Resource bool // the resource fork
	Volume   VolumeID
	Dir      NodeID
	Bitmap   Bitmap
	Mode     OpenMode
	Path     Path
}

// Decode reads the message.
func (m *OpenForkRequest) Decode(r *cursor.Reader) {
	begin(r, OpenFork)
	m.Resource = r.U8()&highBit != 0
	m.Volume = VolumeID(r.BE16())
	m.Dir = NodeID(r.BE32())
	m.Bitmap = Bitmap(r.BE16())
	m.Mode = OpenMode(r.BE16())
	m.Path.decode(r)
}

// Encode writes the message.
func (m *OpenForkRequest) Encode(w *cursor.Writer) {
	w.U8(uint8(OpenFork))
	w.U8(flagged(m.Resource, highBit))
	w.BE16(uint16(m.Volume))
	w.BE32(uint32(m.Dir))
	w.BE16(uint16(m.Bitmap))
	w.BE16(uint16(m.Mode))
	m.Path.encode(w)
}

// OpenForkReply brings the open fork and the parameters of the file. With
// ResultDenyConflict there are only the parameters.
type OpenForkReply struct {
	Bitmap Bitmap
	Fork   ForkID // 0 if it is not open
	Parms  Parms  // of a file
}

// Decode reads the reply block.
func (m *OpenForkReply) Decode(r *cursor.Reader) {
	m.Bitmap = Bitmap(r.BE16())
	m.Fork = ForkID(r.BE16())
	m.Parms.Decode(r, m.Bitmap)
}

// Encode writes the reply block.
func (m *OpenForkReply) Encode(w *cursor.Writer) {
	w.BE16(uint16(m.Bitmap))
	w.BE16(uint16(m.Fork))
	m.Parms.Encode(w, m.Bitmap)
}

// CloseForkRequest closes a fork.
type CloseForkRequest struct {
	Fork ForkID
}

// Decode reads the message.
func (m *CloseForkRequest) Decode(r *cursor.Reader) {
	begin(r, CloseFork)
	r.U8() // Pad
	m.Fork = ForkID(r.BE16())
}

// Encode writes the message.
func (m *CloseForkRequest) Encode(w *cursor.Writer) {
	padded(w, CloseFork)
	w.BE16(uint16(m.Fork))
}

// FlushForkRequest asks that what was written to a fork reach the disk.
type FlushForkRequest struct {
	Fork ForkID
}

// Decode reads the message.
func (m *FlushForkRequest) Decode(r *cursor.Reader) {
	begin(r, FlushFork)
	r.U8() // Pad
	m.Fork = ForkID(r.BE16())
}

// Encode writes the message.
func (m *FlushForkRequest) Encode(w *cursor.Writer) {
	padded(w, FlushFork)
	w.BE16(uint16(m.Fork))
}

// SyncForkRequest asks that all of a fork be on the disk before the reply.
type SyncForkRequest struct {
	Fork ForkID
}

// Decode reads the message.
func (m *SyncForkRequest) Decode(r *cursor.Reader) {
	begin(r, SyncFork)
	r.U8() // Pad
	m.Fork = ForkID(r.BE16())
}

// Encode writes the message.
func (m *SyncForkRequest) Encode(w *cursor.Writer) {
	padded(w, SyncFork)
	w.BE16(uint16(m.Fork))
}

// GetForkParmsRequest asks for the parameters of the file of an open fork.
type GetForkParmsRequest struct {
	Fork   ForkID
	Bitmap Bitmap // without the length of the other fork
}

// Decode reads the message.
func (m *GetForkParmsRequest) Decode(r *cursor.Reader) {
	begin(r, GetForkParms)
	r.U8() // Pad
	m.Fork = ForkID(r.BE16())
	m.Bitmap = Bitmap(r.BE16())
}

// Encode writes the message.
func (m *GetForkParmsRequest) Encode(w *cursor.Writer) {
	padded(w, GetForkParms)
	w.BE16(uint16(m.Fork))
	w.BE16(uint16(m.Bitmap))
}

// GetForkParmsReply brings them.
type GetForkParmsReply struct {
	Bitmap Bitmap
	Parms  Parms // of a file
}

// Decode reads the reply block.
func (m *GetForkParmsReply) Decode(r *cursor.Reader) {
	m.Bitmap = Bitmap(r.BE16())
	m.Parms.Decode(r, m.Bitmap)
}

// Encode writes the reply block.
func (m *GetForkParmsReply) Encode(w *cursor.Writer) {
	w.BE16(uint16(m.Bitmap))
	m.Parms.Encode(w, m.Bitmap)
}

// SetForkParmsRequest changes the length of an open fork.
type SetForkParmsRequest struct {
	Fork   ForkID
	Bitmap Bitmap // one of the four lengths
	Length int64
}

// Decode reads the message.
func (m *SetForkParmsRequest) Decode(r *cursor.Reader) {
	begin(r, SetForkParms)
	r.U8() // Pad
	m.Fork = ForkID(r.BE16())
	m.Bitmap = Bitmap(r.BE16())
	m.Length = readOffset(r, m.long())
}

// Encode writes the message.
func (m *SetForkParmsRequest) Encode(w *cursor.Writer) {
	padded(w, SetForkParms)
	w.BE16(uint16(m.Fork))
	w.BE16(uint16(m.Bitmap))
	writeOffset(w, m.Length, m.long())
}

func (m *SetForkParmsRequest) long() bool {
	return m.Bitmap&(BitExtDataLength|BitExtResourceLength) != 0
}

// readOffset reads an offset or length, signed, of 64 or 32 bits.
func readOffset(r *cursor.Reader, long bool) int64 {
	if long {
		return int64(r.BE64())
	}
	return int64(int32(r.BE32()))
}

// writeOffset writes what readOffset reads.
func writeOffset(w *cursor.Writer, v int64, long bool) {
	if long {
		w.BE64(uint64(v))
	} else {
		w.BE32(uint32(v))
	}
}
