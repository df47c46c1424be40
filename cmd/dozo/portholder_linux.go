package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// portHolder finds who listens on a TCP port: the socket's inode in
// /proc/net, then the process that has it open. Only root may see that of
// another's process, but everybody that an smbd runs, whose port is the usual one.
func portHolder(port int) process {
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
		return process{}
	}
	links, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && sockets[target] {
			return processAt(filepath.Dir(filepath.Dir(link)))
		}
	}
	if port == smbPort {
		dirs, _ := filepath.Glob("/proc/[0-9]*")
		for _, dir := range dirs {
			if p := processAt(dir); p.name == "smbd" {
				return p
			}
		}
	}
	return process{}
}

// processAt is the process that a folder of /proc is about.
func processAt(dir string) (p process) {
	comm, _ := os.ReadFile(dir + "/comm")
	cgroup, _ := os.ReadFile(dir + "/cgroup")
	fmt.Sscan(filepath.Base(dir), &p.pid)
	p.name, p.unit = strings.TrimSpace(string(comm)), unitOf(string(cgroup))
	return p
}

// unitOf is the unit of systemd that a process belongs to, by its groups; "" for
// none of the machine's.
func unitOf(cgroup string) string {
	if m := systemUnit.FindStringSubmatch(cgroup); m != nil {
		return m[1]
	}
	return ""
}

var systemUnit = regexp.MustCompile(`(?m):/system\.slice/(?:\S*/)?([^/\s]+)\.service$`)
