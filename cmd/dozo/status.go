package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/dozo-server/dozo/internal/config"
	"github.com/dozo-server/dozo/internal/state"
	"github.com/dozo-server/dozo/internal/status"
)

// statusSocket is the name of the running server's socket in the state folder.
const statusSocket = "status.sock"

// statusTime is how long a server may take to answer.
const statusTime = 10 * time.Second

// statusCmd holds the flags of both its commands, so that its help shows them.
type statusCmd struct {
	stateFlag
	JSON     bool          `help:"Print JSON; with --watch, a line each time."`
	Watch    bool          `help:"Show it again and again until interrupted; where the output is no terminal, a line each time."`
	Interval time.Duration `help:"How often --watch shows it (default: 1s)." placeholder:"TIME"`

	Show  statusShowCmd  `cmd:"" default:"1" hidden:""`
	Close statusCloseCmd `cmd:"" help:"End a session, or close an open file, by the id that status shows."`
}

// statusShowCmd is what status does without a command.
type statusShowCmd struct{}

// Run shows the status, as the flags of status say.
func (*statusShowCmd) Run(ctx context.Context, c *statusCmd) error {
	switch {
	case c.Interval != 0 && !c.Watch:
		return usagef("--interval says how often --watch shows the status; add --watch")
	case c.Interval < 0 || c.Interval != 0 && c.Interval < minInterval:
		return usagef("--interval %v is too short; the shortest is %v", c.Interval, minInterval)
	case c.Watch:
		return c.watch(ctx)
	}
	s, err := c.ask(ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		return out.Encode(s)
	}
	columns, _ := terminalSize(os.Stdout)
	return s.Write(os.Stdout, columns)
}

func (c *statusCmd) ask(ctx context.Context) (*status.Snapshot, error) {
	return askServer(ctx, &c.stateFlag, statusTime, status.Ask)
}

// askServer asks the server that runs on the state folder, and puts into words
// why it can't be asked.
func askServer[A any](ctx context.Context, c *stateFlag, limit time.Duration, ask func(ctx context.Context, path string) (*A, error)) (*A, error) {
	folder, err := c.open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, c.orElsewhere(err, "start a server with dozo serve DIR, or name its state folder with --state DIR")
	}
	var a *A
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		a, err = ask(ctx, folder.Path(statusSocket))
	}
	switch {
	case errors.Is(err, status.ErrNotRunning):
		return nil, c.orElsewhere(fmt.Errorf("no server runs on the state folder %s", folder.Path("")), "start one with dozo serve DIR, or name its state folder with --state DIR")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, fmt.Errorf("the server has not answered for %v; the disk of a share may hang, see which with: dozo status --state %s", limit, shellQuote(folder.Path("")))
	case errors.Is(err, fs.ErrPermission):
		path, _ := c.path()
		return nil, fmt.Errorf("the server on the state folder %s belongs to another user; ask as that user, or with sudo", path)
	}
	return a, err
}

// path returns the state folder's path: the one named, or that of the
// configuration, whatever else is wrong there, or the default one.
func (c *stateFlag) path() (string, error) {
	if c.State != "" {
		return c.State, nil
	}
	read, _ := config.Read("")
	return statePath(read)
}

// open opens the state folder and makes nothing.
func (c *stateFlag) open() (*state.Folder, error) {
	path, err := c.path()
	if err != nil {
		return nil, err
	}
	return state.Open(path)
}
