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
	pids, err := family(s.pid)
	if err != nil {
		return err
	}
	field := "Rss"
	if len(pids) > 1 {
		field = "Pss"
	}
	total := 0
	for _, pid := range pids {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		if err != nil {
			return err
		}
		m := regexp.MustCompile(`(?m)^` + field + `: +(\d+) kB`).FindSubmatch(data)
		if m == nil {
			return fmt.Errorf("/proc/%d/smaps_rollup has no %s", pid, field)
		}
		kib, _ := strconv.Atoi(string(m[1]))
		total += kib
	}
	b.results.add(idleMemory, s, measure{rate: float64(total) * 1024 / 1e6, unit: "MB"})
	return nil
}
