package afp

import (
	"context"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

// getSrvrMsg answers FPGetSrvrMsg. There is never a message: the log is where the
// server says something.
func (r *request) getSrvrMsg(_ context.Context, m *afpwire.GetSrvrMsgRequest) (reply, error) {
	if m.Type > afpwire.ServerMessage {
		return nil, afpwire.ResultBitmapErr
	}
	return &afpwire.GetSrvrMsgReply{Type: m.Type, Bitmap: m.Bitmap}, nil
}
