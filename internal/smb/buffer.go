package smb

import (
	"math/bits"
	"sync"
)

// Room that every outgoing buffer keeps before the first message: the frame's
// length, and the transform header in case the reply is encrypted. Behind the
// last message the cipher's tag needs none: it stands in the header.
const (
	frameHeaderSize     = 4
	transformHeaderSize = 52
	headRoom            = frameHeaderSize + transformHeaderSize
)

// buffer is a piece of pooled memory that holds one frame.
type buffer struct {
	b     []byte // what is in use
	all   []byte // the memory, empty
	class int    // index into pools; -1 for memory of an odd size

	budget *budget // that it is charged to, nil for small ones
	charge int
}

// Pools hold buffers of 1 KiB, 4 KiB, 16 KiB ... 16 MiB, each with some room
// for headers, so that reads and writes of a power of two fit into the class
// of their size.
const (
	smallestClass = 10
	classes       = 8
	classSlack    = 512
)

var pools [classes]sync.Pool

// newBuffer returns an empty buffer with room for n bytes.
func newBuffer(n int) *buffer {
	class := 0
	if n > 1<<smallestClass+classSlack {
		class = (bits.Len(uint(n-classSlack-1)) - smallestClass + 1) / 2
	}
	if class >= classes {
		return &buffer{b: make([]byte, 0, n), class: -1}
	}
	if b, ok := pools[class].Get().(*buffer); ok {
		b.b = b.all
		return b
	}
	all := make([]byte, 0, 1<<(smallestClass+2*class)+classSlack)
	return &buffer{b: all, all: all, class: class}
}

// charged notes that n bytes of a budget were taken for the buffer, which gives
// them back when it is freed.
func (b *buffer) charged(to *budget, n int) {
	b.budget = to
	b.charge += n
}

// free gives the buffer back. Nothing may hold on to its bytes.
func (b *buffer) free() {
	if b.budget != nil {
		b.budget.give(b.charge)
		b.budget, b.charge = nil, 0
	}
	if b.class >= 0 {
		pools[b.class].Put(b)
	}
}

// adopt makes b hold bytes that a Writer may have moved while it grew.
func (b *buffer) adopt(bytes []byte) {
	if cap(bytes) != cap(b.all) {
		b.class = -1
	}
	b.b = bytes
}
