package afpwire

import (
	"math"

	"github.com/dozo-server/dozo/internal/cursor"
)

// EnumerateRequest lists a folder. It serves Enumerate, EnumerateExt and
// EnumerateExt2; the former two have Start and MaxReply of 16 bits.
type EnumerateRequest struct {
	Command  Command
	Volume   VolumeID
	Dir      NodeID
	Files    Bitmap // 0: no files
	Dirs     Bitmap // 0: no folders
	Count    uint16 // the most entries
	Start    uint32 // the first one, from 1
	MaxReply uint32 // the most bytes of the reply block
	Path     Path
}

// Decode reads the message.
func (m *EnumerateRequest) Decode(r *cursor.Reader) {
	m.Command = beginOne(r, EnumerateExt2, EnumerateExt, Enumerate)
	r.U8() // Pad
	m.Volume = VolumeID(r.BE16())
	m.Dir = NodeID(r.BE32())
	m.Files = Bitmap(r.BE16())
	m.Dirs = Bitmap(r.BE16())
	m.Count = r.BE16()
	if m.Command == EnumerateExt2 {
		m.Start = r.BE32()
		m.MaxReply = r.BE32()
	} else {
		m.Start = uint32(r.BE16())
		m.MaxReply = uint32(r.BE16())
	}
	m.Path.decode(r)
}

// Encode writes the message.
func (m *EnumerateRequest) Encode(w *cursor.Writer) {
	padded(w, m.Command)
	w.BE16(uint16(m.Volume))
	w.BE32(uint32(m.Dir))
	w.BE16(uint16(m.Files))
	w.BE16(uint16(m.Dirs))
	w.BE16(m.Count)
	if m.Command == EnumerateExt2 {
		w.BE32(m.Start)
		w.BE32(m.MaxReply)
	} else {
		w.BE16(uint16(m.Start))
		w.BE16(uint16(min(m.MaxReply, math.MaxUint16)))
	}
	m.Path.encode(w)
}

// BeginListing begins the reply to m, which gets no longer than MaxReply or
// limit, and returns what its entries are added to. A server that has none
// answers ResultObjectNotFound instead.
func (m *EnumerateRequest) BeginListing(w *cursor.Writer, limit int) *Listing {
	w.BE16(uint16(m.Files))
	w.BE16(uint16(m.Dirs))
	if uint64(m.MaxReply) < uint64(limit) {
		limit = int(m.MaxReply)
	}
	return newListing(w, enumerateLayout(m.Command), m.Files, m.Dirs, limit)
}

func enumerateLayout(c Command) layout { return layout{wide: c != Enumerate, countHead: true} }

// EnumerateReply brings the entries.
type EnumerateReply struct {
	Command Command // that was sent; set it before Decode
	AFP2    bool    // see Parms; set it before Decode

	Files   Bitmap
	Dirs    Bitmap
	Entries []Parms
}

// Decode reads the reply block.
func (m *EnumerateReply) Decode(r *cursor.Reader) {
	m.Files = Bitmap(r.BE16())
	m.Dirs = Bitmap(r.BE16())
	m.Entries = readEntries(r, enumerateLayout(m.Command), m.Files, m.Dirs, m.AFP2, m.Entries)
}

// Encode writes the reply block. Entries that are too long for their layout are
// left out.
func (m *EnumerateReply) Encode(w *cursor.Writer) {
	w.BE16(uint16(m.Files))
	w.BE16(uint16(m.Dirs))
	l := newListing(w, enumerateLayout(m.Command), m.Files, m.Dirs, math.MaxInt)
	for i := range m.Entries {
		l.Add(&m.Entries[i])
	}
}
