package mdns

import (
	"encoding/binary"
	"slices"

	"golang.org/x/net/dns/dnsmessage"
)

const (
	// topBit of a class asks for an answer by unicast in a question, and lets
	// others forget what they knew of the name and type in a record (RFC 6762
	// sections 5.4 and 10.2).
	topBit = 1 << 15

	classANY dnsmessage.Class = 255

	// maxSent is how large packets are made, in bytes: one Ethernet frame.
	maxSent = 1400
)

// question asks for records of a name.
type question struct {
	name    string
	kind    dnsmessage.Type
	unicast bool // the answer may go to the asker alone
}

// message is what a packet says, as far as it can concern this host.
type message struct {
	id          uint16
	response    bool
	truncated   bool // more known answers follow
	questions   []question
	answers     []record
	authorities []record // in a query: what the asker would like to have
	additionals []record
}

// parse reads a packet. Records whose names or types can't be ours are passed
// over; a packet that breaks off says what came before.
func parse(packet []byte) (*message, bool) {
	var p dnsmessage.Parser
	h, err := p.Start(packet)
	if err != nil || h.OpCode != 0 || h.RCode != 0 {
		return nil, false // RFC 6762 sections 18.3 and 18.11
	}
	m := &message{id: h.ID, response: h.Response, truncated: h.Truncated}
	for {
		q, err := p.Question()
		if err == dnsmessage.ErrSectionDone {
			break
		}
		if err != nil {
			if p.SkipQuestion() != nil { // a name that dnsmessage can't tell, or the end
				return m, true
			}
			continue
		}
		if class := q.Class &^ topBit; class == dnsmessage.ClassINET || class == classANY {
			m.questions = append(m.questions, question{q.Name.String(), q.Type, q.Class&topBit != 0})
		}
	}
	var ok bool
	if m.answers, ok = section(&p, p.AnswerHeader, p.SkipAnswer); !ok {
		return m, true
	}
	if m.authorities, ok = section(&p, p.AuthorityHeader, p.SkipAuthority); !ok {
		return m, true
	}
	m.additionals, _ = section(&p, p.AdditionalHeader, p.SkipAdditional)
	return m, true
}

// section reads the records of one section and says whether its end was seen.
func section(p *dnsmessage.Parser, header func() (dnsmessage.ResourceHeader, error), skip func() error) ([]record, bool) {
	var list []record
	for {
		h, err := header()
		if err == dnsmessage.ErrSectionDone {
			return list, true
		}
		if err == nil && h.Class&^topBit == dnsmessage.ClassINET {
			if data, ok := body(p, h.Type); ok {
				list = append(list, record{name: h.Name.String(), kind: h.Type, data: data, ttl: h.TTL, shared: h.Class&topBit == 0})
				continue
			}
		}
		if skip() != nil {
			return list, false
		}
	}
}

// body reads the data of a record of a type that this host has, too.
func body(p *dnsmessage.Parser, kind dnsmessage.Type) ([]byte, bool) {
	switch kind {
	case dnsmessage.TypeA:
		r, err := p.AResource()
		return r.A[:], err == nil
	case dnsmessage.TypeAAAA:
		r, err := p.AAAAResource()
		return r.AAAA[:], err == nil
	case dnsmessage.TypePTR:
		r, err := p.PTRResource()
		return wireName(r.PTR.String()), err == nil
	case dnsmessage.TypeSRV:
		r, err := p.SRVResource()
		var data []byte
		for _, n := range []uint16{r.Priority, r.Weight, r.Port} {
			data = binary.BigEndian.AppendUint16(data, n)
		}
		return append(data, wireName(r.Target.String())...), err == nil
	case dnsmessage.TypeTXT:
		r, err := p.TXTResource()
		var data []byte
		for _, s := range r.TXT {
			data = append(append(data, byte(len(s))), s...)
		}
		return data, err == nil
	}
	return nil, false
}

// pack writes a message in as many packets as it takes. Additional records
// are left out where they don't fit.
func (m *message) pack() [][]byte {
	packet := m.packet()
	switch {
	case len(packet) <= maxSent:
		return [][]byte{packet}
	case len(m.additionals) > 0:
		short := *m
		short.additionals = nil
		return short.pack()
	case len(m.answers) > 1:
		first, rest := *m, *m
		half := len(m.answers) / 2
		first.answers, rest.answers = m.answers[:half], m.answers[half:]
		return append(first.pack(), rest.pack()...)
	}
	return [][]byte{packet}
}

// packet writes a message in one packet.
func (m *message) packet() []byte {
	w := dnsmessage.Message{Header: dnsmessage.Header{ID: m.id, Response: m.response, Authoritative: m.response, Truncated: m.truncated}}
	for _, q := range m.questions {
		class := dnsmessage.ClassINET
		if q.unicast {
			class |= topBit
		}
		w.Questions = append(w.Questions, dnsmessage.Question{Name: dnsmessage.MustNewName(q.name), Type: q.kind, Class: class})
	}
	w.Answers, w.Authorities, w.Additionals = resources(m.answers), resources(m.authorities), resources(m.additionals)
	packet, err := w.Pack()
	if err != nil {
		panic("mdns: names and data are made to fit: " + err.Error())
	}
	return packet
}

func resources(list []record) []dnsmessage.Resource {
	var out []dnsmessage.Resource
	for _, r := range list {
		class := dnsmessage.ClassINET
		if !r.shared {
			class |= topBit
		}
		out = append(out, dnsmessage.Resource{
			Header: dnsmessage.ResourceHeader{Name: dnsmessage.MustNewName(r.name), Type: r.kind, Class: class, TTL: r.ttl},
			Body:   &dnsmessage.UnknownResource{Type: r.kind, Data: r.data}})
	}
	return out
}

// gone makes goodbyes of records.
func gone(list []record) []record {
	list = slices.Clone(list)
	for i := range list {
		list[i].ttl = 0
	}
	return list
}

// plain is records without the bit that lets others forget: nobody is sure of
// them yet, or the reader doesn't know it.
func plain(list []record) []record {
	list = slices.Clone(list)
	for i := range list {
		list[i].shared = true
	}
	return list
}
