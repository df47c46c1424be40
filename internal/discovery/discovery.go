// Package discovery lets clients find the server without typing: macOS, Linux
// and Windows by multicast DNS and DNS-SD, through avahi where that runs, and
// Windows Explorer by WS-Discovery and LLMNR.
//
// What is said is decided in the packages below, which know no socket. This one
// moves packets: one goroutine has all machines, others only wait for it.
package discovery

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"log/slog"
	mathrand "math/rand/v2"
	"net/netip"
	"sync"
	"time"

	"github.com/dozo-server/dozo/internal/discovery/link"
	"github.com/dozo-server/dozo/internal/discovery/llmnr"
	"github.com/dozo-server/dozo/internal/discovery/mdns"
	"github.com/dozo-server/dozo/internal/discovery/wsd"
	"github.com/dozo-server/dozo/internal/status"
)

// lookTime is how long a change of the machine's addresses may go unseen where
// the system doesn't tell of it.
const lookTime = 3 * time.Second

// Service is one service to be found, such as Type "_smb._tcp" on Port 445.
type Service = mdns.Service

// Config says what is announced.
type Config struct {
	// Name is the server's, as people see it. The host's name is made of it.
	Name string

	// ID is the server's own, and Version the program's, for WS-Discovery.
	ID      [16]byte
	Version string

	// Services are found by DNS-SD, all under Name.
	Services []Service

	// Explorer says that Windows can open \\Name, which needs SMB on its own
	// port: only then WS-Discovery and LLMNR speak.
	Explorer bool

	// Addresses are those of this machine by which the services are reached.
	// Nil: all.
	Addresses []netip.Addr

	// Log is told of other names that were taken, and of what can't be done.
	Log *slog.Logger
}

// Publisher announces one server until it is stopped. Its methods may be
// called by several goroutines at once, and on nil, which announces nothing.
type Publisher struct {
	config Config
	stop   context.CancelFunc
	done   chan struct{}

	mu    sync.Mutex
	state status.Discovery
	named string // by which name Windows is told of the host
	links map[link.ID]network
}

// machine is a protocol as a function of packets and the time.
type machine interface {
	SetLink(now time.Time, id link.ID, addrs []netip.Addr)
	DropLink(id link.ID)
	Receive(now time.Time, id link.ID, from netip.AddrPort, packet []byte)
	Poll(now time.Time) (out []link.Packet, next time.Time)
	Stop(now time.Time) []link.Packet
}

// Start announces the server until ctx ends or Stop is called. It comes back
// at once; what can't be done is logged and left out.
func Start(ctx context.Context, c Config) *Publisher {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	ctx, stop := context.WithCancel(ctx)
	p := &Publisher{config: c, stop: stop, done: make(chan struct{})}
	go p.run(ctx)
	return p
}

// Stop says goodbye and waits until that is sent.
func (p *Publisher) Stop() {
	if p == nil {
		return
	}
	p.stop()
	<-p.done
}

// Snapshot tells what is announced now, nil for nothing.
func (p *Publisher) Snapshot() *status.Discovery {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.state
	return &s
}

// engine is what the one goroutine of a Publisher works with.
type engine struct {
	*Publisher
	random   *mathrand.Rand
	arrivals chan arrival
	ports    []*port      // of the protocols that speak
	addrs    []netip.Addr // of the machine

	mdns  *mdns.Responder // nil while avahi speaks
	wsd   *wsd.Responder  // nil when Explorer can't open the server
	llmnr *llmnr.Responder

	daemon daemon
}

func (p *Publisher) run(ctx context.Context) {
	defer close(p.done)
	e := &engine{Publisher: p, random: seeded(), arrivals: make(chan arrival, 64)}
	var others sync.WaitGroup // goroutines
	defer others.Wait()
	daemons := make(chan daemon)
	others.Go(func() { watchAvahi(ctx, p.config, daemons) })
	select {
	case e.daemon = <-daemons: // or two would speak for a moment
	case <-time.After(callTime): // D-Bus doesn't answer
	case <-ctx.Done():
		return
	}
	e.look()
	if !e.daemon.present {
		e.speak(time.Now())
	}
	if p.config.Explorer {
		e.explorer(&others, ctx)
	}
	changed := make(chan struct{}, 1)
	others.Go(func() { watchLinks(ctx, changed) })
	look := time.NewTicker(lookTime)
	defer look.Stop()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		now := time.Now()
		next := e.poll(now)
		timer.Stop()
		if !next.IsZero() {
			timer.Reset(max(0, next.Sub(now)))
		}
		select {
		case a := <-e.arrivals:
			if n, ok := p.links[a.link]; ok && n.near(a.from.Addr()) {
				a.port.machine.Receive(time.Now(), a.link, a.from, a.packet)
			}
		case e.daemon = <-daemons:
			switch now := time.Now(); {
			case e.daemon.present && e.mdns != nil:
				e.silence(now)
			case !e.daemon.present && e.mdns == nil:
				e.speak(now)
			}
		case <-changed:
			e.look()
		case <-look.C:
			e.look()
		case <-timer.C:
		case <-ctx.Done():
			for _, port := range e.ports {
				port.send(p.links, port.machine.Stop(time.Now()))
				port.close()
			}
			return
		}
	}
}

