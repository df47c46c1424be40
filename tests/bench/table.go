package main

import (
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// row is what smbgen measured.
type row struct {
	op                            string
	count, elapsed, rate, mb, cpu float64
	failed                        float64
}

// generate runs smbgen against a server and returns its rows.
func (b *bench) generate(s *server, args ...string) ([]row, error) {
	args = append([]string{"-addr", "127.0.0.1:" + strconv.Itoa(s.port), "-user", user, "-pass", password, "-share", s.share,
		"-cpupid", strconv.Itoa(s.pid)}, args...)
	var out, said bytes.Buffer
	cmd := exec.Command(b.path("smbgen"), args...)
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("smbgen: %w: %s", err, &said)
	}
	var rows []row
	for line := range strings.Lines(out.String()) {
		f := strings.Split(strings.TrimSpace(line), ",")
		if len(f) != 18 {
			return nil, fmt.Errorf("smbgen printed %q", line)
		}
		at := func(i int) float64 { v, _ := strconv.ParseFloat(f[i], 64); return v }
		r := row{op: f[1], count: at(5) - at(4), elapsed: at(6), rate: at(7), failed: at(13) + at(14), mb: at(15), cpu: at(16)}
		if r.failed > 0 {
			return nil, fmt.Errorf("%s: %.0f operations failed", r.op, r.failed)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// result is a line of the table.
type result struct {
	unit, cpuUnit string
	rate, cpu     map[string][]float64 // by server
}

// add notes a measurement.
func (b *bench) add(what, unit string, s *server, rate, cpu float64, cpuUnit string) {
	r := b.results[what]
	if r == nil {
		r = &result{unit: unit, cpuUnit: cpuUnit, rate: map[string][]float64{}, cpu: map[string][]float64{}}
		b.results[what] = r
		b.order = append(b.order, what)
	}
	r.rate[s.name] = append(r.rate[s.name], rate)
	r.cpu[s.name] = append(r.cpu[s.name], cpu)
}

// print writes the table. A ratio above 1 is in dozo's favour for speed, below
// 1 for CPU.
func (b *bench) print(w io.Writer) {
	fmt.Fprintf(w, "| work | dozo | Samba | speed, dozo : Samba | dozo's CPU | Samba's CPU | CPU, dozo : Samba |\n")
	fmt.Fprintf(w, "|---|---:|---:|---:|---:|---:|---:|\n")
	for _, what := range b.order {
		r := b.results[what]
		d, s := median(r.rate["dozo"]), median(r.rate["Samba"])
		speed := d / s
		if r.unit == "s" { // less is faster
			speed = s / d
		}
		dc, sc := median(r.cpu["dozo"]), median(r.cpu["Samba"])
		fmt.Fprintf(w, "| %s | %s %s | %s %s | %.2f | %s %s | %s %s | %.2f |\n",
			what, number(d), r.unit, number(s), r.unit, speed, number(dc), r.cpuUnit, number(sc), r.cpuUnit, dc/sc)
	}
}

func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Sorted(slices.Values(v))
	if n := len(v); n%2 == 0 {
		return (v[n/2-1] + v[n/2]) / 2
	}
	return v[len(v)/2]
}

// number has three digits that count.
func number(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	case v >= 1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3f", v)
}
