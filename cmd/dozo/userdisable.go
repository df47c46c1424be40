package main

import "github.com/dozo-server/dozo/auth"

type userDisableCmd struct {
	stateFlag
	Name string `arg:"" help:"Name of the user."`
}

func (c *userDisableCmd) Run() error { return c.setDisabled(c.Name, true) }

type userEnableCmd struct {
	stateFlag
	Name string `arg:"" help:"Name of the user."`
}

func (c *userEnableCmd) Run() error { return c.setDisabled(c.Name, false) }

// setDisabled says whether a user may log in, whose password stays.
func (c *stateFlag) setDisabled(name string, disabled bool) error {
	folder, r, err := c.find(name)
	if err != nil {
		return err
	}
	return c.changed(users(folder).Change(r.Name, func(r *auth.Record) error {
		r.Disabled = disabled
		return nil
	}))
}
