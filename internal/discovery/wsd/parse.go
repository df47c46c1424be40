package wsd

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
)

// The namespaces of the messages.
const (
	nsSOAP = "http://www.w3.org/2003/05/soap-envelope"
	nsWSA  = "http://schemas.xmlsoap.org/ws/2004/08/addressing"
	nsWSD  = "http://schemas.xmlsoap.org/ws/2005/04/discovery"
	nsWSDP = "http://schemas.xmlsoap.org/ws/2006/02/devprof"
	nsPub  = "http://schemas.microsoft.com/windows/pub/2005/07"
	nsPnpX = "http://schemas.microsoft.com/windows/pnpx/2005/10"
	nsMex  = "http://schemas.xmlsoap.org/ws/2004/09/mex"
	nsGet  = "http://schemas.xmlsoap.org/ws/2004/09/transfer"
)

const (
	maxDepth = 32  // elements inside each other
	maxTypes = 16  // that one probe asks for
	maxID    = 128 // bytes
)

var errMessage = errors.New("wsd: not a message of WS-Discovery")

// request is what a message asks for.
type request struct {
	action   string // "Probe", "Resolve", "Get"; others are of no concern
	id       string
	to       string
	types    []xml.Name // a device must be all of these
	scopes   string
	endpoint string // whose addresses Resolve asks for
}

// The parts of a message that count, by the local names from the root down.
var paths = map[string]func(*request, string, scopes) bool{
	"Envelope/Header/Action": func(r *request, s string, _ scopes) bool {
		switch s {
		case nsWSD + "/Probe", nsWSD + "/Resolve", nsGet + "/Get":
			r.action = s[strings.LastIndexByte(s, '/')+1:]
		}
		return true
	},
	"Envelope/Header/MessageID":  func(r *request, s string, _ scopes) bool { r.id = s; return s != "" && len(s) <= maxID },
	"Envelope/Header/To":         func(r *request, s string, _ scopes) bool { r.to = s; return true },
	"Envelope/Body/Probe/Scopes": func(r *request, s string, _ scopes) bool { r.scopes = s; return true },
	"Envelope/Body/Probe/Types": func(r *request, s string, in scopes) bool {
		for name := range strings.FieldsSeq(s) {
			r.types = append(r.types, in.name(name))
		}
		return len(r.types) <= maxTypes
	},
	"Envelope/Body/Resolve/EndpointReference/Address": func(r *request, s string, _ scopes) bool { r.endpoint = s; return true },
}

// scopes are the prefixes of namespaces that the elements around a text give,
// the innermost last.
type scopes [][]xml.Attr

// name resolves the prefix of a name in a text.
func (in scopes) name(s string) xml.Name {
	prefix, local, ok := strings.Cut(s, ":")
	if !ok {
		prefix, local = "", s
	}
	for _, attrs := range slices.Backward(in) {
		for _, a := range attrs {
			if a.Name.Space == "xmlns" && a.Name.Local == prefix || prefix == "" && a.Name == (xml.Name{Local: "xmlns"}) {
				return xml.Name{Space: a.Value, Local: local}
			}
		}
	}
	return xml.Name{Local: local}
}

// parse reads a message. It takes no more memory than a few times the packet:
// XML's entities are not known, and nothing is fetched.
func parse(packet []byte) (*request, error) {
	d := xml.NewDecoder(bytes.NewReader(packet))
	// What is not UTF-8 in the declaration is none of ours.
	d.CharsetReader = func(label string, in io.Reader) (io.Reader, error) { return nil, errMessage }
	r := &request{}
	var path []string
	var in scopes
	var text []byte
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.Directive: // a DOCTYPE
			return nil, errMessage
		case xml.StartElement:
			if len(path) == maxDepth || len(path) == 0 && t.Name != (xml.Name{Space: nsSOAP, Local: "Envelope"}) {
				return nil, errMessage
			}
			path, in, text = append(path, t.Name.Local), append(in, t.Attr), text[:0]
		case xml.CharData:
			text = append(text, t...)
		case xml.EndElement:
			if take := paths[strings.Join(path, "/")]; take != nil && !take(r, string(bytes.TrimSpace(text)), in) {
				return nil, errMessage
			}
			path, in, text = path[:len(path)-1], in[:len(in)-1], text[:0]
		}
	}
	if r.id == "" {
		return nil, errMessage
	}
	return r, nil
}
