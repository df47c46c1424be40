package afpclient_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/afpclient"
	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/dhx2"
	"github.com/dozo-server/dozo/internal/hexdump"
)

var none afpwire.SessionOptions

func TestGetStatus(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		nc, err := l.Accept()
		if err != nil {
			return
		}
		f := &fake{t: t, nc: nc}
		m := f.next()
		if m.Function != afpwire.DSIGetStatus || m.Length != 0 {
			t.Errorf("the client asks %+v", m.Header)
		}
		f.answer(m, afpwire.ResultNoErr, &afpwire.ServerInfo{Name: "dozo", Versions: []string{afpwire.Version34}})
		nc.Close()
	}()
	info, err := afpclient.GetStatus(within(t, 10*time.Second), l.Addr().String())
	if err != nil || info.Name != "dozo" || len(info.Versions) != 1 {
		t.Errorf("%+v, %v", info, err)
	}
}

func TestSessionOptions(t *testing.T) {
	c := connect(t, afpclient.Options{}, afpwire.SessionOptions{ServerQuantum: 65536, ReplayCacheSize: 128}, func(*fake) {})
	if got := c.Agreed(); got.ServerQuantum != 65536 || got.ReplayCacheSize != 128 {
		t.Errorf("Agreed = %+v", got)
	}
	c = connect(t, afpclient.Options{}, none, func(*fake) {})
	if got := c.Agreed(); got.ServerQuantum != afpwire.MinQuantum {
		t.Errorf("without a word of the server, Agreed = %+v", got)
	}
}

// TestRepliesInAnyOrder has many requests outstanding, which the server answers
// from the last to the first.
func TestRepliesInAnyOrder(t *testing.T) {
	const n = 20
	v := volume(t, afpclient.Options{Outstanding: n}, none, func(f *fake) {
		var asked []*received
		for range n {
			asked = append(asked, f.expect(afpwire.CreateDir))
		}
		for i := n - 1; i >= 0; i-- {
			var m afpwire.CreateDirRequest
			asked[i].decode(f.t, &m)
			f.answer(asked[i], afpwire.ResultNoErr, &afpwire.CreateDirReply{ID: m.Dir + 1000})
		}
	})
	ctx := within(t, 10*time.Second)
	var wg sync.WaitGroup
	for i := range afpwire.NodeID(n) {
		wg.Go(func() {
			if id, err := v.CreateDir(ctx, i, afpwire.UTF8Path("a")); id != i+1000 || err != nil {
				t.Errorf("request %d is answered %d, %v", i, id, err)
			}
		})
	}
	wg.Wait()
}

