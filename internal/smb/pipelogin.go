package smb

import (
	"errors"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/ntlm"
	"github.com/dozo-server/dozo/internal/smb/rpc"
	"github.com/dozo-server/dozo/internal/spnego"
)

// pipeLogin is a login of a pipe's own ([MS-RPCE] 3.3.1.5.2). It is one of the
// user whose session it is: for another one there can be another session.
type pipeLogin struct {
	conn     *conn
	attempt  *attempt
	acceptor *spnego.Acceptor
	user     string
}

var errAnotherUser = errors.New("a pipe can't be another user's than its session")

// pipeLogin begins such a login.
func (c *conn) pipeLogin(id *auth.Identity) rpc.Login {
	a := c.attempt()
	return &pipeLogin{conn: c, attempt: a, acceptor: a.acceptor(), user: id.User}
}

// Accept is that of rpc.Login.
func (l *pipeLogin) Accept(token []byte) ([]byte, *ntlm.Session, error) {
	answer, done, err := l.acceptor.Accept(token)
	if done || err != nil {
		err = l.attempt.settle(l.acceptor.Session(), err)
	}
	if err == nil && done && l.attempt.User().Name != l.user {
		err = errAnotherUser
	}
	if err != nil {
		l.conn.server.logRefusal(l.conn, err)
		return nil, nil, err
	}
	return answer, l.acceptor.Session(), nil
}
