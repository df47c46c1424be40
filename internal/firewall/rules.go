package firewall

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"
)

// nftables reads the rules that its service loads at boot, if these drop what
// they do not name.
func nftables(machine fs.FS, port int) string {
	if !startedBySystemd(machine, "nftables") {
		return ""
	}
	file := "etc/nftables.conf"
	if !there(machine, file) {
		file = "etc/sysconfig/nftables.conf"
	}
	rules, _ := text(machine, file)
	rules = withoutComments(rules)
	if !nftDrops.MatchString(rules) || strings.Contains(rules, "include") || names(rules, port) {
		return ""
	}
	for line := range strings.Lines(rules) {
		if strings.Contains(line, "accept") && !nftNarrow.MatchString(line) {
			return "" // it lets in by something else, maybe all of the network
		}
	}
	return fmt.Sprintf("/%s drops what it does not name, and does not name port %d; add to its chain input the line tcp dport %d accept, and load it with: sudo nft -f /%s",
		file, port, port, file)
}

var (
	nftDrops = regexp.MustCompile(`hook\s+input[^}]*policy\s+drop`)
	// nftNarrow is in rules that let in nobody who asks for another port.
	nftNarrow = regexp.MustCompile(`\bdport\b|\bct\s+state\b|\bicmp|\blo\b|\bhook\s+(output|forward)\b|\bpolicy\s+accept\b|\bigmp\b`)
)

// pf reads the rules that FreeBSD loads at boot, if these block what they do not
// name.
func pf(machine fs.FS, port int) string {
	conf, _ := text(machine, "etc/rc.conf")
	if !strings.EqualFold(setting(conf, "pf_enable"), "yes") {
		return ""
	}
	file := strings.TrimPrefix(setting(conf, "pf_rules"), "/")
	if file == "" {
		file = "etc/pf.conf"
	}
	rules, _ := text(machine, file)
	rules = withoutComments(rules)
	blocks := false
	for line := range strings.Lines(rules) {
		line = strings.TrimSpace(line)
		switch {
		case pfBlocks.MatchString(line):
			blocks = true
		case strings.HasPrefix(line, "pass") && !pfNarrow.MatchString(line), strings.HasPrefix(line, "include"), strings.HasPrefix(line, "anchor"):
			return ""
		}
	}
	if !blocks || names(rules, port) {
		return ""
	}
	return fmt.Sprintf("/%s blocks what it does not name, and does not name port %d; add the line pass in proto tcp to port %d, and load it with: sudo pfctl -f /%s",
		file, port, port, file)
}

var (
	pfBlocks = regexp.MustCompile(`^block\b(\s+(in|log|drop|return|all)\b)*$`)
	pfNarrow = regexp.MustCompile(`\bport\b|\bout\b|\bicmp6?\b|\blo0?\b`)
)

// names reports whether rules name a port: by its number, in a range, or by the
// name that /etc/services has for it.
func names(rules string, port int) bool {
	if port == 445 && strings.Contains(rules, "microsoft-ds") {
		return true
	}
	for _, word := range numbers.FindAllString(rules, -1) {
		if inRange(word, "-", port) || inRange(word, ":", port) {
			return true
		}
	}
	return false
}

var numbers = regexp.MustCompile(`\b\d+([-:]\d+)?\b`)
