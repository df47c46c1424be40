package afpclient_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/afpclient"
	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/hexdump"
)

// update records the conversations anew, with the netatalk at DOZO_NETATALK,
// which is "host:port". It must have an empty volume afp1, and the user afptest1
// with the password afptest.
var update = flag.Bool("update", false, "record the conversations with the netatalk at $DOZO_NETATALK")

// cleartext is the login method that netatalk's tools and these tests use.
type cleartext struct{ password [8]byte }

func (*cleartext) Name() string { return afpwire.UAMCleartext }

func (u *cleartext) Begin() ([]byte, error) { return u.password[:], nil }

func (*cleartext) Answer([]byte) ([]byte, error) { return nil, errors.New("the server wants to go on") }

func (*cleartext) Finish([]byte) error { return nil }

func password(s string) (u cleartext) {
	copy(u.password[:], s)
	return u
}

// TestConversation drives every command, in the two dialects, against what
// netatalk 4.5 answered when it was asked the same. With DOZO_NETATALK it asks
// netatalk itself.
func TestConversation(t *testing.T) {
	for _, version := range []string{afpwire.Version34, afpwire.Version22} {
		t.Run(version, func(t *testing.T) {
			file := filepath.Join("testdata", "netatalk-"+strings.TrimPrefix(version, "AFP")+".txt")
			var nc net.Conn
			if addr := os.Getenv("DOZO_NETATALK"); addr != "" {
				live, err := net.Dial("tcp", addr)
				if err != nil {
					t.Fatal(err)
				}
				nc = live
				if *update {
					r := &recorder{Conn: live}
					defer r.save(t, file)
					nc = r
				}
			} else {
				nc = replay(t, file)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			c, err := afpclient.NewConn(ctx, nc, afpclient.Options{Outstanding: 1})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			u := password("afptest")
			if err := c.Login(ctx, afpclient.Login{Version: version, User: "afptest1", UAM: &u}); err != nil {
				t.Fatal(err)
			}
			d := &driver{T: t, ctx: ctx, Conn: c, afp2: version == afpwire.Version22}
			d.session()
			d.volume()
			if err := c.Logout(ctx); err != nil {
				t.Error(err)
			}
			c.CloseSession()
		})
	}
}

// recorder notes the frames that go over a connection.
type recorder struct {
	net.Conn

	mu      sync.Mutex
	text    strings.Builder
	pending [2][]byte // from the client and from the server, less than a frame
}

func (r *recorder) Write(b []byte) (int, error) {
	r.note(0, b)
	return r.Conn.Write(b)
}

func (r *recorder) Read(b []byte) (int, error) {
	n, err := r.Conn.Read(b)
	r.note(1, b[:n])
	return n, err
}

// note adds the frames that are whole.
func (r *recorder) note(from int, b []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := append(r.pending[from], b...)
	for len(p) >= afpwire.HeaderSize {
		var h afpwire.Header
		h.Decode(cursor.NewReader(p))
		size := afpwire.HeaderSize + int(h.Length)
		if len(p) < size {
			break
		}
		what := fmt.Sprint(h.Function)
		switch {
		case h.Reply:
			what = h.Result.String()
		case h.Length > 0 && (h.Function == afpwire.DSICommand || h.Function == afpwire.DSIWrite):
			what = afpwire.Command(p[afpwire.HeaderSize]).String()
		}
		fmt.Fprintf(&r.text, "%s %s # %s\n", []string{">", "<"}[from], hex.EncodeToString(p[:size]), what)
		p = p[size:]
	}
	r.pending[from] = bytes.Clone(p)
}

func (r *recorder) save(t *testing.T, file string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t.Failed() {
		return
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(r.text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// replay returns a connection to a server that answers as in a recording, if it
// is asked the same.
func replay(t *testing.T, file string) net.Conn {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	client, server := net.Pipe()
	played := make(chan struct{})
	go func() {
		defer close(played)
		defer server.Close()
		n := 0
		for line := range strings.Lines(string(text)) {
			n++
			want := hexdump.Bytes(t, line[1:])
			if line[0] == '<' {
				server.Write(want)
				continue
			}
			got := make([]byte, len(want))
			if _, err := io.ReadFull(server, got); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s:%d: the client sends, %v,\n%swhere it sent\n%s", file, n, err, hex.Dump(got), hex.Dump(want))
				return
			}
		}
	}()
	t.Cleanup(func() { client.Close(); <-played })
	return client
}
