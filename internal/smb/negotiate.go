package smb

import (
	"context"
	"crypto/rand"
	"slices"
	"time"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/smb/smbcrypt"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/spnego"
)

// What the server prefers, best first.
var (
	dialects = []smbwire.Dialect{
		smbwire.Dialect311, smbwire.Dialect302, smbwire.Dialect300, smbwire.Dialect210, smbwire.Dialect202,
	}
	signings = []smbwire.SigningAlgorithm{
		smbwire.SigningAESGMAC, smbwire.SigningAESCMAC, smbwire.SigningHMACSHA256,
	}
)

// saltSize is how long the salt of the preauthentication hash is.
const saltSize = 32

// negotiate answers NEGOTIATE ([MS-SMB2] 3.3.5.4), and the one message of SMB1
// that asks for SMB2 (3.3.5.3).
func (r *request) negotiate(_ context.Context) (reply, error) {
	n := &r.conn.negotiated
	if n.done {
		return nil, errDisconnect
	}
	if r.smb1 {
		return r.negotiateFromSMB1()
	}
	var rd cursor.Reader
	rd.Reset(r.message)
	rd.Seek(smbwire.HeaderSize)
	m := &n.client
	m.Decode(&rd)
	if rd.Err() != nil {
		return nil, smbwire.StatusInvalidParameter
	}
	i := slices.IndexFunc(dialects, m.Offers)
	if i < 0 {
		return nil, smbwire.StatusNotSupported
	}
	answer := r.conn.offer(dialects[i])
	if err := n.choose(m, answer); err != nil {
		return nil, err
	}
	n.done = true
	if n.dialect == smbcrypt.Dialect311 {
		n.preauth.Update(r.message)
		r.preauth = &n.preauth
	}
	return answer, nil
}

// negotiateFromSMB1 leads a client of several protocols over to SMB2.
func (r *request) negotiateFromSMB1() (reply, error) {
	var m smbwire.SMB1Negotiate
	var rd cursor.Reader
	rd.Reset(r.message)
	m.Decode(&rd)
	switch {
	case rd.Err() != nil:
		return nil, errDisconnect
	case m.Offers(smbwire.SMB1OffersWildcard):
		return r.conn.offer(smbwire.DialectWildcard), nil
	case m.Offers(smbwire.SMB1Offers202):
		r.conn.negotiated.dialect = smbcrypt.Dialect202
		r.conn.negotiated.done = true
		r.conn.negotiated.client.Dialects = []smbwire.Dialect{smbwire.Dialect202}
		return r.conn.offer(smbwire.Dialect202), nil
	}
	return nil, errDisconnect
}

// offer is the response for a dialect, before what depends on the client.
func (c *conn) offer(d smbwire.Dialect) *smbwire.NegotiateResponse {
	s := c.server
	m := &smbwire.NegotiateResponse{
		SecurityMode:    s.securityMode(),
		DialectRevision: d,
		ServerGUID:      s.config.GUID,
		MaxTransactSize: maxSmallIO,
		MaxReadSize:     maxSmallIO,
		MaxWriteSize:    maxSmallIO,
		SystemTime:      smbwire.FileTimeOf(time.Now()),
		SecurityBuffer:  spnego.Hint(),
	}
	if d != smbwire.Dialect202 {
		m.Capabilities = smbwire.CapLargeMTU
		m.MaxTransactSize, m.MaxReadSize, m.MaxWriteSize = maxIO, maxIO, maxIO
	}
	return m
}

// securityMode is what the server tells about signing.
func (s *Server) securityMode() smbwire.SecurityMode {
	if s.signs.Load() {
		return smbwire.SigningEnabled | smbwire.SigningRequired
	}
	return smbwire.SigningEnabled
}

// choose settles what the dialect leaves open and completes the answer.
func (n *negotiated) choose(m *smbwire.NegotiateRequest, answer *smbwire.NegotiateResponse) error {
	n.dialect = smbcrypt.Dialect(answer.DialectRevision)
	n.largeMTU = answer.Capabilities&smbwire.CapLargeMTU != 0
	switch {
	case n.dialect == smbcrypt.Dialect311:
		if err := n.chooseContexts(&m.Contexts, &answer.Contexts); err != nil {
			return err
		}
	case n.dialect >= smbcrypt.Dialect300:
		n.signing = smbcrypt.AESCMAC
		if m.Capabilities&smbwire.CapEncryption != 0 {
			n.cipher = smbcrypt.AES128CCM
			answer.Capabilities |= smbwire.CapEncryption
		}
	}
	n.capabilities, n.mode = answer.Capabilities, answer.SecurityMode
	return nil
}

// chooseContexts answers the negotiate contexts of 3.1.1.
func (n *negotiated) chooseContexts(client, answer *smbwire.NegotiateContexts) error {
	if client.Preauth == nil {
		return smbwire.StatusInvalidParameter
	}
	if !slices.Contains(client.Preauth.Hashes, smbwire.HashSHA512) {
		return smbwire.StatusSMBNoPreauthIntegrityHashOverlap
	}
	salt := make([]byte, saltSize)
	rand.Read(salt)
	answer.Preauth = &smbwire.PreauthIntegrity{Hashes: []uint16{smbwire.HashSHA512}, Salt: salt}

	if client.Ciphers != nil {
		chosen := smbwire.CipherNone
		for _, c := range client.Ciphers {
			if smbcrypt.Cipher(c).KeySize() > 0 {
				chosen = c
				break
			}
		}
		n.cipher = smbcrypt.Cipher(chosen)
		answer.Ciphers = []smbwire.Cipher{chosen}
	}
	n.signing = smbcrypt.AESCMAC
	for _, s := range signings {
		if slices.Contains(client.Signing, s) {
			n.signing = smbcrypt.SigningAlgorithm(s)
			answer.Signing = []smbwire.SigningAlgorithm{s}
			break
		}
	}
	return nil
}
