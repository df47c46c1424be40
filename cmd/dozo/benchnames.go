package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/dozo-server/dozo/internal/bench"
)

type benchNamesCmd struct {
	benchTarget
	Sizes   []int         `help:"Sizes of the folder (default: 1000,10000,100000 and, where this machine fills it, 1000000)." placeholder:"N,..."`
	Fill    string        `help:"Folder of this machine that TARGET is: files that only fill it are made there." placeholder:"DIR" type:"existingdir"`
	Samples int           `help:"How often each operation is measured at each size." default:"1000"`
	Time    time.Duration `help:"The longest that growing to a size may take, and the samples at it." default:"5m" placeholder:"5m"`
	Seed    uint64        `help:"Number that the names are made of." default:"1"`
	Label   string        `help:"Name of the result in a comparison (default: the target)." placeholder:"NAME"`
	JSON    bool          `help:"Print JSON, for dozo bench compare." xor:"form"`
	benchOutput
}

// maxFiles bounds the size of a folder.
const maxFiles = 100_000_000

func (c *benchNamesCmd) Run(ctx context.Context) (err error) {
	if err := c.settle(); err != nil {
		return err
	}
	target, name, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	fill := c.Fill
	if own, ok := target.(*bench.Own); ok {
		fill = own.Share()
	}
	label := c.Label
	if label == "" {
		label = name
		if c.own() {
			label = "dozo"
		}
	}
	progress := newProgress(os.Stderr)
	n := &bench.Names{
		Target: target, Name: name, Label: label, Fill: fill, Scratch: c.own(),
		Sizes: c.Sizes, Samples: c.Samples, Seed: c.Seed, Limit: c.Time, Progress: progress,
	}
	result, err := n.Run(ctx)
	progress.end()
	if result == nil || len(result.Sizes) == 0 {
		return err
	}
	// What was measured before something went wrong is worth to be seen.
	return errors.Join(err, c.show(result))
}

// settle fills in the sizes and refuses what can't be meant.
func (c *benchNamesCmd) settle() error {
	if c.own() && (c.Fill != "" || c.PasswordFile != "") {
		return usagef("--fill and --password-file are for a TARGET; without one, dozo knows both")
	}
	if len(c.Sizes) == 0 {
		c.Sizes = []int{1000, 10_000, 100_000}
		if c.own() || c.Fill != "" {
			c.Sizes = append(c.Sizes, 1_000_000)
		}
	}
	slices.Sort(c.Sizes)
	c.Sizes = slices.Compact(c.Sizes)
	switch {
	case c.Sizes[0] < 1 || c.Sizes[len(c.Sizes)-1] > maxFiles:
		return usagef("a folder can have 1 to %d files here, not %v", maxFiles, c.Sizes)
	case c.Samples < 1:
		return usagef("--samples has to be 1 or more, not %d", c.Samples)
	case c.Time <= 0:
		return usagef("--time has to be more than nothing, not %v", c.Time)
	}
	return c.check()
}

// show prints the result in the form that was asked for.
func (c *benchNamesCmd) show(r *bench.NamesResult) error {
	if c.JSON {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		if err := out.Encode(r); err != nil {
			return err
		}
		return c.draw(bench.NamesChart(r))
	}
	return c.print(r.Page(), bench.NamesChart(r))
}
