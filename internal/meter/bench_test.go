package meter

import (
	"testing"
	"time"
)

// BenchmarkRequest is all that counting costs a request, but for the look at the
// clock when it ends: by one client, and by as many as there are processors.
func BenchmarkRequest(b *testing.B) {
	b.Run("alone", func(b *testing.B) {
		var m Meter
		r := Request{Kind: Read, In: m.Uses("2026/Nordsee"), Began: time.Now(), Took: 50 * time.Microsecond, Bytes: 4096}
		b.ReportAllocs()
		for b.Loop() {
			m.Count(r)
		}
	})
	b.Run("together", func(b *testing.B) {
		var m Meter
		r := Request{Kind: Read, In: m.Uses("2026/Nordsee"), Began: time.Now(), Took: 50 * time.Microsecond, Bytes: 4096}
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				m.Count(r)
			}
		})
	})
	b.Run("clock", func(b *testing.B) {
		at := time.Now()
		for b.Loop() {
			time.Since(at)
		}
	})
}
