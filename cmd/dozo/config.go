package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/dozo-server/dozo/internal/config"
)

type configCmd struct {
	Check configCheckCmd `cmd:"" help:"Tell all that is wrong with a configuration; nothing is served."`
	Show  configShowCmd  `cmd:"" help:"Print the configuration that counts, and where each value is from."`
}

type configCheckCmd struct {
	File string `arg:"" optional:"" type:"path" help:"The configuration (default: the one that serve reads)."`
	JSON bool   `help:"Print JSON."`
}

// Run looks at the folders of the shares, too.
func (c *configCheckCmd) Run() error {
	file := c.File
	if file == "" {
		var err error
		if file, err = config.DefaultPath(); err != nil {
			return err
		}
	}
	s := settings{Config: c.File}
	p, err := s.plan()
	switch {
	case c.JSON:
		return c.json(file, err)
	case err != nil:
		return errors.New(err.Error()) // it is no wrong usage
	case p.config.File == "":
		fmt.Printf("There is no %s: all is as by default, and no share.\n", file)
	default:
		fmt.Printf("%s is right. Shares: %d.\n", file, len(p.folders))
	}
	return nil
}

func (c *configCheckCmd) json(file string, err error) error {
	answer := struct {
		File   string   `json:"file"`
		Errors []string `json:"errors"`
	}{file, []string{}}
	if err != nil {
		answer.Errors = sentences(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {
		return err
	}
	if len(answer.Errors) > 0 {
		return errTold
	}
	return nil
}

type configShowCmd struct {
	settings
	firstUserFlag
	JSON bool `help:"Print JSON."`
}

func (c *configShowCmd) Run() error {
	c.User = c.FirstUser
	read, err := c.read()
	if err == nil {
		err = effective(read)
	}
	if err != nil {
		return err
	}
	if c.JSON {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		return out.Encode(read)
	}
	return read.Write(os.Stdout)
}
