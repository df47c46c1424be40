package discovery

import (
	"errors"
	"net/netip"
	"time"

	"github.com/dozo-server/dozo/internal/discovery/link"
)

// port is a protocol at work: its machine, and the sockets of its port.
type port struct {
	name           string
	number         uint16
	group4, group6 netip.Addr
	hops           int // that its packets to all may go; no router takes them further
	machine        machine

	v4, v6 *socket // nil where the system has no such addresses
}

// arrival is a packet that came.
type arrival struct {
	port   *port
	link   link.ID
	from   netip.AddrPort
	packet []byte
}

// open opens the sockets; what arrives goes to arrivals until close.
func (p *port) open(arrivals chan<- arrival) error {
	var err4, err6 error
	p.v4, err4 = listen4(p.number, p.hops)
	p.v6, err6 = listen6(p.number, p.hops)
	if p.v4 == nil && p.v6 == nil {
		return errors.Join(err4, err6)
	}
	for _, s := range []*socket{p.v4, p.v6} {
		if s != nil {
			s.readers.Go(func() { s.read(p, arrivals) })
		}
	}
	return nil
}

// close ends the sockets and waits for their readers.
func (p *port) close() {
	for _, s := range []*socket{p.v4, p.v6} {
		if s != nil {
			s.close()
		}
	}
}

func (p *port) socket(id link.ID) (*socket, netip.AddrPort) {
	if id.V6 {
		return p.v6, netip.AddrPortFrom(p.group6, p.number)
	}
	return p.v4, netip.AddrPortFrom(p.group4, p.number)
}

// follow joins the links that are there now and leaves those that were.
func (p *port) follow(now time.Time, old, links map[link.ID]network) {
	for id := range old {
		if _, ok := links[id]; !ok {
			if s, group := p.socket(id); s != nil {
				n := old[id]
				s.leave(&n.iface, group.Addr()) // fails where the interface is gone
			}
			p.machine.DropLink(id)
		}
	}
	for id, n := range links {
		s, group := p.socket(id)
		if s == nil {
			continue
		}
		if _, ok := old[id]; !ok {
			// Where it can't be joined nothing is heard; a next look that finds
			// other addresses brings no better.
			s.join(&n.iface, group.Addr())
		}
		p.machine.SetLink(now, id, n.addrs)
	}
}

// send sends packets. One that is lost on the way is as good as sent: each
// protocol reckons with that.
func (p *port) send(links map[link.ID]network, packets []link.Packet) {
	for _, packet := range packets {
		s, to := p.socket(packet.Link)
		n, ok := links[packet.Link]
		if s == nil || !ok {
			continue
		}
		if packet.To.IsValid() {
			to = packet.To
		}
		s.write(&n.iface, to, packet.Data)
	}
}
