package main

import (
	"fmt"
	"io"
)

// goal is a figure that dozo has to reach.
type goal struct {
	what  string
	limit float64
	most  bool // the limit is the greatest figure allowed, not the least
	unit  string
	of    func(all results) (figure float64, measured bool)
}

// speedOf and costOf compare dozo with Samba.
func speedOf(work string) func(results) (float64, bool) {
	return ofResult(work, (*result).speed)
}

func costOf(work string) func(results) (float64, bool) {
	return ofResult(work, (*result).cost)
}

// figureOf is dozo's own figure.
func figureOf(work string) func(results) (float64, bool) {
	return ofResult(work, func(r *result) float64 { return r.rate(dozo) })
}

func ofResult(work string, f func(*result) float64) func(results) (float64, bool) {
	return func(all results) (float64, bool) {
		if r := all.find(work); r != nil {
			return f(r), true
		}
		return 0, false
	}
}

// ratioOf compares dozo with itself: what some work takes in terms of other
// work.
func ratioOf(work, other string) func(results) (float64, bool) {
	return func(all results) (float64, bool) {
		a, b := all.find(work), all.find(other)
		if a == nil || b == nil {
			return 0, false
		}
		return a.rate(dozo) / b.rate(dozo), true
	}
}

// signingOf compares dozo with itself: what GMAC adds to an operation.
func signingOf(op string, f func(unsigned, signed *result) float64) func(results) (float64, bool) {
	return func(all results) (float64, bool) {
		u, s := all.find(moving(op, unsigned)), all.find(moving(op, signed))
		if u == nil || s == nil {
			return 0, false
		}
		return f(u, s), true
	}
}

func cpuAdded(u, s *result) float64 { return s.cpu(dozo) - u.cpu(dozo) }
func rateLost(u, s *result) float64 { return 100 * (1 - s.rate(dozo)/u.rate(dozo)) }

// goals are all of them.
func goals() []goal {
	list := []goal{
		{what: "create, 1 at a time: speed", limit: 1.5, unit: " x Samba", of: speedOf(creating(1, plain))},
		{what: "create, 8 at a time: speed", limit: 2, unit: " x Samba", of: speedOf(creating(8, plain))},
		{what: "create, 1 at a time: CPU", limit: 0.4, most: true, unit: " x Samba", of: costOf(creating(1, plain))},
		{what: "create, 8 at a time: CPU", limit: 0.4, most: true, unit: " x Samba", of: costOf(creating(8, plain))},
		{what: callsPerCreate, limit: 5, most: true, of: figureOf(callsPerCreate)},
		{what: "list again: speed", limit: 5, unit: " x Samba", of: speedOf(listing(false))},
		{what: "list after the start: speed", limit: 2, unit: " x Samba", of: speedOf(listing(true))},
	}
	for _, op := range bulkOps {
		for _, p := range []protection{unsigned, signed} {
			list = append(list,
				goal{what: moving(op, p) + ": speed", limit: 1, unit: " x Samba", of: speedOf(moving(op, p))},
				goal{what: moving(op, p) + ": CPU", limit: 1, most: true, unit: " x Samba", of: costOf(moving(op, p))})
		}
	}
	for _, op := range bulkOps {
		if op[:3] == "seq" {
			list = append(list, goal{what: "GMAC adds to: " + bulkWords[op], limit: 0.15, most: true, unit: " ms/MiB of CPU", of: signingOf(op, cpuAdded)})
		} else {
			list = append(list, goal{what: "GMAC takes from: " + bulkWords[op], limit: 10, most: true, unit: " % of the rate", of: signingOf(op, rateLost)})
		}
	}
	list = append(list, goal{what: idleMemory, limit: 40, most: true, unit: " MB", of: figureOf(idleMemory)})
	return append(list, namesGoals()...)
}

// bulkOps are smbgen's names for what bulkWords has words for.
var bulkOps = []string{
	"seqwrite-qd1", "seqread-qd1", "seqwrite-qd8", "seqread-qd8",
	"randread-qd1", "randwrite-qd1", "randread-qd32", "randwrite-qd32",
}

// judge writes which goals were reached.
func (all results) judge(w io.Writer) {
	fmt.Fprintln(w, "| figure | goal | measured | reached |")
	fmt.Fprintln(w, "|---|---:|---:|---|")
	for _, g := range goals() {
		figure, measured := g.of(all)
		if !measured {
			continue
		}
		bound, reached := "at least", figure >= g.limit
		if g.most {
			bound, reached = "at most", figure <= g.limit
		}
		answer := "yes"
		if !reached {
			answer = "**no**"
		}
		fmt.Fprintf(w, "| %s | %s %v%s | %s%s | %s |\n", g.what, bound, g.limit, g.unit, number(figure), g.unit, answer)
	}
}
