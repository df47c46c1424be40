package discovery

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/dozo-server/dozo/internal/discovery/mdns"
)

// The words of avahi's interface on D-Bus.
const (
	avahiName  = "org.freedesktop.Avahi"
	avahiGroup = avahiName + ".EntryGroup"

	avahiServerRunning = 2

	avahiGroupEstablished = 2
	avahiGroupCollision   = 3
	avahiGroupFailure     = 4

	avahiAny = int32(-1) // interface or family
)

const (
	callTime  = 5 * time.Second  // for an answer over D-Bus
	backTime  = 5 * time.Second  // for avahi to come back when it is started anew
	busTime   = 30 * time.Second // between looks whether there is a D-Bus now
	maxRename = 100              // names that are tried
)

// daemon is what avahi does for the server.
type daemon struct {
	present        bool // it has the port of multicast DNS
	host, instance string
	settled        bool // the names are the server's
}

// watchAvahi publishes the services through avahi whenever that runs, and
// reports how it is, first of all at once. It ends with ctx.
func watchAvahi(ctx context.Context, c Config, report chan<- daemon) {
	for ctx.Err() == nil {
		a := &avahi{config: c, report: report}
		a.session(ctx)
		a.tell(ctx, daemon{})
		select {
		case <-ctx.Done():
		case <-time.After(busTime):
		}
	}
}

// avahi is a conversation over one connection to D-Bus. It is one goroutine's.
type avahi struct {
	config Config
	report chan<- daemon

	conn       *dbus.Conn
	group      dbus.BusObject // nil while nothing is published
	instance   string
	renamed    int
	interfaces []int32 // that it is published on
}

// session follows avahi until the connection or ctx ends.
func (a *avahi) session(ctx context.Context) error {
	conn, err := dbus.ConnectSystemBus(dbus.WithContext(ctx))
	if err != nil {
		return err
	}
	defer conn.Close() // avahi says goodbye for whoever leaves
	a.conn = conn
	signals := make(chan *dbus.Signal, 64)
	conn.Signal(signals)
	if err := errors.Join(
		conn.AddMatchSignalContext(ctx, dbus.WithMatchInterface("org.freedesktop.DBus"), dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, avahiName)),
		conn.AddMatchSignalContext(ctx, dbus.WithMatchSender(avahiName)),
	); err != nil {
		return err
	}
	var present bool
	if err := a.call(ctx, conn.BusObject(), "org.freedesktop.DBus.NameHasOwner", avahiName).Store(&present); err != nil {
		return err
	}
	if present {
		a.publish(ctx)
	} else {
		a.tell(ctx, daemon{})
	}
	look := time.NewTicker(lookTime)
	defer look.Stop()
	back := time.NewTimer(0)
	back.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case s, ok := <-signals:
			if !ok {
				return dbus.ErrClosed
			}
			if s.Name != "org.freedesktop.DBus.NameOwnerChanged" {
				a.signal(ctx, s)
			} else if len(s.Body) == 3 && s.Body[0] == avahiName {
				a.group = nil
				if s.Body[2] == "" {
					back.Reset(backTime)
				} else {
					back.Stop()
					a.publish(ctx)
				}
			}
		case <-back.C:
			a.tell(ctx, daemon{})
		case <-look.C:
			if a.group != nil && !slices.Equal(a.interfaces, a.wanted()) {
				a.publish(ctx)
			}
		}
	}
}

