package afp

import (
	"context"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

// nobody is the number of who has no account of the machine.
const nobody uint32 = 0xfffffffe

// getUserInfo answers FPGetUserInfo, for the user who asks.
func (r *request) getUserInfo(_ context.Context, m *afpwire.GetUserInfoRequest) (reply, error) {
	switch {
	case m.Bitmap&^afpwire.UserBits != 0:
		return nil, afpwire.ResultBitmapErr
	case !m.ThisUser:
		return nil, afpwire.ResultParamErr
	}
	uid, gid := account(r.session.identity)
	return &afpwire.GetUserInfoReply{Bitmap: m.Bitmap, UserID: uid, GroupID: gid, UUID: uuidOf(afpwire.UUIDOfUser, uid)}, nil
}

// account are the numbers by which the machine knows an identity.
func account(id *auth.Identity) (uid, gid uint32) {
	if !id.HasID {
		return nobody, nobody
	}
	return id.UID, id.GID
}
