package discovery

import (
	"fmt"
	"net/netip"
	"testing"
)

func prefixes(list ...string) []netip.Prefix {
	var out []netip.Prefix
	for _, s := range list {
		out = append(out, netip.MustParsePrefix(s))
	}
	return out
}

func TestChoose(t *testing.T) {
	all := prefixes("10.0.0.1/24", "fe80::1/64", "fd00::1/64")
	addr := netip.MustParseAddr
	for _, tt := range []struct {
		name  string
		all   []netip.Prefix
		only  []netip.Addr
		v6    bool
		addrs string
		near  string
	}{
		{"IPv4", all, nil, false, "[10.0.0.1 fd00::1]", "[10.0.0.0/24]"},
		{"IPv6", all, nil, true, "[10.0.0.1 fd00::1]", "[fe80::/64 fd00::/64]"},
		{"link-local addresses only", prefixes("fe80::1/64"), nil, true, "[fe80::1]", "[fe80::/64]"},
		{"no address of the family", prefixes("fe80::1/64"), nil, false, "[]", "[]"},
		{"one address is served", all, []netip.Addr{addr("fd00::1")}, false, "[fd00::1]", "[10.0.0.0/24]"},
		{"none of these", all, []netip.Addr{addr("10.0.0.2")}, false, "[]", "[10.0.0.0/24]"},
	} {
		n := choose(tt.all, tt.only, tt.v6)
		if got := fmt.Sprint(n.addrs); got != tt.addrs {
			t.Errorf("%s: addresses %s, want %s", tt.name, got, tt.addrs)
		}
		if got := fmt.Sprint(n.prefixes); got != tt.near {
			t.Errorf("%s: near are %s, want %s", tt.name, got, tt.near)
		}
	}
}

func TestNear(t *testing.T) {
	n := network{prefixes: prefixes("10.0.0.0/24", "fe80::/64", "192.0.2.0/31", "172.16.0.0/12")}
	for _, tt := range []struct {
		from string
		near bool
	}{{"10.0.0.9", true}, {"::ffff:10.0.0.9", true}, {"10.0.1.9", false}, {"fe80::9%eth0", true}, {"fd00::9", false},
		{"10.0.0.255", false}, {"172.31.255.255", false}, {"172.31.0.255", true}, {"192.0.2.1", true}, {"fe80::ffff:ffff:ffff:ffff", true}} {
		if got := n.near(netip.MustParseAddr(tt.from)); got != tt.near {
			t.Errorf("near(%s) = %v", tt.from, got)
		}
	}
}
