package smbwire

import "time"

// FileTime counts 100 ns since 1601-01-01 UTC ([MS-DTYP] 2.3.3). Zero means
// that no time is given.
type FileTime uint64

const (
	ticksPerSecond = 10_000_000
	// secondsTo1970 lie between the beginnings of FileTime and of Unix time.
	secondsTo1970 = 11_644_473_600
	maxSeconds    = (1<<63 - 1) / ticksPerSecond
)

// FileTimeOf returns t as a FileTime, cut to 100 ns. The zero time.Time and
// what a FileTime can't express become 0.
func FileTimeOf(t time.Time) FileTime {
	if t.IsZero() {
		return 0
	}
	seconds := t.Unix() + secondsTo1970
	if seconds < 0 || seconds >= maxSeconds {
		return 0
	}
	return FileTime(seconds)*ticksPerSecond + FileTime(t.Nanosecond()/100)
}

// Time returns f as a time.Time in UTC, the zero one for 0.
func (f FileTime) Time() time.Time {
	if f == 0 {
		return time.Time{}
	}
	return time.Unix(int64(f/ticksPerSecond)-secondsTo1970, int64(f%ticksPerSecond)*100).UTC()
}
