package mdns

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/net/dns/dnsmessage"
)

// typeNSEC says which types a name has (RFC 4034 section 4).
const typeNSEC dnsmessage.Type = 47

// How long others may remember a record, in seconds (RFC 6762 section 10).
const (
	hostTTL  = 120  // what holds the name of a host
	otherTTL = 4500 // everything else
)

// record is a resource record of class IN. Its data are the bytes of the wire
// without compressed names, because that is what hosts compare.
type record struct {
	name   string // with the dot at its end
	kind   dnsmessage.Type
	data   []byte
	ttl    uint32 // seconds
	shared bool   // other hosts may have records of this name and type
}

// key tells records apart: two that have the same are one.
type key struct {
	name string
	kind dnsmessage.Type
	data string
}

// key folds the names in the record; letters of ASCII only (RFC 6762 section
// 16). The length of a label is less than any letter.
func (r *record) key() key {
	data := r.data
	switch {
	case r.kind == dnsmessage.TypePTR:
		data = lower(data)
	case r.kind == dnsmessage.TypeSRV && len(data) > 6:
		data = append(slices.Clip(data[:6]), lower(data[6:])...)
	}
	return key{string(lower([]byte(r.name))), r.kind, string(data)}
}

func lower(b []byte) []byte {
	b = bytes.Clone(b)
	for i, c := range b {
		b[i] = lowerByte(c)
	}
	return b
}

func lowerByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c - 'A' + 'a'
	}
	return c
}

// sameName compares names as DNS does.
func sameName(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if a[i] != b[i] && lowerByte(a[i]) != lowerByte(b[i]) {
			return false
		}
	}
	return true
}

// compare is the order that decides which of two hosts that probe at once
// gives way (RFC 6762 section 8.2).
func compare(a, b record) int {
	if a.kind != b.kind {
		return int(a.kind) - int(b.kind)
	}
	return bytes.Compare(a.data, b.data)
}

// wireName is a name as the wire has it, uncompressed.
func wireName(name string) []byte {
	var b []byte
	for label := range strings.SplitSeq(name, ".") {
		if label != "" {
			b = append(append(b, byte(len(label))), label...)
		}
	}
	return append(b, 0)
}

func address(name string, a netip.Addr) record {
	r := record{name: name, kind: dnsmessage.TypeAAAA, data: a.AsSlice(), ttl: hostTTL}
	if a.Is4() {
		r.kind = dnsmessage.TypeA
	}
	return r
}

func pointer(name, to string) record {
	return record{name: name, kind: dnsmessage.TypePTR, data: wireName(to), ttl: otherTTL, shared: true}
}

// location says on which host and port a service is (RFC 2782).
func location(name, host string, port uint16) record {
	data := binary.BigEndian.AppendUint16(make([]byte, 4), port) // priority and weight are 0
	return record{name: name, kind: dnsmessage.TypeSRV, data: append(data, wireName(host)...), ttl: hostTTL}
}

// text holds "key=value" strings, of which those too long are left out; none
// at all is one empty string (RFC 6763 section 6.1).
func text(name string, pairs []string) record {
	var data []byte
	for _, s := range pairs {
		if len(s) <= 255 {
			data = append(append(data, byte(len(s))), s...)
		}
	}
	if len(data) == 0 {
		data = []byte{0}
	}
	return record{name: name, kind: dnsmessage.TypeTXT, data: data, ttl: otherTTL}
}

// absence says that a name has these types and no others (RFC 6762 section
// 6.1). All of ours are in the first of NSEC's windows.
func absence(name string, kinds ...dnsmessage.Type) record {
	bits := make([]byte, 1+slices.Max(kinds)/8)
	for _, k := range kinds {
		bits[k/8] |= 0x80 >> (k % 8)
	}
	data := append(wireName(name), 0, byte(len(bits)))
	return record{name: name, kind: typeNSEC, data: append(data, bits...), ttl: hostTTL}
}
