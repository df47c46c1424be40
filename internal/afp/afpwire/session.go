package afpwire

import "github.com/dozo-server/dozo/internal/cursor"

// DefaultAttentionQuantum is the longest DSIAttention that a client takes if it
// does not say more: a word.
const DefaultAttentionQuantum = 2

// SessionOptions are the payload of DSIOpenSession and its reply. Zero values
// are left out.
type SessionOptions struct {
	ServerQuantum    uint32 // the most data in a request (from the server)
	AttentionQuantum uint32 // the longest DSIAttention (from the client)
	ReplayCacheSize  uint32 // requests whose replies are remembered (from the server, AFP 3.3)
}

// The types of options, whose values have optionSize bytes.
const (
	optionServerQuantum    = 0
	optionAttentionQuantum = 1
	optionReplayCacheSize  = 2

	optionSize = 4
)

// Decode reads the options.
func (m *SessionOptions) Decode(r *cursor.Reader) {
	*m = SessionOptions{}
	for r.Err() == nil && r.Len() > 0 {
		kind, size := r.U8(), r.U8()
		var value *uint32
		switch kind {
		case optionServerQuantum:
			value = &m.ServerQuantum
		case optionAttentionQuantum:
			value = &m.AttentionQuantum
		case optionReplayCacheSize:
			value = &m.ReplayCacheSize
		default:
			r.Skip(int(size))
			continue
		}
		if size != optionSize && r.Err() == nil {
			r.Failf("DSI option %d of %d bytes", kind, size)
		}
		*value = r.BE32()
	}
}

// Encode writes the options.
func (m *SessionOptions) Encode(w *cursor.Writer) {
	option := func(kind uint8, value uint32) {
		if value != 0 {
			w.U8(kind)
			w.U8(optionSize)
			w.BE32(value)
		}
	}
	option(optionServerQuantum, m.ServerQuantum)
	option(optionAttentionQuantum, m.AttentionQuantum)
	option(optionReplayCacheSize, m.ReplayCacheSize)
}

// Attention is the word in a DSIAttention (AFPUserBytes).
type Attention uint16

// The bits of Attention.
const (
	AttentionShutDown    Attention = 0x8000 // the server stops, or the user is disconnected, in Minutes
	AttentionCrash       Attention = 0x4000 // the server stops now, and data may be lost
	AttentionMessage     Attention = 0x2000 // there is a message for GetSrvrMsg
	AttentionNoReconnect Attention = 0x1000 // with AttentionShutDown: don't come back by yourself

	// AttentionNotify tells of an event; which one is in the other bits.
	AttentionNotify        = AttentionMessage | AttentionNoReconnect
	AttentionVolumeChanged = AttentionNotify | 1 // ask all volumes for their modification dates
)

// AttentionCanceled as Minutes revokes a shutdown.
const AttentionCanceled = 0xfff

// Minutes returns how long it is until a shutdown, or AttentionCanceled.
func (a Attention) Minutes() int { return int(a & 0xfff) }

// AttentionRequest is the payload of DSIAttention.
type AttentionRequest struct {
	Code Attention
}

// Decode reads the payload.
func (m *AttentionRequest) Decode(r *cursor.Reader) { m.Code = Attention(r.BE16()) }

// Encode writes the payload.
func (m *AttentionRequest) Encode(w *cursor.Writer) { w.BE16(uint16(m.Code)) }

// TokenType says what GetSessionToken is for.
type TokenType uint16

// The token types.
const (
	LoginWithoutID        TokenType = 0 // AFP 3.0
	LoginWithID           TokenType = 1 // ends an older session with the same id
	ReconnWithID          TokenType = 2 // gives this session, reconnected, a new id
	LoginWithTimeAndID    TokenType = 3 // ends an older session with the same id and another time
	ReconnWithTimeAndID   TokenType = 4
	Recon1Login           TokenType = 5
	Recon1ReconnectLogin  TokenType = 6
	Recon1RefreshToken    TokenType = 7
	GetKerberosSessionKey TokenType = 8
)

