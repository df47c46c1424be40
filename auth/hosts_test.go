package auth_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/auth"
)

func TestHosts(t *testing.T) {
	tests := []struct {
		allow, deny string // prefixes, separated by spaces
		yes, no     string // addresses
	}{
		{"", "", "192.0.2.1 2001:db8::1 -", ""},
		{"192.0.2.0/24", "", "192.0.2.1 192.0.2.255 ::ffff:192.0.2.7", "192.0.3.1 127.0.0.1 2001:db8::1 -"},
		{"", "192.0.2.0/24", "192.0.3.1 2001:db8::1", "192.0.2.1 ::ffff:192.0.2.7 -"},
		// The narrower one counts, whichever list it is in.
		{"192.0.2.0/24", "192.0.2.66/32", "192.0.2.1", "192.0.2.66 192.0.3.1"},
		{"192.0.2.66/32", "192.0.2.0/24", "192.0.2.66", "192.0.2.1 192.0.3.1"},
		{"192.0.2.0/24", "0.0.0.0/0 ::/0", "192.0.2.1", "192.0.3.1 2001:db8::1"},
		{"192.0.2.0/24 192.0.2.66/32", "192.0.2.64/26", "192.0.2.1 192.0.2.66", "192.0.2.65"},
		{"192.0.2.0/24", "192.0.2.0/24", "192.0.2.1", "192.0.3.1"},
		// A zone says on which wire an address is, not whose it is.
		{"fe80::/64", "fe80::66/128", "fe80::1%eth0 fe80::1", "fe80::66%eth0 2001:db8::1"},
	}
	list := func(words string) (all []netip.Prefix) {
		for w := range strings.FieldsSeq(words) {
			all = append(all, netip.MustParsePrefix(w))
		}
		return all
	}
	for _, tt := range tests {
		h := auth.Hosts{Allow: list(tt.allow), Deny: list(tt.deny)}
		for want, words := range map[bool]string{true: tt.yes, false: tt.no} {
			for w := range strings.FieldsSeq(words) {
				var a netip.Addr // -: none
				if w != "-" {
					a = netip.MustParseAddr(w)
				}
				if got := h.Admits(a); got != want {
					t.Errorf("allow %q, deny %q: %s is let in: %v", tt.allow, tt.deny, w, got)
				}
			}
		}
	}
}
