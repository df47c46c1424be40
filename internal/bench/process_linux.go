package bench

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// process is one of this machine that is watched while it serves.
type process struct{ dir string } // in /proc

// serving finds the process that has the other end of a connection: the socket's
// inode in /proc/net, then who has it open. It is nil if that is not on this
// machine or this user may not see it.
func serving(l *Link) *process {
	if l == nil {
		return nil
	}
	local, ok1 := l.Remote.(*net.TCPAddr) // as the server sees it
	remote, ok2 := l.Local.(*net.TCPAddr)
	if !ok1 || !ok2 {
		return nil
	}
	socket := ""
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		data, _ := os.ReadFile(table)
		for line := range strings.Lines(string(data)) {
			// sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode
			f := strings.Fields(line)
			const established = "01"
			if len(f) > 9 && f[3] == established && hasPort(f[1], local) && hasPort(f[2], remote) {
				socket = "socket:[" + f[9] + "]"
			}
		}
	}
	if socket == "" {
		return nil
	}
	links, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && target == socket {
			return &process{filepath.Dir(filepath.Dir(link))}
		}
	}
	return nil
}

// hasPort reports whether a hexadecimal address:port has the port. A pair of
// ports is enough to know a connection by.
func hasPort(s string, addr *net.TCPAddr) bool {
	return strings.HasSuffix(s, fmt.Sprintf(":%04X", addr.Port))
}

// cpu is the CPU time of all threads so far, 0 when the kernel does not tell.
func (p *process) cpu() (sum time.Duration) {
	tasks, _ := filepath.Glob(p.dir + "/task/*/schedstat")
	for _, task := range tasks {
		data, _ := os.ReadFile(task)
		word, _, _ := strings.Cut(string(data), " ")
		ns, _ := strconv.ParseInt(word, 10, 64)
		sum += time.Duration(ns)
	}
	return sum
}

// memory is what is resident, in bytes, 0 when the kernel does not tell.
func (p *process) memory() int64 {
	data, _ := os.ReadFile(p.dir + "/status")
	_, rest, _ := bytes.Cut(data, []byte("VmRSS:"))
	kib := int64(0)
	fmt.Sscan(string(rest), &kib)
	return kib * 1024
}
