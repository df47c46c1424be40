package auth

import "net/netip"

// Hosts says from which addresses clients may come. The zero Hosts lets all in.
// It is not changed while it is in use.
//
// Where both lists hold an address the narrower prefix counts, and Allow if they
// are equally narrow. Who is in neither is let in if Allow is empty.
type Hosts struct {
	Allow, Deny []netip.Prefix
}

// Admits reports whether a client may come from an address. IPv4 within IPv6 is
// IPv4, and the zone of an address says nothing. A client that has no address of
// IP, the zero Addr, is let in where there are no lists.
func (h *Hosts) Admits(from netip.Addr) bool {
	if len(h.Allow) == 0 && len(h.Deny) == 0 {
		return true
	}
	from = from.Unmap().WithZone("")
	allow, deny := narrowest(h.Allow, from), narrowest(h.Deny, from)
	if allow < 0 && deny < 0 {
		return len(h.Allow) == 0 && from.IsValid()
	}
	return allow >= deny
}

// narrowest returns the length of the longest prefix that holds a, -1 if none
// does.
func narrowest(list []netip.Prefix, a netip.Addr) int {
	bits := -1
	for _, p := range list {
		if p.Contains(a) {
			bits = max(bits, p.Bits())
		}
	}
	return bits
}
