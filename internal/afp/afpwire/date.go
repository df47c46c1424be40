package afpwire

import (
	"math"
	"time"
)

// Date is a time: seconds since the year 2000 began in Greenwich. The years
// 1931 to 2068 have dates. AFP 2 means the server's local time.
type Date int32

// NoDate is the date of what never happened, such as a backup.
const NoDate Date = math.MinInt32

// epoch is the start of 2000 in Unix time.
const epoch = 946684800

// DateOf returns the date of t, NoDate for the zero Time, and the first or the
// last date there is for times beyond it.
func DateOf(t time.Time) Date {
	if t.IsZero() {
		return NoDate
	}
	return Date(min(max(t.Unix()-epoch, math.MinInt32+1), math.MaxInt32))
}

// Time returns d as a time, the zero Time for NoDate.
func (d Date) Time() time.Time {
	if d == NoDate {
		return time.Time{}
	}
	return time.Unix(int64(d)+epoch, 0)
}
