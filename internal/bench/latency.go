package bench

import (
	"math"
	"slices"
	"time"
)

// Latency is how long an operation took, of many.
type Latency struct {
	Samples int           `json:"samples"`
	P50     time.Duration `json:"p50_ns"`
	P99     time.Duration `json:"p99_ns,omitempty"` // 0: too few samples
	Noise   float64       `json:"noise"`            // how much equal measurements differ: the deviation of the medians of parts, as a part of P50
	Absent  int           `json:"absent,omitempty"` // how many names were said not to be there, though they are
}

// leastForP99 is how many samples a P99 has to be of.
const leastForP99 = 500

// parts is in how many parts the samples are cut to see how much they differ.
const parts = 10

// latencyOf sums up samples, which are in the order they were taken.
func latencyOf(samples []time.Duration, absent int) Latency {
	l := Latency{Samples: len(samples), Absent: absent}
	if len(samples) == 0 {
		return l
	}
	var medians []float64
	for i := range parts {
		if part := samples[i*len(samples)/parts : (i+1)*len(samples)/parts]; len(part) > 0 {
			medians = append(medians, float64(quantile(part, 0.5)))
		}
	}
	l.P50 = quantile(samples, 0.5)
	l.Noise = math.Round(1e3*deviation(medians)/float64(max(l.P50, 1))) / 1e3
	if len(samples) >= leastForP99 {
		l.P99 = quantile(samples, 0.99)
	}
	return l
}

// quantile returns the sample below which the part q of all is.
func quantile[T time.Duration | float64](samples []T, q float64) T {
	sorted := slices.Sorted(slices.Values(samples))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// deviation is the standard deviation of v from a line through it, as a folder
// grows while it is measured. It is reckoned from the middle half: a moment in
// which the machine did something else does not count.
func deviation(v []float64) float64 {
	if len(v) < 3 {
		return 0
	}
	middle, mean := float64(len(v)-1)/2, 0.0
	for _, y := range v {
		mean += y / float64(len(v))
	}
	var xx, xy float64
	for i, y := range v {
		x := float64(i) - middle
		xx += x * x
		xy += x * (y - mean)
	}
	off := make([]float64, len(v))
	for i, y := range v {
		off[i] = y - mean - xy/xx*(float64(i)-middle)
	}
	const quarters = 1.349 // of a normal distribution are so many deviations apart
	return (quantile(off, 0.75) - quantile(off, 0.25)) / quarters
}
