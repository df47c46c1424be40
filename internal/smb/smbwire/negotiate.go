package smbwire

import (
	"bytes"

	"github.com/dozo-server/dozo/internal/cursor"
)

// Dialect is a version of the protocol; later ones are greater, except for
// DialectWildcard.
type Dialect uint16

// The dialects.
const (
	Dialect202      Dialect = 0x0202
	Dialect210      Dialect = 0x0210
	Dialect300      Dialect = 0x0300
	Dialect302      Dialect = 0x0302
	Dialect311      Dialect = 0x0311
	DialectWildcard Dialect = 0x02ff // answers an SMB1 negotiate: ask again, in SMB2
)

func (d Dialect) String() string {
	switch d {
	case Dialect202:
		return "2.0.2"
	case Dialect210:
		return "2.1"
	case Dialect300:
		return "3.0"
	case Dialect302:
		return "3.0.2"
	case Dialect311:
		return "3.1.1"
	}
	return "2.?"
}

// SecurityMode says what a side demands of signatures. It is a byte in
// SESSION_SETUP and two in NEGOTIATE.
type SecurityMode uint8

// The bits of SecurityMode.
const (
	SigningEnabled  SecurityMode = 0x01
	SigningRequired SecurityMode = 0x02
)

// Capabilities are abilities of a side ([MS-SMB2] 2.2.3, 2.2.4).
type Capabilities uint32

// The capabilities.
const (
	CapDFS               Capabilities = 0x01
	CapLeasing           Capabilities = 0x02
	CapLargeMTU          Capabilities = 0x04
	CapMultiChannel      Capabilities = 0x08
	CapPersistentHandles Capabilities = 0x10
	CapDirectoryLeasing  Capabilities = 0x20
	CapEncryption        Capabilities = 0x40 // of dialects 3.0 and 3.0.2
	CapNotifications     Capabilities = 0x80
)

// maxDialects bounds what a client may offer; five exist.
const maxDialects = 64

// NegotiateRequest opens a connection ([MS-SMB2] 2.2.3).
type NegotiateRequest struct {
	SecurityMode SecurityMode
	Capabilities Capabilities
	ClientGUID   [16]byte
	Dialects     []Dialect
	Contexts     NegotiateContexts // on the wire when Dialects has 3.1.1
}

const (
	negotiateRequestSize  = 36
	negotiateResponseSize = 65
)

// Offers reports whether the client speaks d.
func (m *NegotiateRequest) Offers(d Dialect) bool {
	for _, offered := range m.Dialects {
		if offered == d {
			return true
		}
	}
	return false
}

// Decode reads the message body.
func (m *NegotiateRequest) Decode(r *cursor.Reader) {
	expectSize(r, negotiateRequestSize)
	n := int(r.U16())
	m.SecurityMode = SecurityMode(r.U16())
	r.U16() // Reserved
	m.Capabilities = Capabilities(r.U32())
	r.Copy(m.ClientGUID[:])
	contextsOffset := r.U32() // with 3.1.1; before, this was a ClientStartTime
	contexts := r.U16()
	r.U16() // Reserved2

	m.Dialects = m.Dialects[:0]
	m.Contexts = NegotiateContexts{}
	if n == 0 || n > maxDialects {
		r.Failf("%d dialects", n)
		return
	}
	for range n {
		m.Dialects = append(m.Dialects, Dialect(r.U16()))
	}
	if m.Offers(Dialect311) {
		m.Contexts.decode(r, contextsOffset, contexts)
	}
}

// Encode writes the message body.
func (m *NegotiateRequest) Encode(w *cursor.Writer) {
	w.U16(negotiateRequestSize)
	w.U16(uint16(len(m.Dialects)))
	w.U16(uint16(m.SecurityMode))
	w.U16(0)
	w.U32(uint32(m.Capabilities))
	w.Bytes(m.ClientGUID[:])
	contextsAt := w.Len()
	w.U64(0)
	for _, d := range m.Dialects {
		w.U16(uint16(d))
	}
	if m.Offers(Dialect311) {
		w.Align(8)
		w.PutU32(contextsAt, uint32(w.Len()))
		w.PutU16(contextsAt+4, m.Contexts.encode(w))
	}
}

// NegotiateResponse chooses the dialect ([MS-SMB2] 2.2.4).
type NegotiateResponse struct {
	SecurityMode    SecurityMode
	DialectRevision Dialect
	ServerGUID      [16]byte
	Capabilities    Capabilities
	MaxTransactSize uint32
	MaxReadSize     uint32
	MaxWriteSize    uint32
	SystemTime      FileTime
	ServerStartTime FileTime
	SecurityBuffer  []byte            // the first SPNEGO token
	Contexts        NegotiateContexts // on the wire when DialectRevision is 3.1.1
}

