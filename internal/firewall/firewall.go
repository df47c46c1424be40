// Package firewall tells from its configuration whether the machine's own
// firewall lets clients reach a port.
//
// It only reads files: ufw's and firewalld's rules, /etc/nftables.conf and
// /etc/pf.conf, each where the system starts that firewall. Nothing is asked of
// the kernel and no program is run, so what a person typed into nft or pfctl is
// not known, and rules that let clients in by anything but the port are believed
// to do so. That is enough for a hint, and for nothing else.
package firewall

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// Hint says that the firewall of a machine keeps clients from a TCP port, and
// the command that lets them in; "" if it does not, as far as can be seen. The
// files of the machine are given by its root folder, such as os.DirFS("/").
func Hint(machine fs.FS, port int) string {
	for _, look := range []func(fs.FS, int) string{ufw, firewalld, nftables, pf} {
		if hint := look(machine, port); hint != "" {
			return hint
		}
	}
	return ""
}

// unseen is the hint where the rules are for root to read.
func unseen(name string, port int, mend string) string {
	return fmt.Sprintf("the firewall %s is on, and only root may see whether it lets clients reach port %d; let them with: %s", name, port, mend)
}

// closed is the hint where no rule is for the port.
func closed(name string, port int, mend string) string {
	return fmt.Sprintf("the firewall %s has no rule for port %d, so clients can't reach it; let them with: %s", name, port, mend)
}

// text reads a file. secret means that it is there and not for this user.
func text(machine fs.FS, name string) (text string, secret bool) {
	data, err := fs.ReadFile(machine, name)
	return string(data), errors.Is(err, fs.ErrPermission)
}

// there reports whether the system has a file.
func there(machine fs.FS, name string) bool {
	_, err := fs.Stat(machine, name)
	return err == nil
}

// setting is the value of the last line NAME=VALUE of a file, without quotes; ""
// without one.
func setting(text, name string) (value string) {
	for line := range strings.Lines(text) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), name+"="); ok {
			v, _, _ = strings.Cut(v, "#")
			value = strings.Trim(strings.TrimSpace(v), `"'`)
		}
	}
	return value
}

// inRange reports whether a port is the one in word, or in the range there, whose
// ends sep parts.
func inRange(word, sep string, port int) bool {
	first, last, ok := strings.Cut(word, sep)
	if !ok {
		last = first
	}
	low, err1 := strconv.Atoi(first)
	high, err2 := strconv.Atoi(last)
	return err1 == nil && err2 == nil && low <= port && port <= high
}

// withoutComments takes away what stands behind # in each line.
func withoutComments(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		b.WriteString(strings.TrimRight(line, "\n") + "\n")
	}
	return b.String()
}
