package afp

import (
	"context"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

// mapName answers FPMapName.
func (r *request) mapName(_ context.Context, m *afpwire.MapNameRequest) (reply, error) {
	kind, name := afpwire.UUIDOfUser, compose(m.Name)
	switch m.Function {
	case afpwire.UTF8NameToUserID, afpwire.UTF8NameToUserUUID:
	case afpwire.UTF8NameToGroupID, afpwire.UTF8NameToGroupUUID:
		kind = afpwire.UUIDOfGroup
	case afpwire.NameToUserID, afpwire.NameToGroupID:
		name = afpwire.FromMacRoman(m.Name)
		if m.Function == afpwire.NameToGroupID {
			kind = afpwire.UUIDOfGroup
		}
	default:
		return nil, afpwire.ResultParamErr
	}
	id, ok := r.conn.server.idOf(kind, name)
	if !ok {
		return nil, afpwire.ResultItemNotFound
	}
	return &afpwire.MapNameReply{Function: m.Function, ID: id, UUID: uuidOf(kind, id)}, nil
}

// idOf returns the number of a user or group.
func (s *Server) idOf(kind uint32, name string) (uint32, bool) {
	switch {
	case s.config.Accounts == nil:
		return 0, false
	case kind == afpwire.UUIDOfGroup:
		return s.config.Accounts.GroupID(name)
	}
	return s.config.Accounts.UserID(name)
}
