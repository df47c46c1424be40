package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/status"
)

// What is drawn fits on the terminal, and over what was drawn before.
func TestScreen(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	s := &status.Snapshot{Time: now, Started: now, Version: "0.1.0", Name: "NAS", Listening: []string{"[::]:445"}}
	for i := range 40 {
		s.Opens = append(s.Opens, status.Open{ID: fmt.Sprint("1.", i+1), Path: strings.Repeat("long/", 30), Share: "films", User: "anna", Since: now})
	}
	before := *s
	before.Time = now.Add(-time.Second)
	for _, tt := range []struct{ columns, rows, lines int }{{80, 24, 24}, {120, 24, 24}, {80, 0, 48}, {0, 0, 48}, {80, 60, 48}} {
		drawn := screen(s, &before, tt.columns, tt.rows)
		text, whole := strings.CutPrefix(drawn, toTop)
		text, ends := strings.CutSuffix(text, eraseRest+"\n"+eraseBelow)
		lines := strings.Split(text, eraseRest+"\n")
		if !whole || !ends || !strings.HasPrefix(lines[0], "now: 0 requests/s") {
			t.Errorf("%+v: %q", tt, drawn)
		}
		if n := len(lines) + 1; n != tt.lines { // the cursor is on one more
			t.Errorf("%+v: %d lines", tt, n)
		}
		for _, line := range lines {
			if n := len([]rune(line)); tt.columns > 0 && n > tt.columns {
				t.Errorf("%+v: a line of %d columns: %s", tt, n, line)
			}
		}
		if last := lines[len(lines)-1]; (tt.rows == 24) != strings.Contains(last, "lines more)") {
			t.Errorf("%+v: the last line is %q", tt, last)
		}
	}
}
