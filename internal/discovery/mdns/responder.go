// Package mdns answers for one host and its services by multicast DNS and
// DNS-SD (RFC 6762, RFC 6763): it claims the names, takes others where another
// host has them, announces, answers, and says goodbye.
//
// A Responder is a pure function of packets and the time. It sends nothing
// itself: Poll hands out what is due.
package mdns

import (
	"maps"
	"math/rand/v2"
	"net/netip"
	"slices"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/dozo-server/dozo/internal/discovery/link"
)

// Port is the one of multicast DNS.
const Port = 5353

// Group4 and Group6 are where everybody listens.
var (
	Group4 = netip.AddrFrom4([4]byte{224, 0, 0, 251})
	Group6 = netip.MustParseAddr("ff02::fb")
)

// The times of RFC 6762 section 8.
const (
	probeWait   = 250 * time.Millisecond // at most, before the first probe, and between probes
	loserWait   = time.Second            // before the one who lost against another probe tries again
	crowdTime   = 10 * time.Second       // that many conflicts in this time
	crowd       = 15
	crowdWait   = 5 * time.Second // and each probe waits so long
	probes      = 3
	announces   = 3
	claimed     = probes + 1 // the step from which the names are this host's
	lastStep    = probes + announces
	firstRepeat = time.Second // between announcements, then twice as long
)

// Responder answers for one host. It is for one goroutine.
type Responder struct {
	services []Service
	random   *rand.Rand

	host, instance string // as claimed now
	machine        []netip.Addr
	segments       map[link.ID]*segment
	conflicts      []time.Time // the last ones, at most crowd
	out            []link.Packet
}

// segment is one link and how far the names are claimed there.
type segment struct {
	addrs  []netip.Addr
	zone   *zone
	step   int       // probes and announcements that were sent
	next   time.Time // the one after; zero when all were
	sent   map[key]time.Time
	queue  map[key]*answer
	strays link.Limit // of answers to one host alone
	heard  link.Limit // of packets that are looked at
}

// New makes a responder for a host and its services, with names that HostLabel
// and InstanceLabel made. It is on no link yet.
func New(host, instance string, services []Service, random *rand.Rand) *Responder {
	return &Responder{services: services, random: random, host: host, instance: instance, segments: map[link.ID]*segment{}}
}

// Names are the host's label and the instance's as claimed now, and whether
// they are known to be this host's on all links.
func (r *Responder) Names() (host, instance string, settled bool) {
	settled = len(r.segments) > 0
	for _, s := range r.segments {
		settled = settled && s.step >= claimed
	}
	return r.host, r.instance, settled
}

// SetMachine says which addresses the machine has on all its links, announced
// or not. Another program of the same machine may say that the host has them.
func (r *Responder) SetMachine(addrs []netip.Addr) { r.machine = addrs }

// SetLink says that the host is on a link, and by which addresses it is
// reached there. On a new one the names are probed for; new addresses are
// announced.
func (r *Responder) SetLink(now time.Time, id link.ID, addrs []netip.Addr) {
	s := r.segments[id]
	if s == nil {
		s = &segment{zone: &zone{}, strays: link.Limit{Rate: 20, Burst: 40}, heard: link.Limit{Rate: 300, Burst: 600}, sent: map[key]time.Time{}}
		s.addrs = slices.Clone(addrs)
		r.rezone(id, s)
		r.segments[id] = s
		r.probe(s, now, r.upTo(probeWait))
		return
	}
	if slices.Equal(s.addrs, addrs) {
		return
	}
	s.addrs = slices.Clone(addrs)
	r.rezone(id, s)
	s.queue = nil
	if s.step >= claimed {
		s.step, s.next = probes, now
	}
}

// rezone makes what is said on a link anew, and takes back what is so no more.
func (r *Responder) rezone(id link.ID, s *segment) {
	z := newZone(r.host, r.instance, r.services, s.addrs)
	r.withdraw(id, s, z)
	s.zone = z
}

// DropLink says that the host is on a link no more.
func (r *Responder) DropLink(id link.ID) { delete(r.segments, id) }

// Stop says goodbye, and ends the responder.
func (r *Responder) Stop(time.Time) []link.Packet {
	r.out = nil
	for _, id := range link.Sorted(r.segments) {
		r.withdraw(id, r.segments[id], &zone{})
	}
	r.segments = nil
	return r.out
}

// Poll hands out what is due, and says when something is due next; the zero
// time means when something happens.
func (r *Responder) Poll(now time.Time) (out []link.Packet, next time.Time) {
	for _, id := range link.Sorted(r.segments) {
		s := r.segments[id]
		if !s.next.IsZero() && !now.Before(s.next) {
			r.advance(id, s, now)
		}
		r.answers(id, s, now)
		next = link.Earlier(next, s.next)
		for _, a := range s.queue {
			next = link.Earlier(next, a.due)
		}
	}
	out, r.out = r.out, nil
	return out, next
}

// advance sends a probe or makes an announcement due.
func (r *Responder) advance(id link.ID, s *segment, now time.Time) {
	if s.step < probes {
		m := &message{}
		for _, name := range s.zone.names() {
			// The answer comes sooner to the host alone.
			m.questions = append(m.questions, question{name, dnsmessage.TypeALL, s.step == 0})
			m.authorities = append(m.authorities, plain(s.zone.unique(name))...)
		}
		r.send(id, netip.AddrPort{}, m)
		s.step++
		s.next = now.Add(probeWait)
		return
	}
	for _, rec := range s.zone.records {
		s.ask(rec, now, netip.Addr{})
	}
	s.step++
	s.next = now.Add(firstRepeat << (s.step - claimed))
	if s.step == lastStep {
		s.next = time.Time{}
	}
}

