package smbclient

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/dozo-server/dozo/internal/smb/smbcrypt"
)

// Every outgoing buffer keeps room before its first message for the frame's
// length and for the header of an encrypted message.
const (
	lengthSize = 4
	headRoom   = lengthSize + smbcrypt.TransformSize
)

// buffer is a piece of pooled memory that holds one frame. It goes back when
// all who hold it have freed it.
type buffer struct {
	b     []byte // what is in use
	all   []byte // the memory, empty
	class int    // index into pools; -1 for memory of an odd size
	held  atomic.Int32
}

// Pools hold buffers of 1 KiB, 4 KiB ... 16 MiB, each with room for headers, so
// that reads and writes of a power of two fit into the class of their size.
const (
	smallestClass = 10
	classes       = 8
	classSlack    = 512
)

var pools [classes]sync.Pool

// newBuffer returns an empty buffer with room for n bytes, held once.
func newBuffer(n int) *buffer {
	class := 0
	if n > 1<<smallestClass+classSlack {
		class = (bits.Len(uint(n-classSlack-1)) - smallestClass + 1) / 2
	}
	var b *buffer
	switch {
	case class >= classes:
		b = &buffer{all: make([]byte, 0, n), class: -1}
	default:
		b, _ = pools[class].Get().(*buffer)
		if b == nil {
			b = &buffer{all: make([]byte, 0, 1<<(smallestClass+2*class)+classSlack), class: class}
		}
	}
	b.b = b.all
	b.held.Store(1)
	return b
}

// free gives up one hold on the buffer.
func (b *buffer) free() {
	if b.held.Add(-1) == 0 && b.class >= 0 {
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
