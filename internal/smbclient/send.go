package smbclient

import (
	"encoding/binary"
	"net"
	"sync"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/smb/smbcrypt"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// encode lays requests out as one frame, and signs or encrypts it as their
// sessions ask.
func (c *Conn) encode(calls []*Call, requests []*Request) *buffer {
	b := requests[0].memory(len(requests))
	w := cursor.NewWriter(b.b[:headRoom])
	for i, r := range requests {
		for i > 0 && (len(w.Buffer())-headRoom)%8 != 0 {
			w.U8(0)
		}
		calls[i].start = len(w.Buffer())
		w.Reset(w.Buffer()) // offsets in a message count from its header
		calls[i].header.Encode(w)
		r.Body.Encode(w)
	}
	b.adopt(w.Buffer())

	seal := calls[0].mustSeal(requests[0])
	for i, k := range calls {
		message := b.b[k.start:]
		if i+1 < len(calls) {
			message = b.b[k.start:calls[i+1].start]
			binary.LittleEndian.PutUint32(message[smbwire.HeaderNextCommandOffset:], uint32(len(message)))
		}
		k.sealed = seal
		if !seal && k.mustSign(requests[i]) {
			k.session.signer.Sign(message)
		}
		if k.preauth != nil {
			k.preauth.Update(message)
		}
	}
	if seal {
		calls[0].session.sealOut.Seal(b.b[lengthSize:], calls[0].session.id)
	} else {
		b.b = b.b[smbcrypt.TransformSize:]
	}
	binary.BigEndian.PutUint32(b.b, uint32(len(b.b)-lengthSize))
	return b
}

// requestSize is room for most requests without data.
const requestSize = 400

// memory returns a buffer for a frame of n requests that begins with r.
func (r *Request) memory(n int) *buffer {
	if r.block != nil {
		r.block.frame.held.Add(1)
		r.block.frame.b = r.block.frame.all
		return r.block.frame
	}
	return newBuffer(headRoom + n*requestSize)
}

// mustSeal reports whether the frame that the call begins is encrypted.
func (k *Call) mustSeal(r *Request) bool {
	s := k.session
	return s != nil && s.sealOut != nil && !r.Plain && (s.mustSeal || r.Tree != nil && r.Tree.mustSeal)
}

// mustSign reports whether the call is signed if it is not encrypted.
func (k *Call) mustSign(r *Request) bool {
	s := k.session
	return s != nil && s.signer != nil && !r.Plain && (s.mustSign || r.Sign)
}

// outbox is the queue of frames to be sent. Whoever finds no one sending
// sends, and takes along what others queue meanwhile, in one system call.
type outbox struct {
	mu      sync.Mutex
	queue   []*buffer
	sending bool

	iov net.Buffers // of the one that sends
}

// send makes a frame go out. It takes the buffer over.
func (c *Conn) send(b *buffer) {
	o := &c.out
	o.mu.Lock()
	o.queue = append(o.queue, b)
	if o.sending {
		o.mu.Unlock()
		return
	}
	o.sending = true
	for len(o.queue) > 0 {
		batch := o.queue
		o.queue = nil
		o.mu.Unlock()
		if err := c.writeAll(batch); err != nil {
			c.fail(err)
		}
		clear(batch)
		o.mu.Lock()
		if o.queue == nil {
			o.queue = batch[:0]
		}
	}
	o.sending = false
	o.mu.Unlock()
}

// writeAll writes frames and frees them.
func (c *Conn) writeAll(batch []*buffer) (err error) {
	if len(batch) == 1 {
		_, err = c.nc.Write(batch[0].b)
	} else {
		c.out.iov = c.out.iov[:0]
		for _, b := range batch {
			c.out.iov = append(c.out.iov, b.b)
		}
		iov := c.out.iov
		_, err = iov.WriteTo(c.nc)
	}
	for _, b := range batch {
		b.free()
	}
	return err
}

// SendFrame sends bytes as a frame of their own, as they stand behind the
// length, and expects no answer. It is for what is no message.
func (c *Conn) SendFrame(frame []byte) {
	b := newBuffer(lengthSize + len(frame))
	b.b = binary.BigEndian.AppendUint32(b.b, uint32(len(frame)))
	b.b = append(b.b, frame...)
	c.send(b)
}