// Decode reads the message body.
func (m *NegotiateResponse) Decode(r *cursor.Reader) {
	expectSize(r, negotiateResponseSize)
	m.SecurityMode = SecurityMode(r.U16())
	m.DialectRevision = Dialect(r.U16())
	contexts := r.U16()
	r.Copy(m.ServerGUID[:])
	m.Capabilities = Capabilities(r.U32())
	m.MaxTransactSize = r.U32()
	m.MaxReadSize = r.U32()
	m.MaxWriteSize = r.U32()
	m.SystemTime = FileTime(r.U64())
	m.ServerStartTime = FileTime(r.U64())
	off, n := r.U16(), r.U16()
	contextsOffset := r.U32()
	m.SecurityBuffer = variable(r, uint32(off), uint32(n), negotiateResponseSize-1)

	m.Contexts = NegotiateContexts{}
	if m.DialectRevision == Dialect311 {
		m.Contexts.decode(r, contextsOffset, contexts)
	}
}

// Encode writes the message body.
func (m *NegotiateResponse) Encode(w *cursor.Writer) {
	w.U16(negotiateResponseSize)
	w.U16(uint16(m.SecurityMode))
	w.U16(uint16(m.DialectRevision))
	contextCountAt := w.Len()
	w.U16(0)
	w.Bytes(m.ServerGUID[:])
	w.U32(uint32(m.Capabilities))
	w.U32(m.MaxTransactSize)
	w.U32(m.MaxReadSize)
	w.U32(m.MaxWriteSize)
	w.U64(uint64(m.SystemTime))
	w.U64(uint64(m.ServerStartTime))
	w.U16(HeaderSize + negotiateResponseSize - 1)
	w.U16(uint16(len(m.SecurityBuffer)))
	contextsAt := w.Len()
	w.U32(0)
	w.Bytes(m.SecurityBuffer)
	if m.DialectRevision == Dialect311 {
		w.Align(8)
		w.PutU32(contextsAt, uint32(w.Len()))
		w.PutU16(contextCountAt, m.Contexts.encode(w))
		return
	}
	padding(w, len(m.SecurityBuffer))
}

// SMB1Negotiate is the one message of SMB1 that is understood: the
// multi-protocol negotiate by which a client finds out whether the server
// speaks SMB2 ([MS-SMB2] 3.3.5.3). Unlike the others it is decoded from its
// protocol id on.
type SMB1Negotiate struct {
	Dialects []string
}

// What a client offers in an SMB1 negotiate to ask for SMB2.
const (
	SMB1Offers202      = "SMB 2.002" // answered with Dialect202
	SMB1OffersWildcard = "SMB 2.???" // answered with DialectWildcard
)

const (
	smb1HeaderSize       = 32
	smb1CommandNegotiate = 0x72
	smb1DialectFormat    = 0x02
	maxSMB1Dialects      = 64
)

// Offers reports whether dialect is among those of the client.
func (m *SMB1Negotiate) Offers(dialect string) bool {
	for _, d := range m.Dialects {
		if d == dialect {
			return true
		}
	}
	return false
}

// Decode reads the whole message.
func (m *SMB1Negotiate) Decode(r *cursor.Reader) {
	m.Dialects = m.Dialects[:0]
	if id := r.Bytes(4); id != nil && string(id) != ProtocolSMB1 {
		r.Failf("protocol id % x", id)
	}
	if command := r.U8(); command != smb1CommandNegotiate {
		r.Failf("SMB1 command %#x", command)
	}
	r.Seek(smb1HeaderSize)
	if words := r.U8(); words != 0 {
		r.Failf("SMB1 negotiate with %d words", words)
	}
	rest := r.Bytes(int(r.U16()))
	for len(rest) > 0 {
		end := bytes.IndexByte(rest, 0)
		if rest[0] != smb1DialectFormat || end < 0 || len(m.Dialects) == maxSMB1Dialects {
			r.Failf("SMB1 dialects are malformed")
			return
		}
		m.Dialects = append(m.Dialects, string(rest[1:end]))
		rest = rest[end+1:]
	}
}

// Encode writes the whole message.
func (m *SMB1Negotiate) Encode(w *cursor.Writer) {
	w.Bytes([]byte(ProtocolSMB1))
	w.U8(smb1CommandNegotiate)
	w.Zero(smb1HeaderSize - w.Len())
	w.U8(0)
	countAt := w.Len()
	w.U16(0)
	for _, d := range m.Dialects {
		w.U8(smb1DialectFormat)
		w.Bytes([]byte(d))
		w.U8(0)
	}
	w.PutU16(countAt, uint16(w.Len()-countAt-2))
}
