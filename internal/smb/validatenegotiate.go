package smb

import (
	"slices"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/smb/smbcrypt"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// validateNegotiate repeats, now signed, what NEGOTIATE said, so that a client
// finds out whether somebody changed it on the way ([MS-SMB2] 3.3.5.15.12).
// What differs ends the connection. From 3.1.1 on the preauthentication hash
// does the same, and nobody asks.
func (r *request) validateNegotiate(input []byte, room uint32) ([]byte, error) {
	var m smbwire.ValidateNegotiateInfoRequest
	var rd cursor.Reader
	rd.Reset(input)
	m.Decode(&rd)
	if rd.Err() != nil || room < smbwire.ValidateNegotiateInfoSize {
		return nil, smbwire.StatusInvalidParameter
	}
	n := &r.conn.negotiated
	if n.dialect == smbcrypt.Dialect311 ||
		m.Capabilities != n.client.Capabilities ||
		m.GUID != n.client.ClientGUID ||
		m.SecurityMode != n.client.SecurityMode ||
		!slices.Equal(m.Dialects, n.client.Dialects) {
		return nil, errDisconnect
	}
	answer := smbwire.ValidateNegotiateInfoResponse{
		Capabilities: n.capabilities,
		GUID:         r.conn.server.config.GUID,
		SecurityMode: n.mode,
		Dialect:      smbwire.Dialect(n.dialect),
	}
	var w cursor.Writer
	answer.Encode(&w)
	return w.Message(), nil
}
