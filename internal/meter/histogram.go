package meter

import (
	"math"
	"math/bits"
	"sync/atomic"
	"time"
)

// Times are counted in buckets: of four to each doubling, so that none is wider
// than a quarter of what it holds, from 256 ns to more than two minutes.
const (
	unit    = 8 // bits: times are counted in 256 ns
	buckets = 112
)

// histogram counts times. All methods may be called by several goroutines at
// once.
type histogram [buckets]atomic.Uint32

func (h *histogram) add(d time.Duration) { h[bucket(d)].Add(1) }

// bucket is the one that d is counted in.
func bucket(d time.Duration) int {
	n := uint64(max(d, 0)) >> unit
	if n < 4 {
		return int(n)
	}
	double := bits.Len64(n) - 3
	return min(4*double+int(n>>double), buckets-1)
}

// bounds are the times that a bucket begins with, and that the next one does.
func bounds(i int) (from, to time.Duration) {
	edge := func(i int) time.Duration {
		if i < 4 {
			return time.Duration(i) << unit
		}
		double := i/4 - 1
		return time.Duration(4+i%4) << (double + unit)
	}
	return edge(i), edge(i + 1)
}

// counts is a sum of histograms, for one reader.
type counts struct {
	n  uint64
	in [buckets]uint64
}

func (c *counts) take(h *histogram) {
	for i := range h {
		n := uint64(h[i].Load())
		c.n += n
		c.in[i] += n
	}
}

// quantile is the time that the share q of all took at most, 0 when there are
// none: the middle of its bucket, which is wrong by an eighth at most.
func (c *counts) quantile(q float64) time.Duration {
	rank := uint64(math.Ceil(q * float64(c.n)))
	for i, n := range c.in {
		if n > 0 && rank <= n {
			from, to := bounds(i)
			return (from + to) / 2
		}
		rank -= n
	}
	return 0
}
