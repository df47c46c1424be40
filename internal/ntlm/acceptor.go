package ntlm

import (
	"crypto/hmac"
	"crypto/rand"
	"errors"
	"time"
)

// Accounts knows the users and the hashes of their passwords.
type Accounts interface {
	// NTHash returns the hash of a user's password. The error ErrUnknownUser,
	// possibly wrapped, makes a guest of the user where guests are allowed;
	// any other refuses the login. domain is what the client claims; a server
	// without a domain ignores it.
	NTHash(user, domain string) ([16]byte, error)
}

// Server is what all logins to a server have in common. Its fields are not
// changed once it is in use.
type Server struct {
	// Name is the server's NetBIOS name: upper case, at most 15 characters.
	Name string
	// Accounts are the users.
	Accounts Accounts
	// Guests lets unknown users in as guests.
	Guests bool
}

// Acceptor is the server's side of one login. It is used by one goroutine at a
// time.
type Acceptor struct {
	server *Server

	// The messages so far, which the client's MIC covers. An empty challenge
	// means that the client has yet to begin.
	negotiate, challenge []byte
	nonce                [8]byte
	flags                flags
	version              Version
	session              *Session
}

// NewAcceptor begins a login.
func (s *Server) NewAcceptor() *Acceptor { return &Acceptor{server: s} }

// Session returns the outcome, nil before it is there.
func (a *Acceptor) Session() *Session { return a.session }

// Accept takes the client's next message. After the first it returns the
// challenge; after the second, nil and the outcome is in Session. The error is
// a *LogonError once the user is known. After an error the login is over.
func (a *Acceptor) Accept(message []byte) (reply []byte, err error) {
	switch {
	case a.session != nil:
		return nil, ErrOrder
	case a.challenge == nil:
		return a.begin(message)
	}
	return nil, a.finish(message)
}

// begin answers NEGOTIATE with CHALLENGE ([MS-NLMP] 3.2.5.1.1).
func (a *Acceptor) begin(message []byte) ([]byte, error) {
	var m negotiate
	if err := m.decode(message); err != nil {
		return nil, err
	}
	if !m.flags.has(flagsRequired) {
		return nil, ErrCapabilities
	}
	a.flags = flagsRequired | m.flags&flagsChosen
	rand.Read(a.nonce[:])
	reply := challenge{
		target: a.server.Name,
		flags:  a.flags | flagNTLM | flagRequestTarget | flagTargetTypeServer | flagTargetInfo | flagVersion,
		nonce:  a.nonce,
		info:   a.server.info(time.Now()),
	}
	a.version = m.version
	a.negotiate = append([]byte(nil), message...)
	a.challenge = reply.encode()
	return a.challenge, nil
}

// info describes the server to the client. The time makes clients send a MIC.
func (s *Server) info(now time.Time) []byte {
	return encodePairs([]avPair{
		{avNetBIOSDomain, toUTF16(s.Name)}, // without a domain, it is its own
		{avNetBIOSComputer, toUTF16(s.Name)},
		{avDNSDomain, toUTF16(s.Name)},
		{avDNSComputer, toUTF16(s.Name)},
		{avTimestamp, fileTime(now)},
	})
}

// finish judges AUTHENTICATE ([MS-NLMP] 3.2.5.1.2).
func (a *Acceptor) finish(message []byte) error {
	var m authenticate
	if err := m.decode(message); err != nil {
		return err
	}
	s, err := a.judge(&m, message)
	if err != nil {
		return &LogonError{User: m.user, Domain: fromUTF16(m.domain), Workstation: m.workstation, Err: err}
	}
	s.User, s.Domain, s.Workstation, s.Version = m.user, fromUTF16(m.domain), m.workstation, a.version
	a.session = s
	return nil
}

func (a *Acceptor) judge(m *authenticate, message []byte) (*Session, error) {
	if isAnonymous(m) {
		key, err := a.exchanged([16]byte{}, m)
		return &Session{Anonymous: true, Key: key}, err
	}
	if len(m.ntResponse) == 0 {
		return nil, ErrNoProof
	}
	if !m.flags.has(flagsRequired) {
		return nil, ErrCapabilities
	}
	proof, blob, pairs, err := splitResponse(m.ntResponse)
	if err != nil {
		return nil, err
	}

	// An unknown user gets a random hash and a full check, so that the time
	// of an answer does not tell who exists.
	hash, lookup := a.server.Accounts.NTHash(m.user, fromUTF16(m.domain))
	if lookup != nil {
		rand.Read(hash[:])
	}
	want, base := prove(responseKey(hash, m.user, m.domain), a.nonce, blob)
	right := hmac.Equal(proof, want[:])
	switch {
	case errors.Is(lookup, ErrUnknownUser) && a.server.Guests:
		return &Session{Guest: true}, nil
	case lookup != nil:
		return nil, lookup
	case !right:
		return nil, ErrWrongPassword
	}

	key, err := a.exchanged(base, m)
	if err != nil {
		return nil, err
	}
	if sendsMIC(pairs) && !a.checkMIC(key, m, message) {
		return nil, ErrMIC
	}
	return newSession(key, m.flags&a.flags, true), nil
}

// exchanged returns the session key: base, or the one the client chose and
// encrypted with it. A client that agreed to an exchange may leave it out when
// it will neither sign nor seal ([MS-NLMP] 3.1.5.1.2).
func (a *Acceptor) exchanged(base [16]byte, m *authenticate) ([16]byte, error) {
	agreed := m.flags & a.flags
	switch {
	case !agreed.has(flagKeyExchange):
		return base, nil
	case len(m.sessionKey) == len(base):
		return exchangeKey(base, m.sessionKey), nil
	case len(m.sessionKey) == 0 && agreed&(flagSign|flagSeal) == 0:
		return base, nil
	}
	return base, ErrMalformed
}

// isAnonymous tells whether a client says it is nobody: no name, no proof. It
// may mark that with a flag, and Windows sends one zero byte in place of LM.
func isAnonymous(m *authenticate) bool {
	return m.user == "" && len(m.ntResponse) == 0 && len(m.lmResponse) <= 1
}

// checkMIC verifies that nobody changed the three messages. What comes with a
// client that announces a MIC must hold one: the announcement is proven with
// the password, so it can't be taken out on the way.
func (a *Acceptor) checkMIC(key [16]byte, m *authenticate, message []byte) bool {
	if !m.hasMIC {
		return false
	}
	want := mic(key, a.negotiate, a.challenge, message)
	return hmac.Equal(m.mic[:], want[:])
}

// mic authenticates the messages of a login, the last with a MIC of zeros.
func mic(key [16]byte, negotiate, challenge, authenticate []byte) [16]byte {
	var zero [micSize]byte
	return hmacMD5(key[:], negotiate, challenge,
		authenticate[:micOffset], zero[:], authenticate[micOffset+micSize:])
}
