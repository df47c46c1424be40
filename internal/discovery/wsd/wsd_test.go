package wsd

import (
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/discovery/link"
)

var (
	noon   = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	wire   = link.ID{Index: 1}
	wire6  = link.ID{Index: 1, V6: true}
	peer   = netip.MustParseAddrPort("10.0.0.99:40000")
	addrs  = []netip.Addr{netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("fe80::1")}
	device = Device{ID: [16]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, Name: "nas", Workgroup: "WORKGROUP", Version: "1"}
)

const self = "urn:uuid:00010203-0405-8607-8809-0a0b0c0d0e0f"

// message is one as Windows sends it.
func message(to, action, id, body string) []byte {
	return fmt.Appendf(nil, `<?xml version="1.0" encoding="utf-8"?>
<soap:Envelope xmlns:soap="http://www.w3.org/2003/05/soap-envelope" xmlns:wsa="http://schemas.xmlsoap.org/ws/2004/08/addressing" xmlns:wsd="http://schemas.xmlsoap.org/ws/2005/04/discovery">
<soap:Header><wsa:To>%s</wsa:To><wsa:Action>%s</wsa:Action><wsa:MessageID>%s</wsa:MessageID></soap:Header>
<soap:Body>%s</soap:Body></soap:Envelope>`, to, action, id, body)
}

func probe(id, body string) []byte {
	return message(toAll, nsWSD+"/Probe", id, `<wsd:Probe>`+body+`</wsd:Probe>`)
}

func resolve(id, who string) []byte {
	return message(toAll, nsWSD+"/Resolve", id,
		`<wsd:Resolve><wsa:EndpointReference><wsa:Address>`+who+`</wsa:Address></wsa:EndpointReference></wsd:Resolve>`)
}

const (
	aDevice   = `<wsd:Types xmlns:p="` + nsWSDP + `">p:Device</wsd:Types>`
	aComputer = `<wsd:Types xmlns="` + nsWSDP + `" xmlns:q="` + nsPub + `"> Device q:Computer </wsd:Types>`
	aPrinter  = `<wsd:Types xmlns:p="` + nsWSDP + `" xmlns:q="urn:printers">p:Device q:Printer</wsd:Types>`
)

// ready is a responder that said all its Hellos.
func ready(t *testing.T) *Responder {
	t.Helper()
	r := New(noon, device, rand.New(rand.NewPCG(1, 2)))
	r.SetLink(noon, wire, addrs)
	r.SetName(noon, "nas")
	if out, _ := r.Poll(noon.Add(time.Second)); len(out) != 2 {
		t.Fatalf("%d Hellos", len(out))
	}
	return r
}

