package afpwire

import "github.com/dozo-server/dozo/internal/cursor"

// OpenDTRequest opens the desktop database of a volume, where comments are, and the
// icons and applications of classic Macs.
type OpenDTRequest struct {
	Volume VolumeID
}

// Decode reads the message.
func (m *OpenDTRequest) Decode(r *cursor.Reader) {
	begin(r, OpenDT)
	r.U8() // Pad
	m.Volume = VolumeID(r.BE16())
}

// Encode writes the message.
func (m *OpenDTRequest) Encode(w *cursor.Writer) {
	padded(w, OpenDT)
	w.BE16(uint16(m.Volume))
}

// OpenDTReply brings it.
type OpenDTReply struct {
	Desktop DesktopID
}

// Decode reads the reply block.
func (m *OpenDTReply) Decode(r *cursor.Reader) {
	m.Desktop = DesktopID(r.BE16())
}

// Encode writes the reply block.
func (m *OpenDTReply) Encode(w *cursor.Writer) {
	w.BE16(uint16(m.Desktop))
}

// CloseDTRequest closes a desktop database.
type CloseDTRequest struct {
	Desktop DesktopID
}

// Decode reads the message.
func (m *CloseDTRequest) Decode(r *cursor.Reader) {
	begin(r, CloseDT)
	r.U8() // Pad
	m.Desktop = DesktopID(r.BE16())
}

// Encode writes the message.
func (m *CloseDTRequest) Encode(w *cursor.Writer) {
	padded(w, CloseDT)
	w.BE16(uint16(m.Desktop))
}

// MaxComment is the most bytes that a comment may have; the rest is dropped.
const MaxComment = 199

// AddCommentRequest gives a file or folder a comment.
type AddCommentRequest struct {
	Desktop DesktopID
	Dir     NodeID
	Path    Path
	Comment string // MacRoman
}

// Decode reads the message.
func (m *AddCommentRequest) Decode(r *cursor.Reader) {
	begin(r, AddComment)
	r.U8() // Pad
	m.Desktop = DesktopID(r.BE16())
	m.Dir = NodeID(r.BE32())
	m.Path.decode(r)
	r.Align(2)
	m.Comment = readPascal(r)
}

// Encode writes the message.
func (m *AddCommentRequest) Encode(w *cursor.Writer) {
	padded(w, AddComment)
	w.BE16(uint16(m.Desktop))
	w.BE32(uint32(m.Dir))
	m.Path.encode(w)
	w.Align(2)
	writePascal(w, m.Comment)
}

// RemoveCommentRequest removes the comment of a file or folder.
type RemoveCommentRequest struct {
	Desktop DesktopID
	Dir     NodeID
	Path    Path
}

// Decode reads the message.
func (m *RemoveCommentRequest) Decode(r *cursor.Reader) {
	begin(r, RemoveComment)
	r.U8() // Pad
	m.Desktop = DesktopID(r.BE16())
	m.Dir = NodeID(r.BE32())
	m.Path.decode(r)
}

// Encode writes the message.
func (m *RemoveCommentRequest) Encode(w *cursor.Writer) {
	padded(w, RemoveComment)
	w.BE16(uint16(m.Desktop))
	w.BE32(uint32(m.Dir))
	m.Path.encode(w)
}

// GetCommentRequest asks for the comment of a file or folder.
type GetCommentRequest struct {
	Desktop DesktopID
	Dir     NodeID
	Path    Path
}

// Decode reads the message.
func (m *GetCommentRequest) Decode(r *cursor.Reader) {
	begin(r, GetComment)
	r.U8() // Pad
	m.Desktop = DesktopID(r.BE16())
	m.Dir = NodeID(r.BE32())
	m.Path.decode(r)
}

// Encode writes the message.
func (m *GetCommentRequest) Encode(w *cursor.Writer) {
	padded(w, GetComment)
	w.BE16(uint16(m.Desktop))
	w.BE32(uint32(m.Dir))
	m.Path.encode(w)
}

// GetCommentReply brings it.
type GetCommentReply struct {
	Comment string // MacRoman
}

// Decode reads the reply block.
func (m *GetCommentReply) Decode(r *cursor.Reader) {
	m.Comment = readPascal(r)
}

// Encode writes the reply block.
func (m *GetCommentReply) Encode(w *cursor.Writer) {
	writePascal(w, m.Comment)
}
