package bench

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestLatency(t *testing.T) {
	var even, halves, slower []time.Duration
	for i, v := range rand.New(rand.NewPCG(1, 1)).Perm(1000) {
		even = append(even, time.Duration(1+v))
		slower = append(slower, time.Duration(1000+i))
		halves = append(halves, time.Duration(100+100*(i/500)))
	}
	for _, tt := range []struct {
		name     string
		samples  []time.Duration
		p50, p99 time.Duration
		low, top float64 // of the noise
	}{
		{name: "none"},
		{"one", even[:1], even[0], 0, 0, 0},
		{"a mixture", even, 501, 991, 0.02, 0.25},
		{"too few for a p99", halves[:100], 100, 0, 0, 0},
		{"half of the time twice as slow", halves, 200, 200, 0.05, 0.4},
		{"evenly slower and slower", slower, 1500, 1990, 0, 0.01},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := latencyOf(tt.samples, 0)
			if l.Samples != len(tt.samples) || l.P50 != tt.p50 || l.P99 != tt.p99 || l.Noise < tt.low || l.Noise > tt.top {
				t.Errorf("latency = %+v, want p50 %d, p99 %d, noise %v to %v", l, tt.p50, tt.p99, tt.low, tt.top)
			}
		})
	}
}
