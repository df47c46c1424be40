package main

import (
	"fmt"
	"strings"
	"unicode"
)

// process is a program that runs on this machine.
type process struct {
	name string // "" where it is not known who it is
	pid  int
	unit string // of systemd, which would start it again
}

// inUse says who has a port of a system, and how to get it.
func inUse(system string, port int, p process) string {
	stop := "stop it with: " + p.stop()
	who := ""
	switch {
	case p.name == "smbd":
		who = fmt.Sprintf(" by Samba (process %d)", p.pid)
	case p.name != "":
		who = fmt.Sprintf(" by %s (process %d)", legible(p.name), p.pid)
	case system == "darwin" && port == smbPort: // launchd holds it, and tells only root
		who = ", as a rule by macOS File Sharing"
		stop = "turn that off with: sudo launchctl unload -w /System/Library/LaunchDaemons/com.apple.smbd.plist"
	default:
		stop = "see by whom with: " + seeHolder(system, port)
	}
	return fmt.Sprintf("port %d is in use%s; %s, or choose another with --smb PORT", port, who, stop)
}

// stop is the line that ends a program for good.
func (p process) stop() string {
	if p.unit != "" {
		return "sudo systemctl disable --now " + shellQuote(p.unit)
	}
	return fmt.Sprintf("sudo kill %d", p.pid)
}

// seeHolder is the line that shows who listens on a port.
func seeHolder(system string, port int) string {
	switch system {
	case "freebsd":
		return fmt.Sprintf("sudo sockstat -l -p %d", port)
	case "darwin":
		return fmt.Sprintf("sudo lsof -nP -iTCP:%d -sTCP:LISTEN", port)
	}
	return fmt.Sprintf("sudo ss -ltnp 'sport = :%d'", port)
}

// forRoot says that a port of a system is not for every program, and how this
// one may have it.
func forRoot(system string, port int, program string) string {
	words := fmt.Sprintf("port %d is for root only; start with sudo", port)
	if system == "linux" {
		words += ", or allow it once with: " + setcap(program)
	}
	return words
}

// legible is what a process calls itself, without what a terminal would obey.
func legible(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, name)
}
