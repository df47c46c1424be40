package rpc

import (
	"testing"

	"github.com/dozo-server/dozo/internal/hexdump"
)

func TestMachineRole(t *testing.T) {
	c := open(t, "lsarpc")
	c.write(packet(packetBind, flagFirst|flagLast, 1, proposals(0, dssetup.id, syntaxNDR)))
	if h, body := c.read(); h.kind != packetBindAck || body[len(body)-resultSize] != resultAccepted {
		t.Fatalf("answer to bind %+v %x", h, body)
	}
	equal(t, "basic", c.must(0, hexdump.Bytes(t, "0100")), `
		04000200 0100 0000                     # pointer, level
		0200 0000 00000000                     # a standalone server, no flags
		08000200 00000000 00000000 00000000000000000000000000000000
		0a000000 00000000 0a000000 57004f0052004b00470052004f00550050000000
		00000000`)
	equal(t, "upgrade", c.must(0, hexdump.Bytes(t, "0200")), "04000200 0200 0000 00000000 0000 0000 00000000")
	equal(t, "operation", c.must(0, hexdump.Bytes(t, "0300")), "04000200 0300 0000 0000 0000 00000000")
	for _, level := range []string{"0000", "0400"} {
		equal(t, "level "+level, c.must(0, hexdump.Bytes(t, level)), "00000000 57000000")
	}
}
