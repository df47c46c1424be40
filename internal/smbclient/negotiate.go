package smbclient

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/smb/smbcrypt"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// saltSize is how long the salt of the preauthentication hash is.
const saltSize = 32

// negotiate agrees with the server on how to speak ([MS-SMB2] 3.2.4.2.2.2).
func (c *Conn) negotiate(ctx context.Context) error {
	if c.options.MultiProtocol {
		settled, err := c.negotiateFromSMB1(ctx)
		if err != nil || settled {
			return err
		}
	}
	m := c.offer()
	var answer smbwire.NegotiateResponse
	r, err := c.Do(ctx, &Request{Command: smbwire.Negotiate, Body: m, preauth: &c.preauth})
	if err != nil {
		return err
	}
	defer r.Free()
	if err := r.Err(); err != nil {
		return err
	}
	if err := r.Decode(&answer); err != nil {
		return err
	}
	c.preauth.Update(r.Message)
	return c.agree(m, &answer)
}

// negotiateFromSMB1 begins in the old protocol. It reports whether the server
// has settled on 2.0.2; else it wants to be asked again.
func (c *Conn) negotiateFromSMB1(ctx context.Context) (settled bool, err error) {
	id, ask, err := c.credits.take(ctx, 1)
	if err != nil {
		return false, err
	}
	k := c.newCall(&Request{Command: smbwire.Negotiate}, id, ask)
	if err := c.expect([]*Call{k}); err != nil {
		return false, err
	}
	w := cursor.NewWriter(nil)
	(&smbwire.SMB1Negotiate{Dialects: []string{"NT LM 0.12", smbwire.SMB1Offers202, smbwire.SMB1OffersWildcard}}).Encode(w)
	c.SendFrame(w.Message())

	r, err := k.Wait(ctx)
	if err != nil {
		return false, err
	}
	defer r.Free()
	if err := r.Err(); err != nil {
		return false, err
	}
	var answer smbwire.NegotiateResponse
	if err := r.Decode(&answer); err != nil {
		return false, err
	}
	if answer.DialectRevision == smbwire.DialectWildcard {
		return false, nil
	}
	return true, c.agree(&smbwire.NegotiateRequest{Dialects: []smbwire.Dialect{smbwire.Dialect202}}, &answer)
}

// offer is the NEGOTIATE request.
func (c *Conn) offer() *smbwire.NegotiateRequest {
	o := &c.options
	m := &smbwire.NegotiateRequest{
		SecurityMode: c.securityMode(),
		Capabilities: c.capabilities(),
		ClientGUID:   o.GUID,
		Dialects:     o.Dialects,
	}
	if !m.Offers(smbwire.Dialect311) {
		return m
	}
	salt := make([]byte, saltSize)
	rand.Read(salt)
	host := c.host()
	m.Contexts = smbwire.NegotiateContexts{
		Preauth: &smbwire.PreauthIntegrity{Hashes: []uint16{smbwire.HashSHA512}, Salt: salt},
		NetName: &host,
	}
	for _, cipher := range o.Ciphers {
		m.Contexts.Ciphers = append(m.Contexts.Ciphers, smbwire.Cipher(cipher))
	}
	for _, s := range o.Signing {
		m.Contexts.Signing = append(m.Contexts.Signing, smbwire.SigningAlgorithm(s))
	}
	return m
}

// securityMode is what the client demands of signatures.
func (c *Conn) securityMode() smbwire.SecurityMode {
	if c.options.RequireSigning {
		return smbwire.SigningEnabled | smbwire.SigningRequired
	}
	return smbwire.SigningEnabled
}

// capabilities are those of the client; before 3.0 there are none.
func (c *Conn) capabilities() smbwire.Capabilities {
	o := &c.options
	if slices.Max(o.Dialects) < smbwire.Dialect300 {
		return 0
	}
	if len(o.Ciphers) == 0 {
		return smbwire.CapLargeMTU
	}
	return smbwire.CapLargeMTU | smbwire.CapEncryption
}

// agree checks the server's choice and keeps it ([MS-SMB2] 3.2.5.2).
func (c *Conn) agree(m *smbwire.NegotiateRequest, answer *smbwire.NegotiateResponse) error {
	a := Agreed{
		Dialect:      answer.DialectRevision,
		ServerGUID:   answer.ServerGUID,
		Capabilities: answer.Capabilities,
		SecurityMode: answer.SecurityMode,
		MaxRead:      answer.MaxReadSize,
		MaxWrite:     answer.MaxWriteSize,
		MaxTransact:  answer.MaxTransactSize,
		hint:         slices.Clone(answer.SecurityBuffer),
	}
	if !m.Offers(a.Dialect) {
		return fmt.Errorf("%w: the server chose dialect %v", ErrProtocol, a.Dialect)
	}
	switch {
	case a.Dialect == smbwire.Dialect311:
		if err := a.chooseContexts(&m.Contexts, &answer.Contexts); err != nil {
			return err
		}
	case a.Dialect >= smbwire.Dialect300:
		a.Signing = smbcrypt.AESCMAC
		if a.Capabilities&smbwire.CapEncryption != 0 && len(c.options.Ciphers) > 0 {
			a.Cipher = smbcrypt.AES128CCM
		}
	default:
		a.Signing = smbcrypt.HMACSHA256
	}
	if c.options.Encrypt && a.Cipher == 0 {
		return fmt.Errorf("smbclient: the server can't encrypt")
	}
	c.agreed = a
	return nil
}

// chooseContexts takes over what the server chose in the contexts of 3.1.1.
func (a *Agreed) chooseContexts(offered, chosen *smbwire.NegotiateContexts) error {
	if chosen.Preauth == nil || !slices.Equal(chosen.Preauth.Hashes, []uint16{smbwire.HashSHA512}) {
		return fmt.Errorf("%w: 3.1.1 without a preauthentication hash", ErrProtocol)
	}
	a.Signing = smbcrypt.AESCMAC
	if chosen.Signing != nil {
		if len(chosen.Signing) != 1 || !slices.Contains(offered.Signing, chosen.Signing[0]) {
			return fmt.Errorf("%w: signing algorithms %v were not offered", ErrProtocol, chosen.Signing)
		}
		a.Signing = smbcrypt.SigningAlgorithm(chosen.Signing[0])
	}
	if chosen.Ciphers != nil && !slices.Equal(chosen.Ciphers, []smbwire.Cipher{smbwire.CipherNone}) {
		if len(chosen.Ciphers) != 1 || !slices.Contains(offered.Ciphers, chosen.Ciphers[0]) {
			return fmt.Errorf("%w: ciphers %v were not offered", ErrProtocol, chosen.Ciphers)
		}
		a.Cipher = smbcrypt.Cipher(chosen.Ciphers[0])
	}
	return nil
}
