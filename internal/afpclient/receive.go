package afpclient

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/cursor"
)

const (
	// readBuffer takes in the small replies that come together.
	readBuffer = 64 << 10
	// maxReply is the longest payload that is taken.
	maxReply = 16 << 20
)

// receive is the goroutine that reads.
func (c *Conn) receive() {
	defer close(c.reads)
	in := bufio.NewReaderSize(c.nc, readBuffer)
	for {
		if err := c.receiveFrame(in); err != nil {
			if errors.Is(err, io.EOF) {
				err = fmt.Errorf("afpclient: the server closed the connection: %w", err)
			}
			c.fail(err)
			return
		}
	}
}

// receiveFrame reads a frame and handles it. An error ends the connection.
func (c *Conn) receiveFrame(in *bufio.Reader) error {
	head, err := in.Peek(afpwire.HeaderSize)
	if err != nil {
		return err
	}
	var h afpwire.Header
	var r cursor.Reader
	r.Reset(head)
	if h.Decode(&r); r.Err() != nil {
		return fmt.Errorf("%w: %w", ErrProtocol, r.Err())
	}
	if err := h.Check(maxReply); err != nil {
		return fmt.Errorf("%w: %w", ErrProtocol, err)
	}
	in.Discard(afpwire.HeaderSize)
	if h.Reply {
		return c.deliver(in, &h)
	}
	return c.notice(in, &h)
}

// deliver reads a reply and hands it to the call that waits for it.
func (c *Conn) deliver(in *bufio.Reader, h *afpwire.Header) error {
	c.mu.Lock()
	k := c.calls[h.RequestID]
	delete(c.calls, h.RequestID)
	c.mu.Unlock()
	if k == nil {
		return fmt.Errorf("%w: reply to request %d, which is not outstanding", ErrProtocol, h.RequestID)
	}
	if h.Function != k.function {
		err := fmt.Errorf("%w: %v answers %v", ErrProtocol, h.Function, k.function)
		k.finish(err)
		return err
	}
	if int(h.Length) <= len(k.into) {
		k.payload = k.into[:h.Length]
	} else {
		k.payload = make([]byte, h.Length)
	}
	if _, err := io.ReadFull(in, k.payload); err != nil {
		k.finish(err)
		return err
	}
	k.result = h.Result
	k.finish(nil)
	c.slots <- struct{}{}
	return nil
}

// notice handles what the server sends unasked.
func (c *Conn) notice(in *bufio.Reader, h *afpwire.Header) error {
	if h.Length > max(c.options.AttentionQuantum, afpwire.DefaultAttentionQuantum) {
		return fmt.Errorf("%w: %v of %d bytes", ErrProtocol, h.Function, h.Length)
	}
	payload := make([]byte, h.Length)
	if _, err := io.ReadFull(in, payload); err != nil {
		return err
	}
	switch h.Function {
	case afpwire.DSITickle:
		c.out.tickle(c.frame(afpwire.Header{Function: afpwire.DSITickle}, raw(nil), nil))
		return nil
	case afpwire.DSICloseSession:
		return ErrServerClosed
	case afpwire.DSIAttention:
		var m afpwire.AttentionRequest
		if err := decode(raw(nil), payload, &m); err != nil {
			return err
		}
		if c.options.OnAttention != nil {
			c.options.OnAttention(m.Code)
		}
		return nil
	}
	return fmt.Errorf("%w: the server sent a %v", ErrProtocol, h.Function)
}
