package afp

import (
	"bytes"
	"context"
	"encoding/binary"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

// The UUIDs of users and groups are made from their numbers in the way of Macs,
// for accounts that no directory knows.
var (
	userPrefix  = []byte{0xff, 0xff, 0xee, 0xee, 0xdd, 0xdd, 0xcc, 0xcc, 0xbb, 0xbb, 0xaa, 0xaa}
	groupPrefix = []byte{0xab, 0xcd, 0xef, 0xab, 0xcd, 0xef, 0xab, 0xcd, 0xef, 0xab, 0xcd, 0xef}
)

// uuidOf returns the UUID of a user or group.
func uuidOf(kind, id uint32) (u afpwire.UUID) {
	prefix := userPrefix
	if kind == afpwire.UUIDOfGroup {
		prefix = groupPrefix
	}
	binary.BigEndian.PutUint32(u[copy(u[:], prefix):], id)
	return u
}

// ownerOf undoes uuidOf; ok is false for a UUID that was made in another way.
func ownerOf(u afpwire.UUID) (kind, id uint32, ok bool) {
	id = binary.BigEndian.Uint32(u[len(userPrefix):])
	switch {
	case bytes.HasPrefix(u[:], userPrefix):
		return afpwire.UUIDOfUser, id, true
	case bytes.HasPrefix(u[:], groupPrefix):
		return afpwire.UUIDOfGroup, id, true
	}
	return 0, 0, false
}

// mapID answers FPMapID.
func (r *request) mapID(_ context.Context, m *afpwire.MapIDRequest) (reply, error) {
	kind, id := afpwire.UUIDOfUser, m.ID
	switch m.Function {
	case afpwire.UserIDToName, afpwire.UserIDToUTF8Name:
	case afpwire.GroupIDToName, afpwire.GroupIDToUTF8Name:
		kind = afpwire.UUIDOfGroup
	case afpwire.UserUUIDToUTF8Name, afpwire.GroupUUIDToUTF8Name:
		var ok bool
		if kind, id, ok = ownerOf(m.UUID); !ok {
			return nil, afpwire.ResultItemNotFound
		}
	default:
		return nil, afpwire.ResultParamErr
	}
	name, ok := r.conn.server.nameOf(kind, id)
	if !ok {
		return nil, afpwire.ResultItemNotFound
	}
	if m.Function == afpwire.UserIDToName || m.Function == afpwire.GroupIDToName {
		name = roman(name, 255)
	} else {
		name = decompose(name)
	}
	return &afpwire.MapIDReply{Function: m.Function, Kind: kind, ID: id, Name: name}, nil
}

// nameOf returns the name of a user or group.
func (s *Server) nameOf(kind, id uint32) (string, bool) {
	switch {
	case s.config.Accounts == nil:
		return "", false
	case kind == afpwire.UUIDOfGroup:
		return s.config.Accounts.GroupName(id)
	}
	return s.config.Accounts.UserName(id)
}
