package mdns

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/dozo-server/dozo/internal/discovery/link"
)

var (
	noon  = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	wire  = link.ID{Index: 1}
	peer  = netip.MustParseAddrPort("10.0.0.99:5353")
	smb   = []Service{{Type: "_smb._tcp", Port: 445}, {Type: "_device-info._tcp", Text: []string{"model=RackMac"}}}
	addrs = []netip.Addr{netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("fd00::1")}
)

// words tells a packet in short: "A 10.0.0.1" would be "nas.local. A!", where
// "!" stands for the bit that lets others forget and "-" for a goodbye.
func words(t testing.TB, packet []byte) string {
	t.Helper()
	m, ok := parseAll(packet)
	if !ok {
		t.Fatalf("not a message: %x", packet)
	}
	var out []string
	for _, q := range m.questions {
		bit := ""
		if q.unicast {
			bit = "u"
		}
		out = append(out, fmt.Sprintf("?%s %s%s", q.name, kindWord(q.kind), bit))
	}
	for i, list := range [][]record{m.answers, m.authorities, m.additionals} {
		for _, r := range list {
			bits := ""
			if !r.shared {
				bits += "!"
			}
			if r.ttl == 0 {
				bits += "-"
			}
			out = append(out, fmt.Sprintf("%c%s %s%s", "=^+"[i], r.name, kindWord(r.kind), bits))
		}
	}
	return strings.Join(out, "\n")
}

func kindWord(k dnsmessage.Type) string {
	if k == typeNSEC {
		return "NSEC"
	}
	return strings.TrimPrefix(k.String(), "Type")
}

// parseAll is parse that sees NSEC, too.
func parseAll(packet []byte) (*message, bool) {
	m, ok := parse(packet)
	if !ok {
		return nil, false
	}
	var all dnsmessage.Message
	if all.Unpack(packet) != nil {
		return m, true
	}
	for i, list := range [][]dnsmessage.Resource{all.Answers, all.Additionals} {
		for _, r := range list {
			if u, ok := r.Body.(*dnsmessage.UnknownResource); ok && u.Type == typeNSEC {
				rec := record{name: r.Header.Name.String(), kind: typeNSEC, data: u.Data, ttl: r.Header.TTL, shared: r.Header.Class&topBit == 0}
				if i == 0 {
					m.answers = append(m.answers, rec)
				} else {
					m.additionals = append(m.additionals, rec)
				}
			}
		}
	}
	return m, true
}

// claimedAt is a responder on one link that has its names, and all the time
// since its last announcement.
func claimedAt(t *testing.T) (*Responder, time.Time) {
	t.Helper()
	r := New("nas", "NAS", smb, rand.New(rand.NewPCG(1, 2)))
	now := noon
	r.SetLink(now, wire, addrs)
	for {
		_, next := r.Poll(now)
		if next.IsZero() {
			break
		}
		now = next
	}
	if _, _, settled := r.Names(); !settled {
		t.Fatal("not settled after all announcements")
	}
	return r, now.Add(time.Hour)
}

