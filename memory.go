package dozo

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/dozo-server/dozo/internal/budget"
	"github.com/dozo-server/dozo/internal/machine"
)

// The bounds of the memory for names. A file server's memory belongs to the
// disk cache, so it is a small part of the machine's, or of what its container
// may have, and less while others need that.
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
	total := machine.Find().Memory().Total
	if total == 0 {
		return unknownMemory
	}
	return min(total/8, maxMemory)
}

// fit keeps b as large as the machine has room for, until ctx ends.
func fit(ctx context.Context, b *budget.Budget) {
	ticks := time.NewTicker(pressureEvery)
	defer ticks.Stop()
	source := machine.Find()
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
		m := source.Memory()
		if m.Total == 0 {
			return
		}
		limit := room(b.Most(), b.Used(), m.Total, m.Available)
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

// processDescriptors is how many this process has open, 0 where the system does
// not say.
func processDescriptors() int {
	folder, err := os.Open("/proc/self/fd")
	if err != nil {
		return 0
	}
	defer folder.Close()
	all, _ := folder.Readdirnames(-1)
	return len(all) - 1 // without that of the folder
}
