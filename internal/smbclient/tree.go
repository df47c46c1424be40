package smbclient

import (
	"context"
	"fmt"
	"strings"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// Tree is a share as a session uses it. All methods may be called by several
// goroutines at once.
type Tree struct {
	session  *Session
	id       uint32
	info     smbwire.TreeConnectResponse
	mustSeal bool
}

// Session returns the session of the tree.
func (t *Tree) Session() *Session { return t.session }

// ID returns the tree's id.
func (t *Tree) ID() uint32 { return t.id }

// Info returns what the server said of the share.
func (t *Tree) Info() smbwire.TreeConnectResponse { return t.info }

// Tree connects to a share ([MS-SMB2] 3.2.4.2.4).
func (s *Session) Tree(ctx context.Context, share string) (*Tree, error) {
	t := &Tree{session: s}
	r, err := s.conn.Do(ctx, &Request{
		Command: smbwire.TreeConnect,
		Session: s,
		Body:    &smbwire.TreeConnectRequest{Path: `\\` + s.conn.host() + `\` + share},
		Sign:    s.conn.agreed.Dialect == smbwire.Dialect311, // ([MS-SMB2] 3.2.4.1.1)
	})
	if err != nil {
		return nil, err
	}
	t.id = r.Header.TreeID
	if err := r.take(&t.info); err != nil {
		return nil, err
	}
	if t.info.ShareFlags&smbwire.ShareEncryptData != 0 {
		if s.sealOut == nil {
			return nil, fmt.Errorf("smbclient: share %s must be encrypted, which is not possible", share)
		}
		t.mustSeal = true
	}
	if err := s.validate(ctx, t); err != nil {
		return nil, err
	}
	return t, nil
}

// validate finds out, once a session, whether somebody changed what was
// negotiated ([MS-SMB2] 3.2.5.5). 3.1.1 has proved it by then, and a client of
// 2.x alone has nothing to lose.
func (s *Session) validate(ctx context.Context, t *Tree) error {
	c := s.conn
	m := c.offer()
	if c.agreed.Dialect == smbwire.Dialect311 || s.signer == nil || c.capabilities() == 0 {
		return nil
	}
	s.validated.Do(func() { s.downgrade = t.validate(ctx, m) })
	return s.downgrade
}

func (t *Tree) validate(ctx context.Context, offered *smbwire.NegotiateRequest) error {
	w := cursor.NewWriter(nil)
	(&smbwire.ValidateNegotiateInfoRequest{
		Capabilities: offered.Capabilities,
		GUID:         offered.ClientGUID,
		SecurityMode: offered.SecurityMode,
		Dialects:     offered.Dialects,
	}).Encode(w)
	c := t.session.conn
	r, err := c.Do(ctx, &Request{
		Command: smbwire.Ioctl,
		Tree:    t,
		Sign:    true,
		Body: &smbwire.IoctlRequest{
			CtlCode:           smbwire.FsctlValidateNegotiateInfo,
			FileID:            smbwire.RelatedFileID,
			Input:             w.Message(),
			MaxOutputResponse: smbwire.ValidateNegotiateInfoSize,
			Flags:             smbwire.IoctlIsFsctl,
		},
	})
	if err != nil {
		return err
	}
	defer r.Free()
	if !r.Sealed && r.Header.Flags&smbwire.FlagSigned == 0 {
		return fmt.Errorf("%w: the server did not sign what it negotiated", ErrProtocol)
	}
	switch r.Header.Status {
	case smbwire.StatusOK:
	case smbwire.StatusFileClosed, smbwire.StatusInvalidDeviceRequest, smbwire.StatusNotSupported:
		return nil // a server that knows no such thing, says its signature
	default:
		return r.Err()
	}
	var answer smbwire.IoctlResponse
	if err := r.Decode(&answer); err != nil {
		return err
	}
	var info smbwire.ValidateNegotiateInfoResponse
	info.Decode(cursor.NewReader(answer.Output))
	a := &c.agreed
	want := smbwire.ValidateNegotiateInfoResponse{Capabilities: a.Capabilities, GUID: a.ServerGUID, SecurityMode: a.SecurityMode, Dialect: a.Dialect}
	if info != want {
		return fmt.Errorf("%w: what was negotiated was changed on the way: the server says %+v, the client got %+v", ErrProtocol, info, want)
	}
	return nil
}

// Disconnect ends the use of the share.
func (t *Tree) Disconnect(ctx context.Context) error {
	return t.ask(ctx, smbwire.TreeDisconnect, &smbwire.TreeDisconnectRequest{}, &smbwire.TreeDisconnectResponse{})
}

// ask sends a request about the tree and decodes the response, which must not
// alias it.
func (t *Tree) ask(ctx context.Context, command smbwire.Command, m Encoder, answer Decoder) error {
	r, err := t.session.conn.Do(ctx, &Request{Command: command, Body: m, Tree: t})
	if err != nil {
		return err
	}
	return r.take(answer)
}

// Name turns a path with slashes into a name as it is sent.
func Name(path string) string {
	return strings.ReplaceAll(strings.Trim(path, "/"), "/", `\`)
}
