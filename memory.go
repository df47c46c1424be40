package dozo

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/dozo-server/dozo/internal/budget"
)

// The bounds of the memory for names. A file server's memory belongs to the
// disk cache, so it is a small part of the machine's, and less while others
// need that.
const (
	maxMemory     = 1 << 30
	unknownMemory = 256 << 20 // where the system does not tell its size
	leastMemory   = 16 << 20  // kept however little is left
	reserved      = 16        // a machine should have 1/reserved of its memory available

	pressureEvery = 3 * time.Second
)

// memoryFor is the budget for names, in bytes, where so many were asked for; 0
// means the default.
func memoryFor(asked int64) int64 {
	if asked > 0 {
		return asked
	}
	total, _ := machineMemory()
	if total == 0 {
		return unknownMemory
	}
	return min(total/8, maxMemory)
}

// fit keeps b as large as the machine has room for, until ctx ends.
func fit(ctx context.Context, b *budget.Budget) {
	ticks := time.NewTicker(pressureEvery)
	defer ticks.Stop()
	short := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		if short { // what was dropped since goes back to the system now, not by and by
			debug.FreeOSMemory()
		}
		total, available := machineMemory()
		if total == 0 {
			return
		}
		limit := room(b.Most(), b.Used(), total, available)
		short = limit < b.Used()
		b.SetLimit(limit)
	}
}

// room is what a budget of at most most bytes may hold, which holds used now, on
// a machine with so much memory in all and available: as much as leaves the
// reserve.
func room(most, used, total, available int64) int64 {
	return min(most, max(used+available-total/reserved, leastMemory))
}

// processMemory is how much of it this process has, in bytes; where the system
// does not say, what the runtime asked for.
func processMemory() int64 {
	data, _ := os.ReadFile("/proc/self/statm")
	var size, resident int64
	if n, _ := fmt.Sscan(string(data), &size, &resident); n == 2 {
		return resident * int64(os.Getpagesize())
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys - m.HeapReleased)
}

// machineMemory is how much the machine has, and how much of that programs
// could get without swapping, in bytes; 0 if it does not say.
func machineMemory() (total, available int64) {
	data, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(data)) {
		var kib int64
		if n, _ := fmt.Sscanf(line, "MemTotal: %d kB", &kib); n == 1 {
			total = kib << 10
		} else if n, _ := fmt.Sscanf(line, "MemAvailable: %d kB", &kib); n == 1 {
			return total, kib << 10
		}
	}
	return 0, 0
}
