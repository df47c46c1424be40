package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

const (
	// garbage is how much of it there may be, in percent of what is in use. Go
	// has 100; but most of what is in use are names, without pointers, which
	// the collector passes over at no cost.
	garbage = 50
	// spare is counted as in use, never touched and so no memory: a server
	// that has little in use would collect all the time.
	spare = 8 << 20
)

// tuneCollector sets how often garbage is collected, unless GOGC says so, until
// the function that it returns is called.
func tuneCollector() (end func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(garbage)
	ballast := make([]byte, spare)
	return func() {
		runtime.KeepAlive(ballast)
		debug.SetGCPercent(before)
	}
}
