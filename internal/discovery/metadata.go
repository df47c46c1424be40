package discovery

import (
	"context"
	"crypto/rand"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/netutil"

	"github.com/dozo-server/dozo/internal/discovery/link"
	"github.com/dozo-server/dozo/internal/discovery/wsd"
)

const (
	metadataTime    = 5 * time.Second // for a request and its answer
	metadataClients = 16              // at once
	workgroup       = "WORKGROUP"     // what Windows has unless told otherwise
)

// device is the server as Windows is told of it now.
func (p *Publisher) device() wsd.Device {
	p.mu.Lock()
	defer p.mu.Unlock()
	return wsd.Device{ID: p.config.ID, Name: computerName(p.named), Workgroup: workgroup, Version: p.config.Version}
}

// computerName is a host's name as Explorer shows those of computers.
func computerName(host string) string { return strings.ToUpper(host) }

// listenMetadata listens where Windows asks what the server is.
func (p *Publisher) listenMetadata() (net.Listener, error) {
	l, err := net.Listen("tcp", ":"+strconv.Itoa(wsd.HTTPPort))
	if err != nil {
		return nil, err
	}
	return netutil.LimitListener(&nearListener{l, p}, metadataClients), nil
}

// serveMetadata answers until ctx ends.
func (p *Publisher) serveMetadata(ctx context.Context, l net.Listener) {
	s := &http.Server{Handler: p, ReadTimeout: metadataTime, WriteTimeout: metadataTime, MaxHeaderBytes: link.MaxPacket}
	defer context.AfterFunc(ctx, func() { s.Close() })()
	s.Serve(l)
}

// ServeHTTP answers one request for metadata.
func (p *Publisher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	device := p.device()
	if r.URL.Path != device.Path() {
		http.NotFound(w, r)
		return
	}
	if r.Method != http.MethodPost {
		http.Error(w, "POST it", http.StatusMethodNotAllowed)
		return
	}
	packet, err := io.ReadAll(http.MaxBytesReader(w, r.Body, link.MaxPacket))
	if err != nil {
		http.Error(w, "too long", http.StatusRequestEntityTooLarge)
		return
	}
	var id [16]byte
	rand.Read(id[:])
	reply, err := device.Get(packet, id)
	if err != nil {
		http.Error(w, "not understood", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/soap+xml")
	w.Write(reply)
}

// nearListener takes connections of hosts on the machine's own links, to the
// addresses that are announced, and no others.
type nearListener struct {
	net.Listener
	p *Publisher
}

func (l *nearListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil || l.p.near(c.LocalAddr(), c.RemoteAddr()) {
			return c, err
		}
		c.Close()
	}
}

func (p *Publisher) near(local, remote net.Addr) bool {
	here, there := address(local), address(remote)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range p.links {
		if n.near(there) && slices.Contains(n.addrs, here) {
			return true
		}
	}
	return false
}

func address(a net.Addr) netip.Addr {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	return tcp.AddrPort().Addr().Unmap().WithZone("")
}
