package discovery

import (
	"encoding/binary"
	"maps"
	"net"
	"net/netip"
	"slices"

	"github.com/dozo-server/dozo/internal/discovery/link"
)

// network is one link of this machine.
type network struct {
	iface    net.Interface
	addrs    []netip.Addr   // by which the services are reached
	prefixes []netip.Prefix // addresses of hosts on it
}

// near says whether an address is one of a host on the link. Nobody else is
// answered (RFC 6762 section 11), nor all hosts at once because one pretends to
// have the address of all.
func (n network) near(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	return slices.ContainsFunc(n.prefixes, func(p netip.Prefix) bool { return p.Contains(a) && a != broadcast(p) })
}

// broadcast is the address of all hosts of a network, none for IPv6 and where there
// are no more than two hosts.
func broadcast(p netip.Prefix) netip.Addr {
	const bits = 32
	if !p.Addr().Is4() || p.Bits() >= bits-1 {
		return netip.Addr{}
	}
	a := p.Addr().As4()
	all := binary.BigEndian.Uint32(a[:]) | (1<<(bits-p.Bits()) - 1)
	binary.BigEndian.PutUint32(a[:], all)
	return netip.AddrFrom4(a)
}

// networks are the links of this machine, those with one of the addresses when
// there are any, and all its addresses on them.
func networks(only []netip.Addr) (found map[link.ID]network, machine []netip.Addr, err error) {
	ifaces, err := net.Interfaces()
	if err != nil {
		return nil, nil, err
	}
	found = map[link.ID]network{}
	for _, iface := range ifaces {
		const wanted = net.FlagUp | net.FlagRunning | net.FlagMulticast
		if iface.Flags&(wanted|net.FlagLoopback|net.FlagPointToPoint) != wanted {
			continue
		}
		list, err := iface.Addrs()
		if err != nil {
			continue // it went away
		}
		var all []netip.Prefix
		for _, a := range list {
			if n, ok := a.(*net.IPNet); ok {
				if addr, ok := netip.AddrFromSlice(n.IP); ok {
					ones, _ := n.Mask.Size()
					all = append(all, netip.PrefixFrom(addr.Unmap(), ones))
					machine = append(machine, addr.Unmap())
				}
			}
		}
		for _, v6 := range []bool{false, true} {
			if n := choose(all, only, v6); n.addrs != nil {
				n.iface = iface
				found[link.ID{Index: iface.Index, V6: v6}] = n
			}
		}
	}
	return found, machine, nil
}

// choose makes one family's link of an interface's addresses. Both families'
// are told on both; those that need a zone only when there are no others.
func choose(all []netip.Prefix, only []netip.Addr, v6 bool) network {
	var n network
	var local []netip.Addr
	for _, p := range all {
		a := p.Addr()
		if a.Is6() == v6 {
			n.prefixes = append(n.prefixes, p.Masked())
		}
		if only != nil && !slices.Contains(only, a) {
			continue
		}
		if a.Is6() && a.IsLinkLocalUnicast() {
			local = append(local, a)
		} else {
			n.addrs = append(n.addrs, a)
		}
	}
	if n.addrs == nil {
		n.addrs = local
	}
	if n.prefixes == nil {
		return network{}
	}
	return n
}

// interfaces are the names of those that links are on.
func interfaces(links map[link.ID]network) []string {
	names := map[string]bool{}
	for _, n := range links {
		names[n.iface.Name] = true
	}
	return slices.Sorted(maps.Keys(names))
}
