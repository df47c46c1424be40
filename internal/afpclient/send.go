package afpclient

import (
	"net"
	"sync"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/cursor"
)

// frame is a piece of pooled memory that holds one frame.
type frame struct{ b []byte }

// keptFrame is the largest memory that goes back into the pool.
const keptFrame = afpwire.DefaultQuantum + 4096

var frames = sync.Pool{New: func() any { return new(frame) }}

func (f *frame) free() {
	if cap(f.b) <= keptFrame {
		frames.Put(f)
	}
}

// frame lays a request out. The header says where the data is.
func (c *Conn) frame(h afpwire.Header, message Encoder, data []byte) *frame {
	f := frames.Get().(*frame)
	var w cursor.Writer
	w.Reset(f.b[:0])
	w.Zero(afpwire.HeaderSize)
	w.Reset(w.Buffer()) // offsets in a message count from its start
	message.Encode(&w)
	if h.Function == afpwire.DSIWrite {
		h.DataOffset = uint32(w.Len())
	}
	w.Bytes(data)
	h.Length = uint32(w.Len())
	f.b = w.Buffer()

	w.Reset(f.b[:0])
	h.Encode(&w)
	return f
}

// outbox is the queue of frames to be sent.
type outbox struct {
	wake chan struct{} // has one when there is something to do

	mu      sync.Mutex
	queue   []*frame
	tickled bool // an answer to a tickle is in the queue
	last    bool // nothing follows what is in the queue
}

// put makes a frame go out. After the last one the goroutine that sends ends.
func (o *outbox) put(f *frame, last bool) {
	o.mu.Lock()
	o.queue = append(o.queue, f)
	o.last = o.last || last
	o.mu.Unlock()
	o.ring()
}

// tickle answers a tickle. One answer is enough for any number that came while
// nothing could be sent.
func (o *outbox) tickle(f *frame) {
	o.mu.Lock()
	again := o.tickled
	if !again {
		o.tickled = true
		o.queue = append(o.queue, f)
	}
	o.mu.Unlock()
	if !again {
		o.ring()
	}
}

func (o *outbox) ring() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// take returns all that is in the queue, and puts an empty slice in its place.
func (o *outbox) take(empty []*frame) (batch []*frame, last bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	batch, o.queue = o.queue, empty
	o.tickled = false
	return batch, o.last
}

// send is the goroutine that sends. What is queued while it writes goes out
// together, in one system call.
func (c *Conn) send() {
	defer close(c.writes)
	var batch []*frame
	var iov net.Buffers
	for {
		select {
		case <-c.out.wake:
		case <-c.ended:
			return
		}
		var last bool
		batch, last = c.out.take(batch[:0])
		iov = iov[:0]
		for _, f := range batch {
			iov = append(iov, f.b)
		}
		rest := iov
		_, err := rest.WriteTo(c.nc)
		for i, f := range batch {
			f.free()
			batch[i] = nil
		}
		if err != nil {
			c.fail(err)
			return
		}
		if last {
			return
		}
	}
}

// SendFrame sends bytes as they stand and expects no answer. It is for what is
// no frame.
func (c *Conn) SendFrame(b []byte) {
	f := frames.Get().(*frame)
	f.b = append(f.b[:0], b...)
	c.out.put(f, false)
}
