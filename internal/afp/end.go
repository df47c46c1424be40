package afp

import (
	"errors"
	"io"
	"net"
	"time"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

const (
	// tickleTime is how often each side lets the other hear from it.
	tickleTime = 30 * time.Second
	// silence is after how long a client that lets nothing hear is gone.
	silence = 4 * tickleTime
	// sleepTime is how long a client may sleep.
	sleepTime = 24 * time.Hour
)

// patience is how long to wait for a frame.
func (c *conn) patience() time.Duration {
	if c.asleep.Load() {
		return sleepTime
	}
	return silence
}

// tickle lets the client hear from the server, until the connection ends. One
// that sleeps is not to be woken.
func (c *conn) tickle() {
	ticks := time.NewTicker(tickleTime)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
			if !c.asleep.Load() {
				c.send(afpwire.Header{Function: afpwire.DSITickle}, nil)
			}
		case <-c.ctx.Done():
			return
		}
	}
}

// attend tells the client something unasked.
func (c *conn) attend(code afpwire.Attention) {
	c.send(afpwire.Header{Function: afpwire.DSIAttention}, &afpwire.AttentionRequest{Code: code})
}

// drain makes the connection end after the requests that it has received.
func (c *conn) drain() { c.nc.SetReadDeadline(time.Unix(1, 0)) }

// cut ends the connection now.
func (c *conn) cut(cause error) {
	c.cancel(cause)
	c.nc.Close()
}

// close ends the connection, from the goroutine that reads: it waits for the
// requests in work. What the client has is kept for its return, unless it said
// that it goes, or was up to no good.
func (c *conn) close(cause error) {
	stopping := c.server.ctx.Err() != nil
	if isTimeout(cause) {
		if cause = errSilent; stopping {
			cause = errStopping
		}
	}
	if cause == errStopping && c.session != nil {
		c.work.Wait()
		c.attend(afpwire.AttentionShutDown | afpwire.AttentionNoReconnect)
		c.send(afpwire.Header{Function: afpwire.DSICloseSession}, nil)
	}
	if cause != errBye && cause != errStopping {
		c.cancel(cause) // nobody is left to wait for an answer
	}
	c.work.Wait()
	c.cancel(cause)
	c.ticks.Wait()
	c.nc.Close()
	log := c.server.config.Log.With("address", c.nc.RemoteAddr().String())
	switch {
	case errors.Is(cause, errProtocol):
		log.Warn("afp: connection closed", "reason", cause)
	case errors.Is(cause, io.EOF), errors.Is(cause, net.ErrClosed), cause == errBye, stopping:
	default:
		log.Info("afp: connection lost", "reason", cause)
	}
	if c.session != nil {
		if errors.Is(cause, errProtocol) || cause == errBye || stopping {
			c.session.end()
		} else {
			c.session.leave(c)
		}
	}
	c.server.forget(c)
	close(c.done)
}

func isTimeout(err error) bool {
	ne, ok := errors.AsType[net.Error](err)
	return ok && ne.Timeout()
}
