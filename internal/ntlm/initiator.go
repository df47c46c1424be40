package ntlm

import (
	"crypto/rand"
	"encoding/binary"
	"time"
)

// Initiator is the client's side of one login. It is used by one goroutine at
// a time.
type Initiator struct {
	User, Domain, Workstation string // no User means anonymous
	// Hash is that of the password, see the function Hash.
	Hash [16]byte

	negotiate []byte
	session   *Session
}

// Negotiate returns the first message.
func (i *Initiator) Negotiate() []byte {
	m := negotiate{flags: flagsRequired | flagsChosen | flagNTLM | flagRequestTarget | flagTargetInfo | flagVersion}
	i.negotiate = m.encode()
	return i.negotiate
}

// Authenticate answers the server's challenge. The login is then complete as
// far as the client can tell, and Session returns its keys.
func (i *Initiator) Authenticate(message []byte) ([]byte, error) {
	var c challenge
	if err := c.decode(message); err != nil {
		return nil, err
	}
	if !c.flags.has(flagsRequired) {
		return nil, ErrCapabilities
	}
	agreed := c.flags & (flagsRequired | flagsChosen | flagTargetInfo)
	m := authenticate{
		flags:       agreed | flagNTLM | flagVersion,
		domain:      toUTF16(i.Domain),
		user:        i.User,
		workstation: i.Workstation,
	}
	if i.User == "" {
		m.flags = m.flags&^flagKeyExchange | flagAnonymous
		m.lmResponse = []byte{0}
		i.session = &Session{Anonymous: true}
		return m.encode(), nil
	}

	pairs, err := decodePairs(c.info)
	if err != nil {
		return nil, err
	}
	timestamp := find(pairs, avTimestamp)
	withMIC := len(timestamp) == 8
	if withMIC {
		pairs = append(pairs, avPair{avFlags, binary.LittleEndian.AppendUint32(nil, avFlagMIC)})
	} else {
		timestamp = fileTime(time.Now())
	}
	var nonce [8]byte
	rand.Read(nonce[:])
	blob := makeBlob(timestamp, nonce, encodePairs(pairs))
	proof, key := prove(responseKey(i.Hash, i.User, m.domain), c.nonce, blob)
	m.ntResponse = append(proof[:], blob...)
	m.lmResponse = make([]byte, ntlmv1Size) // zeros when there is a time ([MS-NLMP] 3.1.5.1.2)

	if agreed.has(flagKeyExchange) {
		base := key
		rand.Read(key[:])
		encrypted := exchangeKey(base, key[:])
		m.sessionKey = encrypted[:]
	}
	reply := m.encode()
	if withMIC {
		sum := mic(key, i.negotiate, message, reply)
		copy(reply[micOffset:], sum[:])
	}
	i.session = newSession(key, agreed, false)
	i.session.User, i.session.Domain, i.session.Workstation = i.User, i.Domain, i.Workstation
	return reply, nil
}

// Session returns the outcome, nil before Authenticate.
func (i *Initiator) Session() *Session { return i.session }
