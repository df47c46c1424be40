package afpwire

import (
	"math"

	"github.com/dozo-server/dozo/internal/cursor"
)

// CatalogPosition is where a search goes on, as the server says. The zero
// position is the beginning.
type CatalogPosition [16]byte

// SearchBitmap says what a search looks at: bits of a Bitmap, and SearchPartial.
type SearchBitmap uint32

// SearchPartial finds names that contain the one searched for.
const SearchPartial SearchBitmap = 0x80000000

// CatSearchRequest looks for files and folders on a whole volume. It serves
// CatSearch and CatSearchExt.
//
// The specifications are blocks for Parms.Decode with the low bits of Search.
// The first has names, and the least dates and lengths; the second the
// greatest. For Attributes and FinderInfo the second says which bits of the
// first count. What is looked for depends on Files and Dirs, so that is left
// to who does.
type CatSearchRequest struct {
	Command  Command
	Volume   VolumeID
	Matches  uint32 // the most
	Position CatalogPosition
	Files    Bitmap // of the reply; 0: no files
	Dirs     Bitmap // of the reply; 0: no folders
	Search   SearchBitmap
	Spec1    []byte // at most 255 bytes in a CatSearch
	Spec2    []byte
}

// Decode reads the message.
func (m *CatSearchRequest) Decode(r *cursor.Reader) {
	m.Command = beginOne(r, CatSearchExt, CatSearch)
	r.U8() // Pad
	m.Volume = VolumeID(r.BE16())
	m.Matches = r.BE32()
	r.BE32() // Reserved
	r.Copy(m.Position[:])
	m.Files = Bitmap(r.BE16())
	m.Dirs = Bitmap(r.BE16())
	m.Search = SearchBitmap(r.BE32())
	m.Spec1 = m.readSpec(r)
	m.Spec2 = nil
	if r.Len() > 0 {
		m.Spec2 = m.readSpec(r)
	}
}

// Encode writes the message.
func (m *CatSearchRequest) Encode(w *cursor.Writer) {
	padded(w, m.Command)
	w.BE16(uint16(m.Volume))
	w.BE32(m.Matches)
	w.BE32(0)
	w.Bytes(m.Position[:])
	w.BE16(uint16(m.Files))
	w.BE16(uint16(m.Dirs))
	w.BE32(uint32(m.Search))
	m.writeSpec(w, m.Spec1)
	m.writeSpec(w, m.Spec2)
}

// readSpec reads a specification and the length before it: a byte and a filler
// in a CatSearch, two bytes in a CatSearchExt.
func (m *CatSearchRequest) readSpec(r *cursor.Reader) []byte {
	if m.Command == CatSearchExt {
		return r.Bytes(int(r.BE16()))
	}
	size := r.U8()
	r.U8()
	return r.Bytes(int(size))
}

func (m *CatSearchRequest) writeSpec(w *cursor.Writer, spec []byte) {
	if m.Command == CatSearchExt {
		spec = spec[:min(len(spec), math.MaxUint16)]
		w.BE16(uint16(len(spec)))
	} else {
		spec = spec[:min(len(spec), math.MaxUint8)]
		w.U8(uint8(len(spec)))
		w.U8(0)
	}
	w.Bytes(spec)
}

// positionSize is where the bitmaps of a reply begin.
const positionSize = len(CatalogPosition{})

// BeginListing begins the reply to m, which gets no longer than limit, and
// returns what its matches are added to. The position, known when the search
// stops, is then set with SetPosition.
func (m *CatSearchRequest) BeginListing(w *cursor.Writer, limit int) *Listing {
	w.Zero(positionSize)
	w.BE16(uint16(m.Files))
	w.BE16(uint16(m.Dirs))
	return newListing(w, searchLayout(m.Command), m.Files, m.Dirs, limit)
}

// SetPosition says where the search goes on, in the reply that w, at its start,
// has from BeginListing.
func (m *CatSearchRequest) SetPosition(w *cursor.Writer, at CatalogPosition) {
	copy(w.Message(), at[:])
}

func searchLayout(c Command) layout { return layout{wide: c == CatSearchExt, count32: true} }

// CatSearchReply brings matches; with ResultEOFErr they are the last.
type CatSearchReply struct {
	Command Command // that was sent; set it before Decode
	AFP2    bool    // see Parms; set it before Decode

	Position CatalogPosition
	Files    Bitmap
	Dirs     Bitmap
	Matches  []Parms
}

// Decode reads the reply block.
func (m *CatSearchReply) Decode(r *cursor.Reader) {
	r.Copy(m.Position[:])
	m.Files = Bitmap(r.BE16())
	m.Dirs = Bitmap(r.BE16())
	m.Matches = readEntries(r, searchLayout(m.Command), m.Files, m.Dirs, m.AFP2, m.Matches)
}

// Encode writes the reply block. Matches that are too long for their layout are
// left out.
func (m *CatSearchReply) Encode(w *cursor.Writer) {
	w.Bytes(m.Position[:])
	w.BE16(uint16(m.Files))
	w.BE16(uint16(m.Dirs))
	l := newListing(w, searchLayout(m.Command), m.Files, m.Dirs, math.MaxInt)
	for i := range m.Matches {
		l.Add(&m.Matches[i])
	}
}
