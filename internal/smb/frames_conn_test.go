package smb_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/hexdump"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
)

// What a stranger may send first, and what becomes of it. After an error in a
// frame the connection is closed: whatever follows must not be taken for the
// beginning of another (CVE-2026-62319).
func TestFirstFramesOfStrangers(t *testing.T) {
	h := newHost(t)
	for _, tt := range []struct{ name, wire string }{
		{"a frame of nothing", `00 00 00 00`},
		{"a frame too short for any protocol", `00 00 00 03 fe 53 4d`},
		{"a frame of no SMB", `00 00 00 08 47 45 54 20 2f 20 48 54 # GET / HT`},
		{"an HTTP client", `47 45 54 20 2f 20 48 54 54 50 2f 31 2e 31 0d 0a 0d 0a`},
		{"a keep-alive of NetBIOS", `85 00 00 00`},
		{"a session request of NetBIOS", `81 00 00 44`},
		{"a header cut short", `00 00 00 20 fe 53 4d 42 40 00` + strings.Repeat(" 00", 26)},
		{"a header of another size", `00 00 00 40 fe 53 4d 42 41 00` + strings.Repeat(" 00", 58)},
		{"a response", `00 00 00 40 fe 53 4d 42 40 00 0000 00000000 0000 0000 01000000` + strings.Repeat(" 00", 44)},
		{"a login before anything", `00 00 00 40 fe 53 4d 42 40 00 0000 00000000 0100` + strings.Repeat(" 00", 50)},
		{"an encrypted message", `00 00 00 74 fd 53 4d 42` + strings.Repeat(" 00", 112)},
		{"a compressed message", `00 00 00 20 fc 53 4d 42` + strings.Repeat(" 00", 28)},
		{"a frame larger than a stranger's may be", `00 01 00 01`},
		{"the largest frame there is", `00 ff ff ff`},
		{"a frame that would be negative", `ff ff ff ff`},
		{"a message id that was not granted", `00 00 00 40 fe 53 4d 42 40 00 0000 00000000 0000 0000 00000000 00000000 0500000000000000` + strings.Repeat(" 00", 32)},
		{"a compound that goes on inside of its header", `00 00 00 40 fe 53 4d 42 40 00 0000 00000000 0000 0000 00000000 08000000` + strings.Repeat(" 00", 40)},
		{"a compound that goes on behind the frame", `00 00 00 40 fe 53 4d 42 40 00 0000 00000000 0000 0000 00000000 48000000` + strings.Repeat(" 00", 40)},
		{"SMB1 that is no negotiate", `00 00 00 23 ff 53 4d 42 73` + strings.Repeat(" 00", 30)},
		{"SMB1 that is cut short", `00 00 00 08 ff 53 4d 42 72 00 00 00`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			nc := h.socket(t)
			nc.Write(hexdump.Bytes(t, tt.wire))
			wantSocketClosed(t, nc)
		})
	}
}

func TestFrameLimits(t *testing.T) {
	h := newHost(t)
	t.Run("before the login", func(t *testing.T) {
		c := h.connect(t, smbclient.Options{})
		body := make(smbclient.Raw, 64<<10)
		c.Start(t.Context(), &smbclient.Request{Command: smbwire.Echo, Body: body})
		wantClosed(t, c)
	})
	t.Run("after it", func(t *testing.T) {
		s := h.login(t, smbclient.Options{})
		s.Conn().SendFrame(make([]byte, 8<<20+64<<10+1))
		wantClosed(t, s.Conn())
	})
}

// bodies are the fixed sizes of the bodies of requests ([MS-SMB2] 2.2).
var bodies = []struct {
	command smbwire.Command
	size    uint16
}{
	{smbwire.SessionSetup, 25}, {smbwire.Logoff, 4}, {smbwire.TreeConnect, 9}, {smbwire.TreeDisconnect, 4},
	{smbwire.Create, 57}, {smbwire.Close, 24}, {smbwire.Flush, 24}, {smbwire.Read, 49}, {smbwire.Write, 49},
	{smbwire.Lock, 48}, {smbwire.Ioctl, 57}, {smbwire.Echo, 4}, {smbwire.QueryDirectory, 33},
	{smbwire.ChangeNotify, 32}, {smbwire.QueryInfo, 41}, {smbwire.SetInfo, 33}, {smbwire.OplockBreak, 24},
}