// poll sends what is due, and passes names on.
func (e *engine) poll(now time.Time) (next time.Time) {
	e.names(now)
	for _, port := range e.ports {
		out, due := port.machine.Poll(now)
		port.send(e.links, out)
		next = link.Earlier(next, due)
	}
	e.names(now)
	return next
}

// names notes by which names the server is found now. Windows is told the
// host's name once it is sure.
func (e *engine) names(now time.Time) {
	s := status.Discovery{Name: e.daemon.instance, Host: e.daemon.host, Settled: e.daemon.settled}
	switch {
	case e.mdns != nil:
		s.Host, s.Name, s.Settled = e.mdns.Names()
		s.By = []string{"mDNS"}
	case e.daemon.present:
		s.By = []string{"avahi"}
	default: // no multicast DNS at all
		s.Host, s.Name, s.Settled = mdns.HostLabel(e.config.Name), mdns.InstanceLabel(e.config.Name), true
	}
	if s.Settled && e.named != s.Host {
		e.mu.Lock()
		e.named = s.Host
		e.mu.Unlock()
		if e.wsd != nil {
			e.wsd.SetName(now, computerName(s.Host))
		}
		if e.llmnr != nil {
			e.llmnr.SetName(now, s.Host)
		}
	}
	if e.wsd != nil {
		s.By = append(s.By, "WS-Discovery")
	}
	if e.llmnr != nil {
		s.By = append(s.By, "LLMNR")
	}
	s.On = interfaces(e.links)
	e.mu.Lock()
	before := e.state
	e.state = s
	e.mu.Unlock()
	if s.Settled && s.Name != before.Name || s.Settled && !before.Settled {
		if s.Name != mdns.InstanceLabel(e.config.Name) {
			e.config.Log.Warn("another server on the network has the name; this one is found by another",
				"name", e.config.Name, "found by", s.Name, "host", s.Host+".local")
		}
	}
}

// look sees which links there are now.
func (e *engine) look() {
	links, machine, err := networks(e.config.Addresses)
	if err != nil {
		e.config.Log.Warn("the machine's addresses can't be read", "error", err)
		return
	}
	e.addrs = machine
	if e.mdns != nil {
		e.mdns.SetMachine(machine)
	}
	now := time.Now()
	for _, port := range e.ports {
		port.follow(now, links)
	}
	e.mu.Lock()
	e.links = links
	e.mu.Unlock()
}

// speak begins to answer multicast DNS.
func (e *engine) speak(now time.Time) {
	r := mdns.New(mdns.HostLabel(e.config.Name), mdns.InstanceLabel(e.config.Name), e.config.Services, e.random)
	r.SetMachine(e.addrs)
	if e.open(now, &port{name: "multicast DNS", number: mdns.Port, group4: mdns.Group4, group6: mdns.Group6, hops: 255, machine: r}) {
		e.mdns = r
	}
}

// silence ends that, for avahi.
func (e *engine) silence(now time.Time) {
	for i, port := range e.ports {
		if port.machine == e.mdns {
			port.send(e.links, e.mdns.Stop(now))
			port.close()
			e.ports = append(e.ports[:i], e.ports[i+1:]...)
			break
		}
	}
	e.mdns = nil
}

// explorer begins to answer Windows.
func (e *engine) explorer(others *sync.WaitGroup, ctx context.Context) {
	now := time.Now()
	l := llmnr.New()
	if e.open(now, &port{name: "LLMNR", number: llmnr.Port, group4: llmnr.Group4, group6: llmnr.Group6, hops: 255, machine: l}) {
		e.llmnr = l
	}
	listener, err := e.listenMetadata()
	if err != nil {
		e.config.Log.Warn("Windows Explorer will not show the server: another program, maybe wsdd, has TCP port 5357; stop that and start dozo again", "error", err)
		return
	}
	others.Go(func() { e.serveMetadata(ctx, listener) })
	w := wsd.New(now, e.device(), e.random)
	if e.open(now, &port{name: "WS-Discovery", number: wsd.Port, group4: wsd.Group4, group6: wsd.Group6, hops: 1, machine: w}) {
		e.wsd = w
	}
}

// open opens a port and follows the links with it.
func (e *engine) open(now time.Time, port *port) bool {
	if err := port.open(e.arrivals); err != nil {
		e.config.Log.Warn("the server is not announced by "+port.name, "error", err)
		return false
	}
	port.follow(now, e.links)
	e.ports = append(e.ports, port)
	return true
}

func seeded() *mathrand.Rand {
	var seed [16]byte
	rand.Read(seed[:])
	return mathrand.New(mathrand.NewPCG(binary.NativeEndian.Uint64(seed[:8]), binary.NativeEndian.Uint64(seed[8:])))
}
