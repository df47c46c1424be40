package afp

import (
	"sync"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

const (
	// replaySize is how many replies are remembered, and so how many requests a
	// client may have outstanding (AFP Programming Guide, "AFP Replay Cache").
	replaySize = 128
	// maxReplay is the longest reply block that is. Longer ones are those of
	// requests that change nothing, which may be done again.
	maxReplay = 512
)

// replies are the last ones of a session. A client that lost its connection, and
// has its session again, sends anew what was not answered, and what was done
// already must not be done twice.
type replies struct {
	mu   sync.Mutex
	last [replaySize]remembered // by request id
}

// remembered is a reply. The zero remembered is none.
type remembered struct {
	there   bool
	id      uint16
	command afpwire.Command
	result  afpwire.Result
	block   []byte
}

// remember notes the reply that stands in r.out.
func (r *request) remember(result afpwire.Result) {
	if r.session == nil || r.conn.session != r.session {
		return
	}
	m := remembered{id: r.header.RequestID, command: r.command, result: result}
	if block := r.out.Message(); len(block) <= maxReplay {
		m.there, m.block = true, append([]byte(nil), block...)
	}
	c := &r.session.replies
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last[m.id%replaySize] = m
}

// replayed returns the reply to a request that was answered before, on the
// connection that was lost. Each is of use once.
func (r *request) replayed() (result afpwire.Result, block []byte, known bool) {
	if r.session == nil || !r.conn.returned {
		return 0, nil, false
	}
	c := &r.session.replies
	c.mu.Lock()
	defer c.mu.Unlock()
	m := &c.last[r.header.RequestID%replaySize]
	if !m.there || m.id != r.header.RequestID || m.command != r.command {
		return 0, nil, false
	}
	m.there = false
	return m.result, m.block, true
}
