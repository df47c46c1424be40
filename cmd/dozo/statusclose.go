package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/dozo-server/dozo/internal/status"
)

// statusCloseCmd ends what dozo status shows.
type statusCloseCmd struct {
	ID string `arg:"" name:"SESSION|OPEN" help:"Its id as dozo status shows it: 3 is a session, 3.17 a file that it has open."`
}

// Run closes what the id names, with the flags of status.
func (c *statusCloseCmd) Run(ctx context.Context, flags *statusCmd) error {
	id, err := status.ParseID(c.ID)
	switch {
	case err != nil:
		return usageError{err.Error()}
	case flags.Watch || flags.Interval != 0:
		return usagef("--watch and --interval are for dozo status without close; leave them out")
	}
	answer, err := askServer(ctx, &flags.stateFlag, statusTime, func(ctx context.Context, path string) (*status.Closed, error) {
		return status.AskClose(ctx, path, id)
	})
	switch {
	case err != nil:
		return err
	case flags.JSON:
		if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil || answer.Error == "" {
			return err
		}
		return errTold
	case answer.Error != "":
		return errors.New(answer.Error)
	}
	fmt.Printf("Closed %s.\n", answer.Closed)
	return nil
}