func TestProbesAndResolves(t *testing.T) {
	for _, tt := range []struct {
		name   string
		packet []byte
		action string // of the answer, "" for none
	}{
		{"everything", probe("urn:1", ""), "ProbeMatches"},
		{"devices", probe("urn:1", aDevice), "ProbeMatches"},
		{"computers, by the innermost namespace", probe("urn:1", aComputer), "ProbeMatches"},
		{"printers", probe("urn:1", aPrinter), ""},
		{"a prefix of nobody", probe("urn:1", "<wsd:Types>p:Device</wsd:Types>"), ""},
		{"in a scope", probe("urn:1", aDevice+"<wsd:Scopes>urn:here</wsd:Scopes>"), ""},
		{"this server", resolve("urn:1", self), "ResolveMatches"},
		{"in capitals", resolve("urn:1", strings.ToUpper(self)), "ResolveMatches"},
		{"another", resolve("urn:1", self[:len(self)-1]+"0"), ""},
		{"without an id", probe("", aDevice), ""},
		{"a long id", probe("urn:"+strings.Repeat("1", maxID), aDevice), ""},
		{"many types", probe("urn:1", `<wsd:Types xmlns:p="`+nsWSDP+`">`+strings.Repeat("p:Device ", maxTypes+1)+`</wsd:Types>`), ""},
		{"another's Hello", message(toAll, nsWSD+"/Hello", "urn:1", ""), ""},
		{"deep", []byte(`<e xmlns="` + nsSOAP + `">` + strings.Repeat("<a>", 1000)), ""},
		{"another document", []byte(`<html/>`), ""},
		{"an entity", []byte(strings.Replace(string(probe("urn:1", "&x;")), "?>", `?><!DOCTYPE d [<!ENTITY x "y">]>`, 1)), ""},
		{"another encoding", []byte(strings.Replace(string(probe("urn:1", aDevice)), "utf-8", "utf-16", 1)), ""},
		{"cut off", probe("urn:1", aDevice)[:500], ""},
		{"nothing", nil, ""},
	} {
		r := ready(t)
		now := noon.Add(time.Minute)
		r.Receive(now, wire, peer, tt.packet)
		r.Receive(now, wire, peer, tt.packet) // senders repeat themselves
		out, next := r.Poll(now)
		if tt.action == "ProbeMatches" {
			if len(out) != 0 || next.Sub(now) > maxDelay {
				t.Errorf("%s: answered at once, or after %v", tt.name, next.Sub(now))
			}
			out, _ = r.Poll(next)
		}
		if tt.action == "" {
			if len(out) != 0 {
				t.Errorf("%s: answered", tt.name)
			}
			continue
		}
		if len(out) != 1 || out[0].To != peer {
			t.Errorf("%s: sent %v", tt.name, out)
			continue
		}
		got := read(t, out[0].Data)
		want := map[string]string{
			"Header/Action": nsWSD + "/" + tt.action, "Header/RelatesTo": "urn:1", "Header/To": toCaller,
			"XAddrs": "http://10.0.0.1:5357/" + self[len("urn:uuid:"):], "Address": self, "Types": types, "MetadataVersion": "1",
		}
		for path, text := range want {
			if !strings.Contains(path, "/") {
				path = "Body/" + tt.action + "/" + strings.TrimSuffix(tt.action, "es") + "/" + path
				path = strings.Replace(path, "/Address", "/EndpointReference/Address", 1)
			}
			if got["Envelope/"+path] != text {
				t.Errorf("%s: %s is %q, want %q", tt.name, path, got["Envelope/"+path], text)
			}
		}
	}
}

// read is the texts of a message by the local names on the way to them.
func read(t testing.TB, packet []byte) map[string]string {
	t.Helper()
	texts := map[string]string{}
	d := xml.NewDecoder(strings.NewReader(string(packet)))
	var path []string
	for {
		token, err := d.Token()
		if token == nil {
			if len(path) != 0 || len(texts) == 0 {
				t.Fatalf("not XML: %v in %s", err, packet)
			}
			return texts
		}
		switch token := token.(type) {
		case xml.StartElement:
			path = append(path, token.Name.Local)
			for _, a := range token.Attr {
				texts[strings.Join(path, "/")+"@"+a.Name.Local] = a.Value
			}
		case xml.EndElement:
			path = path[:len(path)-1]
		case xml.CharData:
			texts[strings.Join(path, "/")] += string(token)
		}
	}
}

