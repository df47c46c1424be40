package bench

import (
	"math"
	"time"
)

// growth says how the time of an operation depends on the size of the folder.
type growth struct {
	kind    growthKind
	base    int           // which of the sizes the largest is compared with
	ratio   float64       // time at the largest size to that at the small one
	doubt   float64       // by how many times ratio may be off, either way, as equal measurements differ
	perFile time.Duration // of a scan: what each file adds
}

type growthKind int

const (
	unknown  growthKind = iota // too few sizes
	flat                       // the time does not grow, or by less than matters
	doubtful                   // it seems to grow, but equal measurements differ by as much
	slower                     // it grows, but not with each file
	scan                       // each file adds the same
)

// The bounds between the kinds.
const (
	flatRatio   = 1.3 // up to it a time counts as the same
	leastSpread = 4.0 // largest size to smallest, for a judgement
	leastNoise  = 0.03
	// A name that is looked at costs more than this, however fast the machine:
	// what grows less does not look at each.
	leastPerFile = 2 * time.Nanosecond
	// Two sizes can't tell a line from a curve. What grows by more than this
	// power of the size is taken for a line.
	scanPower = 0.5
)

// size is one measurement: a time among so many files, and how far equal
// measurements differ, as a part of it.
type size struct {
	files, time, noise float64
}

// growthOf judges measurements at ascending sizes. The largest is compared with
// the fastest of those that are much smaller: a first size that something else
// made slow must not hide that the last is slower than the others.
func growthOf(sizes []size) growth {
	if len(sizes) == 0 {
		return growth{}
	}
	large := sizes[len(sizes)-1]
	base := -1
	for i, s := range sizes {
		if s.files*leastSpread <= large.files && s.time > 0 && (base < 0 || s.time < sizes[base].time) {
			base = i
		}
	}
	if base < 0 {
		return growth{}
	}
	small := sizes[base]
	g := growth{kind: flat, base: base, ratio: large.time / small.time}
	g.doubt = math.Exp(2 * math.Hypot(max(small.noise, leastNoise), max(large.noise, leastNoise)))
	switch {
	case g.ratio <= flatRatio:
		return g
	case g.ratio/g.doubt <= flatRatio:
		g.kind = doubtful
		return g
	}
	g.kind = slower
	perFile, line := fit(sizes, func(files float64) float64 { return files })
	_, curve := fit(sizes, math.Log)
	straight := line < curve
	if len(sizes) == 2 {
		straight = math.Log(g.ratio)/math.Log(large.files/small.files) > scanPower
	}
	if straight && perFile >= float64(leastPerFile) {
		g.kind, g.perFile = scan, time.Duration(math.Round(perFile))
	}
	return g
}

// fit lays the line time = a + b x(files) through the sizes, whose errors count
// as parts of their times, and returns b and the mean square of what is left.
func fit(sizes []size, x func(float64) float64) (b, left float64) {
	var w, wx, wy, wxx, wxy float64
	for _, s := range sizes {
		weight := 1 / (s.time * s.time)
		at := x(s.files)
		w += weight
		wx += weight * at
		wy += weight * s.time
		wxx += weight * at * at
		wxy += weight * at * s.time
	}
	b = (w*wxy - wx*wy) / (w*wxx - wx*wx)
	a := (wy - b*wx) / w
	for _, s := range sizes {
		off := (a + b*x(s.files) - s.time) / s.time
		left += off * off / float64(len(sizes))
	}
	return b, left
}
