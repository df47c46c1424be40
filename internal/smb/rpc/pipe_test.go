package rpc

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/hexdump"
	"github.com/dozo-server/dozo/vfs"
)

// CVE-2017-7494 and CVE-2023-3961: a pipe's name is not a path.
func TestOnlyThePipesOfTheTableExist(t *testing.T) {
	for _, name := range []string{
		"", "netlogon", "spoolss", "srvsvc\x00", "srvsvc/", `\srvsvc`, `pipe\srvsvc`, "../srvsvc", "/tmp/x.so",
		"../../x", `..\..\x`, "/dev/null", ".", strings.Repeat("a", 1<<20),
	} {
		if p, err := Open(name, testEnv()); p != nil || !vfs.IsKind(err, vfs.KindNotExist) {
			t.Errorf("Open(%.20q) = %v, %.80v", name, p, err)
		}
	}
	for _, name := range []string{"srvsvc", "SRVSVC", "WksSvc", "lsarpc", "SAMR"} {
		if _, err := Open(name, testEnv()); err != nil {
			t.Errorf("Open(%s): %v", name, err)
		}
	}
}

// A bind as Windows makes it: NDR, then NDR64, then the pretended syntax for
// features.
func TestBindOfWindows(t *testing.T) {
	c := open(t, "srvsvc")
	c.write(hexdump.Bytes(t, `
		05 00 0b 03 10000000 a000 0000 02000000   # bind, 160 bytes, call 2
		b810 b810 00000000 03000000               # fragments, group, three contexts
		0000 0100 c84f324b7016d30112785a47bf6ee188 03000000
		          045d888aeb1cc9119fe808002b104860 02000000
		0100 0100 c84f324b7016d30112785a47bf6ee188 03000000
		          33057171babe37498319b5dbef9ccc36 01000000
		0200 0100 c84f324b7016d30112785a47bf6ee188 03000000
		          2c1cb76c12984045 0300000000000000 01000000`))
	b, _ := c.pipe.Read(1 << 16)
	equal(t, "answer", b, `
		05 00 0c 03 10000000 7400 0000 02000000   # bind ack, 116 bytes
		b810 b810 01000000                        # fragments, group
		0d00 5c504950455c73727673766300 00        # \PIPE\srvsvc, padding
		03000000                                  # three results
		0000 0000 045d888aeb1cc9119fe808002b104860 02000000  # accepted
		0200 0200 00000000000000000000000000000000 00000000  # no such transfer syntax
		0300 0000 00000000000000000000000000000000 00000000  # no features`)
	if _, err := c.do(28, hexdump.Bytes(t, "00000000")); err != nil {
		t.Errorf("a call after it: %v", err)
	}
}

func TestBindToAnotherInterface(t *testing.T) {
	c := open(t, "srvsvc")
	c.write(packet(packetBind, flagFirst|flagLast, 1, proposals(0, lsarpc.id, syntaxNDR)))
	h, body := c.read()
	if results := body[len(body)-resultSize:]; h.kind != packetBindAck || results[0] != resultRefused || results[2] != reasonInterface {
		t.Errorf("answer %+v %x", h, body)
	}
	if _, err := c.do(28, nil); err != faultInterface {
		t.Errorf("a call without a context: %v", err)
	}
	c.write(packet(packetAlter, flagFirst|flagLast, 2, proposals(0, srvsvc.id, syntaxNDR)))
	if h, body := c.read(); h.kind != packetAlterAck || body[len(body)-resultSize] != resultAccepted {
		t.Errorf("answer to alter context %+v %x", h, body)
	}
	if _, err := c.do(28, hexdump.Bytes(t, "00000000")); err != nil {
		t.Errorf("a call in the new context: %v", err)
	}
}

func TestLoginOfThePipeIsRefused(t *testing.T) {
	c := open(t, "srvsvc")
	b := packet(packetBind, flagFirst|flagLast, 1, proposals(0, srvsvc.id, syntaxNDR))
	b[10] = 16 // bytes of a login behind it
	c.write(b)
	if h, body := c.read(); h.kind != packetBindNak || body[0] != 8 {
		t.Errorf("answer %+v %x", h, body)
	}
}

