package afp

import (
	"context"
	"net"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

// getSrvrInfo answers FPGetSrvrInfo, as DSIGetStatus is answered.
func (r *request) getSrvrInfo(context.Context, *afpwire.GetSrvrInfoRequest) (reply, error) {
	return r.conn.server.info(r.conn), nil
}

// info is who the server is.
func (s *Server) info(c *conn) *afpwire.ServerInfo {
	m := &afpwire.ServerInfo{
		Flags: afpwire.ServerSignature | afpwire.ServerTCP | afpwire.ServerUTF8Name | afpwire.ServerUUIDs |
			afpwire.ServerExtSleep | afpwire.ServerSuperClient,
		Name:      roman(s.config.Name, 31),
		Machine:   "dozo",
		UAMs:      s.offered(),
		Signature: s.config.Signature,
		UTF8Name:  decompose(s.config.Name),
	}
	if _, ok := s.config.Users.(auth.Changer); ok {
		m.Flags |= afpwire.ServerChgPwd
	}
	for _, v := range versions {
		m.Versions = append(m.Versions, v.name)
	}
	if here, ok := c.nc.LocalAddr().(*net.TCPAddr); ok {
		m.Addresses = append(m.Addresses, afpwire.NetworkAddressOf(here.AddrPort()))
	}
	return m
}