// probe begins to claim the names on a link.
func (r *Responder) probe(s *segment, now time.Time, wait time.Duration) {
	if r.crowded(now) {
		wait = max(wait, crowdWait)
	}
	s.step, s.next, s.queue = 0, now.Add(wait), nil
}

// crowded says whether there were so many conflicts that something must be
// wrong.
func (r *Responder) crowded(now time.Time) bool {
	return len(r.conflicts) == crowd && now.Sub(r.conflicts[0]) < crowdTime
}

// Receive looks at a packet that came over a link.
func (r *Responder) Receive(now time.Time, id link.ID, from netip.AddrPort, packet []byte) {
	s := r.segments[id]
	if s == nil || len(packet) > link.MaxPacket || !s.heard.Allow(now) {
		return
	}
	m, ok := parse(packet)
	switch {
	case !ok:
	case !m.response:
		r.query(id, s, now, from, m)
	case from.Port() == Port: // no other port may answer (RFC 6762 section 6)
		r.response(s, now, from.Addr().WithZone(""), m)
	}
}

// response looks at what another host, or this one, says.
func (r *Responder) response(s *segment, now time.Time, from netip.Addr, m *message) {
	// What this host said before it was asked again is no answer.
	own := slices.Contains(r.machine, from) || slices.Contains(s.addrs, from)
	for _, rec := range slices.Concat(m.answers, m.authorities, m.additionals) {
		k := rec.key()
		switch {
		case s.zone.mine[k] && rec.ttl == 0 && s.step >= claimed:
			s.ask(s.zone.find(k), now, netip.Addr{}) // it is not gone for us
		case s.zone.mine[k]:
			// Whoever asked has the answer (RFC 6762 section 7.4).
			if a := s.queue[k]; a != nil && !own && rec.ttl >= a.record.ttl/2 {
				delete(s.queue, k)
			}
		case rec.ttl > 0:
			if r.conflict(s, now, rec) {
				return // nothing is as it was
			}
		}
	}
}

// conflict gives way, or tries the names again, if another host has one. It
// says whether there was a conflict.
func (r *Responder) conflict(s *segment, now time.Time, rec record) bool {
	isHost, isInstance := s.zone.claims(rec)
	if !isHost && !isInstance || r.said(rec) {
		return false
	}
	if s.step >= claimed {
		// Both ask again who has it, and the one who came later gives way (RFC
		// 6762 section 9).
		r.probe(s, now, r.upTo(probeWait))
		return true
	}
	r.conflicts = append(r.conflicts, now)
	r.conflicts = r.conflicts[max(0, len(r.conflicts)-crowd):]
	if isHost {
		r.host = nextHost(r.host)
	} else {
		r.instance = nextInstance(r.instance)
	}
	for _, id := range link.Sorted(r.segments) {
		s := r.segments[id]
		r.rezone(id, s)
		r.probe(s, now, r.upTo(probeWait))
	}
	return true
}

// said tells whether this host says so itself, maybe over another link of the
// same wire, or by another program.
func (r *Responder) said(rec record) bool {
	k := rec.key()
	if rec.kind == dnsmessage.TypeA || rec.kind == dnsmessage.TypeAAAA {
		if a, ok := netip.AddrFromSlice(rec.data); ok && slices.Contains(r.machine, a) {
			return true
		}
	}
	for _, s := range r.segments {
		if s.zone.mine[k] {
			return true
		}
	}
	return false
}

// rival looks at what another host that probes would have, while this one
// does: the one whose records come later in their order has them (RFC 6762
// section 8.2).
func (r *Responder) rival(s *segment, now time.Time, theirs []record) {
	for _, name := range s.zone.names() {
		var other []record
		own := true
		for _, rec := range theirs {
			if sameName(rec.name, name) {
				other = append(other, rec)
				own = own && r.said(rec)
			}
		}
		if own {
			continue
		}
		mine := s.zone.unique(name)
		slices.SortFunc(mine, compare)
		slices.SortFunc(other, compare)
		if slices.CompareFunc(mine, other, compare) < 0 {
			r.probe(s, now, loserWait)
			return
		}
	}
}

// withdraw says goodbye to what was said on a link and is not in what is left.
func (r *Responder) withdraw(id link.ID, s *segment, left *zone) {
	var list []record
	for _, rec := range s.zone.records {
		k := rec.key()
		if _, said := s.sent[k]; said && !left.mine[k] {
			list = append(list, rec)
			delete(s.sent, k)
		}
	}
	maps.DeleteFunc(s.sent, func(k key, _ time.Time) bool { return !left.mine[k] })
	if list != nil {
		r.send(id, netip.AddrPort{}, &message{response: true, answers: gone(list)})
	}
}

func (r *Responder) send(id link.ID, to netip.AddrPort, m *message) {
	for _, packet := range m.pack() {
		r.out = append(r.out, link.Packet{Link: id, To: to, Data: packet})
	}
}

// upTo is a random time, so that hosts that were switched on at once don't
// speak at once.
func (r *Responder) upTo(d time.Duration) time.Duration {
	return time.Duration(r.random.Int64N(int64(d)))
}
