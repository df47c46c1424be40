package afp

import (
	"context"
	"errors"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/dhx2"
	"github.com/dozo-server/dozo/internal/srp"
	"github.com/dozo-server/dozo/internal/uam"
)

// guest lets in who does not say who he is.
func (l *login) guest(context.Context, uint16, []byte) (reply, error) {
	l.nobody = true
	return nil, nil
}

// cleartext looks at a password that came as it is.
func (l *login) cleartext(ctx context.Context, _ uint16, message []byte) (reply, error) {
	password, err := uam.Cleartext(message)
	if err != nil {
		return nil, afpwire.ResultParamErr
	}
	return nil, l.attempt.CheckPassword(ctx, l.user, typed(password))
}

// dhx2 begins an exchange that brings the password.
func (l *login) dhx2(context.Context, uint16, []byte) (reply, error) {
	a := dhx2.NewLogin()
	var next step
	next = func(l *login, ctx context.Context, id uint16, message []byte) (reply, error) {
		block, err := a.Accept(id, message)
		if err != nil {
			return nil, err
		}
		if block != nil {
			l.next = next
			return &afpwire.AuthContinueReply{ID: a.ID(), Auth: block}, afpwire.ResultAuthContinue
		}
		return nil, l.attempt.CheckPassword(ctx, l.user, typed(a.Password()))
	}
	l.next = next
	return &afpwire.AuthContinueReply{ID: a.ID(), Auth: a.Offer()}, afpwire.ResultAuthContinue
}

// srp begins a login in which the password stays with the client.
func (l *login) srp(_ context.Context, _ uint16, message []byte) (reply, error) {
	salt, verifier := l.attempt.Verifier(l.user, l.secret)
	a, err := srp.NewAcceptor(l.user, salt, verifier)
	if err != nil {
		return nil, err
	}
	hello, err := a.Accept(message)
	if err != nil {
		return nil, err
	}
	l.next = func(l *login, _ context.Context, _ uint16, message []byte) (reply, error) {
		proof, err := a.Accept(message)
		switch {
		case errors.Is(err, srp.ErrProof):
			err = l.attempt.Settle(auth.ErrWrongPassword)
		case err == nil:
			err = l.attempt.Settle(nil)
		}
		return raw(proof), err
	}
	return &afpwire.AuthContinueReply{Auth: hello}, afpwire.ResultAuthContinue
}
