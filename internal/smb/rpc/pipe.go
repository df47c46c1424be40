package rpc

import (
	"errors"
	"slices"
	"sync"

	"github.com/dozo-server/dozo/vfs"
)

// Limits of a pipe, in bytes unless said otherwise.
const (
	ourFragment      = 4280 // the largest packet we send
	smallestFragment = 1432 // that every client must take ([C706] 12.6.3.1)
	maxCall          = 128 << 10
	maxUnread        = 1 << 20
	maxContexts      = 32 // count
)

// Pipe is an open pipe. Its methods may be called by several goroutines at
// once. There is nothing to close.
type Pipe struct {
	name   string
	ifaces []*iface
	env    Env

	mu          sync.Mutex
	broken      bool     // the client broke the protocol
	in          []byte   // the beginning of a packet
	out         [][]byte // packets to be read
	unread      int      // bytes in out
	bound       bool
	contexts    map[uint16]*iface // that were accepted
	maxFragment int
	group       uint32
	security    security
	pending     request
	handles     []uuid // that are open
}

// request is a call whose packets are coming in.
type request struct {
	active    bool
	call      uint32
	context   uint16
	operation uint16
	arguments []byte
}

var (
	errBroken = errors.New("the client broke the protocol")
	errUnread = errors.New("the client does not read the answers")
)

// Write takes what the client wrote: most often one packet, but any pieces
// will do. Calls in it are carried out at once and their results can be read
// when Write returns. After an error, of vfs.KindInvalid or KindNoMemory, the
// pipe is of no more use.
func (p *Pipe) Write(b []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(b) > 0 {
		if p.broken {
			return vfs.NewError("write pipe", p.name, vfs.KindInvalid, errBroken)
		}
		want := headerSize
		if len(p.in) >= headerSize {
			want = packetLength(p.in)
		}
		n := min(len(b), want-len(p.in))
		p.in = append(p.in, b[:n]...)
		b = b[n:]
		if len(p.in) < headerSize || len(p.in) < packetLength(p.in) {
			continue
		}
		err := p.packet(p.in)
		p.in = p.in[:0]
		if err != nil {
			p.broken = true
			return vfs.NewError("write pipe", p.name, vfs.KindInvalid, err)
		}
		if p.unread > maxUnread {
			p.broken = true
			return vfs.NewError("write pipe", p.name, vfs.KindNoMemory, errUnread)
		}
	}
	return nil
}

// Read returns up to max bytes of the packet that is to be read next, and
// whether more of that packet is left. Nothing, when there is no packet.
func (p *Pipe) Read(max int) (b []byte, more bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.out) == 0 {
		return nil, false
	}
	first := p.out[0]
	n := min(max, len(first))
	p.unread -= n
	if n < len(first) {
		p.out[0] = first[n:]
		return first[:n], true
	}
	p.out = slices.Delete(p.out, 0, 1)
	return first, false
}

// Transact is a Write and a Read.
func (p *Pipe) Transact(b []byte, max int) (answer []byte, more bool, err error) {
	if err := p.Write(b); err != nil {
		return nil, false, err
	}
	answer, more = p.Read(max)
	return answer, more, nil
}
