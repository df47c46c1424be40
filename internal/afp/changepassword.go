package afp

import (
	"context"
	"encoding/binary"
	"errors"
	"unicode/utf8"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/dhx2"
)

// change is a change of a password in progress.
type change struct{ exchange *dhx2.Acceptor }

// changePassword answers FPChangePassword, which DHX2 says in several steps: the
// first has the id 0, the others have that of the reply before. Only users
// change their own.
func (r *request) changePassword(ctx context.Context, m *afpwire.ChangePasswordRequest) (reply, error) {
	c := r.conn
	now := c.change
	c.change = nil
	switch {
	case m.UAM != afpwire.UAMDHX2:
		return nil, afpwire.ResultBadUAM
	case r.session.identity.Guest:
		return nil, afpwire.ResultUserNotAuth
	case len(m.Auth) < 2:
		return nil, afpwire.ResultParamErr
	}
	id, message := binary.BigEndian.Uint16(m.Auth), m.Auth[2:]
	if id == 0 {
		a := dhx2.NewChange()
		c.change = &change{a}
		return &afpwire.AuthContinueReply{ID: a.ID(), Auth: a.Offer()}, afpwire.ResultAuthContinue
	}
	if now == nil {
		return nil, afpwire.ResultParamErr
	}
	a := now.exchange
	block, err := a.Accept(id, message)
	switch {
	case err != nil:
		return nil, afpwire.ResultParamErr
	case block != nil:
		c.change = now
		return &afpwire.AuthContinueReply{ID: a.ID(), Auth: block}, afpwire.ResultAuthContinue
	}
	return nil, r.setPassword(ctx, typed(a.Password()), typed(a.NewPassword()))
}

// setPassword gives the session's user another password. To prove the old one is
// a login in all but name, so guesses are held back here, too.
func (r *request) setPassword(ctx context.Context, old, fresh string) error {
	c := r.conn
	attempt := auth.Attempt{Users: c.server.config.Users, Guard: c.server.config.Guard, From: address(c.nc)}
	log := c.server.config.Log.With("user", r.session.user(), "address", c.nc.RemoteAddr().String())
	err := attempt.CheckPassword(ctx, r.session.identity.User, old)
	if err != nil {
		if held, ok := errors.AsType[*auth.HeldError](err); !ok || !held.Told {
			log.Warn("afp: password not changed", "reason", err)
		}
		return afpwire.ResultUserNotAuth
	}
	if fresh == old {
		return afpwire.ResultPwdSameErr
	}
	if err := attempt.ChangePassword(fresh); err != nil {
		log.Warn("afp: password not changed", "reason", err)
		return resultOfChange(err, fresh)
	}
	log.Info("afp: password changed")
	return nil
}

// resultOfChange is the result of a change by somebody who knows the old password.
func resultOfChange(err error, fresh string) afpwire.Result {
	_, unfit := errors.AsType[auth.PasswordError](err)
	switch {
	case unfit && utf8.RuneCountInString(fresh) < auth.MinPassword:
		return afpwire.ResultPwdTooShortErr
	case unfit:
		return afpwire.ResultPwdPolicyErr
	case errors.Is(err, auth.ErrFixed):
		return afpwire.ResultCallNotSupported
	case errors.Is(err, auth.ErrChangedMeanwhile):
		return afpwire.ResultUserNotAuth
	}
	return afpwire.ResultMiscErr
}
