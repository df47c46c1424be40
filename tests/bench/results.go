package main

import (
	"fmt"
	"io"
	"math"
	"slices"
)

// measure is one measurement: a rate or a time, and what it cost the server.
type measure struct {
	rate    float64
	unit    string
	cpu     float64
	cpuUnit string
}

// result is a line of the table.
type result struct {
	Work    string
	Unit    string
	CPUUnit string               `json:",omitempty"`
	Rate    map[string][]float64 // by server, a figure a round
	CPU     map[string][]float64 `json:",omitempty"`
}

// results are the lines, as they first came.
type results []*result

// find returns the line of some work, nil if it was not measured.
func (all results) find(work string) *result {
	for _, r := range all {
		if r.Work == work {
			return r
		}
	}
	return nil
}

// add notes a measurement.
func (all *results) add(work string, s *server, m measure) {
	r := all.find(work)
	if r == nil {
		r = &result{Work: work, Unit: m.unit, CPUUnit: m.cpuUnit, Rate: map[string][]float64{}, CPU: map[string][]float64{}}
		*all = append(*all, r)
	}
	r.Rate[s.name] = append(r.Rate[s.name], m.rate)
	if m.cpuUnit != "" {
		r.CPU[s.name] = append(r.CPU[s.name], m.cpu)
	}
}

func (r *result) rate(server string) float64 { return median(r.Rate[server]) }
func (r *result) cpu(server string) float64  { return median(r.CPU[server]) }

// lessIsBetter reports whether the rate is one to keep low.
func (r *result) lessIsBetter() bool { return r.Unit == "s" || r.Unit == "calls" || r.Unit == "MB" }

// speed is how many times as fast, or as small, as Samba dozo is.
func (r *result) speed() float64 {
	if r.lessIsBetter() {
		return r.rate(samba) / r.rate(dozo)
	}
	return r.rate(dozo) / r.rate(samba)
}

// cost is dozo's CPU as a part of Samba's.
func (r *result) cost() float64 { return r.cpu(dozo) / r.cpu(samba) }

// print writes the table of medians.
func (all results) print(w io.Writer) {
	fmt.Fprintln(w, "| work | dozo | Samba | dozo : Samba | dozo's CPU | Samba's CPU | dozo : Samba |")
	fmt.Fprintln(w, "|---|---:|---:|---:|---:|---:|---:|")
	for _, r := range all {
		if r.Rate[samba] == nil {
			fmt.Fprintf(w, "| %s | %s %s | | | | | |\n", r.Work, number(r.rate(dozo)), r.Unit)
			continue
		}
		fmt.Fprintf(w, "| %s | %s %s | %s %s | %.2f |", r.Work, number(r.rate(dozo)), r.Unit, number(r.rate(samba)), r.Unit, r.rate(dozo)/r.rate(samba))
		if r.CPUUnit == "" {
			fmt.Fprintln(w, " | | |")
			continue
		}
		fmt.Fprintf(w, " %s %s | %s %s | %.2f |\n", number(r.cpu(dozo)), r.CPUUnit, number(r.cpu(samba)), r.CPUUnit, r.cost())
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
	switch size := math.Abs(v); {
	case size >= 100 || size == 0:
		return fmt.Sprintf("%.0f", v)
	case size >= 10:
		return fmt.Sprintf("%.1f", v)
	case size >= 1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3f", v)
}
