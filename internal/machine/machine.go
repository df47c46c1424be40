// Package machine tells how much memory there is for this process: all that the
// machine has, or what a container or a service manager leaves of it.
package machine

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Memory is how much there is at one moment, in bytes. All is 0 where the system
// does not tell, which only Linux does.
type Memory struct {
	Total     int64 // what there is for this process and all that share with it
	Available int64 // of that, what they could get without swapping
	Limited   bool  // Total is less than the machine has
}

// Source is where the figures are found. Its method may be called by several
// goroutines at once.
type Source struct {
	root   string // stands before each path, in tests
	groups []group
}

// Find finds out which control groups the process is in. That is asked once:
// they are not changed for a process that runs.
func Find() *Source { return find("") }

func find(root string) *Source { return &Source{root, groupsOf(root)} }

// Memory returns how much there is now.
func (s *Source) Memory() Memory {
	var m Memory
	m.Total, m.Available = s.machine()
	whole := m.Total
	for _, g := range s.groups {
		limit := g.limit()
		if limit == 0 || limit >= whole {
			continue
		}
		m.Limited = true
		m.Total = min(m.Total, limit)
		m.Available = min(m.Available, max(limit-g.used(), 0))
	}
	return m
}

// machine is what the whole machine has, and how much of that is available.
func (s *Source) machine() (total, available int64) {
	data, _ := os.ReadFile(s.root + "/proc/meminfo")
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

// number reads a file that holds one number; 0 where it does not.
func number(path string) int64 {
	data, _ := os.ReadFile(path)
	return parse(string(data))
}

func parse(s string) int64 {
	n, _ := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	return n
}
