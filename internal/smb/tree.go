package smb

import (
	"github.com/dozo-server/dozo/internal/share"
)

// tree is a session's connection to a share ([MS-SMB2] 3.3.1.9). It is
// constant.
type tree struct {
	id      uint32
	session *session
	files   *share.Tree // nil for IPC$
	refusal error       // the session's user may open nothing any more
}

// mustEncrypt reports whether requests on the tree have to be encrypted.
func (t *tree) mustEncrypt() bool {
	return t.files != nil && t.files.Share().Options().Encrypt
}

// name is the share's.
func (t *tree) name() string {
	if t.files == nil {
		return pipeShare
	}
	return t.files.Share().Name()
}
