package ntlm

import (
	"encoding/binary"
	"fmt"
	"unicode/utf16"

	"github.com/dozo-server/dozo/internal/cursor"
)

// version is the VERSION structure ([MS-NLMP] 2.2.2.10). Its last byte is the
// revision of NTLM; the rest is for debugging only and says Windows 6.1.
var version = [8]byte{6, 1, 0, 0, 0, 0, 0, 15}

// begin reads what all messages begin with.
func begin(r *cursor.Reader, message []byte, wantType uint32) {
	r.Reset(message)
	if len(message) > maxMessage {
		r.Failf("message of %d bytes", len(message))
	}
	if got := r.Bytes(len(signature)); string(got) != signature {
		r.Failf("no NTLMSSP signature")
	}
	if got := r.U32(); got != wantType {
		r.Failf("message type %d, want %d", got, wantType)
	}
}

// malformed marks the error of a reader.
func malformed(r *cursor.Reader) error {
	if err := r.Err(); err != nil {
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return nil
}

// field reads a length, a capacity and an offset, and returns the bytes of the
// payload they stand for. They alias the message.
func field(r *cursor.Reader) []byte {
	n := int(r.U16())
	r.U16() // capacity, ignored ([MS-NLMP] 2.2.1.3)
	off := r.U32()
	if n == 0 {
		return nil // an offset that means nothing may be anything
	}
	return r.Slice(int(off), n)
}

// payload collects the variable parts of a message being written; each is
// appended behind the fixed part, whose size is known beforehand.
type payload struct {
	at   int
	data []byte
}

// put writes the field for b to w and remembers b.
func (p *payload) put(w *cursor.Writer, b []byte) {
	w.U16(uint16(len(b)))
	w.U16(uint16(len(b)))
	w.U32(uint32(p.at + len(p.data)))
	p.data = append(p.data, b...)
}

// negotiate is the client's first message ([MS-NLMP] 2.2.1.1). The names it
// may hold are of no use.
type negotiate struct {
	flags   flags
	version Version
}

const (
	negotiateSize = 40
	versionOffset = 32
)

// Version is what a client says of its system; zero: nothing. Windows tells its
// own version, Linux that of its kernel and, as the build, that of its file system.
type Version struct {
	Major, Minor uint8
	Build        uint16
}

func (m *negotiate) decode(message []byte) error {
	var r cursor.Reader
	begin(&r, message, typeNegotiate)
	m.flags = flags(r.U32())
	if m.flags.has(flagVersion) && len(message) >= negotiateSize {
		r.Seek(versionOffset)
		m.version = Version{Major: r.U8(), Minor: r.U8(), Build: r.U16()}
	}
	return malformed(&r)
}

func (m *negotiate) encode() []byte {
	w := cursor.NewWriter(make([]byte, 0, negotiateSize))
	w.Bytes([]byte(signature))
	w.U32(typeNegotiate)
	w.U32(uint32(m.flags))
	w.Zero(8) // domain
	w.Zero(8) // workstation
	w.Bytes(version[:])
	return w.Message()
}

// challenge is the server's answer ([MS-NLMP] 2.2.1.2).
type challenge struct {
	target string // the server's name
	flags  flags
	nonce  [8]byte
	info   []byte // attribute pairs, encoded
}

const challengeSize = 56

func (m *challenge) decode(message []byte) error {
	var r cursor.Reader
	begin(&r, message, typeChallenge)
	m.target = fromUTF16(field(&r))
	m.flags = flags(r.U32())
	r.Copy(m.nonce[:])
	r.Skip(8)
	m.info = field(&r)
	return malformed(&r)
}

func (m *challenge) encode() []byte {
	p := payload{at: challengeSize}
	w := cursor.NewWriter(nil)
	w.Bytes([]byte(signature))
	w.U32(typeChallenge)
	p.put(w, toUTF16(m.target))
	w.U32(uint32(m.flags))
	w.Bytes(m.nonce[:])
	w.Zero(8)
	p.put(w, m.info)
	w.Bytes(version[:])
	w.Bytes(p.data)
	return w.Message()
}

// authenticate is the client's proof ([MS-NLMP] 2.2.1.3).
type authenticate struct {
	lmResponse, ntResponse []byte
	domain                 []byte // UTF-16LE; part of the proof as it stands
	user, workstation      string
	sessionKey             []byte // encrypted, empty without key exchange
	flags                  flags

	// hasMIC tells whether there is room for a MIC before the payload. Only
	// the attribute pairs of ntResponse tell whether one is there.
	hasMIC bool
	mic    [micSize]byte
}

const (
	authenticateSize = 64 // of the fixed part that everyone sends
	micOffset        = 72
	micSize          = 16
)

func (m *authenticate) decode(message []byte) error {
	var r cursor.Reader
	begin(&r, message, typeAuthenticate)
	m.lmResponse = field(&r)
	m.ntResponse = field(&r)
	m.domain = field(&r)
	m.user = fromUTF16(field(&r))
	m.workstation = fromUTF16(field(&r))
	m.sessionKey = field(&r)
	m.flags = flags(r.U32())
	if payloadStart(message) >= micOffset+micSize {
		r.Skip(micOffset - authenticateSize)
		r.Copy(m.mic[:])
		m.hasMIC = true
	}
	return malformed(&r)
}

// payloadStart returns the lowest offset of the six variable parts of an
// AUTHENTICATE message, which is where its fixed part ends.
func payloadStart(message []byte) int {
	start := len(message)
	for at := 12; at < 60 && at+8 <= len(message); at += 8 {
		if n := binary.LittleEndian.Uint16(message[at:]); n > 0 {
			start = min(start, int(binary.LittleEndian.Uint32(message[at+4:])))
		}
	}
	return start
}

// encode always makes room for a MIC, which it leaves zero.
func (m *authenticate) encode() []byte {
	p := payload{at: micOffset + micSize}
	w := cursor.NewWriter(nil)
	w.Bytes([]byte(signature))
	w.U32(typeAuthenticate)
	p.put(w, m.lmResponse)
	p.put(w, m.ntResponse)
	p.put(w, m.domain)
	p.put(w, toUTF16(m.user))
	p.put(w, toUTF16(m.workstation))
	p.put(w, m.sessionKey)
	w.U32(uint32(m.flags))
	w.Bytes(version[:])
	w.Zero(micSize)
	w.Bytes(p.data)
	return w.Message()
}

func toUTF16(s string) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return b
}

func fromUTF16(b []byte) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}
