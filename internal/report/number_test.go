package report

import (
	"testing"
	"time"
)

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 0.012345: "0.0123", 0.9996: "1.00", 1.234: "1.23", 9.996: "10.0", 12.34: "12.3", 99.97: "100", 1234.5: "1234", -0.5: "-0.5",
	} {
		if got := Number(v); got != want {
			t.Errorf("Number(%v) = %s, want %s", v, got, want)
		}
	}
}

func TestTime(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ns", 412: "412 ns", 999: "999 ns", 4120: "4.12 µs", 999_600: "1.00 ms", 41_200_000: "41.2 ms", 999_700_000: "1.00 s", 3050 * time.Millisecond: "3.05 s",
	} {
		if got := Time(d); got != want {
			t.Errorf("Time(%d) = %s, want %s", d, got, want)
		}
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		400 * time.Millisecond: "0 s", 90 * time.Second: "90 s", 5*time.Minute + 40*time.Second: "5 min", 130 * time.Minute: "2 h 10 min",
	} {
		if got := Span(d); got != want {
			t.Errorf("Span(%v) = %s, want %s", d, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -999: "-999"} {
		if got := Count(n); got != want {
			t.Errorf("Count(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1.00 kB", 9_104_000: "9.10 MB", 5e12: "5.00 TB"} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %s, want %s", n, got, want)
		}
	}
}
