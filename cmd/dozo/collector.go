package main

import (
	"os"
	"runtime"
	"runtime/debug"

	"github.com/dozo-server/dozo/internal/machine"
)

const (
	// garbage is how much of it there may be, in percent of what is in use. Go
	// has 100; but most of what is in use are names, without pointers, which
	// the collector passes over at no cost.
	garbage = 50
	// spare is counted as in use, never touched and so no memory: a server
	// that has little in use would collect all the time.
	spare = 8 << 20
	// others is the part of a container's memory, one in so many, that is for
	// others in it and for what the collector does not know.
	others = 8
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

// limitMemory has garbage collected sooner in a container, or a service with a
// limit, where the process would else be killed for it, unless GOMEMLIMIT says
// when, until the function that it returns is called. On a whole machine the disk
// cache makes room.
func limitMemory(m machine.Memory) (end func()) {
	if !m.Limited || os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	before := debug.SetMemoryLimit(m.Total - m.Total/others)
	return func() { debug.SetMemoryLimit(before) }
}