// TestNamesAreClaimed: three probes 250 ms apart, then three announcements.
func TestNamesAreClaimed(t *testing.T) {
	r := New("nas", "NAS", smb, rand.New(rand.NewPCG(1, 2)))
	r.SetLink(noon, wire, addrs)
	var times []time.Duration
	var said []string
	now, last := noon, noon
	for {
		out, next := r.Poll(now)
		for _, p := range out {
			times, said = append(times, now.Sub(last)), append(said, words(t, p.Data))
			if p.To.IsValid() {
				t.Errorf("a packet to %v", p.To)
			}
			last = now
		}
		if next.IsZero() {
			break
		}
		if !next.After(now) {
			t.Fatalf("at %v something is due at %v", now, next)
		}
		now = next
	}
	if times[0] > probeWait {
		t.Errorf("first probe after %v", times[0])
	}
	const ms = time.Millisecond
	if want := []time.Duration{250 * ms, 250 * ms, 250 * ms, time.Second, 2 * time.Second}; !slices.Equal(times[1:], want) {
		t.Errorf("packets %v apart, want %v", times[1:], want)
	}
	probe := `?nas.local. ALLu
?NAS._smb._tcp.local. ALLu
?NAS._device-info._tcp.local. ALLu
^nas.local. A
^nas.local. AAAA
^NAS._smb._tcp.local. SRV
^NAS._smb._tcp.local. TXT
^NAS._device-info._tcp.local. SRV
^NAS._device-info._tcp.local. TXT`
	announcement := `=nas.local. A!
=nas.local. AAAA!
=_smb._tcp.local. PTR
=NAS._smb._tcp.local. SRV!
=NAS._smb._tcp.local. TXT!
=_services._dns-sd._udp.local. PTR
=_device-info._tcp.local. PTR
=NAS._device-info._tcp.local. SRV!
=NAS._device-info._tcp.local. TXT!
=_services._dns-sd._udp.local. PTR`
	if said[0] != probe || said[1] != strings.ReplaceAll(probe, "ALLu", "ALL") {
		t.Errorf("probes\n%s\nand\n%s\nwant\n%s", said[0], said[1], probe)
	}
	for i := 3; i < 6; i++ {
		if got, _, _ := strings.Cut(said[i], "\n+"); got != announcement {
			t.Errorf("announcement\n%s\nwant\n%s", said[i], announcement)
		}
	}
}

