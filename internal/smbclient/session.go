package smbclient

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/dozo-server/dozo/internal/ntlm"
	"github.com/dozo-server/dozo/internal/smb/smbcrypt"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/spnego"
)

// Login is who wants to use a server.
type Login struct {
	User, Password string // no User: anonymous
	Domain         string
	Workstation    string
	Previous       uint64 // id of a session to end, that of a lost connection; 0: none
}

// Session is a login on a Conn. All methods may be called by several
// goroutines at once.
type Session struct {
	conn     *Conn
	id       uint64
	flags    smbwire.SessionFlags
	signer   smbcrypt.Signer // nil for guests
	sealOut  *smbcrypt.Sealer
	sealIn   *smbcrypt.Sealer
	mustSign bool
	mustSeal bool

	validated sync.Once // VALIDATE_NEGOTIATE_INFO
	downgrade error     // its outcome
}

// Conn returns the connection of the session.
func (s *Session) Conn() *Conn { return s.conn }

// ID returns the session's id.
func (s *Session) ID() uint64 { return s.id }

// Guest reports whether the server took the user for a guest or for nobody.
func (s *Session) Guest() bool {
	return s.flags&(smbwire.SessionIsGuest|smbwire.SessionIsNull) != 0
}

// Signed reports whether all messages are signed, if they are not encrypted.
func (s *Session) Signed() bool { return s.mustSign }

// Encrypted reports whether all messages are encrypted.
func (s *Session) Encrypted() bool { return s.mustSeal }

// Login logs in ([MS-SMB2] 3.2.4.2.3).
func (c *Conn) Login(ctx context.Context, l Login) (*Session, error) {
	s := &Session{conn: c}
	preauth := c.preauth
	key, final, err := s.setup(ctx, l, &preauth)
	if err != nil {
		return nil, err
	}
	defer final.Free()
	if err := s.arm(key, &preauth); err != nil {
		return nil, err
	}
	if err := s.prove(final); err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.sessions[s.id] = s
	c.mu.Unlock()
	return s, nil
}

// Reauthenticate logs in anew on the session, whose keys stay
// ([MS-SMB2] 3.2.4.2.3.1).
func (s *Session) Reauthenticate(ctx context.Context, l Login) error {
	preauth := s.conn.preauth
	_, final, err := s.setup(ctx, l, &preauth)
	if err != nil {
		return err
	}
	final.Free()
	return nil
}

// setup exchanges tokens until the server accepts. It returns the key that the
// login agreed on and the last response.
func (s *Session) setup(ctx context.Context, l Login, preauth *smbcrypt.PreauthHash) (key [16]byte, final *Response, err error) {
	mechanism := spnego.NewInitiator(&ntlm.Initiator{User: l.User, Domain: l.Domain, Workstation: l.Workstation, Hash: ntlm.Hash(l.Password)})
	token, _, err := mechanism.Step(s.conn.agreed.hint)
	if err != nil {
		return key, nil, err
	}
	for {
		r, err := s.conn.Do(ctx, &Request{
			Command: smbwire.SessionSetup,
			Session: s,
			preauth: preauth,
			Body: &smbwire.SessionSetupRequest{
				SecurityMode:      s.conn.securityMode(),
				Capabilities:      s.conn.capabilities(),
				PreviousSessionID: l.Previous,
				SecurityBuffer:    token,
			},
		})
		if err != nil {
			return key, nil, err
		}
		more := r.Header.Status == smbwire.StatusMoreProcessingRequired
		if !more && r.Header.Status != smbwire.StatusOK {
			defer r.Free()
			return key, nil, r.Err()
		}
		var m smbwire.SessionSetupResponse
		if err := r.Decode(&m); err != nil {
			r.Free()
			return key, nil, err
		}
		if !more {
			s.id, s.flags = r.Header.SessionID, m.SessionFlags
			if err := conclude(mechanism, m.SecurityBuffer); err != nil {
				r.Free()
				return key, nil, err
			}
			return mechanism.Session().Key, r, nil
		}
		s.id = r.Header.SessionID
		preauth.Update(r.Message)
		token, _, err = mechanism.Step(slices.Clone(m.SecurityBuffer))
		r.Free()
		if err != nil {
			return key, nil, err
		}
	}
}

