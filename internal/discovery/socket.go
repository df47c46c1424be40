package discovery

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/net/ipv4"
	"golang.org/x/net/ipv6"
	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/internal/discovery/link"
)

// readAgain is how long to wait when the system can't read, for want of memory.
const readAgain = 100 * time.Millisecond

// socket is a UDP port of one family that hears groups. Its writers are one
// goroutine.
type socket struct {
	v6      bool
	closed  chan struct{}
	readers sync.WaitGroup
	conn    net.PacketConn
	receive func([]byte) (n, iface int, from net.Addr, err error)
	join    func(*net.Interface, netip.Addr) error
	leave   func(*net.Interface, netip.Addr) error
	through func(*net.Interface) error // packets to all go there
}

// shared lets several programs have the port, each of which hears what is sent
// to all.
var shared = net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
	var err error
	c.Control(func(fd uintptr) {
		if err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err == nil {
			err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
		}
	})
	return err
}}

func listen4(port uint16, hops int) (*socket, error) {
	c, err := shared.ListenPacket(context.Background(), "udp4", ":"+strconv.Itoa(int(port)))
	if err != nil {
		return nil, err
	}
	p := ipv4.NewPacketConn(c)
	if err := p.SetControlMessage(ipv4.FlagInterface, true); err != nil {
		c.Close()
		return nil, err
	}
	p.SetTTL(hops)
	p.SetMulticastTTL(hops)
	p.SetMulticastLoopback(true) // for programs of this machine
	return &socket{conn: c, closed: make(chan struct{}),
		receive: func(b []byte) (int, int, net.Addr, error) {
			n, control, from, err := p.ReadFrom(b)
			if control == nil {
				control = &ipv4.ControlMessage{}
			}
			return n, control.IfIndex, from, err
		},
		join:    func(i *net.Interface, a netip.Addr) error { return p.JoinGroup(i, &net.UDPAddr{IP: a.AsSlice()}) },
		leave:   func(i *net.Interface, a netip.Addr) error { return p.LeaveGroup(i, &net.UDPAddr{IP: a.AsSlice()}) },
		through: p.SetMulticastInterface,
	}, nil
}

func listen6(port uint16, hops int) (*socket, error) {
	c, err := shared.ListenPacket(context.Background(), "udp6", ":"+strconv.Itoa(int(port)))
	if err != nil {
		return nil, err
	}
	p := ipv6.NewPacketConn(c)
	if err := p.SetControlMessage(ipv6.FlagInterface, true); err != nil {
		c.Close()
		return nil, err
	}
	p.SetHopLimit(hops)
	p.SetMulticastHopLimit(hops)
	p.SetMulticastLoopback(true)
	return &socket{v6: true, conn: c, closed: make(chan struct{}),
		receive: func(b []byte) (int, int, net.Addr, error) {
			n, control, from, err := p.ReadFrom(b)
			if control == nil {
				control = &ipv6.ControlMessage{}
			}
			return n, control.IfIndex, from, err
		},
		join:    func(i *net.Interface, a netip.Addr) error { return p.JoinGroup(i, &net.UDPAddr{IP: a.AsSlice()}) },
		leave:   func(i *net.Interface, a netip.Addr) error { return p.LeaveGroup(i, &net.UDPAddr{IP: a.AsSlice()}) },
		through: p.SetMulticastInterface,
	}, nil
}

// read hands on what arrives until close.
func (s *socket) read(p *port, arrivals chan<- arrival) {
	buf := make([]byte, link.MaxPacket+1) // one more tells a packet that is too long
	for {
		n, iface, from, err := s.receive(buf)
		if err != nil {
			select {
			case <-s.closed:
				return
			case <-time.After(readAgain):
				continue
			}
		}
		udp, ok := from.(*net.UDPAddr)
		if !ok || n > link.MaxPacket {
			continue
		}
		addr := udp.AddrPort()
		a := arrival{p, link.ID{Index: iface, V6: s.v6}, netip.AddrPortFrom(addr.Addr().Unmap(), addr.Port()), slices.Clone(buf[:n])}
		select {
		case arrivals <- a:
		case <-s.closed:
			return
		}
	}
}

// write sends a packet to a host or to a group on an interface.
func (s *socket) write(iface *net.Interface, to netip.AddrPort, packet []byte) {
	a := to.Addr()
	if a.IsMulticast() {
		if s.through(iface) != nil {
			return
		}
	}
	if a.Is6() && (a.IsLinkLocalUnicast() || a.IsMulticast()) {
		to = netip.AddrPortFrom(a.WithZone(iface.Name), to.Port())
	}
	s.conn.WriteTo(packet, net.UDPAddrFromAddrPort(to))
}

func (s *socket) close() {
	close(s.closed)
	s.conn.Close()
	s.readers.Wait()
}