// TestAnswers is what is said to one question each.
func TestAnswers(t *testing.T) {
	legacy := netip.MustParseAddrPort("10.0.0.99:40000")
	host := "nas.local."
	instance := "NAS._smb._tcp.local."
	all := "+nas.local. A!\n+nas.local. AAAA!"
	for _, tt := range []struct {
		name  string
		from  netip.AddrPort
		query message
		wait  time.Duration // at least; the answer comes within 100 ms after
		want  string        // "" for none
		alone bool
	}{
		{"a host", peer, message{questions: []question{{host, dnsmessage.TypeA, false}}}, 0,
			"=nas.local. A!\n+nas.local. AAAA!", false},
		{"in other case", peer, message{questions: []question{{"NaS.LOCAL.", dnsmessage.TypeAAAA, false}}}, 0,
			"=nas.local. AAAA!\n+nas.local. A!", false},
		{"a type that the host has not", peer, message{questions: []question{{host, dnsmessage.TypeMX, false}}}, 0, "=nas.local. NSEC!", false},
		{"another host", peer, message{questions: []question{{"other.local.", dnsmessage.TypeA, false}}}, 0, "", false},
		{"all services", peer, message{questions: []question{{types, dnsmessage.TypePTR, false}}}, sharedWait,
			"=" + types + " PTR\n=" + types + " PTR", false},
		{"servers", peer, message{questions: []question{{"_smb._tcp.local.", dnsmessage.TypePTR, false}}}, sharedWait,
			"=_smb._tcp.local. PTR\n+" + instance + " SRV!\n+" + instance + " TXT!\n" + all, false},
		{"the rest is to come", peer, message{truncated: true, questions: []question{{host, dnsmessage.TypeA, false}}}, moreWait,
			"=nas.local. A!\n+nas.local. AAAA!", false},
		{"known", peer, message{questions: []question{{"_smb._tcp.local.", dnsmessage.TypePTR, false}},
			answers: plain([]record{pointer("_smb._tcp.local.", instance)})}, 0, "", false},
		{"known, but soon forgotten", peer, message{questions: []question{{"_smb._tcp.local.", dnsmessage.TypePTR, false}},
			answers: []record{{name: "_smb._tcp.local.", kind: dnsmessage.TypePTR, data: wireName(instance), ttl: otherTTL/2 - 1, shared: true}}}, sharedWait,
			"=_smb._tcp.local. PTR\n+" + instance + " SRV!\n+" + instance + " TXT!\n" + all, false},
		{"plain DNS", legacy, message{id: 7, questions: []question{{host, dnsmessage.TypeA, false}}}, 0,
			"?nas.local. A\n=nas.local. A\n+nas.local. AAAA", true},
		{"where is it", peer, message{questions: []question{{instance, dnsmessage.TypeSRV, false}}}, 0,
			"=" + instance + " SRV!\n" + all, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, now := claimedAt(t)
			r.Receive(now, wire, tt.from, tt.query.packet())
			out, next := r.Poll(now)
			if len(out) == 0 && !next.IsZero() {
				if wait := next.Sub(now); wait < tt.wait || wait > tt.wait+spread {
					t.Errorf("an answer after %v, want %v", wait, tt.wait)
				}
				now = next.Add(spread)
				out, _ = r.Poll(now)
			} else if tt.wait > 0 {
				t.Errorf("an answer at once")
			}
			var got string
			for _, p := range out {
				got += words(t, p.Data)
				if (p.To == tt.from) != tt.alone {
					t.Errorf("sent to %v", p.To)
				}
			}
			var lines []string
			for line := range strings.SplitSeq(got, "\n") {
				if !strings.HasPrefix(line, "+") || !strings.Contains(line, "NSEC") {
					lines = append(lines, line)
				}
			}
			if got := strings.Join(lines, "\n"); got != tt.want {
				t.Errorf("said\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// TestUnicastAnswer: one who asks for it alone gets it, if all heard the record
// not long ago.
func TestUnicastAnswer(t *testing.T) {
	ask := message{questions: []question{{"nas.local.", dnsmessage.TypeA, true}}}
	r, now := claimedAt(t)
	for _, tt := range []struct {
		after time.Duration
		alone bool
	}{{0, false}, {2 * time.Second, true}, {27 * time.Second, true}, {2 * time.Second, false}} {
		now = now.Add(tt.after)
		r.Receive(now, wire, peer, ask.packet())
		out, _ := r.Poll(now)
		if len(out) != 1 || out[0].To.IsValid() != tt.alone {
			t.Errorf("after %v: sent %v", tt.after, out)
		}
	}
}

// TestMoreKnownAnswers: an asker that says later what it knows hears nothing,
// unless others asked, too.
func TestMoreKnownAnswers(t *testing.T) {
	ask := message{truncated: true, questions: []question{{"_smb._tcp.local.", dnsmessage.TypePTR, false}}}
	more := message{answers: plain([]record{pointer("_smb._tcp.local.", "nas._SMB._tcp.local.")})}
	other := netip.MustParseAddrPort("10.0.0.98:5353")
	for _, askers := range [][]netip.AddrPort{{peer}, {peer, peer}, {peer, other}} {
		r, now := claimedAt(t)
		for _, from := range askers {
			r.Receive(now, wire, from, ask.packet())
		}
		r.Receive(now, wire, peer, more.packet())
		out, _ := r.Poll(now.Add(time.Second))
		if want := slices.Contains(askers, other); (len(out) > 0) != want {
			t.Errorf("asked by %v: sent %d packets", askers, len(out))
		}
	}
}

// TestOneSecondBetween: however often all ask, a record is sent once a second.
func TestOneSecondBetween(t *testing.T) {
	r, now := claimedAt(t)
	sent := 0
	for end := now.Add(10 * time.Second); now.Before(end); now = now.Add(10 * time.Millisecond) {
		r.Receive(now, wire, peer, (&message{questions: []question{{"nas.local.", dnsmessage.TypeA, false}}}).packet())
		out, _ := r.Poll(now)
		sent += len(out)
	}
	if sent != 10 {
		t.Errorf("sent %d packets in 10 s", sent)
	}
}

// TestStrangersGetLittle: those who ask for themselves alone.
func TestStrangersGetLittle(t *testing.T) {
	r, now := claimedAt(t)
	ask := (&message{questions: []question{{"_smb._tcp.local.", dnsmessage.TypePTR, false}}}).packet()
	sent := 0
	for range 1000 {
		r.Receive(now, wire, netip.MustParseAddrPort("10.0.0.99:40000"), ask)
		out, _ := r.Poll(now)
		sent += len(out)
	}
	if sent != 40 {
		t.Errorf("sent %d packets at once", sent)
	}
}

// TestGoodbye: all is taken back.
func TestGoodbye(t *testing.T) {
	r, now := claimedAt(t)
	out := r.Stop(now)
	if len(out) != 1 || strings.Contains(words(t, out[0].Data)+"\n", "R\n") || strings.Count(words(t, out[0].Data), "-\n") != 9 {
		t.Errorf("goodbye: %v\n%s", out, words(t, out[0].Data))
	}
}

// TestTakenBack: what this host and others have is not gone when another says
// goodbye to it.
func TestTakenBack(t *testing.T) {
	r, now := claimedAt(t)
	r.Receive(now, wire, peer, (&message{response: true, answers: gone([]record{pointer(types, "_smb._tcp.local.")})}).packet())
	if out, _ := r.Poll(now); len(out) != 1 {
		t.Errorf("sent %v", out)
	}
}

// TestConflictLater: a host that comes with the same name makes both ask again.
func TestConflictLater(t *testing.T) {
	r, now := claimedAt(t)
	theirs := message{response: true, answers: []record{address("nas.local.", netip.MustParseAddr("10.0.0.99"))}}
	r.Receive(now, wire, netip.MustParseAddrPort("10.0.0.99:5354"), theirs.packet())
	if _, _, settled := r.Names(); !settled {
		t.Error("an answer from another port was believed")
	}
	r.Receive(now, wire, peer, theirs.packet())
	if host, _, settled := r.Names(); settled || host != "nas" {
		t.Errorf("host %q, settled %v after another says it has the name", host, settled)
	}
	r.Receive(now, wire, peer, theirs.packet())
	if host, instance, _ := r.Names(); host != "nas-2" || instance != "NAS" {
		t.Errorf("host %q, instance %q after it says so again", host, instance)
	}
	// Somebody who has every name costs no more than a probe in 5 s.
	for i := range 40 {
		now = now.Add(10 * time.Millisecond)
		host, _, _ := r.Names()
		theirs.answers[0].name = host + ".local."
		r.Receive(now, wire, peer, theirs.packet())
		_, next := r.Poll(now)
		if i > crowd && next.Sub(now) < crowdWait-time.Second/4 {
			t.Fatalf("after %d conflicts the next probe is %v later", i+2, next.Sub(now))
		}
	}
}

func FuzzReceive(f *testing.F) {
	z := newZone("nas", "NAS", smb, addrs)
	f.Add((&message{questions: []question{{"nas.local.", dnsmessage.TypeALL, true}}, authorities: z.records}).packet(), uint16(Port))
	f.Add((&message{response: true, answers: z.records, additionals: z.absences}).packet(), uint16(Port))
	f.Add((&message{id: 9, questions: []question{{types, dnsmessage.TypePTR, false}}, answers: plain(z.records[:2])}).packet(), uint16(40000))
	f.Fuzz(func(t *testing.T, packet []byte, port uint16) {
		r := New("nas", "NAS", smb, rand.New(rand.NewPCG(1, 2)))
		now := noon
		r.SetLink(now, wire, addrs)
		for range 12 {
			r.Receive(now, wire, netip.AddrPortFrom(peer.Addr(), port), packet)
			out, next := r.Poll(now)
			size := 0
			for _, p := range out {
				size += len(p.Data)
				if _, ok := parse(p.Data); !ok {
					t.Fatalf("sent what is no message: %x", p.Data)
				}
			}
			if size > 4*maxSent {
				t.Fatalf("%d bytes answer %d", size, len(packet))
			}
			if len(r.segments[wire].queue) > 20 || len(r.segments[wire].sent) > 20 {
				t.Fatal("strangers fill the memory")
			}
			if !next.IsZero() {
				now = next
			}
		}
	})
}
