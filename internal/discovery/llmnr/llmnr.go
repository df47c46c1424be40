// Package llmnr answers for one host name by LLMNR (RFC 4795), by which Windows
// finds hosts that no DNS server knows. A Responder is a pure function of
// packets and the time.
package llmnr

import (
	"net/netip"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/dozo-server/dozo/internal/discovery/link"
)

// Port is the one of LLMNR.
const Port = 5355

// Group4 and Group6 are where questions are sent.
var (
	Group4 = netip.AddrFrom4([4]byte{224, 0, 0, 252})
	Group6 = netip.MustParseAddr("ff02::1:3")
)

const (
	ttl      = 30   // seconds (RFC 4795 section 2.8)
	maxQuery = 512  // bytes; a question has one name
	maxAddrs = 8    // in an answer, so that it stays small
	rate     = 20.0 // answers a second and link
)

// Responder answers for one name. It is for one goroutine.
type Responder struct {
	name     string
	segments map[link.ID]*segment
	out      []link.Packet
}

type segment struct {
	addrs []netip.Addr
	limit link.Limit
}

// New makes a responder that has no name and is on no link yet.
func New() *Responder { return &Responder{segments: map[link.ID]*segment{}} }

// SetName says which name to answer for, one label; none for "". Whether
// others have it is for multicast DNS to find out, which claims the same name.
func (r *Responder) SetName(_ time.Time, name string) { r.name = name }

// SetLink says by which addresses the host is reached on a link.
func (r *Responder) SetLink(_ time.Time, id link.ID, addrs []netip.Addr) {
	s := r.segments[id]
	if s == nil {
		s = &segment{limit: link.Limit{Rate: rate, Burst: 2 * rate}}
		r.segments[id] = s
	}
	s.addrs = slices.Clone(addrs[:min(len(addrs), maxAddrs)])
}

// DropLink says that the host is on a link no more.
func (r *Responder) DropLink(id link.ID) { delete(r.segments, id) }

// Receive looks at a packet that came over a link.
func (r *Responder) Receive(now time.Time, id link.ID, from netip.AddrPort, packet []byte) {
	s := r.segments[id]
	if s == nil || r.name == "" {
		return
	}
	if reply := answer(packet, r.name, s.addrs); reply != nil && s.limit.Allow(now) {
		r.out = append(r.out, link.Packet{Link: id, To: from, Data: reply})
	}
}

// Poll hands out the answers; nothing is due later.
func (r *Responder) Poll(time.Time) (out []link.Packet, next time.Time) {
	out, r.out = r.out, nil
	return out, time.Time{}
}

// Stop ends the responder; LLMNR has no goodbye.
func (r *Responder) Stop(time.Time) []link.Packet { return nil }

// answer is the response to a packet, nil if it asks nothing of this host. A
// type that the name doesn't have gets an answer without records.
func answer(packet []byte, name string, addrs []netip.Addr) []byte {
	if len(packet) > maxQuery {
		return nil
	}
	var p dnsmessage.Parser
	h, err := p.Start(packet)
	// Bit 10 of the flags, which DNS calls authoritative, says that two hosts
	// have the name; nobody answers that (RFC 4795 section 2.1.1).
	if err != nil || h.Response || h.OpCode != 0 || h.Authoritative || h.Truncated {
		return nil
	}
	q, err := p.Question()
	if err != nil || q.Class != dnsmessage.ClassINET || !strings.EqualFold(q.Name.String(), name+".") {
		return nil
	}
	if _, err := p.Question(); err != dnsmessage.ErrSectionDone {
		return nil // more than one question
	}
	if _, err := p.AnswerHeader(); err != dnsmessage.ErrSectionDone {
		return nil
	}
	m := dnsmessage.Message{Header: dnsmessage.Header{ID: h.ID, Response: true}, Questions: []dnsmessage.Question{q}}
	for _, a := range addrs {
		r := dnsmessage.Resource{Header: dnsmessage.ResourceHeader{Name: q.Name, Type: dnsmessage.TypeAAAA, Class: dnsmessage.ClassINET, TTL: ttl}}
		if a.Is4() {
			r.Header.Type, r.Body = dnsmessage.TypeA, &dnsmessage.AResource{A: a.As4()}
		} else {
			r.Body = &dnsmessage.AAAAResource{AAAA: a.As16()}
		}
		if q.Type == r.Header.Type || q.Type == dnsmessage.TypeALL {
			m.Answers = append(m.Answers, r)
		}
	}
	reply, err := m.Pack()
	if err != nil {
		return nil
	}
	return reply
}
