package rpc

import (
	"slices"

	"github.com/dozo-server/dozo/internal/cursor"
)

// packetType is the kind of a protocol data unit ([C706] 12.6.4).
type packetType uint8

const (
	packetRequest  packetType = 0
	packetResponse packetType = 2
	packetFault    packetType = 3
	packetBind     packetType = 11
	packetBindAck  packetType = 12
	packetBindNak  packetType = 13
	packetAlter    packetType = 14
	packetAlterAck packetType = 15
	packetAuth3    packetType = 16
	packetCancel   packetType = 18
	packetOrphaned packetType = 19
)

const (
	flagFirst      = 0x01
	flagLast       = 0x02
	flagSignHeader = 0x04 // in a bind and its answer: signatures are of whole packets
	flagObject     = 0x80 // an object's UUID stands before the arguments
)

// header is what all packets begin with ([C706] 12.6.3.1):
//
//	0  version 5, minor version 0 or 1, type, flags
//	4  data representation: 0x10 for little-endian, ASCII and IEEE
//	8  length of the packet   2 bytes
//	10 length of its auth     2 bytes
//	12 number of the call     4 bytes
type header struct {
	kind   packetType
	flags  uint8
	length int // of the whole packet
	auth   int // of the part behind the body, without its own header
	call   uint32
}

const (
	headerSize   = 16
	littleEndian = 0x10
	bodyOffset   = 24 // of arguments, results and faults
	resultSize   = 24 // of one result in a bind ack
)

func (h *header) decode(r *cursor.Reader) {
	if version, minor := r.U8(), r.U8(); version != 5 || minor > 1 {
		r.Failf("version %d.%d", version, minor)
	}
	h.kind = packetType(r.U8())
	h.flags = r.U8()
	if order := r.U32(); order != littleEndian {
		r.Failf("data representation %#x", order)
	}
	h.length = int(r.U16())
	h.auth = int(r.U16())
	h.call = r.U32()
	if h.length < headerSize {
		r.Failf("packet of %d bytes", h.length)
	}
}

func (h *header) encode(w *cursor.Writer) {
	w.U8(5)
	w.U8(0)
	w.U8(uint8(h.kind))
	w.U8(h.flags)
	w.U32(littleEndian)
	w.U16(uint16(h.length))
	w.U16(uint16(h.auth))
	w.U32(h.call)
}

// syntax names an interface, or the way arguments are written, and a version.
type syntax struct {
	uuid    uuid
	version uint32 // the minor one in the upper half
}

type uuid [16]byte

// parts makes a UUID as it stands on the wire: the first three parts are
// numbers, little-endian.
func parts(a uint32, b, c uint16, rest [8]byte) uuid {
	var w cursor.Writer
	w.U32(a)
	w.U16(b)
	w.U16(c)
	w.Bytes(rest[:])
	return uuid(w.Message())
}

var (
	syntaxNDR = syntax{parts(0x8a885d04, 0x1ceb, 0x11c9, [8]byte{0x9f, 0xe8, 0x08, 0x00, 0x2b, 0x10, 0x48, 0x60}), 2}

	// featurePrefix begins the name of a pretended syntax, whose other half
	// is a set of bits: what the client could do ([MS-RPCE] 3.3.1.5.3).
	featurePrefix = parts(0x6cb71c2c, 0x9812, 0x4540, [8]byte{})
)

func (s *syntax) decode(r *cursor.Reader) {
	r.Copy(s.uuid[:])
	s.version = r.U32()
}

func (s *syntax) encode(w *cursor.Writer) {
	w.Bytes(s.uuid[:])
	w.U32(s.version)
}

func (s *syntax) offersFeatures() bool {
	return [8]byte(s.uuid[:8]) == [8]byte(featurePrefix[:8])
}

// bind is BIND and ALTER_CONTEXT ([C706] 12.6.4.3), without its header.
type bind struct {
	maxSend, maxReceive uint16
	group               uint32
	contexts            []proposal
}

// proposal is a context that a client wants to make calls in.
type proposal struct {
	id       uint16
	abstract syntax
	transfer []syntax
}

func (b *bind) decode(r *cursor.Reader) {
	b.maxSend = r.U16()
	b.maxReceive = r.U16()
	b.group = r.U32()
	n := r.U8()
	r.Skip(3)
	for range n {
		p := proposal{id: r.U16()}
		m := r.U8()
		r.Skip(1)
		p.abstract.decode(r)
		for range m {
			var s syntax
			s.decode(r)
			if r.Err() != nil {
				return
			}
			p.transfer = append(p.transfer, s)
		}
		b.contexts = append(b.contexts, p)
	}
}

// result answers a proposal ([C706] 12.6.3.1, p_result_t).
type result struct {
	code, reason uint16
	transfer     syntax
}

const (
	resultAccepted  = 0
	resultRefused   = 2
	resultFeatures  = 3 // the reason is the set of features, none here
	reasonInterface = 1
	reasonTransfer  = 2
)

// answer decides about a proposal to use one of some interfaces, which it
// returns.
func (p *proposal) answer(ifaces []*iface) (*iface, result) {
	i := slices.IndexFunc(ifaces, func(i *iface) bool { return i.id == p.abstract })
	switch {
	case len(p.transfer) > 0 && p.transfer[0].offersFeatures():
		return nil, result{code: resultFeatures}
	case i < 0:
		return nil, result{code: resultRefused, reason: reasonInterface}
	case !slices.Contains(p.transfer, syntaxNDR):
		return nil, result{code: resultRefused, reason: reasonTransfer}
	}
	return ifaces[i], result{transfer: syntaxNDR}
}

// bindAck is BIND_ACK and ALTER_CONTEXT_RESP ([C706] 12.6.4.4), without its
// header.
type bindAck struct {
	maxFragment uint16
	group       uint32
	address     string // the pipe, as a further way to reach the interface
	results     []result
}

func (b *bindAck) encode(w *cursor.Writer) {
	w.U16(b.maxFragment)
	w.U16(b.maxFragment)
	w.U32(b.group)
	w.U16(uint16(len(b.address) + 1))
	w.Bytes([]byte(b.address))
	w.U8(0)
	w.Align(4)
	w.U8(uint8(len(b.results)))
	w.Zero(3)
	for _, r := range b.results {
		w.U16(r.code)
		w.U16(r.reason)
		r.transfer.encode(w)
	}
}

// packetLength returns the length of the packet that at least a header is
// there of.
func packetLength(b []byte) int { return int(b[8]) | int(b[9])<<8 }
