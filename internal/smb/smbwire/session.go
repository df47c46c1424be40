package smbwire

import "github.com/dozo-server/dozo/internal/cursor"

// SessionBinding in SessionSetupRequest.Flags asks to add the connection to a
// session as a further channel.
const SessionBinding = 0x01

// SessionSetupRequest carries a step of the login ([MS-SMB2] 2.2.5).
type SessionSetupRequest struct {
	Flags             uint8
	SecurityMode      SecurityMode
	Capabilities      Capabilities
	PreviousSessionID uint64 // a session of the same client to end, 0 for none
	SecurityBuffer    []byte
}

const (
	sessionSetupRequestSize  = 25
	sessionSetupResponseSize = 9
)

// Decode reads the message body.
func (m *SessionSetupRequest) Decode(r *cursor.Reader) {
	expectSize(r, sessionSetupRequestSize)
	m.Flags = r.U8()
	m.SecurityMode = SecurityMode(r.U8())
	m.Capabilities = Capabilities(r.U32())
	r.U32() // Channel: reserved
	off, n := r.U16(), r.U16()
	m.PreviousSessionID = r.U64()
	m.SecurityBuffer = variable(r, uint32(off), uint32(n), sessionSetupRequestSize-1)
}

// Encode writes the message body.
func (m *SessionSetupRequest) Encode(w *cursor.Writer) {
	w.U16(sessionSetupRequestSize)
	w.U8(m.Flags)
	w.U8(uint8(m.SecurityMode))
	w.U32(uint32(m.Capabilities))
	w.U32(0)
	w.U16(HeaderSize + sessionSetupRequestSize - 1)
	w.U16(uint16(len(m.SecurityBuffer)))
	w.U64(m.PreviousSessionID)
	w.Bytes(m.SecurityBuffer)
	padding(w, len(m.SecurityBuffer))
}

// SessionFlags tell the client what its session is.
type SessionFlags uint16

// The session flags.
const (
	SessionIsGuest     SessionFlags = 0x01
	SessionIsNull      SessionFlags = 0x02
	SessionEncryptData SessionFlags = 0x04
)

// SessionSetupResponse answers a step of the login ([MS-SMB2] 2.2.6).
type SessionSetupResponse struct {
	SessionFlags   SessionFlags
	SecurityBuffer []byte
}

// Decode reads the message body.
func (m *SessionSetupResponse) Decode(r *cursor.Reader) {
	expectSize(r, sessionSetupResponseSize)
	m.SessionFlags = SessionFlags(r.U16())
	off, n := r.U16(), r.U16()
	m.SecurityBuffer = variable(r, uint32(off), uint32(n), sessionSetupResponseSize-1)
}

// Encode writes the message body.
func (m *SessionSetupResponse) Encode(w *cursor.Writer) {
	w.U16(sessionSetupResponseSize)
	w.U16(uint16(m.SessionFlags))
	w.U16(HeaderSize + sessionSetupResponseSize - 1)
	w.U16(uint16(len(m.SecurityBuffer)))
	w.Bytes(m.SecurityBuffer)
	padding(w, len(m.SecurityBuffer))
}

// LogoffRequest ends a session ([MS-SMB2] 2.2.7).
type LogoffRequest struct{ empty }

// LogoffResponse says that it ended ([MS-SMB2] 2.2.8).
type LogoffResponse struct{ empty }

// EchoRequest asks for a sign of life ([MS-SMB2] 2.2.28).
type EchoRequest struct{ empty }

// EchoResponse is one ([MS-SMB2] 2.2.29).
type EchoResponse struct{ empty }

// CancelRequest ends the waiting of another request, which the header names;
// there is no response to it ([MS-SMB2] 2.2.30).
type CancelRequest struct{ empty }
