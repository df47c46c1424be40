package afpclient

import (
	"context"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

// ServerInfo asks who the server is, within the session.
func (c *Conn) ServerInfo(ctx context.Context) (*afpwire.ServerInfo, error) {
	info := new(afpwire.ServerInfo)
	return info, c.Ask(ctx, &afpwire.GetSrvrInfoRequest{}, info)
}

// ServerParms asks for the server's clock and volumes.
func (c *Conn) ServerParms(ctx context.Context) (*afpwire.GetSrvrParmsReply, error) {
	reply := new(afpwire.GetSrvrParmsReply)
	return reply, c.Ask(ctx, &afpwire.GetSrvrParmsRequest{}, reply)
}

// ServerMessage asks for a message to the user, "" if there is none.
func (c *Conn) ServerMessage(ctx context.Context, which afpwire.MessageType) (string, error) {
	m := afpwire.GetSrvrMsgRequest{Type: which, Bitmap: afpwire.MessageWanted}
	if !c.speaksAFP2() {
		m.Bitmap |= afpwire.MessageUTF8
	}
	var reply afpwire.GetSrvrMsgReply
	err := c.Ask(ctx, &m, &reply)
	if reply.Bitmap&afpwire.MessageUTF8 == 0 {
		return afpwire.FromMacRoman(reply.Text), err
	}
	return reply.Text, err
}

// UserInfo asks for ids of the user who is logged in.
func (c *Conn) UserInfo(ctx context.Context, bits afpwire.UserBitmap) (*afpwire.GetUserInfoReply, error) {
	reply := new(afpwire.GetUserInfoReply)
	return reply, c.Ask(ctx, &afpwire.GetUserInfoRequest{ThisUser: true, Bitmap: bits}, reply)
}

// MapID asks for the name that belongs to an id.
func (c *Conn) MapID(ctx context.Context, m *afpwire.MapIDRequest) (*afpwire.MapIDReply, error) {
	reply := &afpwire.MapIDReply{Function: m.Function}
	return reply, c.Ask(ctx, m, reply)
}

// MapName asks for the id that belongs to a name.
func (c *Conn) MapName(ctx context.Context, m *afpwire.MapNameRequest) (*afpwire.MapNameReply, error) {
	reply := &afpwire.MapNameReply{Function: m.Function}
	return reply, c.Ask(ctx, m, reply)
}

// SessionToken asks for a token by which to name this session later.
func (c *Conn) SessionToken(ctx context.Context, m *afpwire.GetSessionTokenRequest) ([]byte, error) {
	var reply afpwire.GetSessionTokenReply
	err := c.Ask(ctx, m, &reply)
	return reply.Token, err
}

// DisconnectOldSession ends the session with a token.
func (c *Conn) DisconnectOldSession(ctx context.Context, token []byte) error {
	return c.Ask(ctx, &afpwire.DisconnectOldSessionRequest{Token: token}, nil)
}

// Sleep tells the server that the client goes to sleep, or is awake again.
func (c *Conn) Sleep(ctx context.Context, s afpwire.Sleep) error {
	return c.Ask(ctx, &afpwire.ZzzzzRequest{Sleep: s}, nil)
}
