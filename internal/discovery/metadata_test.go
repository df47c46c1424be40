package discovery

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/discovery/link"
)

func TestMetadata(t *testing.T) {
	p := &Publisher{config: Config{ID: [16]byte{15: 7}}, named: "nas"}
	device := p.device()
	get := `<e:Envelope xmlns:e="http://www.w3.org/2003/05/soap-envelope" xmlns:a="http://schemas.xmlsoap.org/ws/2004/08/addressing"><e:Header>` +
		`<a:To>urn:uuid:` + device.Path()[1:] + `</a:To><a:Action>http://schemas.xmlsoap.org/ws/2004/09/transfer/Get</a:Action>` +
		`<a:MessageID>urn:uuid:1</a:MessageID></e:Header><e:Body/></e:Envelope>`
	for _, tt := range []struct {
		method, path, body string
		code               int
		says               string
	}{
		{"POST", device.Path(), get, http.StatusOK, "NAS/Workgroup:WORKGROUP"},
		{"POST", device.Path(), "<x/>", http.StatusBadRequest, ""},
		{"POST", device.Path(), strings.Repeat(" ", link.MaxPacket+1), http.StatusRequestEntityTooLarge, ""},
		{"GET", device.Path(), "", http.StatusMethodNotAllowed, ""},
		{"POST", "/", get, http.StatusNotFound, ""},
	} {
		w := httptest.NewRecorder()
		p.ServeHTTP(w, httptest.NewRequest(tt.method, tt.path, strings.NewReader(tt.body)))
		if w.Code != tt.code || !strings.Contains(w.Body.String(), tt.says) {
			t.Errorf("%s %s: %d %s", tt.method, tt.path, w.Code, w.Body)
		}
	}
}

// TestWhoMayAskByHTTP: hosts of a link, at an address that is announced.
func TestWhoMayAskByHTTP(t *testing.T) {
	p := &Publisher{links: map[link.ID]network{{Index: 1}: {addrs: []netip.Addr{netip.MustParseAddr("10.0.0.1")}, prefixes: prefixes("10.0.0.0/24")}}}
	addr := func(s string) net.Addr { return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(s)) }
	for _, tt := range []struct {
		local, remote string
		may           bool
	}{
		{"10.0.0.1:5357", "10.0.0.9:1", true},
		{"[::ffff:10.0.0.1]:5357", "[::ffff:10.0.0.9]:1", true},
		{"10.0.0.2:5357", "10.0.0.9:1", false},
		{"10.0.0.1:5357", "10.0.1.9:1", false},
		{"127.0.0.1:5357", "127.0.0.1:1", false},
	} {
		if got := p.near(addr(tt.local), addr(tt.remote)); got != tt.may {
			t.Errorf("%s asked %s: %v", tt.remote, tt.local, got)
		}
	}
}