// A body that does not fit its command is refused, and the connection goes on.
func TestMalformedBodies(t *testing.T) {
	h := newHost(t)
	s := h.login(t, smbclient.Options{})
	ipc := tree(t, s, "IPC$")
	for _, tt := range bodies {
		t.Run(tt.command.String(), func(t *testing.T) {
			body := make(smbclient.Raw, tt.size&^1)
			binary.LittleEndian.PutUint16(body, tt.size)
			another := bytes.Clone(body)
			another[0] += 2
			far := bytes.Clone(body)
			for i := 2; i < len(far); i++ {
				far[i] = 0xff // whatever is an offset or a length in it is out of bounds
			}
			for name, b := range map[string]smbclient.Raw{
				"nothing": nil, "half a size": body[:1], "another size": another, "cut short": body[:len(body)-1],
			} {
				r, err := s.Conn().Do(t.Context(), &smbclient.Request{Command: tt.command, Body: b, Tree: ipc})
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if r.Header.Status != smbwire.StatusInvalidParameter {
					t.Errorf("%s: %v", name, r.Header.Status)
				}
				r.Free()
			}
			if tt.command == smbwire.Logoff || tt.command == smbwire.Echo || tt.command == smbwire.TreeDisconnect {
				return // nothing in them is looked at
			}
			r, err := s.Conn().Do(t.Context(), &smbclient.Request{Command: tt.command, Body: smbclient.Raw(far), Tree: ipc})
			if err != nil {
				t.Fatalf("all ones: %v", err)
			}
			if !r.Header.Status.IsError() {
				t.Errorf("all ones: %v", r.Header.Status)
			}
			r.Free()
		})
	}
	wantAlive(t, s)
}

func TestUnknownCommands(t *testing.T) {
	h := newHost(t)
	s := h.login(t, smbclient.Options{})
	for _, command := range []smbwire.Command{smbwire.Commands, 0x20, 0xffff} {
		wantStatus(t, s.Conn(), &smbclient.Request{Command: command, Session: s, Body: &smbwire.EchoRequest{}}, smbwire.StatusInvalidParameter)
	}
	wantAlive(t, s)
}

// Without a session, or without a tree, each command says what is missing.
func TestStateOfCommands(t *testing.T) {
	h := newHost(t)
	s := h.login(t, smbclient.Options{})
	for _, tt := range bodies {
		body := make(smbclient.Raw, tt.size)
		binary.LittleEndian.PutUint16(body, tt.size)
		if tt.command == smbwire.Echo || tt.command == smbwire.SessionSetup {
			continue
		}
		wantStatus(t, s.Conn(), &smbclient.Request{Command: tt.command, Body: body}, smbwire.StatusUserSessionDeleted)
		if tt.command == smbwire.Logoff || tt.command == smbwire.TreeConnect {
			continue
		}
		wantStatus(t, s.Conn(), &smbclient.Request{Command: tt.command, Body: body, Session: s}, smbwire.StatusNetworkNameDeleted)
	}
}

