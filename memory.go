package dozo

import (
	"fmt"
	"os"
	"strings"
)

// The bounds of the memory for names. A file server's memory belongs to the
// disk cache, so it is a small part of the machine's.
const (
	maxMemory     = 1 << 30
	unknownMemory = 256 << 20 // where the system does not tell its size
)

// memory is the budget for names, in bytes.
func (s *Server) memory() int64 {
	if s.Memory > 0 {
		return s.Memory
	}
	total := machineMemory()
	if total == 0 {
		return unknownMemory
	}
	return min(total/8, maxMemory)
}

// machineMemory is how much the machine has, in bytes; 0 if it does not say.
func machineMemory() int64 {
	data, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(data)) {
		var kib int64
		if n, _ := fmt.Sscanf(line, "MemTotal: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return 0
}
