// Package spnego negotiates which login mechanism a client and a server use
// (RFC 4178, [MS-SPNG]) and carries its messages. The only mechanism it offers
// is NTLM.
//
//	server  NegTokenInit2  the mechanisms it has, inside its NEGOTIATE response
//	client  NegTokenInit   the mechanisms it has, and a first message of the one it prefers
//	server  NegTokenResp   the mechanism chosen, and its answer
//	client  NegTokenResp   its next message, and a MIC over the list it sent
//	server  NegTokenResp   done, and a MIC over that list
package spnego

import (
	"bytes"
	"encoding/asn1"
	"errors"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"
)

// The errors of this package; those of the mechanism come beside them.
var (
	ErrMalformed   = errors.New("spnego: malformed token")
	ErrOrder       = errors.New("spnego: token out of order")
	ErrNoMechanism = errors.New("spnego: client does not offer NTLM")
	ErrRefused     = errors.New("spnego: server refused all mechanisms")
	ErrMIC         = errors.New("spnego: list of mechanisms was changed on the way")
)

var (
	oidSPNEGO = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 2}
	oidNTLM   = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 311, 2, 2, 10}
)

// The tags of tokens and their fields.
var (
	tagInitial = cbasn1.Tag(0).Constructed() | 0x40 // [APPLICATION 0]
	tagInit    = field(0)
	tagResp    = field(1)
)

// field is the explicit context tag n.
func field(n uint8) cbasn1.Tag { return cbasn1.Tag(n).Constructed().ContextSpecific() }

// state is negState: what the server says of the negotiation.
type state int

const (
	stateCompleted  state = 0
	stateIncomplete state = 1
	stateRejected   state = 2
	stateRequestMIC state = 3

	stateAbsent state = -1
)

// initToken is NegTokenInit, or NegTokenInit2 with a hint ([MS-SPNG] 2.2.1).
type initToken struct {
	mechanisms []byte // MechTypeList with its tag and length, which MICs cover
	token      []byte // for the first of the mechanisms; nil if absent
	hint       bool   // encode only: say what Windows servers say
}

// hintName is what every server since Windows 2008 sends as its name.
const hintName = "not_defined_in_RFC4178@please_ignore"

func (m *initToken) encode() []byte {
	var b cryptobyte.Builder
	b.AddASN1(tagInitial, func(b *cryptobyte.Builder) {
		b.AddASN1ObjectIdentifier(oidSPNEGO)
		b.AddASN1(tagInit, func(b *cryptobyte.Builder) {
			b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
				b.AddASN1(field(0), func(b *cryptobyte.Builder) { b.AddBytes(m.mechanisms) })
				addOctets(b, 2, m.token)
				if m.hint {
					b.AddASN1(field(3), func(b *cryptobyte.Builder) {
						b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
							b.AddASN1(field(0), func(b *cryptobyte.Builder) {
								b.AddASN1(cbasn1.GeneralString, func(b *cryptobyte.Builder) { b.AddBytes([]byte(hintName)) })
							})
						})
					})
				}
			})
		})
	})
	return b.BytesOrPanic()
}

func (m *initToken) decode(token []byte) error {
	var (
		s                        = cryptobyte.String(token)
		initial, choice, seq     cryptobyte.String
		list, mechanisms, ignore cryptobyte.String
		mechanism                asn1.ObjectIdentifier
	)
	if !s.ReadASN1(&initial, tagInitial) || !s.Empty() ||
		!initial.ReadASN1ObjectIdentifier(&mechanism) || !mechanism.Equal(oidSPNEGO) ||
		!initial.ReadASN1(&choice, tagInit) ||
		!choice.ReadASN1(&seq, cbasn1.SEQUENCE) ||
		!seq.ReadASN1(&list, field(0)) ||
		!list.ReadASN1Element(&mechanisms, cbasn1.SEQUENCE) || !list.Empty() ||
		!seq.SkipOptionalASN1(field(1)) || // reqFlags, to be ignored
		!readOctets(&seq, 2, &m.token) ||
		!seq.ReadOptionalASN1(&ignore, nil, field(3)) || // hints or a MIC, of no use here
		!seq.ReadOptionalASN1(&ignore, nil, field(4)) ||
		!seq.Empty() {
		return ErrMalformed
	}
	m.mechanisms = mechanisms
	return nil
}

