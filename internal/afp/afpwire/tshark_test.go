package afpwire_test

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/hexdump"
)

// TestTsharkUnderstands shows all messages of the tables to tshark, which has an
// AFP dissector of its own: it must see the same commands, and find fault with
// nothing.
func TestTsharkUnderstands(t *testing.T) {
	if _, err := exec.LookPath("tshark"); err != nil {
		if os.Getenv("DOZO_PEERS") == "required" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	c := newCapture()
	var want []string
	for _, tt := range allTests() {
		name := reflect.TypeOf(tt.want).Elem().Name()
		if tt.err != "" || tt.lenient || !strings.HasSuffix(name, "Request") || name == "AttentionRequest" || !tsharkKnows(tt.want) {
			continue
		}
		request := hexdump.Bytes(t, tt.wire)
		command := afpwire.Command(request[0])
		h := afpwire.Header{Function: afpwire.DSICommand}
		switch command {
		case afpwire.Write, afpwire.WriteExt, afpwire.AddIcon:
			h.Function, h.DataOffset = afpwire.DSIWrite, uint32(len(request))
			request = append(request, make([]byte, 4)...)
		}
		for _, reply := range repliesTo(t, command, tt.want) {
			want = append(want, strconv.Itoa(int(command)))
			c.ask(h, request, reply)
		}
	}
	if len(want) < 100 {
		t.Fatalf("the tables have only %d requests", len(want))
	}
	c.ask(afpwire.Header{Function: afpwire.DSIOpenSession}, hexdump.Bytes(t, `01 04 00000400`), hexdump.Bytes(t, `00 04 00100000  02 04 00000080`))
	c.ask(afpwire.Header{Function: afpwire.DSIGetStatus}, nil, encode(serverTests[1].want))

	file := filepath.Join(t.TempDir(), "afp.pcap")
	if err := os.WriteFile(file, c.pcap, 0o600); err != nil {
		t.Fatal(err)
	}
	tshark := func(args ...string) string {
		out, err := exec.Command("tshark", append([]string{"-n", "-r", file, "-d", "tcp.port==548,dsi"}, args...)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	if bad := tshark("-Y", "_ws.malformed or _ws.expert.severity >= warning"); bad != "" {
		t.Errorf("tshark finds fault with\n%s", bad)
	}
	seen := tshark("-Y", "dsi.flags == 0 and afp", "-T", "fields", "-e", "afp.command")
	if got := strings.Fields(seen); !reflect.DeepEqual(got, want) {
		t.Errorf("tshark sees the commands\n%v, want\n%v", got, want)
	}
}

// tsharkKnows leaves out what tshark expects otherwise than AFP Reference and
// servers have it: a path in SyncDir, a value where only its length was wanted,
// and, for it has no session to tell it, UTF-8 in bit 13 of AFP 2.
func tsharkKnows(m message) bool {
	switch m := m.(type) {
	case *afpwire.SyncDirRequest:
		return false
	case *afpwire.GetExtAttrReply:
		return int(m.Length) == len(m.Value)
	case *afpwire.GetFileDirParmsReply:
		return !m.Parms.AFP2
	}
	return true
}

// otherReplies are the types of replies that are not named after their request.
var otherReplies = map[afpwire.Command]string{
	afpwire.OpenVol: "VolParmsReply", afpwire.GetVolParms: "VolParmsReply", afpwire.GetSrvrInfo: "ServerInfo",
	afpwire.Login: "", afpwire.LoginExt: "", afpwire.LoginCont: "", // depend on the method
}

// repliesTo returns the reply blocks of the tables for a request, or an empty
// one.
func repliesTo(t *testing.T, c afpwire.Command, request message) (blocks [][]byte) {
	name, other := otherReplies[c]
	if !other {
		name = strings.TrimSuffix(reflect.TypeOf(request).Elem().Name(), "Request") + "Reply"
	}
	for _, tt := range allTests() {
		if tt.err == "" && !tt.lenient && reflect.TypeOf(tt.want).Elem().Name() == name && sameAsked(request, tt.want) && tsharkKnows(tt.want) {
			blocks = append(blocks, hexdump.Bytes(t, tt.wire))
		}
	}
	if blocks == nil {
		return [][]byte{nil}
	}
	return blocks
}

// sameAsked reports whether request is what a reply was made for.
func sameAsked(request, reply message) bool {
	for _, name := range []string{"Command", "Function"} {
		asked, answered := reflect.ValueOf(request).Elem().FieldByName(name), reflect.ValueOf(reply).Elem().FieldByName(name)
		if asked.IsValid() && answered.IsValid() && asked.Uint() != answered.Uint() {
			return false
		}
	}
	return true
}

// capture is a TCP connection as a pcap file.
type capture struct {
	pcap []byte
	next [2]uint32 // sequence numbers, of the client and the server
	id   uint16
}

func newCapture() *capture {
	const magic, snapLen, rawIP = 0xa1b2c3d4, 1 << 18, 101
	c := &capture{next: [2]uint32{1, 1}}
	for _, v := range []any{uint32(magic), uint16(2), uint16(4), uint64(0), uint32(snapLen), uint32(rawIP)} {
		c.pcap, _ = binary.Append(c.pcap, binary.BigEndian, v)
	}
	return c
}

// ask adds a request and its reply.
func (c *capture) ask(h afpwire.Header, request, reply []byte) {
	c.id++
	h.RequestID, h.Length = c.id, uint32(len(request))
	c.send(0, append(encode(&h), request...))
	h.Reply, h.Length = true, uint32(len(reply))
	c.send(1, append(encode(&h), reply...))
}

// send adds a packet from the client, 0, or the server, 1.
func (c *capture) send(from int, payload []byte) {
	const ipSize, tcpSize, pushAck = 20, 20, 0x5018
	ports := [2]uint16{50000, afpwire.Port}
	size := uint32(ipSize + tcpSize + len(payload))
	w := cursor.NewWriter(c.pcap)
	w.BE64(0) // the time
	w.BE32(size)
	w.BE32(size)

	w.BE16(0x4500)
	w.BE16(uint16(size))
	w.BE32(0)
	w.BE32(0x40060000) // TCP
	w.BE32(0x7f000001 + uint32(from))
	w.BE32(0x7f000002 - uint32(from))

	w.BE16(ports[from])
	w.BE16(ports[1-from])
	w.BE32(c.next[from])
	w.BE32(c.next[1-from])
	w.BE16(pushAck)
	w.BE16(0xffff)
	w.BE32(0)
	w.Bytes(payload)
	c.pcap = w.Buffer()
	c.next[from] += uint32(len(payload))
}
