package config_test

import (
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/config"
)

func TestHosts(t *testing.T) {
	tests := []struct {
		text string
		want string // "": refused
	}{
		{"192.0.2.7", "192.0.2.7"}, {"192.0.2.0/24", "192.0.2.0/24"}, {"192.0.2.7/24", "192.0.2.0/24"}, {"192.0.2.7/32", "192.0.2.7"},
		{"0.0.0.0/0", "0.0.0.0/0"}, {"2001:db8::1", "2001:db8::1"}, {"2001:DB8::/32", "2001:db8::/32"}, {"::ffff:192.0.2.7", "192.0.2.7"},
		{"", ""}, {"nas.example", ""}, {"192.0.2.", ""}, {"192.0.2.0/33", ""}, {"192.0.2.0/255.255.255.0", ""}, {"fe80::1%eth0", ""}, {"::ffff:192.0.2.0/120", ""},
	}
	for _, tt := range tests {
		c, err := config.Parse("f", []byte("hosts-allow = [\""+tt.text+"\"]\n"))
		if tt.want == "" {
			if err == nil || !strings.Contains(err.Error(), "is no address and no network; it takes a list of addresses") {
				t.Errorf("%q: %v", tt.text, err)
			}
			continue
		}
		if err != nil || len(c.HostsAllow) != 1 || c.HostsAllow[0].String() != tt.want || config.Prefixes(c.HostsAllow)[0].Addr().Is4In6() {
			t.Errorf("%q = %v, %v; want %s", tt.text, c.HostsAllow, err, tt.want)
		}
	}
}

// TestHostsOfServerAndShare: both have their own, and a change of either is told.
func TestHostsOfServerAndShare(t *testing.T) {
	const share = "[[share]]\npath = \"/a\"\n"
	then, err := config.Parse("f", []byte("hosts-deny = [\"192.0.2.1\"]\n"+share))
	if err != nil {
		t.Fatal(err)
	}
	now, err := config.Parse("f", []byte("hosts-deny = [\"192.0.2.2\"]\n"+share+"hosts-allow = [\"192.0.2.0/24\"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	then.Resolve()
	now.Resolve()
	var words []string
	for _, c := range config.Changes(then, now) {
		words = append(words, c.String())
	}
	const want = `hosts-deny is ["192.0.2.2"]; share a: hosts-allow is ["192.0.2.0/24"]`
	if got := strings.Join(words, "; "); got != want {
		t.Errorf("changes are %s, want %s", got, want)
	}
}
