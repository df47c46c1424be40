package smbclient

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/smb/smbcrypt"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

const (
	// readBuffer takes in the small responses that come together.
	readBuffer = 64 << 10
	// maxFrame is the largest frame that is taken, a READ of 8 MiB and more.
	maxFrame = 16<<20 - 1
)

// receive is the goroutine that reads.
func (c *Conn) receive() {
	defer close(c.read)
	in := bufio.NewReaderSize(c.nc, readBuffer)
	for {
		frame, err := readFrame(in)
		if err == nil {
			err = c.route(frame)
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = fmt.Errorf("smbclient: the server closed the connection: %w", err)
			}
			c.fail(err)
			return
		}
	}
}

// readFrame reads the next frame, without its length ([MS-SMB2] 2.1).
func readFrame(in *bufio.Reader) (*buffer, error) {
	head, err := in.Peek(lengthSize)
	if err != nil {
		return nil, err
	}
	n := int(binary.BigEndian.Uint32(head))
	if n > maxFrame || n < smbwire.HeaderSize {
		return nil, fmt.Errorf("%w: frame of %d bytes", ErrProtocol, n)
	}
	in.Discard(lengthSize)
	frame := newBuffer(n + smbcrypt.TagSize)
	frame.b = frame.b[:n]
	if _, err := io.ReadFull(in, frame.b); err != nil {
		return nil, err
	}
	return frame, nil
}

// route decrypts a frame, cuts it into responses and hands them out. It takes
// the frame over. An error ends the connection.
func (c *Conn) route(frame *buffer) error {
	defer frame.free()
	message, sealed := frame.b, false
	if smbwire.IsProtocol(message, smbwire.ProtocolTransform) {
		var err error
		if message, err = c.open(message); err != nil {
			return err
		}
		sealed = true
	}
	for len(message) > 0 {
		r := Response{Sealed: sealed, frame: frame}
		var rd cursor.Reader
		rd.Reset(message)
		r.Header.Decode(&rd)
		next := int(r.Header.NextCommand)
		switch {
		case rd.Err() != nil:
			return fmt.Errorf("%w: %w", ErrProtocol, rd.Err())
		case r.Header.Flags&smbwire.FlagResponse == 0:
			return fmt.Errorf("%w: the server sent a request", ErrProtocol)
		case next%8 != 0 || next != 0 && next < smbwire.HeaderSize || next > len(message):
			return fmt.Errorf("%w: compound offset %d", ErrProtocol, next)
		}
		r.Message, message = message, nil
		if next != 0 {
			r.Message, message = r.Message[:next:next], r.Message[next:]
		}
		if err := c.deliver(&r); err != nil {
			return err
		}
	}
	return nil
}

// open decrypts a frame in place.
func (c *Conn) open(frame []byte) ([]byte, error) {
	id, err := smbcrypt.TransformSession(frame)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrProtocol, err)
	}
	s := c.session(id)
	if s == nil || s.sealIn == nil {
		return nil, fmt.Errorf("%w: encrypted message for no session", ErrProtocol)
	}
	message, err := s.sealIn.Open(frame)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrProtocol, err)
	}
	return message, nil
}

// deliver hands a response to the call that waits for it.
func (c *Conn) deliver(r *Response) error {
	h := &r.Header
	if h.MessageID == smbwire.NoMessageID {
		return c.notice(r)
	}
	pending := h.Flags&smbwire.FlagAsync != 0 && h.Status == smbwire.StatusPending
	c.mu.Lock()
	k := c.calls[h.MessageID]
	if k != nil && !pending {
		delete(c.calls, h.MessageID)
	}
	c.mu.Unlock()
	if k == nil {
		return fmt.Errorf("%w: response to message %d, which is not outstanding", ErrProtocol, h.MessageID)
	}
	if h.Command != k.header.Command {
		err := fmt.Errorf("%w: %v answers %v", ErrProtocol, h.Command, k.header.Command)
		k.finish(nil, err)
		return err
	}
	// Those who wait for credits are served before the one who waits for the
	// response asks for more.
	c.credits.received(h.Credits, k.asked)
	k.asked = 0
	if pending {
		if k.asyncID.Swap(h.AsyncID) == 0 {
			close(k.interim)
		}
		return nil
	}
	r.frame.held.Add(1)
	k.finish(r, nil)
	return nil
}

// notice handles what the server sends unasked ([MS-SMB2] 3.2.5.19).
func (c *Conn) notice(r *Response) error {
	var m smbwire.OplockBreakMessage
	if r.Header.Command != smbwire.OplockBreak {
		return fmt.Errorf("%w: %v was sent unasked", ErrProtocol, r.Header.Command)
	}
	if err := r.Decode(&m); err != nil {
		return err
	}
	if c.options.OnBreak != nil {
		c.options.OnBreak(m.FileID, m.OplockLevel)
	}
	return nil
}