// TestHelloAndBye: when there is a name, when it changes, and at the end, each
// twice, with rising numbers.
func TestHelloAndBye(t *testing.T) {
	r := New(noon, device, rand.New(rand.NewPCG(1, 2)))
	r.SetLink(noon, wire, addrs)
	r.SetLink(noon, wire6, addrs)
	if out, next := r.Poll(noon.Add(time.Hour)); len(out) != 0 || !next.IsZero() {
		t.Fatalf("spoke without a name: %v", out)
	}
	number := ""
	said := func(name, action, version, address string, out []link.Packet) {
		t.Helper()
		for _, p := range out {
			texts := read(t, p.Data)
			if p.To.IsValid() || texts["Envelope/Header/Action"] != nsWSD+"/"+action ||
				texts["Envelope/Body/"+action+"/MetadataVersion"] != version ||
				!strings.Contains(texts["Envelope/Body/"+action+"/XAddrs"], address) {
				t.Errorf("%s: said %s", name, p.Data)
			}
			if n := texts["Envelope/Header/AppSequence@MessageNumber"]; n < number {
				t.Errorf("%s: number %s after %s", name, n, number)
			} else {
				number = n
			}
		}
	}
	twice := func(name string, now time.Time, version, address string, links int) {
		t.Helper()
		first, next := r.Poll(now)
		if next.Sub(now) != repeat {
			t.Errorf("%s: repeated after %v", name, next.Sub(now))
		}
		second, next := r.Poll(next)
		if len(first) != links || len(second) != links || !next.IsZero() {
			t.Errorf("%s: %d and %d packets", name, len(first), len(second))
		}
		said(name, "Hello", version, address, first)
		for i := range second {
			if string(second[i].Data) != string(first[i].Data) {
				t.Errorf("%s: repeated as %s", name, second[i].Data)
			}
		}
	}
	r.SetName(noon, "nas")
	twice("named", noon, "1", "http://", 2)
	r.SetName(noon, "nas-2")
	twice("renamed", noon, "2", "http://", 2)
	r.SetLink(noon, wire, []netip.Addr{netip.MustParseAddr("10.0.0.2"), addrs[1]})
	r.SetLink(noon, wire6, addrs)
	twice("another address", noon, "2", "http://10.0.0.2:5357/", 1)
	r.SetLink(noon, wire, addrs[1:]) // none of its family is left
	said("bye", "Bye", "", "", r.Stop(noon))
}

// TestStrangersGetLittle: not more than some answers at once, which wait in a
// bounded room.
func TestStrangersGetLittle(t *testing.T) {
	r := ready(t)
	now := noon.Add(time.Minute)
	for i := range 1000 {
		r.Receive(now, wire, peer, probe(fmt.Sprint("urn:", i), ""))
	}
	if out, _ := r.Poll(now.Add(time.Second)); len(out) != 2*rate {
		t.Errorf("%d answers", len(out))
	}
	if len(r.recent) > maxRecent {
		t.Errorf("%d ids are kept", len(r.recent))
	}
}

func TestGet(t *testing.T) {
	d := device
	d.Name = `a<b&"c`
	reply, err := d.Get(message(self, nsGet+"/Get", "urn:7", ""), [16]byte{})
	if err != nil {
		t.Fatal(err)
	}
	texts := read(t, reply)
	const section = "Envelope/Body/Metadata/MetadataSection/"
	for path, want := range map[string]string{
		"Envelope/Header/RelatesTo":            "urn:7",
		"Envelope/Header/Action":               nsGet + "/GetResponse",
		section + "Relationship/Host/Computer": d.Name + "/Workgroup:WORKGROUP",
		section + "Relationship/Host/Types":    "pub:Computer",
		section + "Relationship@Type":          nsWSDP + "/host",
		section + "ThisDevice/FriendlyName":    d.Name,
	} {
		if texts[path] != want {
			t.Errorf("%s is %q, want %q", path, texts[path], want)
		}
	}
	for _, packet := range [][]byte{message("urn:uuid:other", nsGet+"/Get", "urn:7", ""), probe("urn:7", ""), nil} {
		if _, err := d.Get(packet, [16]byte{}); err == nil {
			t.Errorf("answered %s", packet)
		}
	}
	if d.Path() != "/"+self[len("urn:uuid:"):] {
		t.Errorf("path %s", d.Path())
	}
}

func FuzzReceive(f *testing.F) {
	f.Add(probe("urn:1", aComputer))
	f.Add(resolve("urn:1", self))
	f.Add(message(self, nsGet+"/Get", "urn:7", ""))
	f.Fuzz(func(t *testing.T, packet []byte) {
		r := New(noon, device, rand.New(rand.NewPCG(1, 2)))
		r.SetLink(noon, wire, addrs)
		r.SetName(noon, "nas")
		r.Poll(noon.Add(time.Second))
		r.Receive(noon, wire, peer, packet)
		out, _ := r.Poll(noon.Add(time.Second))
		for _, p := range out {
			read(t, p.Data)
			if len(p.Data) > 4096 {
				t.Errorf("%d bytes answer %d", len(p.Data), len(packet))
			}
		}
		device.Get(packet, [16]byte{})
	})
}
