package afpwire

import "github.com/dozo-server/dozo/internal/cursor"

// GetSrvrInfoRequest asks for a ServerInfo. DSIGetStatus does so without a
// message.
type GetSrvrInfoRequest struct{}

// Decode reads the message.
func (*GetSrvrInfoRequest) Decode(r *cursor.Reader) { begin(r, GetSrvrInfo) }

// Encode writes the message.
func (*GetSrvrInfoRequest) Encode(w *cursor.Writer) { padded(w, GetSrvrInfo) }

// GetSrvrParmsRequest asks for the volumes of a server.
type GetSrvrParmsRequest struct{}

// Decode reads the message.
func (*GetSrvrParmsRequest) Decode(r *cursor.Reader) { begin(r, GetSrvrParms) }

// Encode writes the message.
func (*GetSrvrParmsRequest) Encode(w *cursor.Writer) { padded(w, GetSrvrParms) }

// GetSrvrParmsReply lists them. Their number is a byte, whatever the AFP
// Reference says.
type GetSrvrParmsReply struct {
	Time    Date // of the server's clock
	Volumes []ListedVolume
}

// ListedVolume is a volume of a GetSrvrParmsReply.
type ListedVolume struct {
	HasPassword   bool
	HasConfigInfo bool   // an Apple II may start from it
	Name          string // UTF-8 with AFP 3, else MacRoman of at most 27 bytes
}

const (
	listedHasPassword   = 0x80
	listedHasConfigInfo = 0x01
)

// Decode reads the reply block.
func (m *GetSrvrParmsReply) Decode(r *cursor.Reader) {
	m.Time = Date(r.BE32())
	m.Volumes = m.Volumes[:0]
	for range r.U8() {
		flags := r.U8()
		v := ListedVolume{flags&listedHasPassword != 0, flags&listedHasConfigInfo != 0, readPascal(r)}
		if r.Err() != nil {
			break
		}
		m.Volumes = append(m.Volumes, v)
	}
}

// Encode writes the reply block, with at most 255 volumes.
func (m *GetSrvrParmsReply) Encode(w *cursor.Writer) {
	volumes := m.Volumes[:min(len(m.Volumes), 255)]
	w.BE32(uint32(m.Time))
	w.U8(uint8(len(volumes)))
	for _, v := range volumes {
		w.U8(flagged(v.HasPassword, listedHasPassword) | flagged(v.HasConfigInfo, listedHasConfigInfo))
		writePascal(w, v.Name)
	}
}

// MessageType says which message GetSrvrMsg asks for.
type MessageType uint16

// The message types.
const (
	LoginMessage  MessageType = 0
	ServerMessage MessageType = 1
)

// Bits of GetSrvrMsg.
const (
	MessageWanted uint16 = 0x1
	MessageUTF8   uint16 = 0x2 // rather than MacRoman
)

// GetSrvrMsgRequest asks for a message to the user.
type GetSrvrMsgRequest struct {
	Type   MessageType
	Bitmap uint16
}

// Decode reads the message.
func (m *GetSrvrMsgRequest) Decode(r *cursor.Reader) {
	begin(r, GetSrvrMsg)
	r.U8() // Pad
	m.Type = MessageType(r.BE16())
	m.Bitmap = r.BE16()
}

// Encode writes the message.
func (m *GetSrvrMsgRequest) Encode(w *cursor.Writer) {
	padded(w, GetSrvrMsg)
	w.BE16(uint16(m.Type))
	w.BE16(m.Bitmap)
}

// GetSrvrMsgReply brings it. Text is empty if there is none.
type GetSrvrMsgReply struct {
	Type   MessageType
	Bitmap uint16
	Text   string // as MessageUTF8 says; servers keep it below 200 bytes
}

// Decode reads the reply block.
func (m *GetSrvrMsgReply) Decode(r *cursor.Reader) {
	m.Type = MessageType(r.BE16())
	m.Bitmap = r.BE16()
	if m.Bitmap&MessageUTF8 != 0 {
		m.Text = readUTF8(r)
	} else {
		m.Text = readPascal(r)
	}
}

// Encode writes the reply block.
func (m *GetSrvrMsgReply) Encode(w *cursor.Writer) {
	w.BE16(uint16(m.Type))
	w.BE16(m.Bitmap)
	if m.Bitmap&MessageUTF8 != 0 {
		writeUTF8(w, m.Text)
	} else {
		writePascal(w, m.Text)
	}
}