func TestFaults(t *testing.T) {
	c := open(t, "srvsvc").bind()
	for _, tt := range []struct {
		name      string
		operation uint16
		stub      string
		want      fault
	}{
		{"no such operation", 99, "", faultOperation},
		{"sessions are nobody's business", 12, "", faultAccessDenied},
		{"open files are nobody's business", 9, "", faultAccessDenied},
		{"shares are not made by clients", 14, "", faultAccessDenied},
		{"no arguments", 15, "", faultBadStub},
		{"string longer than the message", 28, "01000000 ffffffff 00000000 ffffffff", faultBadStub},
		{"string longer than its room", 28, "01000000 01000000 00000000 02000000 41004100", faultBadStub},
		{"string that begins in its middle", 28, "01000000 02000000 01000000 01000000 4100", faultBadStub},
	} {
		if _, err := c.do(tt.operation, hexdump.Bytes(t, tt.stub)); err != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
	if got := faultAccessDenied.Error(); got != "access denied" {
		t.Errorf("Error = %q", got)
	}
}

// bigList makes a server with more shares than one packet can name.
func bigList(t *testing.T) *client {
	env := testEnv()
	env.Shares = func() []Share {
		list := make([]Share, 500)
		for i := range list {
			list[i] = Share{Name: strings.Repeat("n", 20), Comment: strings.Repeat("c", 50)}
		}
		return list
	}
	p, err := Open("srvsvc", env)
	if err != nil {
		t.Fatal(err)
	}
	return (&client{t: t, pipe: p}).bind()
}

// enumerate are the arguments of NetrShareEnum, level 1.
const enumerate = "00000000 01000000 01000000 00000000 ffffffff 00000000"

func TestResultsInSeveralPackets(t *testing.T) {
	c := bigList(t)
	c.write(packet(packetRequest, flagFirst|flagLast, 7, arguments(15, hexdump.Bytes(t, enumerate))))
	total, n := 0, 0
	for {
		h, body := c.read()
		if h.length > ourFragment || h.call != 7 || (h.flags&flagFirst != 0) != (n == 0) {
			t.Fatalf("packet %d: %+v", n, h)
		}
		n++
		total += len(body) - 8
		if h.flags&flagLast != 0 {
			break
		}
	}
	if n < 10 || total < 500*140 {
		t.Errorf("%d packets, %d bytes", n, total)
	}
	if b, more := c.pipe.Read(100); b != nil || more {
		t.Errorf("after the last packet: %x, %v", b, more)
	}
}

// A client with a small buffer reads a packet in pieces.
func TestReadInPieces(t *testing.T) {
	c := open(t, "srvsvc").bind()
	c.write(packet(packetRequest, flagFirst|flagLast, 1, arguments(15, hexdump.Bytes(t, enumerate))))
	var b []byte
	for {
		piece, more := c.pipe.Read(7)
		b = append(b, piece...)
		if !more {
			break
		}
		if len(piece) != 7 {
			t.Fatalf("a piece of %d bytes with more to come", len(piece))
		}
	}
	if packetLength(b) != len(b) {
		t.Errorf("%d bytes of %d", len(b), packetLength(b))
	}
	if c.pipe.unread != 0 {
		t.Errorf("%d bytes unread", c.pipe.unread)
	}
}

func TestArgumentsInSeveralPacketsAndWrites(t *testing.T) {
	c := open(t, "srvsvc").bind()
	stub := hexdump.Bytes(t, enumerate)
	all := packet(packetRequest, flagFirst, 5, arguments(15, stub[:8]))
	all = append(all, packet(packetRequest, 0, 5, arguments(15, stub[8:12]))...)
	all = append(all, packet(packetRequest, flagLast, 5, arguments(15, stub[12:]))...)
	for _, step := range []int{1, 3, len(all)} {
		for piece := range chunks(all, step) {
			c.write(piece)
		}
		if h, body := c.read(); h.kind != packetResponse || !bytes.Contains(body, []byte("F\x00i\x00l\x00m\x00s")) {
			t.Errorf("in pieces of %d: %+v %x", step, h, body)
		}
	}
}

func chunks(b []byte, n int) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(b) > 0 {
			m := min(n, len(b))
			if !yield(b[:m]) {
				return
			}
			b = b[m:]
		}
	}
}

func TestBrokenProtocol(t *testing.T) {
	bind := packet(packetBind, flagFirst|flagLast, 1, proposals(0, srvsvc.id, syntaxNDR))
	for _, tt := range []struct {
		name string
		wire [][]byte
	}{
		{"another version", [][]byte{hexdump.Bytes(t, "04000b03 10000000 1000 0000 01000000")}},
		{"big-endian", [][]byte{hexdump.Bytes(t, "05000b03 00000000 1000 0000 01000000")}},
		{"length below a header", [][]byte{hexdump.Bytes(t, "05000b03 10000000 0f00 0000 01000000")}},
		{"a server's packet", [][]byte{packet(packetResponse, 3, 1, make([]byte, 8))}},
		{"call before bind", [][]byte{packet(packetRequest, 3, 1, arguments(15, nil))}},
		{"alter before bind", [][]byte{packet(packetAlter, 3, 1, proposals(0, srvsvc.id, syntaxNDR))}},
		{"bind twice", [][]byte{bind, bind}},
		{"middle without beginning", [][]byte{bind, packet(packetRequest, flagLast, 1, arguments(15, nil))}},
		{"calls mixed", [][]byte{bind, packet(packetRequest, flagFirst, 1, arguments(15, nil)), packet(packetRequest, flagLast, 2, arguments(15, nil))}},
		{"cut bind", [][]byte{packet(packetBind, 3, 1, hexdump.Bytes(t, "b810b81000000000 ff000000 0000ff00"))}},
		{"cut call", [][]byte{bind, packet(packetRequest, 3, 1, nil)}},
	} {
		p, _ := Open("srvsvc", testEnv())
		var err error
		for _, b := range tt.wire {
			err = p.Write(b)
		}
		if !vfs.IsKind(err, vfs.KindInvalid) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if err := p.Write(bind); !errors.Is(err, errBroken) {
			t.Errorf("%s, a packet after it: %v", tt.name, err)
		}
	}
}

