package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/dozo-server/dozo/internal/status"
)

// changed ends a command that has changed the list of users. The running server
// closes the sessions of those who may log in no more, which are told; where it
// looks into another list, that is told instead.
func (c *stateFlag) changed(ctx context.Context) error {
	folder, err := c.open()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, statusTime)
	defer cancel()
	answer, err := status.AskUsers(ctx, folder.Path(statusSocket))
	switch {
	case errors.Is(err, status.ErrNotRunning):
		return c.mentionServer()
	case err != nil:
		return fmt.Errorf("the list of users is changed, and the running server did not say whose sessions it has closed (%w); see who is there with: dozo status --state %s",
			err, shellQuote(folder.Path("")))
	}
	for _, words := range answer.Closed {
		fmt.Printf("Closed %s.\n", words)
	}
	return nil
}
