package tests

import (
	"errors"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// TestHosts: the machine has two addresses of its own, 127.0.0.1 and ::1, of
// which one may be kept out of a server or a share, from the start or by a
// reload.
func TestHosts(t *testing.T) {
	const bind = "bind = [\"127.0.0.1\", \"::1\"]\n"
	s := configured(t, bind, "hosts-allow = [\"127.0.0.0/8\"]")
	for _, step := range []struct {
		name, keys, shareKeys string
		four, six             string // what a client by IPv4 and IPv6 is told, "" if nothing
	}{
		{"a share for IPv4", bind, "hosts-allow = [\"127.0.0.0/8\"]", "", "NT_STATUS_ACCESS_DENIED"},
		{"a share not for IPv4", bind, "hosts-deny = [\"127.0.0.1\"]", "NT_STATUS_ACCESS_DENIED", ""},
		{"a share for all but one", bind, "hosts-allow = [\"127.0.0.0/8\", \"::1\"]\nhosts-deny = [\"127.0.0.1\"]", "NT_STATUS_ACCESS_DENIED", ""},
		{"a server for IPv6", bind + "hosts-allow = [\"::1\"]\n", "", "NT_STATUS_", ""},
		{"a server not for IPv6", bind + "hosts-deny = [\"::/0\"]\n", "", "", "NT_STATUS_"},
		{"both for IPv4", bind + "hosts-deny = [\"::/0\"]\n", "hosts-allow = [\"127.0.0.1\"]", "", "NT_STATUS_"},
	} {
		t.Run(step.name, func(t *testing.T) {
			s := s.on(t)
			s.reconfigure(step.keys, step.shareKeys)
			for address, want := range map[string]string{"127.0.0.1": step.four, "::1": step.six} {
				said := s.log.String()
				out, err := s.smbclient("ls", "-I", address)
				if (err != nil) != (want != "") || !strings.Contains(out, want) || want == "" && strings.Contains(out, "NT_STATUS_") {
					t.Errorf("from %s: %v, want %q:\n%s", address, err, want, out)
				}
				refusals := 0
				for line := range strings.Lines(strings.TrimPrefix(s.log.String(), said)) {
					if strings.Contains(line, " refused") && strings.Contains(line, "address="+address) && strings.Contains(line, "reason=") {
						refusals++
					}
				}
				if refused := want != ""; (refusals == 1) != refused {
					t.Errorf("%d lines of the log tell of %s", refusals, address)
				}
			}
		})
	}
}

// TestHostsOfThoseWhoAreThere: who may not come from his address any more is
// disconnected from the share, or cut off from the server.
func TestHostsOfThoseWhoAreThere(t *testing.T) {
	const bind = "bind = [\"127.0.0.1\"]\n"
	s := configured(t, bind, "")
	c := s.connect()
	c.write("file", "text")
	s.reconfigure(bind, "hosts-deny = [\"127.0.0.1\"]")
	if _, err := c.tree.ReadFile(t.Context(), "file", 10); !errors.Is(err, smbwire.StatusNetworkNameDeleted) {
		t.Errorf("in a share that is not for that address any more: %v", err)
	}
	if _, err := c.tree.Session().Tree(t.Context(), "share"); !errors.Is(err, smbwire.StatusAccessDenied) {
		t.Errorf("connecting to it again: %v", err)
	}
	s.reconfigure(bind, "")
	c = s.connect()
	s.reconfigure(bind+"hosts-deny = [\"127.0.0.1\"]\n", "")
	if _, err := c.tree.ReadFile(t.Context(), "file", 10); err == nil {
		t.Error("a connection from an address that may not come any more goes on")
	}
}
