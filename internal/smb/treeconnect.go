package smb

import (
	"context"
	"errors"
	"strings"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/audit"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/vfs"
)

// pipeShare is the share that holds no files but the named pipes of RPC.
const pipeShare = "IPC$"

// maxPath is the longest \\server\share that is looked at, in bytes.
const maxPath = 1024

// treeConnect answers TREE_CONNECT ([MS-SMB2] 3.3.5.7).
func (r *request) treeConnect(ctx context.Context, m *smbwire.TreeConnectRequest) (reply, error) {
	name, ok := shareOf(m.Path)
	if !ok {
		return nil, smbwire.StatusInvalidParameter
	}
	t := &tree{session: r.session}
	answer := &smbwire.TreeConnectResponse{ShareType: smbwire.ShareDisk, ShareFlags: smbwire.ShareManualCaching}
	if strings.EqualFold(name, pipeShare) {
		if r.session.identity.Load().Guest && !r.conn.server.guests.Load() {
			return nil, smbwire.StatusAccessDenied
		}
		answer.ShareType = smbwire.SharePipe
		answer.ShareFlags = smbwire.ShareNoCaching
		answer.MaximalAccess = smbwire.AccessMask(vfs.AllAccess)
	} else {
		sh := r.conn.server.config.Shares.Named(name, r.session.identity.Load())
		if sh == nil {
			return nil, smbwire.StatusBadNetworkName
		}
		options := sh.Options()
		files, err := sh.Attach(r.session.identity.Load(), r.conn.ip())
		if vfs.IsKind(err, vfs.KindPathNotExist) { // it ended just now
			return r.treeConnect(ctx, m)
		}
		if err != nil {
			r.audit(options.Name, errors.Unwrap(err).Error())
			r.conn.server.config.Log.Warn("smb: share refused", "share", options.Name, "user", r.session.user(),
				"address", r.conn.address(), "reason", errors.Unwrap(err))
			return nil, err
		}
		t.files, t.encrypt = files, options.Encrypt
		if t.encrypt {
			if r.session.sealOut == nil {
				t.leave()
				r.audit(options.Name, "the session is not encrypted")
				return nil, smbwire.StatusAccessDenied
			}
			answer.ShareFlags |= smbwire.ShareEncryptData
		}
		answer.MaximalAccess = smbwire.AccessMask(files.MaxAccess())
	}
	if err := r.session.connect(t); err != nil {
		t.leave()
		return nil, err
	}
	if t.files != nil && t.files.Stale() { // Reattach may have come too early to see it
		r.session.disconnect(t)
		return r.treeConnect(ctx, m)
	}
	r.tree = t
	if t.files != nil {
		r.audit(t.name(), "")
	}
	return answer, nil
}

// audit notes that the session was connected to a share, or why it was not.
func (r *request) audit(share, result string) {
	r.conn.server.config.Audit.Note(audit.Event{
		Operation: audit.Connect, User: r.session.identity.Load().User, Address: r.conn.ip(), Share: share, Result: result,
	})
}

// shareOf returns the share in \\server\share.
func shareOf(path string) (string, bool) {
	server, ok := strings.CutPrefix(path, `\\`)
	if !ok || len(path) > maxPath {
		return "", false
	}
	_, name, ok := strings.Cut(server, `\`)
	if !ok || name == "" || strings.ContainsAny(name, `\/`) {
		return "", false
	}
	return name, true
}

// reattach asks each share again whether it is for the session's user, who may
// be another or have other rights since the last login. What is open stays
// open, with the rights it was opened with.
func (s *session) reattach(id *auth.Identity) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.trees {
		if t.files != nil {
			s.trees[t.id] = t.again(id)
		}
	}
}
