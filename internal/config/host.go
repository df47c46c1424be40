package config

import (
	"fmt"
	"net/netip"
)

// Host is an address, or the prefix of a network.
type Host struct{ netip.Prefix }

// UnmarshalText reads 192.0.2.7, 192.0.2.0/24 and the like of IPv6.
func (h *Host) UnmarshalText(text []byte) error {
	word := string(text)
	if a, err := netip.ParseAddr(word); err == nil && a.Zone() == "" {
		a = a.Unmap()
		h.Prefix = netip.PrefixFrom(a, a.BitLen())
		return nil
	}
	p, err := netip.ParsePrefix(word)
	if err != nil || p.Addr().Is4In6() {
		return fmt.Errorf("%q is no address and no network", word)
	}
	h.Prefix = p.Masked()
	return nil
}

// String is what UnmarshalText reads.
func (h Host) String() string {
	if h.IsSingleIP() {
		return h.Addr().String()
	}
	return h.Prefix.String()
}

// MarshalText is String.
func (h Host) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// Prefixes are those of hosts.
func Prefixes(hosts []Host) []netip.Prefix {
	var all []netip.Prefix
	for _, h := range hosts {
		all = append(all, h.Prefix)
	}
	return all
}
