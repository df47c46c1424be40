package smbwire

import "github.com/dozo-server/dozo/internal/cursor"

// NegotiateContexts are what the two sides of SMB 3.1.1 tell each other beyond
// the fixed fields ([MS-SMB2] 2.2.3.1, 2.2.4.1). A nil field was not sent.
// Decoding refuses a context that comes twice or lists nothing, as 3.3.5.4
// demands.
type NegotiateContexts struct {
	Preauth     *PreauthIntegrity
	Ciphers     []Cipher // in the order of the client's preference
	Compression *Compression
	NetName     *string // the server's name as the client knows it
	Transport   *TransportFlags
	RDMA        []uint16
	Signing     []SigningAlgorithm // in the order of the client's preference
	Unknown     []NegotiateContext
}

// NegotiateContext is one whose meaning is not known here.
type NegotiateContext struct {
	Type uint16
	Data []byte
}

// The types of negotiate contexts.
const (
	contextPreauth     = 0x0001
	contextEncryption  = 0x0002
	contextCompression = 0x0003
	contextNetName     = 0x0005
	contextTransport   = 0x0006
	contextRDMA        = 0x0007
	contextSigning     = 0x0008
)

// HashSHA512 is the one hash of preauth integrity.
const HashSHA512 = 0x0001

// PreauthIntegrity lists hashes for the protection of the negotiation, and
// a salt.
type PreauthIntegrity struct {
	Hashes []uint16
	Salt   []byte
}

// Cipher encrypts messages.
type Cipher uint16

// The ciphers. CipherNone in a response says that none is common.
const (
	CipherNone      Cipher = 0
	CipherAES128CCM Cipher = 1
	CipherAES128GCM Cipher = 2
	CipherAES256CCM Cipher = 3
	CipherAES256GCM Cipher = 4
)

// Compression lists algorithms by which messages may be compressed.
type Compression struct {
	Flags      uint32 // 1: chained
	Algorithms []uint16
}

// TransportFlags say what the transport below does already.
type TransportFlags uint32

// TransportSecure says that the transport encrypts (SMB over QUIC).
const TransportSecure TransportFlags = 1

// SigningAlgorithm signs messages.
type SigningAlgorithm uint16

// The signing algorithms.
const (
	SigningHMACSHA256 SigningAlgorithm = 0
	SigningAESCMAC    SigningAlgorithm = 1
	SigningAESGMAC    SigningAlgorithm = 2
)

// Limits of what one side may send. Windows sends eight contexts at most.
const (
	maxNegotiateContexts = 32
	maxAlgorithms        = 64
)

const negotiateContextHeader = 8

func (c *NegotiateContexts) decode(r *cursor.Reader, off uint32, count uint16) {
	if count == 0 || r.Err() != nil {
		return
	}
	if off%8 != 0 || off < HeaderSize || int64(off) > int64(r.Pos()+r.Len()) || count > maxNegotiateContexts {
		r.Failf("%d negotiate contexts at %d", count, off)
		return
	}
	r.Seek(int(off))
	var seen uint32
	for i := range count {
		if i > 0 {
			r.Align(8)
		}
		kind := r.U16()
		length := int(r.U16())
		r.U32() // Reserved
		data := r.Bytes(length)
		if r.Err() != nil {
			return
		}
		if kind < 32 {
			if seen&(1<<kind) != 0 {
				r.Failf("negotiate context %d comes twice", kind)
				return
			}
			seen |= 1 << kind
		}
		one := cursor.NewReader(data)
		c.decodeOne(one, kind, data)
		r.Fail(one.Err())
	}
}

func (c *NegotiateContexts) decodeOne(r *cursor.Reader, kind uint16, data []byte) {
	switch kind {
	case contextPreauth:
		c.Preauth = new(PreauthIntegrity)
		hashes, salt := int(r.U16()), int(r.U16())
		c.Preauth.Hashes = decodeAlgorithms[uint16](r, hashes)
		c.Preauth.Salt = r.Bytes(salt)
	case contextEncryption:
		c.Ciphers = decodeAlgorithms[Cipher](r, int(r.U16()))
	case contextCompression:
		c.Compression = new(Compression)
		algorithms := int(r.U16())
		r.U16() // Padding
		c.Compression.Flags = r.U32()
		c.Compression.Algorithms = decodeAlgorithms[uint16](r, algorithms)
	case contextNetName:
		name := DecodeUTF16(data)
		c.NetName = &name
	case contextTransport:
		flags := TransportFlags(r.U32())
		c.Transport = &flags
	case contextRDMA:
		transforms := int(r.U16())
		r.U16() // Reserved1
		r.U32() // Reserved2
		c.RDMA = decodeAlgorithms[uint16](r, transforms)
	case contextSigning:
		c.Signing = decodeAlgorithms[SigningAlgorithm](r, int(r.U16()))
	default:
		c.Unknown = append(c.Unknown, NegotiateContext{Type: kind, Data: data})
	}
}

func decodeAlgorithms[T ~uint16](r *cursor.Reader, n int) []T {
	if n == 0 || n > maxAlgorithms {
		r.Failf("a negotiate context lists %d algorithms", n)
		return nil
	}
	list := make([]T, n)
	for i := range list {
		list[i] = T(r.U16())
	}
	return list
}

// encode writes the contexts from an offset that is a multiple of 8 and
// returns how many there are.
func (c *NegotiateContexts) encode(w *cursor.Writer) uint16 {
	var count uint16
	begin := func(kind uint16) (at int) {
		w.Align(8)
		at = w.Len()
		w.U16(kind)
		w.U16(0)
		w.U32(0)
		count++
		return at
	}
	end := func(at int) { w.PutU16(at+2, uint16(w.Len()-at-negotiateContextHeader)) }

	if c.Preauth != nil {
		at := begin(contextPreauth)
		w.U16(uint16(len(c.Preauth.Hashes)))
		w.U16(uint16(len(c.Preauth.Salt)))
		encodeAlgorithms(w, c.Preauth.Hashes)
		w.Bytes(c.Preauth.Salt)
		end(at)
	}
	if c.Ciphers != nil {
		at := begin(contextEncryption)
		w.U16(uint16(len(c.Ciphers)))
		encodeAlgorithms(w, c.Ciphers)
		end(at)
	}
	if c.Compression != nil {
		at := begin(contextCompression)
		w.U16(uint16(len(c.Compression.Algorithms)))
		w.U16(0)
		w.U32(c.Compression.Flags)
		encodeAlgorithms(w, c.Compression.Algorithms)
		end(at)
	}
	if c.NetName != nil {
		at := begin(contextNetName)
		WriteUTF16(w, *c.NetName)
		end(at)
	}
	if c.Transport != nil {
		at := begin(contextTransport)
		w.U32(uint32(*c.Transport))
		end(at)
	}
	if c.RDMA != nil {
		at := begin(contextRDMA)
		w.U16(uint16(len(c.RDMA)))
		w.U16(0)
		w.U32(0)
		encodeAlgorithms(w, c.RDMA)
		end(at)
	}
	if c.Signing != nil {
		at := begin(contextSigning)
		w.U16(uint16(len(c.Signing)))
		encodeAlgorithms(w, c.Signing)
		end(at)
	}
	for _, unknown := range c.Unknown {
		at := begin(unknown.Type)
		w.Bytes(unknown.Data)
		end(at)
	}
	return count
}

func encodeAlgorithms[T ~uint16](w *cursor.Writer, list []T) {
	for _, a := range list {
		w.U16(uint16(a))
	}
}
