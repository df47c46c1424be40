package tests

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"net"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/hexdump"
)

// frame puts the length before a message.
func frame(message []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(message))), message...)
}

// request is a message with a header and body; the header is like that of
// negotiate but for command, message id and session.
func message(command uint16, id, session uint64, body []byte) []byte {
	h := bytes.Clone(negotiate[4:68])
	binary.LittleEndian.PutUint16(h[12:], command)
	binary.LittleEndian.PutUint64(h[24:], id)
	binary.LittleEndian.PutUint64(h[40:], session)
	return append(h, body...)
}

// patched is b with other bytes at an offset.
func patched(b []byte, at int, with ...byte) []byte {
	b = bytes.Clone(b)
	copy(b[at:], with)
	return b
}

// TestMalformedMessages: whatever comes, the answer is a status or a closed
// connection, and the next client is served as if nothing had happened.
func TestMalformedMessages(t *testing.T) {
	ownProgram(t)
	s := serve(t)
	s.write("file", "x")
	good := negotiate[4:]
	setup := message(1, 1, 0, hexdump.Bytes(t, `
		1900 00 01 00000000 00000000 5800 0400 0000000000000000  # size, flags, mode, capabilities, channel, token at 88, 4 bytes
		60020600                                                 # a cut SPNEGO token
	`))
	tests := []struct {
		name string
		send []byte
	}{
		{"nothing", nil},
		{"a web request", []byte("GET / HTTP/1.1\r\nHost: nas\r\n\r\n")},
		{"an empty frame", frame(nil)},
		{"a frame of one byte", frame([]byte{0xfe})},
		{"a frame of 16 MB that does not come", []byte{0, 0xff, 0xff, 0xff, 0xfe}},
		{"another kind of frame", patched(negotiate, 0, 0x81)},
		{"no magic", frame(patched(good, 0, 'X'))},
		{"an SMB 1 message", frame([]byte("\xffSMB\x2b" + string(make([]byte, 60))))},
		{"an SMB 1 negotiate without dialects", frame([]byte("\xffSMB\x72" + string(make([]byte, 60))))},
		{"an encrypted message without a session", frame([]byte("\xfdSMB" + string(make([]byte, 80))))},
		{"half a header", frame(good[:40])},
		{"half a body", frame(good[:80])},
		{"wrong header size", frame(patched(good, 4, 0x41))},
		{"wrong body size", frame(patched(good, 64, 0x25))},
		{"next command inside the header", frame(patched(good, 20, 8))},
		{"next command not aligned", frame(patched(good, 20, 65))},
		{"next command beyond the frame", frame(patched(good, 20, 0, 0, 1))},
		{"65,535 dialects", frame(patched(good, 66, 0xff, 0xff))},
		{"no dialect", frame(patched(good, 66, 0, 0))},
		{"a command that does not exist", frame(message(0x13, 0, 0, good[64:]))},
		{"a command before NEGOTIATE", frame(message(5, 0, 0, make([]byte, 56)))},
		{"NEGOTIATE twice", append(bytes.Clone(negotiate), frame(message(0, 1, 0, good[64:]))...)},
		{"a message id far ahead", append(bytes.Clone(negotiate), frame(message(1, 1<<60, 0, setup[64:]))...)},
		{"a cut token", append(bytes.Clone(negotiate), frame(setup)...)},
		{"a token beyond the frame", append(bytes.Clone(negotiate), frame(patched(setup, 64+14, 0xff, 0xff))...)},
		{"a token before the body", append(bytes.Clone(negotiate), frame(patched(setup, 64+12, 0, 0))...)},
		{"READ in a session that does not exist", append(bytes.Clone(negotiate), frame(message(8, 1, 77, make([]byte, 49)))...)},
		{"a response", frame(patched(good, 16, 1))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { s.on(t).sendRaw(tt.send) })
	}
	t.Run("3,000 frames with random damage", func(t *testing.T) {
		rnd := rand.New(rand.NewPCG(1, 2))
		for range 1000 {
			var all []byte
			for _, f := range [][]byte{negotiate, frame(setup), frame(message(1, 2, 0, setup[64:]))} {
				f = bytes.Clone(f)
				for range rnd.IntN(4) {
					f[4+rnd.IntN(len(f)-4)] = byte(rnd.Uint32())
				}
				all = append(all, f...)
			}
			s.on(t).sendRaw(all)
		}
	})
	if got, err := s.mount().ReadFile("file"); err != nil || string(got) != "x" {
		t.Errorf("after all that a client reads %q, %v", got, err)
	}
}

// sendRaw sends bytes on a connection of their own and reads what comes until
// the server has nothing more to say. It must not hang.
func (s *server) sendRaw(b []byte) {
	s.t.Helper()
	c, err := net.Dial("tcp", s.addr())
	if err != nil {
		s.t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(10 * time.Second))
	c.Write(b)
	c.(*net.TCPConn).CloseWrite()
	for {
		f, err := readFrame(c)
		if e, ok := err.(net.Error); ok && e.Timeout() {
			s.t.Fatalf("the server neither answers nor closes")
		}
		if err != nil {
			return
		}
		if len(f) < 64 || string(f[:4]) != "\xfeSMB" {
			s.t.Fatalf("the answer is no message: % x", f)
		}
	}
}
