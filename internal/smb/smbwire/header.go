package smbwire

import (
	"bytes"
	"fmt"

	"github.com/dozo-server/dozo/internal/cursor"
)

// The four bytes a message begins with.
const (
	ProtocolSMB1        = "\xffSMB" // accepted for the multi-protocol negotiate only
	ProtocolSMB2        = "\xfeSMB"
	ProtocolTransform   = "\xfdSMB" // an encrypted message follows
	ProtocolCompression = "\xfcSMB" // a compressed message follows
)

// Sizes of headers in bytes.
const (
	HeaderSize          = 64
	TransformHeaderSize = 52
)

// Offsets within the header of what is patched in place after encoding.
const (
	HeaderCreditsOffset     = 14
	HeaderFlagsOffset       = 16
	HeaderNextCommandOffset = 20
	HeaderSignatureOffset   = 48
)

// IsProtocol reports whether message begins with one of the Protocol constants.
func IsProtocol(message []byte, protocol string) bool {
	return bytes.HasPrefix(message, []byte(protocol))
}

// Command is the operation a message asks for or answers ([MS-SMB2] 2.2.1.2).
type Command uint16

// The commands.
const (
	Negotiate Command = iota
	SessionSetup
	Logoff
	TreeConnect
	TreeDisconnect
	Create
	Close
	Flush
	Read
	Write
	Lock
	Ioctl
	Cancel
	Echo
	QueryDirectory
	ChangeNotify
	QueryInfo
	SetInfo
	OplockBreak

	Commands // how many there are
)

var commandNames = [Commands]string{
	"NEGOTIATE", "SESSION_SETUP", "LOGOFF", "TREE_CONNECT", "TREE_DISCONNECT", "CREATE", "CLOSE",
	"FLUSH", "READ", "WRITE", "LOCK", "IOCTL", "CANCEL", "ECHO", "QUERY_DIRECTORY",
	"CHANGE_NOTIFY", "QUERY_INFO", "SET_INFO", "OPLOCK_BREAK",
}

func (c Command) String() string {
	if c < Commands {
		return commandNames[c]
	}
	return fmt.Sprintf("command %d", uint16(c))
}

// Flags say how a message is to be processed ([MS-SMB2] 2.2.1.2).
type Flags uint32

// The flags of a header.
const (
	FlagResponse Flags = 0x00000001 // a message of the server
	FlagAsync    Flags = 0x00000002 // AsyncID stands where TreeID would
	FlagRelated  Flags = 0x00000004 // part of a compound and uses what the part before it used
	FlagSigned   Flags = 0x00000008
	FlagPriority Flags = 0x00000070 // a mask
	FlagDFS      Flags = 0x10000000
	FlagReplay   Flags = 0x20000000 // sent again after a reconnect
)

// NoMessageID is the MessageID of what the server sends unasked.
const NoMessageID = 1<<64 - 1

// Header begins every message but SMB1's ([MS-SMB2] 2.2.1). With FlagAsync
// AsyncID is on the wire, without it TreeID.
type Header struct {
	CreditCharge uint16
	Status       Status // of a response; see ChannelSequence
	Command      Command
	Credits      uint16 // asked for, or granted
	Flags        Flags
	NextCommand  uint32 // offset of the next header of a compound, 0 in the last
	MessageID    uint64
	AsyncID      uint64
	TreeID       uint32
	SessionID    uint64
	Signature    [16]byte
}

const headerStructureSize = 64

// ChannelSequence is what dialects from 3.0 on carry in place of the status of
// a request: how often the client has lost a channel.
func (h *Header) ChannelSequence() uint16 { return uint16(h.Status) }

// Decode reads the header.
func (h *Header) Decode(r *cursor.Reader) {
	*h = Header{}
	if id := r.Bytes(4); id != nil && string(id) != ProtocolSMB2 {
		r.Failf("protocol id % x", id)
	}
	expectSize(r, headerStructureSize)
	h.CreditCharge = r.U16()
	h.Status = Status(r.U32())
	h.Command = Command(r.U16())
	h.Credits = r.U16()
	h.Flags = Flags(r.U32())
	h.NextCommand = r.U32()
	h.MessageID = r.U64()
	if h.Flags&FlagAsync != 0 {
		h.AsyncID = r.U64()
	} else {
		r.U32() // Reserved: a process id in SMB 2.0.2
		h.TreeID = r.U32()
	}
	h.SessionID = r.U64()
	r.Copy(h.Signature[:])
}

// Encode writes the header.
func (h *Header) Encode(w *cursor.Writer) {
	w.Bytes([]byte(ProtocolSMB2))
	w.U16(headerStructureSize)
	w.U16(h.CreditCharge)
	w.U32(uint32(h.Status))
	w.U16(uint16(h.Command))
	w.U16(h.Credits)
	w.U32(uint32(h.Flags))
	w.U32(h.NextCommand)
	w.U64(h.MessageID)
	if h.Flags&FlagAsync != 0 {
		w.U64(h.AsyncID)
	} else {
		w.U32(0)
		w.U32(h.TreeID)
	}
	w.U64(h.SessionID)
	w.Bytes(h.Signature[:])
}

// TransformEncrypted is the one meaning of TransformHeader.Flags.
const TransformEncrypted = 0x0001

// TransformHeader stands before an encrypted message ([MS-SMB2] 2.2.41).
type TransformHeader struct {
	Signature           [16]byte // authenticates the message and, of this header, all that follows
	Nonce               [16]byte // the cipher uses its first 11 (CCM) or 12 (GCM) bytes
	OriginalMessageSize uint32
	Flags               uint16
	SessionID           uint64
}

// Decode reads the header.
func (h *TransformHeader) Decode(r *cursor.Reader) {
	if id := r.Bytes(4); id != nil && string(id) != ProtocolTransform {
		r.Failf("protocol id % x", id)
	}
	r.Copy(h.Signature[:])
	r.Copy(h.Nonce[:])
	h.OriginalMessageSize = r.U32()
	r.U16() // Reserved
	h.Flags = r.U16()
	h.SessionID = r.U64()
}

// Encode writes the header.
func (h *TransformHeader) Encode(w *cursor.Writer) {
	w.Bytes([]byte(ProtocolTransform))
	w.Bytes(h.Signature[:])
	w.Bytes(h.Nonce[:])
	w.U32(h.OriginalMessageSize)
	w.U16(0)
	w.U16(h.Flags)
	w.U64(h.SessionID)
}
