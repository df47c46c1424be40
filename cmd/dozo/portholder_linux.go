package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// portHolder finds who listens on a TCP port: the socket's inode in
// /proc/net, then the process that has it open. A pid of 0 means that this
// user may not see it.
func portHolder(port int) (name string, pid int) {
	sockets := map[string]bool{}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		data, _ := os.ReadFile(table)
		for line := range strings.Lines(string(data)) {
			// sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode
			f := strings.Fields(line)
			const listening = "0A"
			if len(f) > 9 && f[3] == listening && strings.HasSuffix(f[1], fmt.Sprintf(":%04X", port)) {
				sockets["socket:["+f[9]+"]"] = true
			}
		}
	}
	if len(sockets) == 0 {
		return "", 0
	}
	links, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, link := range links {
		if target, err := os.Readlink(link); err != nil || !sockets[target] {
			continue
		}
		process := filepath.Dir(filepath.Dir(link))
		comm, _ := os.ReadFile(process + "/comm")
		fmt.Sscan(filepath.Base(process), &pid)
		return strings.TrimSpace(string(comm)), pid
	}
	return "", 0
}
