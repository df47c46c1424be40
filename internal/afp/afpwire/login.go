package afpwire

import "github.com/dozo-server/dozo/internal/cursor"

// LoginRequest begins a login, in AFP 2 or with a method that predates AFP 3.
// What follows the method's name is for the method to read.
type LoginRequest struct {
	Version string
	UAM     string
	Auth    []byte // of every method but UAMGuest it begins as User says
}

// Decode reads the message.
func (m *LoginRequest) Decode(r *cursor.Reader) {
	begin(r, Login)
	m.Version = readPascal(r)
	m.UAM = readPascal(r)
	m.Auth = r.Rest()
}

// Encode writes the message.
func (m *LoginRequest) Encode(w *cursor.Writer) {
	w.U8(uint8(Login))
	writePascal(w, m.Version)
	writePascal(w, m.UAM)
	w.Bytes(m.Auth)
}

// authOffset is where Auth begins in the message. User names end at an even
// offset of it.
func (m *LoginRequest) authOffset() int {
	return 1 + 1 + len(m.Version) + 1 + len(m.UAM)
}

// User splits Auth into the user's name, in MacRoman, and the rest.
func (m *LoginRequest) User() (name string, rest []byte, err error) {
	r := cursor.NewReader(m.Auth)
	name = readPascal(r)
	if (m.authOffset()+r.Pos())%2 != 0 && r.Len() > 0 {
		r.U8()
	}
	return name, r.Rest(), r.Err()
}

// SetUser makes Auth of a user's name, in MacRoman, and the rest, for the
// Version and UAM that are set.
func (m *LoginRequest) SetUser(name string, rest []byte) {
	w := cursor.NewWriter(nil)
	writePascal(w, name)
	if (m.authOffset()+w.Len())%2 != 0 {
		w.U8(0)
	}
	w.Bytes(rest)
	m.Auth = w.Message()
}

// LoginExtRequest begins a login in AFP 3.
type LoginExtRequest struct {
	Flags     uint16 // 0
	Version   string
	UAM       string
	User      string   // UTF-8
	PathType  PathType // of Directory
	Directory string   // the domain that knows the user; empty
	Auth      []byte   // for the method to read
}

// Decode reads the message.
func (m *LoginExtRequest) Decode(r *cursor.Reader) {
	begin(r, LoginExt)
	r.U8() // Pad
	*m = LoginExtRequest{Flags: r.BE16()}
	m.Version = readPascal(r)
	m.UAM = readPascal(r)
	if kind := PathType(r.U8()); kind != UTF8Names && r.Err() == nil {
		r.Failf("user name of type %d", kind)
	}
	m.User = readUTF8(r)
	m.PathType = PathType(r.U8())
	switch m.PathType {
	case ShortNames, LongNames:
		m.Directory = readPascal(r)
	case UTF8Names: // without the hint of other paths
		m.Directory = readUTF8(r)
	default:
		r.Failf("path of type %d", m.PathType)
	}
	r.Align(2)
	m.Auth = r.Rest()
}

// Encode writes the message.
func (m *LoginExtRequest) Encode(w *cursor.Writer) {
	padded(w, LoginExt)
	w.BE16(m.Flags)
	writePascal(w, m.Version)
	writePascal(w, m.UAM)
	w.U8(uint8(UTF8Names))
	writeUTF8(w, m.User)
	w.U8(uint8(m.PathType))
	if m.PathType == UTF8Names {
		writeUTF8(w, m.Directory)
	} else {
		writePascal(w, m.Directory)
	}
	w.Align(2)
	w.Bytes(m.Auth)
}

// LoginContRequest is the next step of a login.
type LoginContRequest struct {
	ID   uint16 // of the reply before
	Auth []byte // for the method to read
}

// Decode reads the message.
func (m *LoginContRequest) Decode(r *cursor.Reader) {
	begin(r, LoginCont)
	r.U8() // Pad
	m.ID = r.BE16()
	m.Auth = r.Rest()
}

// Encode writes the message.
func (m *LoginContRequest) Encode(w *cursor.Writer) {
	padded(w, LoginCont)
	w.BE16(m.ID)
	w.Bytes(m.Auth)
}

// AuthContinueReply comes with ResultAuthContinue. The reply with ResultNoErr,
// for which there is no type, is the method's alone and mostly empty.
type AuthContinueReply struct {
	ID   uint16 // to be sent with the next step
	Auth []byte // for the method to read
}

// Decode reads the reply block.
func (m *AuthContinueReply) Decode(r *cursor.Reader) {
	m.ID = r.BE16()
	m.Auth = r.Rest()
}

// Encode writes the reply block.
func (m *AuthContinueReply) Encode(w *cursor.Writer) {
	w.BE16(m.ID)
	w.Bytes(m.Auth)
}

// LogoutRequest ends the login.
type LogoutRequest struct{}

// Decode reads the message.
func (*LogoutRequest) Decode(r *cursor.Reader) { begin(r, Logout) }

// Encode writes the message.
func (*LogoutRequest) Encode(w *cursor.Writer) { padded(w, Logout) }

// ChangePasswordRequest gives a user another password. Methods with several
// steps send it several times and are answered with an AuthContinueReply.
type ChangePasswordRequest struct {
	UAM  string
	User string // MacRoman; empty since AFP 3.0, where it is who logged in
	Auth []byte // for the method to read
}

// Decode reads the message.
func (m *ChangePasswordRequest) Decode(r *cursor.Reader) {
	begin(r, ChangePassword)
	r.U8() // Pad
	m.UAM = readPascal(r)
	r.Align(2)
	m.User = readPascal(r)
	r.Align(2)
	m.Auth = r.Rest()
}

// Encode writes the message.
func (m *ChangePasswordRequest) Encode(w *cursor.Writer) {
	padded(w, ChangePassword)
	writePascal(w, m.UAM)
	w.Align(2)
	writePascal(w, m.User)
	w.Align(2)
	w.Bytes(m.Auth)
}
