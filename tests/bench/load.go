package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// row is what smbgen measured.
type row struct {
	op      string
	count   float64 // operations
	elapsed float64 // seconds
	rate    float64 // operations a second
	p50     float64 // of the time of an operation, microseconds
	p99     float64
	mb      float64 // megabytes a second
	cpu     float64 // of the server, seconds
}

// generate runs smbgen against a server and returns its rows.
func (b *bench) generate(s *server, p protection, args ...string) ([]row, error) {
	args = append(append([]string{"-addr", "127.0.0.1:" + strconv.Itoa(s.port), "-user", user, "-pass", password, "-share", s.share,
		"-cpupid", strconv.Itoa(s.pid)}, p.args...), args...)
	var out, said bytes.Buffer
	cmd := exec.Command(b.path("smbgen"), args...)
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("smbgen: %w: %s", err, &said)
	}
	var rows []row
	for line := range strings.Lines(out.String()) {
		r, err := parseRow(strings.TrimSpace(line))
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// seeksNothing are smbgen's operations that ask for what is not there.
var seeksNothing = map[string]bool{"miss-total": true, "cold-miss-total": true, "visit-total": true}

// parseRow reads a line of smbgen's.
func parseRow(line string) (row, error) {
	f := strings.Split(line, ",")
	if len(f) != 18 {
		return row{}, fmt.Errorf("smbgen printed %q", line)
	}
	at := func(i int) float64 { v, _ := strconv.ParseFloat(f[i], 64); return v }
	found, missing, failed := at(12), at(13), at(14)
	if seeksNothing[f[1]] {
		missing = found
	}
	if failed += missing; failed > 0 {
		return row{}, fmt.Errorf("%s: %.0f operations failed", f[1], failed)
	}
	return row{op: f[1], count: at(5) - at(4), elapsed: at(6), rate: at(7), p50: at(10), p99: at(11), mb: at(15), cpu: at(16)}, nil
}
