package afp

import (
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/cursor"
)

// peer is a client's end of a connection, from which frames come and go as they
// are.
type peer struct {
	net.Conn
	t *testing.T
}

// connected starts a server that lets guests in, with one connection.
func connected(t *testing.T) (*Server, *peer) {
	s := NewServer(Config{Name: "dozo", Guest: true, Methods: []string{afpwire.UAMGuest}})
	ours, theirs := net.Pipe()
	s.admit(ours)
	return s, &peer{theirs, t}
}

func (p *peer) send(f afpwire.DSIFunction, id uint16, message reply) {
	p.t.Helper()
	w := cursor.NewWriter(nil)
	w.Zero(afpwire.HeaderSize)
	if message != nil {
		var body cursor.Writer
		body.Reset(w.Buffer())
		message.Encode(&body)
		w.Reset(body.Buffer()[:0])
		(&afpwire.Header{Function: f, RequestID: id, Length: uint32(body.Len())}).Encode(w)
		w.Reset(body.Buffer())
	} else {
		w.Reset(w.Buffer()[:0])
		(&afpwire.Header{Function: f, RequestID: id}).Encode(w)
	}
	if _, err := p.Write(w.Buffer()); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) next() (h afpwire.Header, ok bool) {
	p.t.Helper()
	var head [afpwire.HeaderSize]byte
	if _, err := io.ReadFull(p, head[:]); err != nil {
		return h, false
	}
	h.Decode(cursor.NewReader(head[:]))
	_, err := io.CopyN(io.Discard, p, int64(h.Length))
	return h, err == nil
}

// login opens a session and logs in.
func (p *peer) login() {
	p.t.Helper()
	p.send(afpwire.DSIOpenSession, 0, nil)
	p.next()
	p.send(afpwire.DSICommand, 1, &afpwire.LoginRequest{Version: afpwire.Version34, UAM: afpwire.UAMGuest})
	if h, ok := p.next(); !ok || h.Result != afpwire.ResultNoErr {
		p.t.Fatalf("login: %+v", h)
	}
}

// Who says nothing is cut off: strangers soon, clients after four tickles.
func TestSilence(t *testing.T) {
	for _, tt := range []struct {
		name  string
		login bool
		sleep bool
		want  time.Duration
	}{
		{"a stranger", false, false, loginTime},
		{"a client", true, false, silence},
		{"a client that sleeps", true, true, sleepTime},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, p := connected(t)
				if tt.login {
					p.login()
				}
				if tt.sleep {
					p.send(afpwire.DSICommand, 2, &afpwire.ZzzzzRequest{Sleep: afpwire.SleepBegins})
					p.next()
				}
				start, tickles := time.Now(), 0
				for {
					h, ok := p.next()
					if !ok {
						break
					}
					if h.Function == afpwire.DSITickle {
						tickles++
					}
				}
				if got := time.Since(start); got != tt.want {
					t.Errorf("cut off after %v, want %v", got, tt.want)
				}
				if awake := tt.login && !tt.sleep; awake != (tickles > 0) {
					t.Errorf("%d tickles", tickles)
				}
				if err := s.Shutdown(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// A client that came back is answered once more what was answered before.
func TestReplay(t *testing.T) {
	r := &request{conn: &conn{}, header: afpwire.Header{RequestID: 7}, command: afpwire.Delete, session: &session{}}
	r.conn.session = r.session
	r.begin(16)
	r.out.BE32(5)
	r.remember(afpwire.ResultObjectNotFound)
	if _, _, known := r.replayed(); known {
		t.Error("a reply is known on a connection that is not another one")
	}
	r.conn.returned = true
	other := *r
	other.command = afpwire.Rename
	if _, _, known := other.replayed(); known {
		t.Error("the reply to another command is known")
	}
	if result, block, known := r.replayed(); !known || result != afpwire.ResultObjectNotFound || len(block) != 4 {
		t.Errorf("replayed = %v, %x, %v", result, block, known)
	}
	if _, _, known := r.replayed(); known {
		t.Error("a reply is known twice")
	}
}
