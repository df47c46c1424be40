package smb

import (
	"net"
	"net/netip"

	"github.com/dozo-server/dozo/auth"
)

// SetHosts replaces Config.Hosts. Connections from where nobody may come from
// any more are cut.
func (s *Server) SetHosts(h auth.Hosts) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hosts.Store(&h)
	for c := range s.conns {
		if !s.welcomes(c.nc) {
			s.logUnwelcome(c.nc)
			c.cut()
		}
	}
}

// welcomes reports whether a connection is from where clients may come from.
func (s *Server) welcomes(nc net.Conn) bool { return s.hosts.Load().Admits(ip(nc)) }

func (s *Server) logUnwelcome(nc net.Conn) {
	s.config.Log.Warn("smb: connection refused", "address", host(nc), "reason", "clients may not come from that address")
}

// fromHere reports whether a connection is of this machine with itself. Even where
// its own address is not among those of clients it may ask whether the server
// answers, as what watches a service does; who logs in is a client.
func fromHere(nc net.Conn) bool {
	there := ip(nc).Unmap()
	here, ok := nc.LocalAddr().(*net.TCPAddr)
	return there.IsLoopback() || ok && there == here.AddrPort().Addr().Unmap()
}

// ip is the address of a connection's client, the zero one if that is not of IP.
func ip(nc net.Conn) netip.Addr {
	if a, ok := nc.RemoteAddr().(*net.TCPAddr); ok {
		return a.AddrPort().Addr()
	}
	return netip.Addr{}
}

// host is the same in words, also where it is not of IP.
func host(nc net.Conn) string {
	whole := nc.RemoteAddr().String()
	if h, _, err := net.SplitHostPort(whole); err == nil {
		return h
	}
	return whole
}