// timed reports whether the client adds a time to its id.
func (t TokenType) timed() bool {
	return t == LoginWithTimeAndID || t == ReconnWithTimeAndID || t == Recon1Login || t == Recon1RefreshToken
}

// GetSessionTokenRequest asks for a token by which a client that lost its
// connection can name this session.
type GetSessionTokenRequest struct {
	Type      TokenType
	Timestamp uint32 // when the client's machine started, in the types with a time
	ID        []byte // by which the client knows this session; none with LoginWithoutID
}

// Decode reads the message. Clients may leave out an empty id.
func (m *GetSessionTokenRequest) Decode(r *cursor.Reader) {
	begin(r, GetSessionToken)
	r.U8() // Pad
	*m = GetSessionTokenRequest{Type: TokenType(r.BE16())}
	if m.Type == LoginWithoutID || r.Len() == 0 {
		return
	}
	size := r.BE32()
	if m.Type.timed() {
		m.Timestamp = r.BE32()
	}
	m.ID = r.Bytes(int(size))
}

// Encode writes the message.
func (m *GetSessionTokenRequest) Encode(w *cursor.Writer) {
	padded(w, GetSessionToken)
	w.BE16(uint16(m.Type))
	if m.Type == LoginWithoutID {
		return
	}
	w.BE32(uint32(len(m.ID)))
	if m.Type.timed() {
		w.BE32(m.Timestamp)
	}
	w.Bytes(m.ID)
}

// GetSessionTokenReply brings the token.
type GetSessionTokenReply struct {
	Token []byte
}

// Decode reads the reply block.
func (m *GetSessionTokenReply) Decode(r *cursor.Reader) { m.Token = r.Bytes(int(r.BE32())) }

// Encode writes the reply block.
func (m *GetSessionTokenReply) Encode(w *cursor.Writer) {
	w.BE32(uint32(len(m.Token)))
	w.Bytes(m.Token)
}

// DisconnectOldSessionRequest ends the session with the token, whose resources
// go over to this one.
type DisconnectOldSessionRequest struct {
	Type  uint16 // 0
	Token []byte
}

// Decode reads the message.
func (m *DisconnectOldSessionRequest) Decode(r *cursor.Reader) {
	begin(r, DisconnectOldSession)
	r.U8() // Pad
	m.Type = r.BE16()
	m.Token = r.Bytes(int(r.BE32()))
}

// Encode writes the message.
func (m *DisconnectOldSessionRequest) Encode(w *cursor.Writer) {
	padded(w, DisconnectOldSession)
	w.BE16(m.Type)
	w.BE32(uint32(len(m.Token)))
	w.Bytes(m.Token)
}

// Sleep is what Zzzzz tells. Without extended sleep (ServerExtSleep) it is 0,
// and the next request says that the client is awake.
type Sleep uint32

// The values of Sleep with extended sleep.
const (
	SleepBegins Sleep = 1 // requests may still come
	SleepEnds   Sleep = 2
)

// ZzzzzRequest says that the client goes to sleep, or is awake again.
type ZzzzzRequest struct {
	Sleep Sleep
}

// Decode reads the message, which old clients end before its only field.
func (m *ZzzzzRequest) Decode(r *cursor.Reader) {
	begin(r, Zzzzz)
	r.U8() // Pad
	m.Sleep = 0
	if r.Len() > 0 {
		m.Sleep = Sleep(r.BE32())
	}
}

// Encode writes the message.
func (m *ZzzzzRequest) Encode(w *cursor.Writer) {
	padded(w, Zzzzz)
	w.BE32(uint32(m.Sleep))
}

// ZzzzzReply tells how many hours the server keeps the session meanwhile. Servers
// of Mac OS X and netatalk send it; the AFP Reference has no reply block, so it
// may be empty.
type ZzzzzReply struct {
	Hours uint32
}

// Decode reads the reply block.
func (m *ZzzzzReply) Decode(r *cursor.Reader) {
	m.Hours = 0
	if r.Len() > 0 {
		m.Hours = r.BE32()
	}
}

// Encode writes the reply block.
func (m *ZzzzzReply) Encode(w *cursor.Writer) { w.BE32(m.Hours) }
