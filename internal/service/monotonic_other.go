//go:build !linux

package service

import "time"

// monotonic is not asked for where there is no systemd.
func monotonic() time.Duration { return 0 }
