package smb

import (
	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/share"
)

// tree is a session's connection to a share ([MS-SMB2] 3.3.1.9). It is
// constant.
type tree struct {
	id      uint32
	session *session
	files   *share.Tree // nil for IPC$; in use while the session has the tree
	refusal error       // the session's user may open nothing any more
	encrypt bool        // requests have to be encrypted, as the client was told
}

// again is t for the session's user of now, in its place. The caller holds
// session.mu.
func (t *tree) again(id *auth.Identity) *tree {
	again := &tree{id: t.id, session: t.session, files: t.files, encrypt: t.encrypt}
	files, err := t.files.Share().Attach(id, t.session.conn.ip())
	if err != nil {
		again.refusal = err
		return again
	}
	again.files = files
	t.files.Release()
	return again
}

// leave is called when the session has the tree no more.
func (t *tree) leave() {
	if t.files != nil {
		t.files.Release()
	}
}

// name is the share's.
func (t *tree) name() string {
	if t.files == nil {
		return pipeShare
	}
	return t.files.Share().Name()
}
