//go:build !linux

package bench

import "time"

// process is one of this machine that is watched while it serves: only on Linux.
type process struct{}

func serving(*Link) *process { return nil }

func (*process) cpu() time.Duration { return 0 }
func (*process) memory() int64      { return 0 }
