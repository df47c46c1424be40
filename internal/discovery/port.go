package discovery

import (
	"errors"
	"net"
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
	joined map[link.ID]net.Interface
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
	p.joined = map[link.ID]net.Interface{}
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

// follow joins the links that are there now and leaves those that were. On one
// that can't be joined nothing is heard, so nothing is said: Linux joins 20
// unless told otherwise.
func (p *port) follow(now time.Time, links map[link.ID]network) {
	for id, iface := range p.joined {
		if _, ok := links[id]; !ok {
			s, group := p.socket(id)
			s.leave(&iface, group.Addr()) // fails where the interface is gone
			p.machine.DropLink(id)
			delete(p.joined, id)
		}
	}
	for id, n := range links {
		s, group := p.socket(id)
		if s == nil {
			continue
		}
		if _, ok := p.joined[id]; !ok {
			if s.join(&n.iface, group.Addr()) != nil {
				continue // the next look tries again
			}
			p.joined[id] = n.iface
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
