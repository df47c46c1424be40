// Package wsd shows a computer to Windows by WS-Discovery (April 2005,
// [MS-WSDD]): Hello and Bye, answers to Probe and Resolve, and what the
// computer is for those who ask by HTTP.
//
// A Responder is a pure function of packets and the time; Poll hands out what
// is due.
package wsd

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/dozo-server/dozo/internal/discovery/link"
)

// Port is the one of WS-Discovery, HTTPPort where Windows asks for more.
const (
	Port     = 3702
	HTTPPort = 5357
)

// Group4 and Group6 are where everybody listens.
var (
	Group4 = netip.AddrFrom4([4]byte{239, 255, 255, 250})
	Group6 = netip.MustParseAddr("ff02::c")
)

const (
	maxDelay  = 500 * time.Millisecond // of an answer to all (WS-Discovery section 3)
	repeat    = 150 * time.Millisecond // a packet to all is sent twice, so far apart
	maxQueue  = 64                     // answers that wait, of all links
	maxRecent = 64                     // messages that are known to be repeated
	maxAddrs  = 4                      // in a message
	rate      = 20.0                   // answers a second and link
)

// Responder shows one device. It is for one goroutine.
type Responder struct {
	device  Device
	random  *rand.Rand
	started time.Time
	number  uint64 // of the last message
	version int    // of the metadata

	segments map[link.ID]*segment
	queue    []waiting
	recent   []string // ids of messages, the last ones
}

type segment struct {
	addrs []netip.Addr
	limit link.Limit
	heard link.Limit // messages that are looked at: reading XML takes time
}

type waiting struct {
	due time.Time
	link.Packet
}

// New makes a responder for a device that is on no link yet. Until SetName it
// is silent.
func New(now time.Time, d Device, random *rand.Rand) *Responder {
	d.Name = ""
	return &Responder{device: d, random: random, started: now, segments: map[link.ID]*segment{}}
}

// SetName says under which name the host is found now, and tells all.
func (r *Responder) SetName(now time.Time, name string) {
	if name == r.device.Name {
		return
	}
	r.device.Name = name
	r.version++
	for _, id := range link.Sorted(r.segments) {
		r.hello(now, id)
	}
}

// SetLink says by which addresses the host is reached on a link; those of the
// link's own family count.
func (r *Responder) SetLink(now time.Time, id link.ID, addrs []netip.Addr) {
	var own []netip.Addr
	for _, a := range addrs {
		if a.Is4() != id.V6 && len(own) < maxAddrs {
			own = append(own, a)
		}
	}
	s := r.segments[id]
	switch {
	case own == nil:
		r.DropLink(id)
		return
	case s == nil:
		s = &segment{limit: link.Limit{Rate: rate, Burst: 2 * rate}, heard: link.Limit{Rate: 10 * rate, Burst: 20 * rate}}
		r.segments[id] = s
	case slices.Equal(s.addrs, own):
		return
	}
	s.addrs = own
	r.hello(now, id)
}

// DropLink says that the host is on a link no more.
func (r *Responder) DropLink(id link.ID) {
	delete(r.segments, id)
	r.queue = slices.DeleteFunc(r.queue, func(w waiting) bool { return w.Link == id })
}

// Stop says Bye, and ends the responder.
func (r *Responder) Stop(time.Time) (out []link.Packet) {
	if r.device.Name == "" {
		return nil
	}
	for _, id := range link.Sorted(r.segments) {
		p := link.Packet{Link: id, Data: r.message(toAll, "Bye", "", body{Bye: &target{Endpoint: endpoint{r.device.urn()}}})}
		out = append(out, p, p)
	}
	r.segments, r.queue = nil, nil
	return out
}

// Receive looks at a packet that came over a link.
func (r *Responder) Receive(now time.Time, id link.ID, from netip.AddrPort, packet []byte) {
	s := r.segments[id]
	if s == nil || r.device.Name == "" || len(packet) > link.MaxPacket || !s.heard.Allow(now) {
		return
	}
	q, err := parse(packet)
	if err != nil || slices.Contains(r.recent, q.id) {
		return
	}
	var reply body
	var delay time.Duration
	switch {
	case q.action == "Probe" && r.device.matches(q):
		reply.Probe = &matches{Probe: r.target(s)}
		delay = time.Duration(r.random.Int64N(int64(maxDelay))) // or all hosts would answer at once
	case q.action == "Resolve" && strings.EqualFold(q.endpoint, r.device.urn()):
		reply.Resolve = &matches{Resolve: r.target(s)}
	default:
		return
	}
	if len(r.queue) >= maxQueue || !s.limit.Allow(now) {
		return
	}
	r.recent = append(r.recent[max(0, len(r.recent)-maxRecent+1):], q.id)
	r.queue = append(r.queue, waiting{now.Add(delay), link.Packet{Link: id, To: from,
		Data: r.message(toCaller, q.action+"Matches", q.id, reply)}})
}

// Poll hands out what is due, and says when something is due next; the zero
// time means when something happens.
func (r *Responder) Poll(now time.Time) (out []link.Packet, next time.Time) {
	left := r.queue[:0]
	for _, w := range r.queue {
		if now.Before(w.due) {
			left = append(left, w)
			next = link.Earlier(next, w.due)
		} else {
			out = append(out, w.Packet)
		}
	}
	clear(r.queue[len(left):])
	r.queue = left
	return out, next
}

// hello tells all on a link that the device is there.
func (r *Responder) hello(now time.Time, id link.ID) {
	if r.device.Name == "" {
		return
	}
	p := link.Packet{Link: id, Data: r.message(toAll, "Hello", "", body{Hello: r.target(r.segments[id])})}
	r.queue = append(r.queue, waiting{now, p}, waiting{now.Add(repeat), p})
}

// target is the device as it is reached on a link.
func (r *Responder) target(s *segment) *target {
	var at []string
	for _, a := range s.addrs {
		at = append(at, fmt.Sprintf("http://%s%s", netip.AddrPortFrom(a.WithZone(""), HTTPPort), r.device.Path()))
	}
	return &target{Endpoint: endpoint{r.device.urn()}, Types: types, Addresses: strings.Join(at, " "), Version: r.version}
}

func (r *Responder) message(to, action, relates string, b body) []byte {
	r.number++
	var id [16]byte
	binary.NativeEndian.PutUint64(id[:8], r.random.Uint64())
	binary.NativeEndian.PutUint64(id[8:], r.random.Uint64())
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return marshal(header{To: to, Action: nsWSD + "/" + action, ID: "urn:uuid:" + uuid(id), Relates: relates,
		Sequence: &sequence{uint64(r.started.Unix()), r.number}}, b)
}
