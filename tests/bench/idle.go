package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"time"
)

const idleMemory = "memory of the idle server, nobody connected"

// idle tells the memory that a server takes before anything was asked of it:
// of dozo what is resident, of Samba's processes what each has for itself and
// its part of what they share.
func (b *bench) idle(s *server, _ int) error {
	time.Sleep(2 * time.Second)
	total, err := resident(s.pid)
	if err == nil {
		b.results.add(idleMemory, s, measure{rate: total, unit: "MB"})
	}
	return err
}

// resident is the memory of a process and its descendants, in megabytes.
func resident(pid int) (total float64, err error) {
	pids, err := family(pid)
	if err != nil {
		return 0, err
	}
	field := "Rss"
	if len(pids) > 1 {
		field = "Pss"
	}
	for _, pid := range pids {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		if err != nil {
			return 0, err
		}
		m := regexp.MustCompile(`(?m)^` + field + `: +(\d+) kB`).FindSubmatch(data)
		if m == nil {
			return 0, fmt.Errorf("/proc/%d/smaps_rollup has no %s", pid, field)
		}
		kib, _ := strconv.Atoi(string(m[1]))
		total += float64(kib) * 1024 / 1e6
	}
	return total, nil
}
