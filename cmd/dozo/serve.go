package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dozo-server/dozo"
	"github.com/dozo-server/dozo/internal/config"
	"github.com/dozo-server/dozo/internal/discovery"
	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/internal/machine"
	"github.com/dozo-server/dozo/internal/mount"
	"github.com/dozo-server/dozo/internal/service"
	"github.com/dozo-server/dozo/internal/state"
	"github.com/dozo-server/dozo/internal/status"
)

type serveCmd struct {
	settings
	firstUserFlag
	Service bool `help:"Run as what the machine starts, as service install has it: end where port 445 is refused, and make no user."`
}

// Run serves until ctx ends. What could be wrong is looked at before anything
// is written; the state folder is made last.
func (c *serveCmd) Run(ctx context.Context) error {
	c.User = c.FirstUser
	p, err := c.servable()
	if err != nil {
		return err
	}
	path, err := statePath(p.config)
	if err != nil {
		return err
	}
	if err := status.CheckPath(filepath.Join(path, statusSocket)); err != nil {
		return err
	}
	held, err := holdExisting(path)
	if err != nil {
		return err
	}
	defer held.release()
	listeners, refusal, err := listenFirst(p.config.Bind, smbPorts(uint16(p.config.SMB), c.Service)...)
	if err != nil {
		return err
	}
	defer closeAll(listeners) // once more after Serve, which does no harm
	if err := held.create(path); err != nil {
		return err
	}
	return c.serve(ctx, p, held.folder, listeners, refusal)
}

// serve runs the server on listeners.
func (c *serveCmd) serve(ctx context.Context, p *plan, home *state.Folder, listeners []net.Listener, refusal string) error {
	user, err := c.firstUser(home, p.config.User)
	if err != nil {
		return err
	}
	mounts, err := home.Mounts()
	if err != nil {
		return err
	}
	socket, err := status.Listen(home.Path(statusSocket))
	if err != nil {
		return err
	}
	defer socket.Close()

	defer tuneCollector()()
	defer limitMemory(machine.Find().Memory())()
	disk.ClearUmask() // what files may do is up to the masks of the shares
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	account, err := openAudit(string(p.config.Audit))
	if err != nil {
		return err
	}
	srv := &dozo.Server{
		ID:         home.ID(),
		MachineSID: home.SID(),
		Shares:     p.shares(mounts),
		Users:      served{users(home), home},
		Memory:     int64(p.config.Memory),
		Hosts:      hosts(p.config.HostsAllow, p.config.HostsDeny),
		Audit:      account.writer(),
		Signing:    signing[p.config.Signing],
		Log:        log,
	}
	notifier := service.FromEnvironment()
	r := &reloader{settings: &c.settings, srv: srv, home: home, audit: account, log: log, tell: notifier, now: p.config}
	defer r.close() // after Serve has written the last line
	ready := make(chan struct{})
	r.onHangup(ctx, ready)
	var found *discovery.Publisher
	told := func() {}
	ctx, cancel := context.WithCancel(ctx)
	srv.Ready = func() {
		if p.config.Discovery {
			found = announce(ctx, srv, listeners, log)
		}
		r.remember(mounts)
		go socket.Serve(status.Answers{
			Snapshot: func() *status.Snapshot { return snapshot(srv, found) },
			Reload:   r.reload,
			Users:    func() *status.Users { return &status.Users{Closed: srv.CheckUsers()} },
			Close:    func(id status.ID) *status.Closed { return disconnect(srv, id) },
		})
		close(ready)
		p.greet(user, listeners, refusal)
		p.hint(os.Stdout, home, user, listeners)
		fmt.Println("dozo: ready")
		told = tell(ctx, notifier, listeners)
	}
	err = srv.Serve(ctx, listeners...)
	cancel()
	told()
	found.Stop()
	return err
}

// firstUser is who logs in first, made where there is nobody and somebody is there
// to learn the password; "" for nobody.
func (c *serveCmd) firstUser(home *state.Folder, asked string) (string, error) {
	if c.Service && asked == "" {
		return someUser(home)
	}
	return firstUser(home, asked, os.Stdout, isTerminal(os.Stdout))
}

// greet prints how to connect, to whom somebody can.
func (p *plan) greet(user string, listeners []net.Listener, refusal string) {
	g := greeting{user: user, hosts: p.config.Bind, port: listeners[0].Addr().(*net.TCPAddr).Port}
	for _, f := range p.folders {
		g.shares = append(g.shares, strings.ReplaceAll(f.name, "{user}", cmp.Or(user, "{user}")))
		fmt.Printf("Serving %s as %s.\n", f.path, f.name)
	}
	if len(g.hosts) == 0 {
		g.hosts = addresses()
	}
	if refusal != "" {
		fmt.Printf("SMB is on port %d: %s\n", g.port, refusal)
	}
	if user != "" || slices.ContainsFunc(p.config.Shares, func(h config.Share) bool { return h.Guest != config.GuestNone }) {
		g.print(os.Stdout)
	}
}

// outside refuses a state folder that a share would show to its clients, and a
// share inside the state folder.
func outside(path string, folders []folder) error {
	path, err := mount.RealPath(path)
	if err != nil {
		return err
	}
	for _, f := range folders {
		if mount.Overlap(path, above(f.path)) {
			return usagef("the state folder %s and the share %s (%s) overlap, and the state folder holds secrets; move it out with --state DIR",
				path, f.name, f.path)
		}
	}
	return nil
}

// hold is a state folder with the right to run on it.
type hold struct {
	folder *state.Folder
	lock   *state.Lock
}

// holdExisting opens and locks the state folder, if there is one.
func holdExisting(path string) (*hold, error) {
	h := &hold{}
	folder, err := state.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return nil, err
	}
	return h, h.take(folder)
}

// create makes the state folder unless it is held already.
func (h *hold) create(path string) error {
	if h.folder != nil {
		return nil
	}
	folder, err := state.Create(path)
	if err != nil {
		return err
	}
	return h.take(folder)
}

func (h *hold) take(folder *state.Folder) error {
	lock, err := folder.Lock()
	if err != nil {
		return err
	}
	h.folder, h.lock = folder, lock
	return nil
}

func (h *hold) release() {
	if h.lock != nil {
		h.lock.Release()
	}
}

func disconnect(srv *dozo.Server, id status.ID) *status.Closed {
	closed, err := srv.Disconnect(id.String())
	if err != nil {
		return &status.Closed{Error: err.Error()}
	}
	return &status.Closed{Closed: closed}
}

func snapshot(srv *dozo.Server, found *discovery.Publisher) *status.Snapshot {
	s := srv.Snapshot()
	s.Version, s.Process, s.Discovery = version, os.Getpid(), found.Snapshot()
	return s
}

func closeAll(ls []net.Listener) {
	for _, l := range ls {
		l.Close()
	}
}
