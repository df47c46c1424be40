package afpwire

import (
	"fmt"

	"github.com/dozo-server/dozo/internal/cursor"
)

// Port is where AFP servers listen.
const Port = 548

// DSIFunction says what a frame is for: what the AFP Reference calls a DSI
// command.
type DSIFunction uint8

// The functions. 7 is none.
const (
	DSICloseSession DSIFunction = 1 // no reply
	DSICommand      DSIFunction = 2
	DSIGetStatus    DSIFunction = 3
	DSIOpenSession  DSIFunction = 4
	DSITickle       DSIFunction = 5 // no reply
	DSIWrite        DSIFunction = 6
	DSIAttention    DSIFunction = 8 // from the server; some clients reply
)

var dsiNames = [...]string{
	DSICloseSession: "DSICloseSession", DSICommand: "DSICommand", DSIGetStatus: "DSIGetStatus",
	DSIOpenSession: "DSIOpenSession", DSITickle: "DSITickle", DSIWrite: "DSIWrite", DSIAttention: "DSIAttention",
}

// known reports whether there is such a function.
func (f DSIFunction) known() bool { return int(f) < len(dsiNames) && dsiNames[f] != "" }

// String returns the name that the AFP Reference gives the function.
func (f DSIFunction) String() string {
	if f.known() {
		return dsiNames[f]
	}
	return fmt.Sprintf("DSI command %d", uint8(f))
}

// HeaderSize is the length of a Header.
const HeaderSize = 16

// Sizes of payloads.
const (
	// DefaultQuantum is what netatalk allows the data of a request to be.
	DefaultQuantum = 1 << 20
	// MinQuantum is the least that clients can work with.
	MinQuantum = 32000
	// CommandRoom is how much longer than the quantum a request may be: the
	// quantum does not count the command before the data, which has at most a
	// path and the name of an attribute.
	CommandRoom = 1024
)

// Header begins a frame (DSIHeader).
type Header struct {
	Reply      bool
	Function   DSIFunction
	RequestID  uint16
	DataOffset uint32 // of the data in the payload of a DSIWrite, in requests
	Result     Result // of replies
	Length     uint32 // of the payload that follows
}

// Decode reads the header.
func (h *Header) Decode(r *cursor.Reader) {
	*h = Header{}
	flags := r.U8()
	h.Reply = flags == 1
	h.Function = DSIFunction(r.U8())
	h.RequestID = r.BE16()
	if h.Reply {
		h.Result = Result(r.BE32())
	} else {
		h.DataOffset = r.BE32()
	}
	h.Length = r.BE32()
	r.BE32() // Reserved
	if r.Err() == nil && flags > 1 {
		r.Failf("DSI header with flags %#02x", flags)
	}
}

// Encode writes the header.
func (h *Header) Encode(w *cursor.Writer) {
	w.U8(flagged(h.Reply, 1))
	w.U8(uint8(h.Function))
	w.BE16(h.RequestID)
	if h.Reply {
		w.BE32(uint32(h.Result))
	} else {
		w.BE32(h.DataOffset)
	}
	w.BE32(h.Length)
	w.BE32(0)
}

// Check refuses a frame whose payload must not be read: of no known function,
// longer than quantum and CommandRoom, or with its data beyond its end. After
// that nothing on the connection can be trusted to be a header.
func (h *Header) Check(quantum uint32) error {
	switch {
	case !h.Function.known():
		return fmt.Errorf("%v", h.Function)
	case uint64(h.Length) > uint64(quantum)+CommandRoom:
		return fmt.Errorf("%v of %d bytes, with a quantum of %d", h.Function, h.Length, quantum)
	case !h.Reply && h.Function == DSIWrite && h.DataOffset > h.Length:
		return fmt.Errorf("%v of %d bytes with data at %d", h.Function, h.Length, h.DataOffset)
	}
	return nil
}

// Parts splits the payload of a frame that Check accepts into a message and the
// data behind it. Only a DSIWrite has data: for Write, WriteExt and AddIcon. A
// DSIWrite without an offset, which AppleShare Client 3.7 sends to write
// nothing, has none.
func (h *Header) Parts(payload []byte) (message, data []byte) {
	if at := int(h.DataOffset); !h.Reply && h.Function == DSIWrite && 0 < at && at <= len(payload) {
		return payload[:at:at], payload[at:]
	}
	return payload, nil
}
