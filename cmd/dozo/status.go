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

type statusCmd struct {
	stateFlag
	JSON bool `help:"Print JSON."`
}

func (c *statusCmd) Run(ctx context.Context) error {
	s, err := askServer(ctx, &c.stateFlag, statusTime, status.Ask)
	if err != nil {
		return err
	}
	if c.JSON {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		return out.Encode(s)
	}
	return s.Write(os.Stdout, time.Now())
}

// askServer asks the server that runs on the state folder, and puts into words
// why it can't be asked.
func askServer[A any](ctx context.Context, c *stateFlag, limit time.Duration, ask func(ctx context.Context, path string) (*A, error)) (*A, error) {
	folder, err := c.open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; start a server with dozo serve DIR, or name its state folder with --state DIR", err)
	}
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	a, err := ask(ctx, folder.Path(statusSocket))
	switch {
	case errors.Is(err, status.ErrNotRunning):
		return nil, fmt.Errorf("no server runs on the state folder %s; start one with dozo serve DIR, or name its state folder with --state DIR", folder.Path(""))
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("the server on the state folder %s belongs to another user; ask as that user, or with sudo", folder.Path(""))
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