// signal does what avahi's news ask for.
func (a *avahi) signal(ctx context.Context, s *dbus.Signal) {
	if len(s.Body) == 0 {
		return
	}
	state, _ := s.Body[0].(int32)
	switch {
	case s.Name == avahiName+".Server.StateChanged":
		// When avahi finds a new name for the host it drops what is published.
		if state == avahiServerRunning {
			a.publish(ctx)
		} else {
			a.tell(ctx, daemon{present: true, instance: a.instance})
		}
	case s.Name != avahiGroup+".StateChanged" || a.group == nil || s.Path != a.group.Path():
	case state == avahiGroupEstablished:
		var host string
		if err := a.call(ctx, a.server(), avahiName+".Server.GetHostName").Store(&host); err == nil {
			a.tell(ctx, daemon{present: true, host: host, instance: a.instance, settled: true})
		}
	case state == avahiGroupCollision:
		a.rename(ctx)
		a.publish(ctx)
	case state == avahiGroupFailure:
		a.config.Log.Warn("avahi does not announce the server; its own log tells why")
	}
}

// publish hands the services to avahi, as a new group.
func (a *avahi) publish(ctx context.Context) {
	if a.instance == "" {
		a.instance = mdns.InstanceLabel(a.config.Name)
	}
	a.tell(ctx, daemon{present: true, instance: a.instance})
	var state int32
	if err := a.call(ctx, a.server(), avahiName+".Server.GetState").Store(&state); err != nil || state != avahiServerRunning {
		return // its signal will come
	}
	for {
		err := a.add(ctx)
		if err == nil {
			return
		}
		e, _ := errors.AsType[dbus.Error](err)
		switch {
		// A name that avahi itself has, from another program, collides at once.
		case e.Name == avahiName+".CollisionError" && a.rename(ctx):
			continue
		case e.Name == avahiName+".NotPermittedError":
			a.config.Log.Warn("avahi may not announce the server; allow it in avahi-daemon.conf with disable-publishing=no and disable-user-service-publishing=no, and restart avahi")
		case ctx.Err() == nil:
			a.config.Log.Warn("avahi does not announce the server", "error", err)
		}
		return
	}
}

// add makes the group.
func (a *avahi) add(ctx context.Context) error {
	a.withdraw()
	var path dbus.ObjectPath
	if err := a.call(ctx, a.server(), avahiName+".Server.EntryGroupNew").Store(&path); err != nil {
		return err
	}
	a.group = a.conn.Object(avahiName, path)
	a.interfaces = a.wanted()
	for _, s := range a.config.Services {
		text := [][]byte{} // avahi wants a list, though it be empty
		for _, t := range s.Text {
			text = append(text, []byte(t))
		}
		for _, i := range a.interfaces {
			if err := a.call(ctx, a.group, avahiGroup+".AddService", i, avahiAny, uint32(0), a.instance, s.Type, "", "", s.Port, text).Err; err != nil {
				return err
			}
		}
	}
	return a.call(ctx, a.group, avahiGroup+".Commit").Err
}

// withdraw takes the group back.
func (a *avahi) withdraw() {
	if a.group == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), callTime)
	defer cancel()
	a.group.CallWithContext(ctx, avahiGroup+".Free", 0)
	a.group = nil
}

// rename takes the name that avahi proposes after one that is taken; there is
// an end to that.
func (a *avahi) rename(ctx context.Context) bool {
	if a.renamed++; a.renamed > maxRename {
		return false
	}
	return a.call(ctx, a.server(), avahiName+".Server.GetAlternativeServiceName", a.instance).Store(&a.instance) == nil
}

// wanted are the interfaces to publish on: all, unless only some addresses are
// served.
func (a *avahi) wanted() []int32 {
	if a.config.Addresses == nil {
		return []int32{avahiAny}
	}
	links, _, err := networks(a.config.Addresses)
	if err != nil {
		return a.interfaces
	}
	var list []int32
	for id := range links {
		list = append(list, int32(id.Index))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (a *avahi) server() dbus.BusObject { return a.conn.Object(avahiName, "/") }

func (a *avahi) call(ctx context.Context, o dbus.BusObject, method string, args ...any) *dbus.Call {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return o.CallWithContext(ctx, method, 0, args...)
}

func (a *avahi) tell(ctx context.Context, d daemon) {
	select {
	case a.report <- d:
	case <-ctx.Done():
	}
}
