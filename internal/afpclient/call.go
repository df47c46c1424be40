package afpclient

import (
	"context"
	"fmt"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/cursor"
)

// Encoder is a message that can be sent.
type Encoder interface{ Encode(*cursor.Writer) }

// Decoder is a reply that can be received.
type Decoder interface{ Decode(*cursor.Reader) }

// request is one frame to a server that has a reply.
type request struct {
	function afpwire.DSIFunction
	message  Encoder
	data     []byte // behind the message, of a DSIWrite
	into     []byte // where a payload that fits is to be read to; nil: anywhere
}

// call is a request that was sent.
type call struct {
	function afpwire.DSIFunction
	done     chan struct{} // closed when the rest is set

	into    []byte // guarded by Conn.mu until the call is no longer outstanding
	payload []byte
	result  afpwire.Result
	err     error
}

// finish wakes the one who waits.
func (k *call) finish(err error) {
	k.err = err
	close(k.done)
}

// call sends a request and waits for the reply. An error of the server is
// returned as its afpwire.Result, with the payload.
func (c *Conn) call(ctx context.Context, r *request) (payload []byte, err error) {
	select {
	case <-c.slots:
	case <-c.ended:
		return nil, c.Err()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	k := &call{function: r.function, done: make(chan struct{}), into: r.into}
	id, err := c.expect(k)
	if err != nil {
		return nil, err
	}
	c.out.put(c.frame(afpwire.Header{Function: r.function, RequestID: id}, r.message, r.data), false)
	select {
	case <-k.done:
	case <-ctx.Done():
		if c.abandon(id, k) {
			return nil, ctx.Err()
		}
		<-k.done // the reply is coming in, into memory of the one who asked
	}
	if k.err != nil {
		return nil, k.err
	}
	if k.result != afpwire.ResultNoErr {
		return k.payload, k.result
	}
	return k.payload, nil
}

// expect makes a call known to the goroutine that reads, under the next id.
func (c *Conn) expect(k *call) (id uint16, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return 0, c.err
	}
	for c.calls[c.nextID] != nil { // outstanding for 65,536 requests
		c.nextID++
	}
	id = c.nextID
	c.nextID++
	c.calls[id] = k
	return id, nil
}

// abandon makes sure that the reply is not read into memory of the one who
// asked, who no longer waits. AFP knows no way to cancel a request, so its slot
// stays taken until the reply comes. False: it is just being read.
func (c *Conn) abandon(id uint16, k *call) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls[id] != k {
		return false
	}
	k.into = nil
	return true
}

// Ask sends a command and decodes the reply block into reply, unless that is
// nil. The message may be any; the command is its first byte.
func (c *Conn) Ask(ctx context.Context, message Encoder, reply Decoder) error {
	payload, err := c.call(ctx, &request{function: afpwire.DSICommand, message: message})
	if err != nil {
		return explain(message, err)
	}
	if reply == nil {
		return nil
	}
	return decode(message, payload, reply)
}

// AskWrite is Ask for the commands that have data behind their message.
func (c *Conn) AskWrite(ctx context.Context, message Encoder, data []byte, reply Decoder) error {
	payload, err := c.call(ctx, &request{function: afpwire.DSIWrite, message: message, data: data})
	if err != nil {
		return explain(message, err)
	}
	if reply == nil {
		return nil
	}
	return decode(message, payload, reply)
}

// explain says which command an error of the server belongs to.
func explain(message Encoder, err error) error {
	if result, ok := err.(afpwire.Result); ok {
		return fmt.Errorf("%v: %w", commandOf(message), result)
	}
	return err
}

// commandOf returns the command of a message. It is for errors, so it may be
// slow.
func commandOf(message Encoder) fmt.Stringer {
	w := cursor.NewWriter(nil)
	message.Encode(w)
	if w.Len() == 0 {
		return afpwire.DSICommand
	}
	return afpwire.Command(w.Message()[0])
}

// decode reads the reply to a message, which may alias the payload.
func decode(message Encoder, payload []byte, reply Decoder) error {
	var r cursor.Reader
	r.Reset(payload)
	if reply.Decode(&r); r.Err() != nil {
		return fmt.Errorf("%w: reply to %v: %w", ErrProtocol, commandOf(message), r.Err())
	}
	return nil
}
