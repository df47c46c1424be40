package main

import (
	"context"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"strings"

	"github.com/dozo-server/dozo"
	"github.com/dozo-server/dozo/internal/discovery"
)

// macModel is the icon that the server has in Finder: Apple's own for servers.
const macModel = "RackMac"

// announce lets clients find the server without typing its address. It returns
// nil when nobody else could reach the listeners.
func announce(ctx context.Context, srv *dozo.Server, listeners []net.Listener, log *slog.Logger) *discovery.Publisher {
	addrs, port := reachable(listeners)
	if port == 0 {
		return nil
	}
	return discovery.Start(ctx, discovery.Config{
		Name:    announcedName(srv),
		ID:      srv.ID,
		Version: version,
		Services: []discovery.Service{
			{Type: "_smb._tcp", Port: port},
			{Type: "_device-info._tcp", Text: []string{"model=" + macModel}},
		},
		Explorer:  port == smbPort,
		Addresses: addrs,
		Log:       log,
	})
}

// reachable are the addresses at which other machines reach the listeners, nil
// for all of this machine, and their port, 0 for none.
func reachable(listeners []net.Listener) (addrs []netip.Addr, port uint16) {
	for _, l := range listeners {
		a := l.Addr().(*net.TCPAddr).AddrPort()
		switch addr := a.Addr().Unmap().WithZone(""); {
		case addr.IsUnspecified():
			return nil, a.Port()
		case !addr.IsLoopback():
			addrs, port = append(addrs, addr), a.Port()
		}
	}
	return addrs, port
}

// announcedName is the server's name in full; SMB itself has room for 15
// letters.
func announcedName(srv *dozo.Server) string {
	if srv.Name != "" {
		return srv.Name
	}
	name, _ := os.Hostname()
	name, _, _ = strings.Cut(name, ".")
	return name
}