func TestTreeConnectPaths(t *testing.T) {
	h := newHost(t)
	s := h.login(t, smbclient.Options{})
	for _, tt := range []struct {
		path string
		want smbwire.Status
	}{
		{`\\host\IPC$`, smbwire.StatusOK},
		{`\\any.other-name.example\ipc$`, smbwire.StatusOK},
		{`\\host\nothing`, smbwire.StatusBadNetworkName},
		{`\\host\..\test`, smbwire.StatusInvalidParameter},
		{`\\host`, smbwire.StatusInvalidParameter},
		{`\\host\`, smbwire.StatusInvalidParameter},
		{`host\IPC$`, smbwire.StatusInvalidParameter},
		{``, smbwire.StatusInvalidParameter},
		{`\\` + strings.Repeat("h", 20000) + `\IPC$`, smbwire.StatusInvalidParameter},
	} {
		r, err := s.Conn().Do(t.Context(), &smbclient.Request{
			Command: smbwire.TreeConnect, Session: s, Body: &smbwire.TreeConnectRequest{Path: tt.path}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Header.Status != tt.want {
			t.Errorf("%.40s: %v, want %v", tt.path, r.Header.Status, tt.want)
		}
		r.Free()
	}
}

// Frames may come in any pieces.
func TestFramesInPieces(t *testing.T) {
	h := newHost(t)
	s := h.loginOn(t, h.connectOver(t, &dribble{h.socket(t)}, smbclient.Options{RequireSigning: true}))
	ipc := tree(t, s, "IPC$")
	r, err := s.Conn().DoAll(t.Context(),
		&smbclient.Request{Command: smbwire.Echo, Body: &smbwire.EchoRequest{}, Session: s},
		&smbclient.Request{Command: smbwire.TreeDisconnect, Body: &smbwire.TreeDisconnectRequest{}, Tree: ipc})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range r {
		if r.Err() != nil {
			t.Error(r.Err())
		}
	}
}

// dribble sends one byte at a time.
type dribble struct{ net.Conn }

func (d *dribble) Write(b []byte) (int, error) {
	for i := range b {
		if _, err := d.Conn.Write(b[i : i+1]); err != nil {
			return i, err
		}
	}
	return len(b), nil
}

// mutate changes some bytes of a message, mostly the interesting ones.
func mutate(r *rand.Rand, b []byte) {
	for range 1 + r.IntN(4) {
		i := r.IntN(len(b))
		switch r.IntN(4) {
		case 0:
			b[i] = byte(r.Uint32())
		case 1:
			b[i] = 0xff
		case 2:
			b[i]++
		case 3:
			b[i] = 0
		}
	}
}

// Requests of all kinds with some bytes wrong never bring the server down, and
// other connections never notice.
func TestMutatedRequests(t *testing.T) {
	h := newHost(t)
	bystander := h.login(t, smbclient.Options{})
	random := rand.New(rand.NewPCG(1, 2))
	var s *smbclient.Session
	var ipc *smbclient.Tree
	for i := range 3000 {
		if s == nil || s.Conn().Err() != nil {
			var err error
			s = h.login(t, smbclient.Options{})
			if ipc, err = s.Tree(t.Context(), "IPC$"); err != nil {
				t.Fatal(err)
			}
		}
		tt := bodies[i%len(bodies)]
		body := make(smbclient.Raw, int(tt.size)+random.IntN(64))
		binary.LittleEndian.PutUint16(body, tt.size)
		mutate(random, body[2:])
		request := &smbclient.Request{Command: tt.command, Body: body, Tree: ipc}
		if i%3 == 0 {
			// The header has offsets and ids to get wrong, too. The client
			// knows nothing of this message id, so it can't wait.
			h := smbwire.Header{Command: tt.command, MessageID: uint64(i), SessionID: s.ID(), TreeID: ipc.ID(), CreditCharge: 1}
			m := wireMessage(h, body...)
			mutate(random, m[4:smbwire.HeaderSize])
			s.Conn().SendFrame(m)
			continue
		}
		if calls, err := s.Conn().Start(t.Context(), request); err == nil {
			select {
			case <-calls[0].Done():
			case <-time.After(10 * time.Second):
				t.Fatalf("%v has no answer: % x", tt.command, []byte(body))
			}
		}
	}
	wantAlive(t, bystander)
}

// pipeListener accepts what is put into it: there are not enough ports for
// a fuzzer.
type pipeListener chan net.Conn

func (l pipeListener) Accept() (net.Conn, error) {
	if nc, ok := <-l; ok {
		return nc, nil
	}
	return nil, net.ErrClosed
}

func (l pipeListener) Close() error   { close(l); return nil }
func (l pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// FuzzStranger sends frames of anybody's making to a server.
func FuzzStranger(f *testing.F) {
	h := newHost(f)
	pipes := make(pipeListener)
	go h.Serve(context.Background(), pipes)
	f.Add([]byte("\xfeSMB\x40\x00"), false)
	f.Add(wireMessage(smbwire.Header{Command: smbwire.Negotiate}, encoded(&smbwire.NegotiateRequest{Dialects: allDialects})...), false)
	f.Add(wireMessage(smbwire.Header{Command: smbwire.SessionSetup, MessageID: 1},
		encoded(&smbwire.SessionSetupRequest{SecurityBuffer: []byte("NTLMSSP\x00\x01\x00\x00\x00\x01\x02\x08\x60")})...), true)
	f.Add(wireMessage(smbwire.Header{Command: smbwire.Echo, MessageID: 1, NextCommand: 72}, make([]byte, 80)...), true)
	f.Add(append([]byte(smbwire.ProtocolTransform), make([]byte, 200)...), true)
	f.Add(encoded(&smbwire.SMB1Negotiate{Dialects: []string{"SMB 2.???"}}), false)
	f.Fuzz(func(t *testing.T, frame []byte, negotiated bool) {
		if len(frame) > 60<<10 {
			return
		}
		nc, theirs := net.Pipe()
		defer nc.Close()
		pipes <- theirs
		if negotiated {
			negotiateRaw(t, nc, &smbwire.NegotiateRequest{Dialects: allDialects[:2]}, nil)
		}
		nc.SetDeadline(time.Now().Add(10 * time.Second))
		// Whatever the frame is, the server reads on or closes: the next one is
		// nonsense, so it must close.
		go nc.Write(slices.Concat(binary.BigEndian.AppendUint32(nil, uint32(len(frame))), frame, []byte{0xff, 0xff, 0xff, 0xff}))
		answers := make([]byte, 4096)
		for {
			if _, err := nc.Read(answers); err != nil {
				var timeout net.Error
				if errors.As(err, &timeout) && timeout.Timeout() {
					t.Errorf("the server hangs on % x", frame)
				}
				return
			}
		}
	})
}
