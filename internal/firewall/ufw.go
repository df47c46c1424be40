package firewall

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// ufw reads the rules that the ufw command keeps. Each stands in a comment of a
// file for iptables:
//
//	### tuple ### allow tcp 139,445 0.0.0.0/0 any 0.0.0.0/0 Samba - in
//
// action, protocol, ports here, address here, ports there, address there, names
// of applications, direction.
func ufw(machine fs.FS, port int) string {
	conf, _ := text(machine, "etc/ufw/ufw.conf")
	defaults, _ := text(machine, "etc/default/ufw")
	if !strings.EqualFold(setting(conf, "ENABLED"), "yes") || strings.EqualFold(setting(defaults, "DEFAULT_INPUT_POLICY"), "ACCEPT") {
		return ""
	}
	mend := fmt.Sprintf("sudo ufw allow %d/tcp", port)
	rules, secret := text(machine, "etc/ufw/user.rules")
	switch {
	case secret:
		return unseen("ufw", port, mend)
	case ufwAllows(rules, port):
		return ""
	}
	return closed("ufw", port, mend)
}

func ufwAllows(rules string, port int) bool {
	for line := range strings.Lines(rules) {
		tuple, ok := strings.CutPrefix(line, "### tuple ###")
		f := strings.Fields(tuple)
		if !ok || len(f) < 6 || f[0] != "allow" && f[0] != "limit" || f[1] != "tcp" && f[1] != "any" {
			continue
		}
		if f[2] == "any" || slices.ContainsFunc(strings.Split(f[2], ","), func(word string) bool { return inRange(word, ":", port) }) {
			return true
		}
	}
	return false
}
