package status

import (
	"fmt"
	"strings"
	"time"
)

// Load is what is asked of a share.
type Load struct {
	Requests uint64 `json:"requests"`      // since the start
	Read     uint64 `json:"read_bytes"`    // of files, since the start
	Written  uint64 `json:"written_bytes"` // likewise
	Minute   Minute `json:"last_minute"`
}

// Minute is what was asked in the last minute.
type Minute struct {
	Seconds float64  `json:"seconds"` // that all of it is about: up to 60, 0 before the first request
	Read    uint64   `json:"read_bytes"`
	Written uint64   `json:"written_bytes"`
	Kinds   []Kind   `json:"kinds"`
	Folders []Folder `json:"folders"` // the ten used most
}

// Kind is what was asked of one kind: "open", "close", "read", "write", "list",
// "info", "change", "lock", "flush" or "control".
type Kind struct {
	Kind     string  `json:"kind"`
	Requests uint64  `json:"requests"`
	Median   float64 `json:"p50_seconds"` // half of them took no longer; 0 when all waited for other clients
	Most     float64 `json:"p99_seconds"` // 99 % took no longer
}

// Folder is how much a folder was used.
type Folder struct {
	Path     string `json:"path"` // below the share, as clients spell it; "" for its root
	Requests uint64 `json:"requests"`
}

// requests are all of the minute.
func (m *Minute) requests() (n uint64) {
	for _, k := range m.Kinds {
		n += k.Requests
	}
	return n
}

// perSecond is a number of the minute, by second.
func (m *Minute) perSecond(n uint64) float64 {
	if m.Seconds < 1 {
		return float64(n)
	}
	return float64(n) / m.Seconds
}

// Rates are what a server does in a second.
type Rates struct{ Requests, Read, Written float64 }

// RatesSince tells what the server did between two snapshots.
func (s *Snapshot) RatesSince(before *Snapshot) Rates {
	was := map[string]Load{}
	for _, h := range before.Shares {
		was[h.Name] = h.Load
	}
	var r Rates
	for _, h := range s.Shares {
		then := was[h.Name]
		if h.Load.Requests < then.Requests { // it is another share by the same name
			then = Load{}
		}
		r.Requests += float64(h.Load.Requests - then.Requests)
		r.Read += float64(h.Load.Read - then.Read)
		r.Written += float64(h.Load.Written - then.Written)
	}
	if seconds := s.Time.Sub(before.Time).Seconds(); seconds > 0 {
		r.Requests /= seconds
		r.Read /= seconds
		r.Written /= seconds
	}
	return r
}

func (r Rates) String() string {
	return fmt.Sprintf("%s requests/s, %s/s read, %s/s written", rate(r.Requests), size(int64(r.Read)), size(int64(r.Written)))
}

// Line tells the whole in one line; before is a snapshot of a while ago.
func (s *Snapshot) Line(before *Snapshot) string {
	words := []string{
		s.Time.UTC().Format(time.RFC3339),
		s.RatesSince(before).String(),
		number(len(s.Sessions), "session"),
		number(len(s.Opens), "open"),
	}
	if n := len(s.Waits); n > 0 {
		words = append(words, fmt.Sprintf("%d waiting", n))
	}
	return strings.Join(words, ", ")
}

func number(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// rate is a number by second: "812", "1.3", "<0.1".
func rate(v float64) string {
	switch {
	case v == 0 || v >= 9.95:
		return fmt.Sprintf("%.0f", v)
	case v < 0.05:
		return "<0.1"
	}
	return fmt.Sprintf("%.1f", v)
}

// latency is a short time: "41 µs", "1.2 ms", "3.0 s".
func latency(seconds float64) string {
	v, units := seconds*1e6, []string{"µs", "ms", "s"}
	for ; v >= 999.5 && len(units) > 1; units = units[1:] {
		v /= 1000
	}
	switch {
	case seconds == 0:
		return "-"
	case v < 9.95:
		return fmt.Sprintf("%.1f %s", v, units[0])
	}
	return fmt.Sprintf("%.0f %s", v, units[0])
}
