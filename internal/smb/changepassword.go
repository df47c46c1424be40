package smb

import (
	"errors"
	"sync"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/smb/rpc"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

var (
	errNotTheirs = errors.New("it is another user's")
	errBusy      = errors.New("it is being changed already")
)

// turns are those of users who change their passwords. A client may ask for seconds
// of the processor's time for it, so one is done at a time, and each user has one: who
// does nothing else keeps others waiting for no longer than that takes.
type turns struct {
	work sync.Mutex // goes to who has waited longest, as soon as somebody waits for a millisecond

	mu    sync.Mutex
	taken map[string]bool // by those whose turn it is, or will be
}

// take waits for a user's turn. It reports false if another of the same user is
// waiting for it, or has it.
func (t *turns) take(user string) bool {
	t.mu.Lock()
	if t.taken[user] {
		t.mu.Unlock()
		return false
	}
	if t.taken == nil {
		t.taken = map[string]bool{}
	}
	t.taken[user] = true
	t.mu.Unlock()
	t.work.Lock()
	return true
}

// give ends what take began.
func (t *turns) give(user string) {
	t.work.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.taken, user)
}

// changePassword gives the user of a session, who may spell his name in any
// way, another password, and returns the status that tells how it went. Proving
// the old one is a login in all but name, so guesses are held back here, too.
func (c *conn) changePassword(id *auth.Identity, user string, n rpc.NewPassword) uint32 {
	status, err := c.tryChange(id, user, n)
	log := c.server.config.Log.With("user", id.User, "address", c.address())
	held, isHeld := errors.AsType[*auth.HeldError](err)
	switch {
	case err == nil:
		log.Info("smb: password changed")
	case !isHeld || !held.Told:
		log.Warn("smb: password not changed", "reason", err)
	}
	return uint32(status)
}

func (c *conn) tryChange(id *auth.Identity, user string, n rpc.NewPassword) (smbwire.Status, error) {
	a := c.attempt()
	old, err := a.NTHash(user, "")
	switch {
	case err != nil:
		return smbwire.StatusAccessDenied, err
	case a.User().Name != id.User:
		return smbwire.StatusAccessDenied, errNotTheirs
	}
	if !c.server.changing.take(id.User) {
		return smbwire.StatusInsufficientResources, errBusy
	}
	defer c.server.changing.give(id.User)
	password, right := n.Open(old)
	var wrong error
	if !right {
		wrong = auth.ErrWrongPassword
	}
	if err := a.Settle(wrong); err != nil {
		return smbwire.StatusWrongPassword, err
	}
	err = a.ChangePassword(password)
	return statusOfChange(err), err
}

// statusOfChange is the status of a change by somebody who knows the old password.
func statusOfChange(err error) smbwire.Status {
	switch {
	case err == nil:
		return smbwire.StatusOK
	case isUnfit(err):
		return smbwire.StatusPasswordRestriction
	case errors.Is(err, auth.ErrFixed):
		return smbwire.StatusNotSupported
	case errors.Is(err, auth.ErrChangedMeanwhile):
		return smbwire.StatusWrongPassword
	case errors.Is(err, auth.ErrReadOnly):
		return smbwire.StatusMediaWriteProtected
	case errors.Is(err, auth.ErrNoSpace):
		return smbwire.StatusDiskFull
	}
	return smbwire.StatusInternalError
}

// isUnfit reports whether the new password can't be one.
func isUnfit(err error) bool {
	_, unfit := errors.AsType[auth.PasswordError](err)
	return unfit
}
