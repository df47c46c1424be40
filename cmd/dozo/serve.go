package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"

	"github.com/alecthomas/kong"

	"github.com/dozo-server/dozo"
	"github.com/dozo-server/dozo/internal/discovery"
	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/internal/state"
	"github.com/dozo-server/dozo/internal/status"
)

type serveCmd struct {
	stateFlag
	Folders   []string  `arg:"" name:"[NAME=]DIR" help:"Folders to serve; clients see NAME, or the folder's own name."`
	Bind      []string  `help:"Addresses of this machine to listen at (default: all)." placeholder:"ADDR"`
	SMB       *uint16   `name:"smb" help:"Port of SMB (default: 445 or, when that is refused, 4450)." placeholder:"PORT"`
	User      string    `help:"Name of the first user, made when there is none (default: your login)." placeholder:"NAME"`
	Guest     guestFlag `help:"Let everybody in without a password, to read; with =write to change things, too." placeholder:"write"`
	ReadOnly  bool      `help:"Let nobody change anything."`
	Signing   string    `help:"Whether clients must sign what they send: required or offered." enum:"required,offered" default:"required"`
	Discovery bool      `help:"Let clients find the server without typing its address, unless it listens on this machine only." default:"true" negatable:""`
	Memory    size      `help:"Memory for names, of all shares together, such as 512M (default: 1/8 of the machine's, at most 1G)." placeholder:"SIZE"`
}

// Run serves until ctx ends. What could be wrong is looked at before anything
// is written; the state folder is made last.
func (c *serveCmd) Run(ctx context.Context) error {
	if c.SMB != nil && *c.SMB == 0 {
		return usagef("--smb 0 turns off SMB, and there is no other protocol; leave it out, or name a port")
	}
	folders, err := parseFolders(c.Folders)
	if err != nil {
		return err
	}
	path, err := c.path()
	if err != nil {
		return err
	}
	if err := outside(path, folders); err != nil {
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
	listeners, refusal, err := listenSMB(c.Bind, c.SMB)
	if err != nil {
		return err
	}
	defer closeAll(listeners) // once more after Serve, which does no harm
	if err := held.create(path); err != nil {
		return err
	}
	return c.serve(ctx, folders, held.folder, listeners, refusal)
}

// serve runs the server on listeners.
func (c *serveCmd) serve(ctx context.Context, folders []folder, home *state.Folder, listeners []net.Listener, refusal string) error {
	user, err := firstUser(home, c.User, os.Stdout, isTerminal(os.Stdout))
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
	disk.ClearUmask() // what files may do is up to the masks of the shares
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	srv := &dozo.Server{
		ID:     home.ID(),
		Users:  users(home),
		Memory: int64(c.Memory),
		Log:    log,
	}
	if c.Signing == "offered" {
		srv.Signing = dozo.SigningOffered
	}
	for _, f := range folders {
		srv.Shares = append(srv.Shares, dozo.Share{
			Name: f.name, Path: f.path, FileSystem: mounts[f.path], ReadOnly: c.ReadOnly, Guest: dozo.GuestAccess(c.Guest)})
	}
	var found *discovery.Publisher
	srv.Ready = func() {
		if c.Discovery {
			found = announce(ctx, srv, listeners, log)
		}
		go socket.Serve(func() *status.Snapshot { return snapshot(srv, found) })
		if err := remember(home, mounts, srv.Snapshot()); err != nil {
			log.Warn("which file systems the folders are on could not be noted", "error", err)
		}
		c.greet(folders, user, listeners, refusal)
		fmt.Println("dozo: ready")
	}
	err = srv.Serve(ctx, listeners...)
	found.Stop()
	return err
}

// greet prints how to connect.
func (c *serveCmd) greet(folders []folder, user string, listeners []net.Listener, refusal string) {
	g := greeting{user: user, hosts: c.Bind, port: listeners[0].Addr().(*net.TCPAddr).Port}
	for _, f := range folders {
		g.shares = append(g.shares, f.name)
		fmt.Printf("Serving %s as %s.\n", f.path, f.name)
	}
	if len(g.hosts) == 0 {
		g.hosts = addresses()
	}
	if refusal != "" {
		fmt.Printf("SMB is on port %d, because %s.\n", g.port, refusal)
	}
	g.print(os.Stdout)
}

// outside refuses a state folder that a share would show to its clients, and a
// share inside the state folder.
func outside(path string, folders []folder) error {
	path, err := realPath(path)
	if err != nil {
		return err
	}
	for _, f := range folders {
		if within(path, f.path) || within(f.path, path) {
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

// remember notes the file systems that folders are on for the first time.
func remember(home *state.Folder, mounts map[string]string, s *dozo.Snapshot) error {
	for _, h := range s.Shares {
		if h.FileSystem != "" && mounts[h.Folder] == "" {
			mounts[h.Folder] = h.FileSystem
		}
	}
	return home.SetMounts(mounts)
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

// guestFlag is --guest or --guest=write.
type guestFlag dozo.GuestAccess

// IsBool lets the flag stand without a value.
func (*guestFlag) IsBool() bool { return true }

// Decode reads the value, if there is one.
func (g *guestFlag) Decode(ctx *kong.DecodeContext) error {
	*g = guestFlag(dozo.GuestRead)
	if ctx.Scan.Peek().Type != kong.FlagValueToken {
		return nil
	}
	switch word := ctx.Scan.Pop().String(); word {
	case "read":
	case "write":
		*g = guestFlag(dozo.GuestWrite)
	default:
		return fmt.Errorf("--guest takes write or nothing, not %q", word)
	}
	return nil
}