// conclude hands the mechanism the token of the success. That it was not asked
// to prove anything is an error.
func conclude(mechanism *spnego.Initiator, token []byte) error {
	if mechanism.Session() == nil {
		return fmt.Errorf("%w: the server accepted a login without a proof", ErrProtocol)
	}
	_, done, err := mechanism.Step(token)
	if err == nil && !done {
		err = fmt.Errorf("%w: the login ended in the middle", ErrProtocol)
	}
	return err
}

// arm derives the session's keys and settles what is protected.
func (s *Session) arm(key [16]byte, preauth *smbcrypt.PreauthHash) (err error) {
	c := s.conn
	a := &c.agreed
	if s.Guest() {
		if c.options.RequireSigning || c.options.Encrypt {
			return fmt.Errorf("smbclient: the server took the user for a guest, who can neither sign nor encrypt")
		}
		return nil
	}
	keys := smbcrypt.DeriveKeys(smbcrypt.Dialect(a.Dialect), key[:], preauth, a.Cipher)
	if s.signer, err = smbcrypt.NewSigner(a.Signing, keys.Signing); err != nil {
		return err
	}
	s.mustSign = c.options.RequireSigning || a.SecurityMode&smbwire.SigningRequired != 0
	if a.Cipher != 0 {
		if s.sealOut, err = smbcrypt.NewSealer(a.Cipher, keys.ServerIn); err != nil {
			return err
		}
		if s.sealIn, err = smbcrypt.NewSealer(a.Cipher, keys.ServerOut); err != nil {
			return err
		}
	}
	s.mustSeal = c.options.Encrypt || s.flags&smbwire.SessionEncryptData != 0
	if s.mustSeal && s.sealOut == nil {
		return fmt.Errorf("%w: the server demands encryption without a cipher", ErrProtocol)
	}
	return nil
}

// prove checks that the server knows the key, by its signature of the last
// response. With 3.1.1 this also proves that nobody changed what was
// negotiated, so it is always signed ([MS-SMB2] 3.2.5.3.3).
func (s *Session) prove(final *Response) error {
	if s.signer == nil {
		return nil
	}
	if final.Header.Flags&smbwire.FlagSigned == 0 {
		if s.mustSign || s.conn.agreed.Dialect == smbwire.Dialect311 {
			return fmt.Errorf("%w: the server did not sign the end of the login", ErrProtocol)
		}
		return nil
	}
	if !s.signer.Verify(final.Message) {
		return fmt.Errorf("%w: the server does not know the key of the login, or what was negotiated was changed", ErrProtocol)
	}
	return nil
}

// Logoff ends the session. The connection stays, and with it the session's keys:
// what waited in it is answered later.
func (s *Session) Logoff(ctx context.Context) error {
	return s.ask(ctx, smbwire.Logoff, &smbwire.LogoffRequest{}, &smbwire.LogoffResponse{})
}

// Echo asks for a sign of life.
func (s *Session) Echo(ctx context.Context) error {
	return s.ask(ctx, smbwire.Echo, &smbwire.EchoRequest{}, &smbwire.EchoResponse{})
}

// ask sends a request and decodes the response, which must not alias it.
func (s *Session) ask(ctx context.Context, command smbwire.Command, m Encoder, answer Decoder) error {
	r, err := s.conn.Do(ctx, &Request{Command: command, Body: m, Session: s})
	if err != nil {
		return err
	}
	return r.take(answer)
}

// take decodes a response into answer, which must not alias it, and frees it.
func (r *Response) take(answer Decoder) error {
	defer r.Free()
	if err := r.Err(); err != nil {
		return err
	}
	return r.Decode(answer)
}
