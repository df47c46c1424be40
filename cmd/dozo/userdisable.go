package main

import (
	"context"

	"github.com/dozo-server/dozo/auth"
)

type userDisableCmd struct {
	stateFlag
	Name string `arg:"" help:"Name of the user."`
}

func (c *userDisableCmd) Run(ctx context.Context) error { return c.setDisabled(ctx, c.Name, true) }

type userEnableCmd struct {
	stateFlag
	Name string `arg:"" help:"Name of the user."`
}

func (c *userEnableCmd) Run(ctx context.Context) error { return c.setDisabled(ctx, c.Name, false) }

// setDisabled says whether a user may log in, whose password stays.
func (c *stateFlag) setDisabled(ctx context.Context, name string, disabled bool) error {
	folder, r, err := c.find(name)
	if err != nil {
		return err
	}
	err = users(folder).Change(r.Name, func(r *auth.Record) error {
		r.Disabled = disabled
		return nil
	})
	if err != nil {
		return err
	}
	return c.changed(ctx)
}
