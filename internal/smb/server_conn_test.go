package smb_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/smb"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
	"github.com/dozo-server/dozo/vfs/memfs"
)

// host is a server whose connections are tested. It has the shares "test" and,
// for clients that encrypt, "secret".
type host struct {
	*smb.Server
	addr  string
	share *share.Share // "test"
	log   *logged
}

// logged is what a server wrote to its log.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// people are the users of a host. All have the password "secret", but for "new",
// who has none yet.
type people []string

func (p people) Lookup(name string) (auth.Record, error) {
	for _, n := range p {
		if strings.EqualFold(n, name) && n == "new" {
			return auth.Record{Name: n}, nil
		}
		if strings.EqualFold(n, name) {
			return auth.Record{Name: n, NTHash: auth.NTHash("secret"), Disabled: n == "disabled"}, nil
		}
	}
	return auth.Record{}, auth.ErrUnknownUser
}

func (people) Identity(r auth.Record) (*auth.Identity, error) {
	return &auth.Identity{User: r.Name}, nil
}

// served are the shares of a server.
type served []*share.Share

func (s served) All(*auth.Identity) []*share.Share { return s }

func (s served) Named(name string, _ *auth.Identity) *share.Share {
	for _, sh := range s {
		if strings.EqualFold(sh.Name(), name) {
			return sh
		}
	}
	return nil
}

// newHost starts a server, which ends with the test.
func newHost(t testing.TB, change ...func(*smb.Config)) *host {
	t.Helper()
	h := &host{log: &logged{}}
	config := smb.Config{
		Name:  "HOST",
		GUID:  [16]byte{1, 2, 3},
		Users: people{"anna", "bert", "disabled"},
		Log:   slog.New(slog.NewTextHandler(h.log, nil)),
	}
	for _, f := range change {
		f(&config)
	}
	guest := share.GuestNone
	if config.Guest {
		guest = share.GuestWrite
	}
	h.share = share.New(memfs.New(), share.Options{Name: "test", Guest: guest})
	config.Shares = served{
		h.share,
		share.New(memfs.New(), share.Options{Name: "secret", Encrypt: true}),
	}
	h.Server = smb.NewServer(config)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h.addr = l.Addr().String()
	served := make(chan error, 1)
	go func() { served <- h.Serve(context.Background(), l) }()
	t.Cleanup(func() {
		if err := h.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the server's log:\n%s", h.log)
		}
	})
	return h
}

func requireSigning(c *smb.Config) { c.RequireSigning = true }
func encryptAll(c *smb.Config)     { c.Encrypt = true }
func guests(c *smb.Config)         { c.Guest = true }

// patient lets everybody try as many wrong passwords as he likes: its clock goes
// on by a day with each.
func patient(c *smb.Config) {
	var days atomic.Int64
	c.Guard = auth.NewGuard(func() time.Time { return time.Unix(days.Add(1)*86400*2, 0) })
}

var anna = smbclient.Login{User: "anna", Password: "secret"}

// connect negotiates.
func (h *host) connect(t testing.TB, o smbclient.Options) *smbclient.Conn {
	t.Helper()
	return h.connectOver(t, h.socket(t), o)
}

// connectOver negotiates over a socket.
func (h *host) connectOver(t testing.TB, nc net.Conn, o smbclient.Options) *smbclient.Conn {
	t.Helper()
	c, err := smbclient.NewConn(t.Context(), nc, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// login logs anna in on a new connection.
func (h *host) login(t testing.TB, o smbclient.Options) *smbclient.Session {
	t.Helper()
	return h.loginOn(t, h.connect(t, o))
}

func (h *host) loginOn(t testing.TB, c *smbclient.Conn) *smbclient.Session {
	t.Helper()
	s, err := c.Login(t.Context(), anna)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// use connects to the share "test" on a new connection.
func (h *host) use(t testing.TB, o smbclient.Options) *smbclient.Tree {
	t.Helper()
	return tree(t, h.login(t, o), "test")
}

func tree(t testing.TB, s *smbclient.Session, share string) *smbclient.Tree {
	t.Helper()
	tr, err := s.Tree(t.Context(), share)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// socket is a bare connection, with the test's own end.
func (h *host) socket(t testing.TB) net.Conn {
	t.Helper()
	nc, err := net.Dial("tcp", h.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	return nc
}

// wantClosed fails unless the server closes the connection without a further
// word.
func wantClosed(t testing.TB, c *smbclient.Conn) {
	t.Helper()
	select {
	case <-c.Done():
		if err := c.Err(); errors.Is(err, smbclient.ErrProtocol) || errors.Is(err, smbclient.ErrClosed) {
			t.Errorf("the connection ended by %v, not by the server", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the server did not close the connection")
	}
}

// wantSocketClosed is wantClosed for a bare connection.
func wantSocketClosed(t testing.TB, nc net.Conn) {
	t.Helper()
	nc.SetReadDeadline(time.Now().Add(10 * time.Second))
	var b [1]byte
	_, err := nc.Read(b[:])
	var timeout net.Error
	switch {
	case err == nil:
		t.Errorf("the server answered %#x", b)
	case errors.As(err, &timeout) && timeout.Timeout():
		t.Error("the server did not close the connection")
	case !errors.Is(err, io.EOF) && !strings.Contains(err.Error(), "reset"):
		t.Error(err)
	}
}

// wantStatus sends a request and compares the status of its response.
func wantStatus(t testing.TB, c *smbclient.Conn, r *smbclient.Request, want smbwire.Status) {
	t.Helper()
	response, err := c.Do(t.Context(), r)
	if err != nil {
		t.Errorf("%v: %v, want %v", r.Command, err, want)
		return
	}
	defer response.Free()
	if got := response.Header.Status; got != want {
		t.Errorf("%v: %v, want %v", r.Command, got, want)
	}
}

// wantAlive fails unless a session is of use.
func wantAlive(t testing.TB, s *smbclient.Session) {
	t.Helper()
	if err := s.Echo(t.Context()); err != nil {
		t.Errorf("ECHO: %v", err)
	}
}

// wireMessage is a message with any header and body.
func wireMessage(h smbwire.Header, body ...byte) []byte {
	w := cursor.NewWriter(nil)
	h.Encode(w)
	w.Bytes(body)
	return w.Message()
}

// encoded is a message body or what stands in one.
func encoded(m smbclient.Encoder) []byte {
	w := cursor.NewWriter(nil)
	m.Encode(w)
	return w.Message()
}

// makeFile makes a file with n bytes and returns it open.
func makeFile(t testing.TB, tr *smbclient.Tree, name string, n int) *smbclient.File {
	t.Helper()
	f, err := tr.Create(t.Context(), smbclient.Making(name))
	if err != nil {
		t.Fatal(err)
	}
	if n > 0 {
		if _, err := f.WriteAt(t.Context(), make([]byte, n), 0); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// meddler changes what goes through a connection.
type meddler struct {
	net.Conn
	mu        sync.Mutex
	out, back func([]byte)
}

func (m *meddler) Write(b []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.out != nil {
		m.out(b)
	}
	return m.Conn.Write(b)
}

func (m *meddler) Read(b []byte) (int, error) {
	n, err := m.Conn.Read(b)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.back != nil {
		m.back(b[:n])
	}
	return n, err
}

// meddle sets what is changed from now on.
func (m *meddler) meddle(out, back func([]byte)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.out, m.back = out, back
}
