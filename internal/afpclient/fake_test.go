package afpclient_test

import (
	"context"
	"io"
	"net"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/afpclient"
	"github.com/dozo-server/dozo/internal/cursor"
)

// fake is a server whose answers a test writes down. It knows how to open a
// session; the test does the rest.
type fake struct {
	t       *testing.T
	nc      net.Conn
	options afpwire.SessionOptions
}

// received is a frame as the fake got it.
type received struct {
	afpwire.Header
	message, data []byte
}

// command is the first byte of the message.
func (m *received) command() afpwire.Command {
	if len(m.message) == 0 {
		return 0
	}
	return afpwire.Command(m.message[0])
}

func (m *received) decode(t *testing.T, d afpclient.Decoder) {
	t.Helper()
	r := cursor.NewReader(m.message)
	if d.Decode(r); r.Err() != nil {
		t.Errorf("%v: %v", m.command(), r.Err())
	}
}

// next reads the next frame, nil when the client has gone.
func (f *fake) next() *received {
	head := make([]byte, afpwire.HeaderSize)
	if _, err := io.ReadFull(f.nc, head); err != nil {
		return nil
	}
	m := new(received)
	m.Header.Decode(cursor.NewReader(head))
	payload := make([]byte, m.Length)
	if _, err := io.ReadFull(f.nc, payload); err != nil {
		return nil
	}
	m.message, m.data = m.Parts(payload)
	return m
}

// expect reads the next frame, which must be of a command.
func (f *fake) expect(c afpwire.Command) *received {
	m := f.next()
	if m == nil {
		f.t.Errorf("the client went away instead of sending %v", c)
		return &received{}
	}
	if m.command() != c {
		f.t.Errorf("the client sent %v instead of %v", m.command(), c)
	}
	return m
}

// send sends a frame with a payload.
func (f *fake) send(h afpwire.Header, payload []byte) {
	w := cursor.NewWriter(nil)
	h.Length = uint32(len(payload))
	h.Encode(w)
	w.Bytes(payload)
	f.nc.Write(w.Message())
}

// reply answers m.
func (f *fake) reply(m *received, result afpwire.Result, payload []byte) {
	f.send(afpwire.Header{Reply: true, Function: m.Function, RequestID: m.RequestID, Result: result}, payload)
}

// answer answers m with a reply block.
func (f *fake) answer(m *received, result afpwire.Result, block afpclient.Encoder) {
	w := cursor.NewWriter(nil)
	block.Encode(w)
	f.reply(m, result, w.Message())
}

// pair returns the two ends of a connection over loopback.
func pair(t testing.TB) (client, server net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if client, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if server, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	server.SetDeadline(time.Now().Add(20 * time.Second))
	t.Cleanup(func() { client.Close(); server.Close() })
	return client, server
}

// connect plays the server up to an open session, then play, and returns the
// client's end.
func connect(t *testing.T, o afpclient.Options, options afpwire.SessionOptions, play func(*fake)) *afpclient.Conn {
	t.Helper()
	client, server := pair(t)
	played := make(chan struct{})
	go func() {
		defer close(played)
		f := &fake{t: t, nc: server, options: options}
		m := f.next()
		if m == nil || m.Function != afpwire.DSIOpenSession {
			t.Errorf("the client begins with %+v", m)
			return
		}
		f.answer(m, afpwire.ResultNoErr, &f.options)
		play(f)
	}()
	c, err := afpclient.NewConn(within(t, 10*time.Second), client, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); server.Close(); <-played })
	return c
}

// volume is connect with a volume that is open.
func volume(t *testing.T, o afpclient.Options, options afpwire.SessionOptions, play func(*fake)) *afpclient.Volume {
	t.Helper()
	c := connect(t, o, options, func(f *fake) {
		m := f.expect(afpwire.OpenVol)
		f.answer(m, afpwire.ResultNoErr, &afpwire.VolParmsReply{Bitmap: afpwire.VolBitID, Parms: afpwire.VolumeParms{ID: 1}})
		play(f)
	})
	v, _, err := c.OpenVolume(t.Context(), "v", 0)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// fork is volume with a fork that is open.
func fork(t *testing.T, o afpclient.Options, options afpwire.SessionOptions, play func(*fake)) *afpclient.Fork {
	t.Helper()
	v := volume(t, o, options, func(f *fake) {
		f.answer(f.expect(afpwire.OpenFork), afpwire.ResultNoErr, &afpwire.OpenForkReply{Fork: 3})
		play(f)
	})
	opened, _, err := v.OpenFork(t.Context(), afpwire.Root, afpwire.UTF8Path("a"), false, afpwire.OpenRead|afpwire.OpenWrite, 0)
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

// within is a context that ends a test which hangs.
func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}
