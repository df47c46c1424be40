package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/dozo-server/dozo/internal/status"
)

const (
	// minInterval keeps watching from being work.
	minInterval = 100 * time.Millisecond

	defaultInterval = time.Second
)

// watch shows the status again and again until ctx ends or the server does.
func (c *statusCmd) watch(ctx context.Context) error {
	interval := c.Interval
	if interval == 0 {
		interval = defaultInterval
	}
	show := showLine
	if c.JSON {
		show = showJSON
	} else if isTerminal(os.Stdout) {
		show = showScreen
	}
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	var before *status.Snapshot
	for {
		s, err := c.ask(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if before == nil {
			before = s
		}
		if err := show(s, before); err != nil {
			return err
		}
		before = s
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return nil
		}
	}
}

func showJSON(s, _ *status.Snapshot) error { return json.NewEncoder(os.Stdout).Encode(s) }

func showLine(s, before *status.Snapshot) error {
	_, err := fmt.Println(s.Line(before))
	return err
}

// What a terminal is told.
const (
	toTop      = "\x1b[H"
	eraseRest  = "\x1b[K" // of the line
	eraseBelow = "\x1b[J"
)

// showScreen draws over what was shown before.
func showScreen(s, before *status.Snapshot) error {
	columns, rows := terminalSize(os.Stdout)
	_, err := os.Stdout.WriteString(screen(s, before, columns, rows))
	return err
}

// screen is what fills a terminal of this size; of one that does not say its size,
// all of it.
func screen(s, before *status.Snapshot, columns, rows int) string {
	var text bytes.Buffer
	s.Write(&text, columns)
	lines := strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
	lines = append([]string{"now: " + s.RatesSince(before).String(), ""}, lines...)
	if rows > 2 && len(lines) >= rows {
		cut := rows - 2
		lines = append(lines[:cut], fmt.Sprintf("(and %d lines more)", len(lines)-cut))
	}
	return toTop + strings.Join(lines, eraseRest+"\n") + eraseRest + "\n" + eraseBelow
}