// offers tells whether a mechanism is in the list and whether it is the first,
// which the token is for.
func (m *initToken) offers(want asn1.ObjectIdentifier) (offered, first bool, err error) {
	var list cryptobyte.String
	s := cryptobyte.String(m.mechanisms)
	if !s.ReadASN1(&list, cbasn1.SEQUENCE) {
		return false, false, ErrMalformed
	}
	for at := 0; !list.Empty(); at++ {
		var mechanism asn1.ObjectIdentifier
		if !list.ReadASN1ObjectIdentifier(&mechanism) {
			return false, false, ErrMalformed
		}
		if mechanism.Equal(want) {
			return true, at == 0, nil
		}
	}
	return false, false, nil
}

// listOf encodes a MechTypeList.
func listOf(mechanism asn1.ObjectIdentifier) []byte {
	var b cryptobyte.Builder
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) { b.AddASN1ObjectIdentifier(mechanism) })
	return b.BytesOrPanic()
}

// respToken is NegTokenResp (RFC 4178 4.2.2).
type respToken struct {
	state     state
	mechanism asn1.ObjectIdentifier // nil if absent
	token     []byte                // nil if absent
	mic       []byte                // nil if absent
}

func (m *respToken) encode() []byte {
	var b cryptobyte.Builder
	b.AddASN1(tagResp, func(b *cryptobyte.Builder) {
		b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
			if m.state != stateAbsent {
				b.AddASN1(field(0), func(b *cryptobyte.Builder) { b.AddASN1Enum(int64(m.state)) })
			}
			if m.mechanism != nil {
				b.AddASN1(field(1), func(b *cryptobyte.Builder) { b.AddASN1ObjectIdentifier(m.mechanism) })
			}
			addOctets(b, 2, m.token)
			addOctets(b, 3, m.mic)
		})
	})
	return b.BytesOrPanic()
}

func (m *respToken) decode(token []byte) error {
	var (
		s             = cryptobyte.String(token)
		resp, seq, in cryptobyte.String
		present       bool
	)
	if !s.ReadASN1(&resp, tagResp) || !s.Empty() || !resp.ReadASN1(&seq, cbasn1.SEQUENCE) || !resp.Empty() {
		return ErrMalformed
	}
	m.state = stateAbsent
	if !seq.ReadOptionalASN1(&in, &present, field(0)) || present && !in.ReadASN1Enum((*int)(&m.state)) {
		return ErrMalformed
	}
	if !seq.ReadOptionalASN1(&in, &present, field(1)) || present && !in.ReadASN1ObjectIdentifier(&m.mechanism) {
		return ErrMalformed
	}
	if !readOctets(&seq, 2, &m.token) || !readOctets(&seq, 3, &m.mic) || !seq.Empty() {
		return ErrMalformed
	}
	// Windows 2000 and its imitators repeat the token where the MIC belongs.
	if m.mic != nil && bytes.Equal(m.mic, m.token) {
		m.mic = nil
	}
	return nil
}

// addOctets adds the field n with an OCTET STRING, unless it is nil.
func addOctets(b *cryptobyte.Builder, n uint8, octets []byte) {
	if octets != nil {
		b.AddASN1(field(n), func(b *cryptobyte.Builder) { b.AddASN1OctetString(octets) })
	}
}

// readOctets reads the field n with an OCTET STRING into out, nil if it is not
// there. It aliases the token.
func readOctets(s *cryptobyte.String, n uint8, out *[]byte) bool {
	var in, octets cryptobyte.String
	var present bool
	if !s.ReadOptionalASN1(&in, &present, field(n)) {
		return false
	}
	*out = nil
	if !present {
		return true
	}
	ok := in.ReadASN1(&octets, cbasn1.OCTET_STRING) && in.Empty()
	*out = octets
	return ok
}