// TestReplayCacheBoundsRequests: no more requests are sent than the server
// remembers replies.
func TestReplayCacheBoundsRequests(t *testing.T) {
	const most, n = 4, 12
	v := volume(t, afpclient.Options{Outstanding: n}, afpwire.SessionOptions{ReplayCacheSize: most}, func(f *fake) {
		var asked []*received
		for range most {
			asked = append(asked, f.expect(afpwire.Flush))
		}
		f.nc.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		if m := f.next(); m != nil {
			t.Errorf("with %d requests outstanding the client sends %v", most, m.command())
		}
		f.nc.SetReadDeadline(time.Now().Add(10 * time.Second))
		for range n - most {
			f.reply(asked[0], afpwire.ResultNoErr, nil)
			asked = append(asked[1:], f.expect(afpwire.Flush))
		}
		for _, m := range asked {
			f.reply(m, afpwire.ResultNoErr, nil)
		}
	})
	ctx := within(t, 15*time.Second)
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			if err := v.Flush(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// TestRequestIDsGoRound: the ids begin anew after the last, and pass over that
// of a request which is still not answered.
func TestRequestIDsGoRound(t *testing.T) {
	asked := make(chan struct{})
	v := volume(t, afpclient.Options{}, none, func(f *fake) {
		slow := f.expect(afpwire.Flush)
		close(asked)
		var ids []uint16
		for range 5 {
			m := f.expect(afpwire.Flush)
			ids = append(ids, m.RequestID)
			f.reply(m, afpwire.ResultNoErr, nil)
		}
		if want := []uint16{65534, 65535, 0, 1, 3}; slow.RequestID != 2 || !slices.Equal(ids, want) {
			t.Errorf("the ids are %d, then %d, want 2, then %d", slow.RequestID, ids, want)
		}
		f.reply(slow, afpwire.ResultNoErr, nil)
	})
	ctx := within(t, 10*time.Second)
	slow := make(chan error)
	go func() { slow <- v.Flush(ctx) }()
	<-asked
	v.NextID(65534)
	for range 5 {
		if err := v.Flush(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-slow; err != nil {
		t.Error(err)
	}
}

// TestContextEndsWaiting: who no longer waits gets nothing written into memory,
// and the connection goes on.
func TestContextEndsWaiting(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := fork(t, afpclient.Options{Outstanding: 2}, none, func(f *fake) {
		m := f.expect(afpwire.ReadExt)
		cancel()
		next := f.expect(afpwire.CloseFork)
		f.reply(m, afpwire.ResultNoErr, []byte("too late"))
		f.reply(next, afpwire.ResultNoErr, nil)
	})
	p := make([]byte, 8)
	if n, err := f.Read(ctx, p, 0); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("Read = %d, %v", n, err)
	}
	if err := f.Close(within(t, 10*time.Second)); err != nil {
		t.Error(err)
	}
	if !bytes.Equal(p, make([]byte, 8)) {
		t.Errorf("memory that was given up has %q", p)
	}
}

// TestContextEndsWaitingForASlot: a request that was not sent need not be
// answered.
func TestContextEndsWaitingForASlot(t *testing.T) {
	v := volume(t, afpclient.Options{Outstanding: 1}, none, func(f *fake) { f.next() })
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 2)
	for range 2 {
		go func() { done <- v.Flush(ctx) }()
	}
	cancel()
	for range 2 {
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

func TestTicklesAreAnswered(t *testing.T) {
	answered := make(chan struct{})
	c := connect(t, afpclient.Options{}, none, func(f *fake) {
		f.send(afpwire.Header{Function: afpwire.DSITickle}, nil)
		if m := f.next(); m == nil || m.Reply || m.Function != afpwire.DSITickle || m.Length != 0 {
			t.Errorf("a tickle is answered by %+v", m)
		}
		close(answered)
		f.reply(f.expect(afpwire.Logout), afpwire.ResultNoErr, nil)
	})
	<-answered
	if err := c.Logout(within(t, 10*time.Second)); err != nil {
		t.Error(err)
	}
}

func TestAttentionIsDelivered(t *testing.T) {
	got := make(chan afpwire.Attention, 1)
	connect(t, afpclient.Options{OnAttention: func(a afpwire.Attention) { got <- a }}, none, func(f *fake) {
		f.send(afpwire.Header{Function: afpwire.DSIAttention}, hexdump.Bytes(t, `a005`))
	})
	if a := <-got; a != afpwire.AttentionShutDown|afpwire.AttentionMessage|5 {
		t.Errorf("attention %#x", uint16(a))
	}
}

// TestServersThatBreakTheProtocol ends connections with an error that says why.
func TestServersThatBreakTheProtocol(t *testing.T) {
	for _, tt := range []struct {
		name  string
		frame string // hex of what answers a Flush, whose id is 2
		want  error
		says  string
	}{
		{"a session closed", `00 01 0000 00000000 00000000 00000000`, afpclient.ErrServerClosed, ""},
		{"flags of no meaning", `02 02 0002 00000000 00000000 00000000`, afpclient.ErrProtocol, "flags 0x02"},
		{"a function of no meaning", `01 07 0002 00000000 00000000 00000000`, afpclient.ErrProtocol, "DSI command 7"},
		{"a reply to nothing", `01 02 0063 00000000 00000000 00000000`, afpclient.ErrProtocol, "request 99"},
		{"a reply of another function", `01 06 0002 00000000 00000000 00000000`, afpclient.ErrProtocol, "DSIWrite answers DSICommand"},
		{"the longest reply", `01 02 0002 00000000 ffffffff 00000000`, afpclient.ErrProtocol, "4294967295 bytes"},
		{"a long attention", `00 08 0000 00000000 00010000 00000000`, afpclient.ErrProtocol, "65536 bytes"},
		{"a short attention", `00 08 0000 00000000 00000001 00000000 a0`, afpclient.ErrProtocol, "too short"},
		{"a request", `00 02 0000 00000000 00000000 00000000`, afpclient.ErrProtocol, "sent a DSICommand"},
		{"half a header", `01 02 0002 0000`, io.EOF, "closed the connection"},
		{"half a payload", `01 02 0002 00000000 00000004 00000000 0000`, io.ErrUnexpectedEOF, ""},
		{"nothing", ``, io.EOF, "closed the connection"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := connect(t, afpclient.Options{}, none, func(f *fake) {
				m := f.expect(afpwire.Logout)
				f.reply(m, afpwire.ResultNoErr, nil)
				f.expect(afpwire.Logout)
				f.nc.Write(hexdump.Bytes(t, tt.frame))
				f.nc.Close()
			})
			ctx := within(t, 10*time.Second)
			if err := c.Logout(ctx); err != nil {
				t.Fatal(err)
			}
			err := c.Logout(ctx)
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v, want %v with %q", err, tt.want, tt.says)
			}
			<-c.Done()
			if again := c.Logout(ctx); again == nil || again.Error() != c.Err().Error() {
				t.Errorf("afterwards the error is %v, want %v", again, c.Err())
			}
		})
	}
}

// TestFramesInPieces has the server send a reply byte by byte.
func TestFramesInPieces(t *testing.T) {
	v := volume(t, afpclient.Options{}, none, func(f *fake) {
		m := f.expect(afpwire.CreateDir)
		w := cursor.NewWriter(nil)
		h := afpwire.Header{Reply: true, Function: m.Function, RequestID: m.RequestID, Length: 4}
		h.Encode(w)
		w.BE32(17)
		for _, b := range w.Message() {
			f.nc.Write([]byte{b})
		}
	})
	if id, err := v.CreateDir(within(t, 10*time.Second), afpwire.Root, afpwire.UTF8Path("a")); id != 17 || err != nil {
		t.Errorf("CreateDir = %d, %v", id, err)
	}
}

func TestRepliesThatAreNone(t *testing.T) {
	v := volume(t, afpclient.Options{}, none, func(f *fake) {
		f.reply(f.expect(afpwire.CreateDir), afpwire.ResultNoErr, []byte{0, 0})
		f.reply(f.expect(afpwire.GetFileDirParms), afpwire.ResultNoErr, hexdump.Bytes(t, `2000 0000 00 00 0100 00000000`))
		f.reply(f.expect(afpwire.Delete), afpwire.ResultObjectLocked, nil)
	})
	ctx := within(t, 10*time.Second)
	if _, err := v.CreateDir(ctx, afpwire.Root, afpwire.UTF8Path("a")); !errors.Is(err, afpclient.ErrProtocol) {
		t.Errorf("half an id: %v", err)
	}
	if _, err := v.Stat(ctx, afpwire.Root, afpwire.UTF8Path("a"), afpwire.BitUTF8Name, 0); !errors.Is(err, afpclient.ErrProtocol) {
		t.Errorf("a name beyond the end: %v", err)
	}
	err := v.Delete(ctx, afpwire.Root, afpwire.UTF8Path("a"))
	if !errors.Is(err, afpwire.ResultObjectLocked) || err.Error() != "FPDelete: kFPObjectLocked" {
		t.Errorf("a refusal: %v", err)
	}
}

func TestLongReadsAreRefused(t *testing.T) {
	f := fork(t, afpclient.Options{}, none, func(f *fake) {
		f.reply(f.expect(afpwire.ReadExt), afpwire.ResultNoErr, make([]byte, 9))
	})
	if _, err := f.Read(within(t, 10*time.Second), make([]byte, 8), 0); !errors.Is(err, afpclient.ErrProtocol) {
		t.Errorf("nine bytes for eight: %v", err)
	}
}

// TestWritesKeepToTheQuantum cuts a write into pieces.
func TestWritesKeepToTheQuantum(t *testing.T) {
	const quantum = 40000
	data := bytes.Repeat([]byte("0123456789"), 10000)
	f := fork(t, afpclient.Options{}, afpwire.SessionOptions{ServerQuantum: quantum}, func(f *fake) {
		var got []byte
		for len(got) < len(data) {
			m := f.expect(afpwire.WriteExt)
			if m.Length > quantum {
				t.Errorf("a frame of %d bytes", m.Length)
			}
			var w afpwire.WriteRequest
			m.decode(t, &w)
			if w.Offset != 7+int64(len(got)) || w.Count != int64(len(m.data)) || w.Count == 0 {
				t.Errorf("%d bytes, said to be %d, at %d", len(m.data), w.Count, w.Offset)
				return
			}
			got = append(got, m.data...)
			f.answer(m, afpwire.ResultNoErr, &afpwire.WriteReply{Command: w.Command, End: w.Offset + w.Count})
		}
		if !bytes.Equal(got, data) {
			t.Error("other bytes were written")
		}
		m := f.expect(afpwire.WriteExt)
		if len(m.data) != 0 {
			t.Errorf("a write of nothing has %d bytes", len(m.data))
		}
		f.answer(m, afpwire.ResultNoErr, &afpwire.WriteReply{Command: afpwire.WriteExt, End: 7})
	})
	ctx := within(t, 10*time.Second)
	if end, err := f.Write(ctx, data, 7); end != 7+int64(len(data)) || err != nil {
		t.Errorf("Write ends at %d, %v", end, err)
	}
	if end, err := f.Write(ctx, nil, 7); end != 7 || err != nil {
		t.Errorf("a write of nothing ends at %d, %v", end, err)
	}
}

// TestListGoesOn asks again until the server has no more.
func TestListGoesOn(t *testing.T) {
	v := volume(t, afpclient.Options{}, none, func(f *fake) {
		for start := uint32(1); ; start += 2 {
			m := f.expect(afpwire.EnumerateExt2)
			var e afpwire.EnumerateRequest
			m.decode(t, &e)
			if e.Start != start {
				t.Errorf("the client goes on at %d, want %d", e.Start, start)
			}
			if start > 5 {
				f.reply(m, afpwire.ResultObjectNotFound, nil)
				return
			}
			f.answer(m, afpwire.ResultNoErr, &afpwire.EnumerateReply{
				Command: e.Command, Files: e.Files, Dirs: e.Dirs,
				Entries: []afpwire.Parms{{UTF8Name: fmt.Sprint(start)}, {Dir: true, UTF8Name: fmt.Sprint(start + 1)}},
			})
		}
	})
	var names string
	for p, err := range v.List(within(t, 10*time.Second), afpwire.Root, afpwire.UTF8Path(), afpwire.BitUTF8Name, afpwire.BitUTF8Name) {
		if err != nil {
			t.Fatal(err)
		}
		names += p.UTF8Name
	}
	if names != "123456" {
		t.Errorf("the folder has %q", names)
	}
}

// diffieHellman is the login, or the change of a password, by DHX2.
type diffieHellman struct{ dhx2.Initiator }

func (*diffieHellman) Name() string           { return afpwire.UAMDHX2 }
func (*diffieHellman) Begin() ([]byte, error) { return nil, nil }
func (*diffieHellman) Finish([]byte) error    { return nil }

// TestLoginInSteps plays DHX2 in both dialects.
func TestLoginInSteps(t *testing.T) {
	for _, version := range []string{"", afpwire.Version22} {
		t.Run(version, func(t *testing.T) {
			c := connect(t, afpclient.Options{}, none, func(f *fake) {
				m := f.next()
				if version == "" {
					var l afpwire.LoginExtRequest
					m.decode(t, &l)
					if l.Version != afpwire.Version34 || l.UAM != afpwire.UAMDHX2 || l.User != "Rene\u0301" || len(l.Auth) != 0 {
						t.Errorf("the client sends %+v", l)
					}
				} else {
					var l afpwire.LoginRequest
					m.decode(t, &l)
					if user, rest, err := l.User(); l.Version != version || user != "Ren\x8e" || len(rest) != 0 || err != nil {
						t.Errorf("the client sends %+v", l)
					}
				}
				a := dhx2.NewLogin()
				f.answer(m, afpwire.ResultAuthContinue, &afpwire.AuthContinueReply{ID: a.ID(), Auth: a.Offer()})
				for {
					m := f.expect(afpwire.LoginCont)
					var l afpwire.LoginContRequest
					m.decode(t, &l)
					reply, err := a.Accept(l.ID, l.Auth)
					if err != nil {
						t.Error(err)
						return
					}
					if reply == nil {
						if a.Password() != "secret" {
							t.Errorf("the password is %q", a.Password())
						}
						f.reply(m, afpwire.ResultNoErr, nil)
						break
					}
					f.answer(m, afpwire.ResultAuthContinue, &afpwire.AuthContinueReply{ID: a.ID(), Auth: reply})
				}
			})
			err := c.Login(within(t, 10*time.Second), afpclient.Login{Version: version, User: "René", UAM: &diffieHellman{dhx2.Initiator{Password: "secret"}}})
			if err != nil {
				t.Error(err)
			}
			if p := c.Path("é"); version == "" && p.Name != "e\u0301" || version != "" && p.Name != "\x8e" {
				t.Errorf("then a path is %+q", p.Name)
			}
		})
	}
}

func TestChangePasswordInSteps(t *testing.T) {
	c := connect(t, afpclient.Options{}, none, func(f *fake) {
		a := dhx2.NewChange()
		step := func() (*received, uint16, []byte) {
			m := f.expect(afpwire.ChangePassword)
			var p afpwire.ChangePasswordRequest
			m.decode(t, &p)
			if p.UAM != afpwire.UAMDHX2 || p.User != "" || len(p.Auth) < 2 {
				t.Errorf("the client sends %+v", p)
				return m, 0, nil
			}
			return m, uint16(p.Auth[0])<<8 | uint16(p.Auth[1]), p.Auth[2:]
		}
		m, id, _ := step()
		if id != 0 {
			t.Errorf("the first id is %d", id)
		}
		f.answer(m, afpwire.ResultAuthContinue, &afpwire.AuthContinueReply{ID: a.ID(), Auth: a.Offer()})
		m, id, auth := step()
		reply, err := a.Accept(id, auth)
		if err != nil {
			t.Error(err)
		}
		f.answer(m, afpwire.ResultAuthContinue, &afpwire.AuthContinueReply{ID: a.ID(), Auth: reply})
		m, id, auth = step()
		if _, err := a.Accept(id, auth); err != nil || a.Password() != "old" || a.NewPassword() != "new" {
			t.Errorf("%q becomes %q, %v", a.Password(), a.NewPassword(), err)
		}
		f.reply(m, afpwire.ResultNoErr, nil)
	})
	if err := c.ChangePassword(within(t, 10*time.Second), "nobody", &diffieHellman{dhx2.Initiator{Password: "old", NewPassword: "new"}}); err != nil {
		t.Error(err)
	}
}

func TestRefusedLogin(t *testing.T) {
	c := connect(t, afpclient.Options{}, none, func(f *fake) { f.reply(f.next(), afpwire.ResultUserNotAuth, nil) })
	u := password("wrong")
	err := c.Login(within(t, 10*time.Second), afpclient.Login{User: "a", UAM: &u})
	if !errors.Is(err, afpwire.ResultUserNotAuth) {
		t.Error(err)
	}
}

func TestCloseSession(t *testing.T) {
	told := make(chan *received, 1)
	c := connect(t, afpclient.Options{}, none, func(f *fake) {
		told <- f.next()
		if f.next() != nil {
			t.Error("the connection goes on")
		}
	})
	c.CloseSession()
	if m := <-told; m == nil || m.Reply || m.Function != afpwire.DSICloseSession {
		t.Errorf("the client ends with %+v", m)
	}
	if !errors.Is(c.Err(), afpclient.ErrClosed) {
		t.Error(c.Err())
	}
	if err := c.Logout(t.Context()); !errors.Is(err, afpclient.ErrClosed) {
		t.Errorf("afterwards: %v", err)
	}
}

// TestCloseEndsWaiting: nothing hangs when the server is deaf and dumb.
func TestCloseEndsWaiting(t *testing.T) {
	stop := make(chan struct{})
	f := fork(t, afpclient.Options{Outstanding: 4}, afpwire.SessionOptions{ServerQuantum: 8 << 20}, func(f *fake) { <-stop })
	defer close(stop)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	done := make(chan error, 4)
	for range 4 {
		go func() { // more than sockets hold
			_, err := f.Write(ctx, make([]byte, 8<<20), 0)
			done <- err
		}()
	}
	short, stopWaiting := context.WithTimeout(ctx, 20*time.Millisecond)
	defer stopWaiting()
	if err := f.Flush(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Flush: %v", err)
	}
	f.CloseConn()
	for range 4 {
		if err := <-done; !errors.Is(err, afpclient.ErrClosed) {
			t.Errorf("Write: %v", err)
		}
	}
}
