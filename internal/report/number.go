package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Number writes v with three digits that count: 0.012, 1.23, 12.3, 1234.
func Number(v float64) string {
	switch size := math.Abs(v); {
	case size >= 99.95 || size == 0:
		return fmt.Sprintf("%.0f", v)
	case size >= 9.995:
		return fmt.Sprintf("%.1f", v)
	case size >= 0.9995:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

// Time writes a span of time with three digits: "412 ns", "4.12 µs", "41.2 ms", "3.05 s".
func Time(d time.Duration) string {
	switch v := float64(d); {
	case v < 999.5:
		return fmt.Sprintf("%d ns", d)
	case v < 999.5e3:
		return Number(v/1e3) + " µs"
	case v < 999.5e6:
		return Number(v/1e6) + " ms"
	}
	return Number(d.Seconds()) + " s"
}

// Span writes a long time for people who wait: "8 s", "5 min", "2 h 10 min".
func Span(d time.Duration) string {
	switch d = d.Round(time.Second); {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// Count writes a number of things: "1,000,000".
func Count(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Bytes writes a number of bytes in decimal units: "9.10 MB".
func Bytes(n int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	v, i := float64(n), 0
	for v >= 999.5 && i < len(units)-1 {
		v, i = v/1000, i+1
	}
	if i == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return Number(v) + " " + units[i]
}

// short writes a number for an axis: 1, 20, 1k, 500k, 1M.
func short(v float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if v >= unit.size {
			return strings.TrimSuffix(fmt.Sprintf("%.3g", v/unit.size), ".0") + unit.name
		}
	}
	return fmt.Sprintf("%.3g", v)
}

// shortTime writes a time for an axis: 200 µs, 1 ms, 10 s.
func shortTime(ns float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
		if ns >= unit.size*0.999 {
			return fmt.Sprintf("%.3g %s", ns/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%.3g ns", ns)
}
