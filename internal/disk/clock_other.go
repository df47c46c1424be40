//go:build !linux

package disk

import "time"

// Clock returns the time that the system would give a change at this moment, as
// far as it is known here.
func Clock() time.Time { return time.Now() }
