package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

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
	folder, err := c.open()
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; start a server with dozo serve DIR, or name its state folder with --state DIR", err)
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, statusTime)
	defer cancel()
	s, err := status.Ask(ctx, folder.Path(statusSocket))
	switch {
	case errors.Is(err, status.ErrNotRunning):
		return fmt.Errorf("no server runs on the state folder %s; start one with dozo serve DIR, or name its state folder with --state DIR", folder.Path(""))
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("the server on the state folder %s belongs to another user; ask as that user, or with sudo", folder.Path(""))
	case err != nil:
		return err
	}
	if c.JSON {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		return out.Encode(s)
	}
	return s.Write(os.Stdout, time.Now())
}

// path returns the state folder's path, the default one unless named.
func (c *stateFlag) path() (string, error) {
	if c.State != "" {
		return c.State, nil
	}
	return state.DefaultPath()
}

// open opens the state folder and makes nothing.
func (c *stateFlag) open() (*state.Folder, error) {
	path, err := c.path()
	if err != nil {
		return nil, err
	}
	return state.Open(path)
}
