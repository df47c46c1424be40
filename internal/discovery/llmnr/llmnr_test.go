package llmnr

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/dozo-server/dozo/internal/discovery/link"
	"github.com/dozo-server/dozo/internal/hexdump"
)

var addrs = []netip.Addr{netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("fd00::1")}

func TestAnswer(t *testing.T) {
	const counts = "0001 0000 0000 0000 "
	const nas = "03 4e6153 00 " // NaS
	for _, tt := range []struct {
		name, query string
		want        string // "" for silence
	}{
		{"an address", "0007 0000 " + counts + nas + "0001 0001", "7 NaS. A: 10.0.0.1"},
		{"an IPv6 address", "0007 0000 " + counts + nas + "001c 0001", "7 NaS. AAAA: fd00::1"},
		{"everything", "0007 0000 " + counts + nas + "00ff 0001", "7 NaS. ALL: 10.0.0.1 fd00::1"},
		{"a type that it has not", "0007 0000 " + counts + nas + "000f 0001", "7 NaS. MX:"},
		{"another name", "0007 0000 " + counts + "03 4e6142 00 0001 0001", ""},
		{"a longer name", "0007 0000 " + counts + "03 4e6153 05 6c6f63616c 00 0001 0001", ""},
		{"another class", "0007 0000 " + counts + nas + "0001 0003", ""},
		{"an answer", "0007 8000 " + counts + nas + "0001 0001", ""},
		{"two hosts have it", "0007 0400 " + counts + nas + "0001 0001", ""},
		{"another operation", "0007 0800 " + counts + nas + "0001 0001", ""},
		{"two questions", "0007 0000 0002 0000 0000 0000 " + nas + "0001 0001 " + nas + "001c 0001", ""},
		{"none", "0007 0000 0000 0000 0000 0000", ""},
		{"cut off", "0007 0000 " + counts + "03 4e61", ""},
		{"a name that points to itself", "0007 0000 " + counts + "c00c 0001 0001", ""},
		{"too long", "0007 0000 " + counts + nas + "0001 0001 " + strings.Repeat("00", 600), ""},
	} {
		got := ""
		if reply := answer(hexdump.Bytes(t, tt.query), "nas", addrs); reply != nil {
			got = words(t, reply)
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// words tells a response in short.
func words(t testing.TB, packet []byte) string {
	t.Helper()
	var m dnsmessage.Message
	if err := m.Unpack(packet); err != nil || !m.Response || m.RCode != 0 || len(m.Questions) != 1 {
		t.Fatalf("not an answer: %x, %v", packet, err)
	}
	out := fmt.Sprintf("%d %s %s:", m.ID, m.Questions[0].Name, strings.TrimPrefix(m.Questions[0].Type.String(), "Type"))
	for _, r := range m.Answers {
		switch b := r.Body.(type) {
		case *dnsmessage.AResource:
			out += " " + netip.AddrFrom4(b.A).String()
		case *dnsmessage.AAAAResource:
			out += " " + netip.AddrFrom16(b.AAAA).String()
		}
	}
	return out
}

// TestWhoIsAnswered: those on a link, once there is a name, and not too often.
func TestWhoIsAnswered(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	query := hexdump.Bytes(t, "0007 0000 0001 0000 0000 0000 03 4e6153 00 0001 0001")
	from := netip.MustParseAddrPort("10.0.0.9:40000")
	wire := link.ID{Index: 1}
	r := New()
	asked := func(now time.Time) int {
		r.Receive(now, wire, from, query)
		out, next := r.Poll(now)
		if !next.IsZero() || len(out) == 1 && out[0].To != from {
			t.Errorf("sent %v, next at %v", out, next)
		}
		return len(out)
	}
	r.SetLink(now, wire, addrs)
	if asked(now) != 0 {
		t.Error("answered without a name")
	}
	r.SetName(now, "nas")
	n := 0
	for range 1000 {
		n += asked(now)
	}
	if n != 2*rate {
		t.Errorf("%d answers at once", n)
	}
	if now = now.Add(time.Second); asked(now) != 1 {
		t.Error("no answer a second later")
	}
	r.DropLink(wire)
	if asked(now) != 0 {
		t.Error("answered on a link that is gone")
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add(hexdump.Bytes(f, "0007 0000 0001 0000 0000 0000 03 4e6153 00 00ff 0001"))
	f.Fuzz(func(t *testing.T, packet []byte) {
		if reply := answer(packet, "nas", addrs); reply != nil {
			words(t, reply)
			if len(reply) > len(packet)+100 {
				t.Errorf("%d bytes answer %d", len(reply), len(packet))
			}
		}
	})
}
