package bench

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dozo-server/dozo/internal/report"
)

// tables has the times of the operations, and the rest.
func (r *NamesResult) tables() []*report.Table {
	times := &report.Table{Header: []string{"files", "create", "exact name", "other case", "missing", "delete"}}
	rest := &report.Table{Header: []string{"files", "first miss", "first list", "list again", "server's memory", "CPU for a create"}}
	for _, s := range r.Sizes {
		files := report.Count(s.Files)
		times.Add(files, s.Create.words(), s.Exact.words(), s.OtherCase.words(), s.Missing.words(), s.Delete.words())
		memory := "-"
		if s.Memory > 0 {
			memory = report.Bytes(s.Memory)
		}
		rest.Add(files, span(s.FirstMiss), span(s.FirstList), span(s.List), memory, span(s.CreateCPU))
	}
	return []*report.Table{times, rest}
}

// words writes p50 and p99.
func (l Latency) words() string {
	switch {
	case l.Samples == 0:
		return "-"
	case l.Absent == l.Samples:
		return "not found"
	case l.P99 == 0:
		return report.Time(l.P50)
	}
	return report.Time(l.P50) + " / " + report.Time(l.P99)
}

func span(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return report.Time(d)
}

// Page tells the result to people.
func (r *NamesResult) Page() *report.Page {
	p := &report.Page{}
	p.Line(r.head())
	for _, line := range r.about() {
		p.Line(line)
	}
	for _, t := range r.tables() {
		p.Table(t)
	}
	for _, sentence := range r.Verdict {
		p.Item(sentence)
	}
	return p
}

// head says what was measured.
func (r *NamesResult) head() string {
	head := r.Target
	if r.Label != r.Target {
		head = r.Label + ": " + head
	}
	if r.Link != "" {
		head += " (" + r.Link + ")"
	}
	return head
}

// about says what the figures are of.
func (r *NamesResult) about() []string {
	lines := []string{fmt.Sprintf("p50 / p99 of %s samples each, in turns; a create goes with a write of %d bytes and a close, an open with a close.",
		report.Count(r.Samples), payload)}
	if r.Filled {
		lines = append(lines, "The folder was filled on this machine with empty files, and only what is measured was made through the server.")
	}
	switch r.First {
	case NewServer:
		lines = append(lines, "First miss and first list: the first requests after a start of the server; the disk's cache was warm.")
	case NewSession:
		lines = append(lines, "First miss and first list: the first requests of a new session; the server was not restarted.")
	default:
		lines = append(lines, "First miss and first list: not measured, there is nothing that could be started anew.")
	}
	if r.IdleMemory > 0 {
		lines = append(lines, "Memory of the serving process before all this: "+report.Bytes(r.IdleMemory)+".")
	} else if r.Link != "" {
		lines = append(lines, "Memory and CPU: not measured, the server's process can't be seen from here.")
	}
	return append(lines, r.Notes...)
}

// curves are the operations that a chart and a comparison show.
var curves = []struct {
	title string
	of    func(*NamesSize) Latency
}{
	{"create", func(s *NamesSize) Latency { return s.Create }},
	{"missing name", func(s *NamesSize) Latency { return s.Missing }},
	{"other case", func(s *NamesSize) Latency { return s.OtherCase }},
}

// NamesChart draws the medians of results against the size of the folder.
func NamesChart(results ...*NamesResult) *report.Chart {
	c := &report.Chart{Title: "Median time for a name, by the size of its folder", Across: "files in the folder"}
	for _, curve := range curves {
		p := report.Panel{Title: curve.title}
		for _, r := range results {
			s := report.Series{Name: r.Label}
			absent := 0
			for _, size := range r.Sizes {
				if l := curve.of(size); l.Samples > 0 {
					s.Points = append(s.Points, report.Point{X: float64(size.Files), Y: float64(l.P50)})
					absent += l.Absent
				}
			}
			if absent > 0 {
				s.Note = "not found"
			}
			p.Series = append(p.Series, s)
		}
		c.Panels = append(c.Panels, p)
	}
	return c
}

// NamesComparison tells of results side by side: what each is of, a row of
// medians for each operation and size, and the verdicts.
func NamesComparison(results []*NamesResult) *report.Page {
	p := &report.Page{}
	for _, r := range results {
		line := r.head()
		if r.Filled {
			line += ", filled on the server's machine"
		}
		p.Item(line)
	}
	p.Table(compareNames(results))
	for _, r := range results {
		for _, sentence := range r.Verdict {
			p.Item(r.Label + ", " + sentence)
		}
	}
	return p
}

func compareNames(results []*NamesResult) *report.Table {
	t := &report.Table{Header: []string{"p50", "files"}}
	var sizes []int
	for _, r := range results {
		t.Header = append(t.Header, r.Label)
		for _, s := range r.Sizes {
			sizes = append(sizes, s.Files)
		}
	}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	for _, curve := range curves {
		for _, files := range sizes {
			row := []string{curve.title, report.Count(files)}
			for _, r := range results {
				row = append(row, r.median(curve.of, files))
			}
			t.Add(row...)
		}
	}
	return t
}

// median is the p50 of an operation at a size, "-" if it was not measured.
func (r *NamesResult) median(of func(*NamesSize) Latency, files int) string {
	for _, s := range r.Sizes {
		if s.Files == files {
			l := of(s)
			l.P99 = 0
			return l.words()
		}
	}
	return "-"
}

// sound reports whether s can have been measured, and so can be drawn.
func (s *NamesSize) sound() bool {
	if s == nil || s.Files < 1 {
		return false
	}
	for _, l := range []Latency{s.Create, s.Exact, s.OtherCase, s.Missing, s.Delete} {
		if l.Samples < 0 || l.Samples > 0 && l.P50 <= 0 {
			return false
		}
	}
	return true
}

// CheckNames refuses results that don't belong together, or are none.
func CheckNames(results []*NamesResult) error {
	labels := map[string]bool{}
	for _, r := range results {
		if r.Test != NamesTest {
			return errors.New("this is no result of dozo bench names --json")
		}
		for _, s := range r.Sizes {
			if !s.sound() {
				return errors.New("it has a size without files, or a time that is none: somebody changed it")
			}
		}
		if labels[r.Label] {
			return fmt.Errorf("two results are called %q; measure with --label NAME, or change the label in the file", r.Label)
		}
		labels[r.Label] = true
	}
	return nil
}