// What a client can make the server keep is bounded.
func TestLimits(t *testing.T) {
	c := open(t, "srvsvc").bind()
	big := packet(packetRequest, 0, 3, arguments(15, make([]byte, 60000)))
	c.write(packet(packetRequest, flagFirst, 3, arguments(15, nil)))
	c.write(big)
	c.write(big)
	c.write(big)
	if h, body := c.read(); h.kind != packetFault || fault(cursor.NewReader(body[8:]).U32()) != faultNoMemory {
		t.Errorf("answer to a large call: %+v %x", h, body)
	}
	if n := len(c.pipe.pending.arguments); n != 0 {
		t.Errorf("%d bytes kept", n)
	}

	c = bigList(t)
	var err error
	for i := 0; i < 100 && err == nil; i++ {
		err = c.pipe.Write(packet(packetRequest, flagFirst|flagLast, 1, arguments(15, hexdump.Bytes(t, enumerate))))
	}
	if !errors.Is(err, errUnread) || !vfs.IsKind(err, vfs.KindNoMemory) {
		t.Errorf("a client that does not read: %v", err)
	}

	c = open(t, "lsarpc").bind()
	for i := range maxHandles + 1 {
		if _, err := c.do(44, nil); (err == nil) != (i < maxHandles) {
			t.Errorf("policy %d: %v", i, err)
		}
	}
}

func TestTransact(t *testing.T) {
	p, _ := Open("srvsvc", testEnv())
	b := packet(packetBind, flagFirst|flagLast, 1, proposals(0, srvsvc.id, syntaxNDR))
	answer, more, err := p.Transact(b, 1024)
	if err != nil || more || packetType(answer[2]) != packetBindAck {
		t.Errorf("Transact = %x, %v, %v", answer, more, err)
	}
	if _, _, err := p.Transact(b, 1024); err == nil {
		t.Error("a second bind succeeds")
	}
}

// FuzzPipe sends a stranger's bytes to each pipe, bound and not.
func FuzzPipe(f *testing.F) {
	for _, ifaces := range pipes {
		for _, i := range ifaces {
			f.Add(packet(packetBind, flagFirst|flagLast, 1, proposals(0, i.id, syntaxNDR)))
			for operation := range i.methods {
				stub := hexdump.Bytes(f, enumerate+enumerate)
				f.Add(packet(packetRequest, flagFirst|flagLast, 1, arguments(operation, stub)))
			}
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for name := range pipes {
			p, _ := Open(name, testEnv())
			p.Write(b)
			c := open(t, name).bind()
			c.pipe.handles = []uuid{{}} // the one of zeros, which a fuzzer finds
			c.pipe.Write(b)
			for range 1000 {
				if b, _ := c.pipe.Read(5000); b == nil {
					break
				}
			}
		}
	})
}

// FuzzCall sends a stranger's arguments to every operation.
func FuzzCall(f *testing.F) {
	f.Add(hexdump.Bytes(f, enumerate))
	f.Add(hexdump.Bytes(f, sidArguments))
	f.Add(hexdump.Bytes(f, nameArguments))
	f.Add(hexdump.Bytes(f, zeroHandle+namesInDomain))
	f.Add(hexdump.Bytes(f, zeroHandle+"00000000 04000000 01 04 000000000005 15000000 01000000 02000000 03000000"))
	f.Add(newPassword("ann", "Secret77", "Another88"))
	f.Add(newPasswordAES("ann", "Secret77", "Another88", minIterations))
	f.Fuzz(func(t *testing.T, stub []byte) {
		for name, ifaces := range pipes {
			c := open(t, name).bind()
			c.pipe.handles = []uuid{{}}
			for _, i := range ifaces {
				c.pipe.contexts[0] = i
				for operation := range i.methods {
					c.pipe.carryOut(&request{context: 0, operation: operation, arguments: stub})
					c.pipe.out = nil
				}
			}
		}
	})
}
