package smb

import (
	"encoding/binary"
	"errors"
	"net"
	"os"
	"sync"
	"time"
)

const (
	// maxQueued is how many bytes of replies may wait for a slow client
	// before the requests behind them wait, too.
	maxQueued = 16 << 20

	// sendTime is how long a client may leave its receive window closed; at
	// least half of it, since deadlines are not set anew for each frame.
	sendTime = 90 * time.Second
)

// outbox is the queue of frames to be sent. Whoever finds no one sending
// sends, and takes along what others queue meanwhile, in one system call.
type outbox struct {
	mu      sync.Mutex
	changed sync.Cond // queue is shorter, or sending ended
	queue   []*buffer
	bytes   int
	sending bool
	failed  bool

	// Of the one that sends.
	iov      net.Buffers
	deadline time.Time
}

func (o *outbox) init() { o.changed.L = &o.mu }

// send queues a frame, whose message begins at headRoom, or at frameHeaderSize
// when sealed, and makes it go out. It takes the buffer over. It may wait for
// the client to take what is before it.
func (c *conn) send(b *buffer, sealed bool) {
	if !c.enqueue(b, sealed) {
		return
	}
	c.out.mu.Lock()
	if c.out.sending {
		for c.out.bytes > maxQueued && !c.out.failed {
			c.out.changed.Wait()
		}
		c.out.mu.Unlock()
		return
	}
	c.out.sending = true
	c.flushLocked()
}

// post is send for those who must not wait: a notice to another's client.
func (c *conn) post(b *buffer, sealed bool) {
	if !c.enqueue(b, sealed) {
		return
	}
	c.out.mu.Lock()
	if c.out.sending {
		c.out.mu.Unlock()
		return
	}
	c.out.sending = true // close waits for this
	go c.flushLocked()
}

// enqueue completes the frame with its length and queues it.
func (c *conn) enqueue(b *buffer, sealed bool) bool {
	if !sealed {
		b.b = b.b[transformHeaderSize:]
	}
	binary.BigEndian.PutUint32(b.b, uint32(len(b.b)-frameHeaderSize))
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	if c.out.failed {
		return false
	}
	c.out.queue = append(c.out.queue, b)
	c.out.bytes += len(b.b)
	return true
}

// flushLocked sends until the queue is empty. It is entered with out.mu held
// by the one who set sending, and releases it.
func (c *conn) flushLocked() {
	o := &c.out
	for len(o.queue) > 0 && !o.failed {
		batch := o.queue
		o.queue = nil
		o.mu.Unlock()
		n, err := c.writeAll(batch)
		o.mu.Lock()
		o.bytes -= n
		o.changed.Broadcast()
		if err != nil {
			o.failed = true
			c.cancel(err)
			c.nc.Close()
		} else if o.queue == nil {
			clear(batch)
			o.queue = batch[:0]
		}
	}
	o.sending = false
	o.changed.Broadcast()
	o.mu.Unlock()
}

// writeAll writes frames, frees them, and returns their size. However slow a
// client is, it goes on as long as the client takes something.
func (c *conn) writeAll(batch []*buffer) (size int, err error) {
	c.out.iov = c.out.iov[:0]
	for _, b := range batch {
		c.out.iov = append(c.out.iov, b.b)
		size += len(b.b)
	}
	rest := c.out.iov
	for taken := int64(1); taken > 0; {
		if now := time.Now(); c.out.deadline.Sub(now) < sendTime/2 {
			c.out.deadline = now.Add(sendTime)
			c.nc.SetWriteDeadline(c.out.deadline)
		}
		if taken, err = c.write(&rest); !errors.Is(err, os.ErrDeadlineExceeded) {
			break
		}
	}
	for _, b := range batch {
		b.free()
	}
	return size, err
}

// write writes from the front of bufs, which keeps what was not written.
func (c *conn) write(bufs *net.Buffers) (int64, error) {
	if len(*bufs) > 1 {
		return bufs.WriteTo(c.nc)
	}
	n, err := c.nc.Write((*bufs)[0])
	(*bufs)[0] = (*bufs)[0][n:]
	return int64(n), err
}

// close waits for what is being sent and refuses the rest.
func (o *outbox) close(c *conn) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.sending {
		o.changed.Wait()
	}
	o.failed = true
}
