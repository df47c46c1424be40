package main

import (
	"context"
	"net"
	"net/netip"
	"sync"

	"github.com/dozo-server/dozo/internal/service"
	"github.com/dozo-server/dozo/internal/smbclient"
)

// tell lets who has started the server know how it is, from the moment that it
// is ready until ctx ends. The wait is for what it began.
func tell(ctx context.Context, n *service.Notifier, listeners []net.Listener) (wait func()) {
	n.Ready()
	var watching sync.WaitGroup
	watching.Go(func() { n.Watch(ctx, answering(listeners)) })
	watching.Go(func() { <-ctx.Done(); n.Stopping() })
	return watching.Wait
}

// answering returns a function that asks the server, as a client begins to. That
// goes by the listener, a reader and a worker. It asks for no file: a disk that
// hangs holds up its share, and to start again would help nobody.
func answering(listeners []net.Listener) func(context.Context) error {
	addr := ownAddress(listeners[0])
	return func(ctx context.Context) error {
		c, err := smbclient.Connect(ctx, addr, smbclient.Options{})
		if err != nil {
			return err
		}
		return c.Close()
	}
}

// ownAddress is where this machine itself reaches a listener.
func ownAddress(l net.Listener) string {
	at := l.Addr().(*net.TCPAddr).AddrPort()
	if at.Addr().IsUnspecified() { // which takes connections by IPv4, too
		at = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), at.Port())
	}
	return at.String()
}
