package main

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// greeting is what a person needs to connect: the line to type on each
// system, for each address.
type greeting struct {
	shares []string
	user   string // empty: guests only
	hosts  []string
	port   int
}

func (g *greeting) print(w io.Writer) {
	share := g.shares[0]
	fmt.Fprintf(w, "\nTo connect")
	if len(g.shares) > 1 {
		fmt.Fprintf(w, " to %s (and likewise to %s)", share, strings.Join(g.shares[1:], ", "))
	}
	if g.user != "" {
		fmt.Fprintf(w, " as %s", g.user)
	}
	fmt.Fprintf(w, ", type\n")
	for _, host := range g.hosts {
		fmt.Fprintf(w, "  Windows   %s\n", g.windows(host, share))
		fmt.Fprintf(w, "  macOS     %s\n", g.mac(host, share))
		fmt.Fprintf(w, "  Linux     %s\n", g.linux(host, share))
	}
	if g.port != smbPort {
		fmt.Fprintf(w, "(Windows Explorer reaches port %d only; net use with a port needs Windows 11 24H2.)\n", smbPort)
	}
	fmt.Fprintln(w)
}

// windows is for Explorer's address bar or, with a port, a command prompt.
func (g *greeting) windows(host, share string) string {
	unc := `\\` + uncHost(host) + `\` + share
	if g.port == smbPort {
		return unc
	}
	if strings.Contains(unc, " ") {
		unc = `"` + unc + `"`
	}
	line := fmt.Sprintf(`net use * %s /tcpport:%d`, unc, g.port)
	if g.user != "" {
		line += " /user:" + g.user
	}
	return line
}

// mac is for Finder's Go > Connect to Server.
func (g *greeting) mac(host, share string) string {
	u := url.URL{Scheme: "smb", Host: host, Path: "/" + share, User: url.UserPassword("guest", "")}
	if g.user != "" {
		u.User = url.User(g.user)
	}
	switch {
	case g.port != smbPort:
		u.Host = net.JoinHostPort(host, strconv.Itoa(g.port))
	case strings.Contains(host, ":"):
		u.Host = "[" + host + "]"
	}
	return u.String()
}

func (g *greeting) linux(host, share string) string {
	line := fmt.Sprintf("smbclient %s", shellQuote("//"+host+"/"+share))
	if g.port != smbPort {
		line += fmt.Sprintf(" -p %d", g.port)
	}
	if g.user != "" {
		return line + " -U " + shellQuote(g.user)
	}
	return line + " -N"
}

// uncHost is a host as a UNC path takes it: IPv6 has a name of its own there.
func uncHost(host string) string {
	if ip := net.ParseIP(host); ip != nil && ip.To4() == nil {
		return strings.ReplaceAll(host, ":", "-") + ".ipv6-literal.net"
	}
	return host
}

// shellQuote quotes s where a shell would read it as more than a word.
func shellQuote(s string) string {
	special := func(r rune) bool {
		return !('a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' || strings.ContainsRune("-._~/:=", r))
	}
	if s != "" && !strings.ContainsFunc(s, special) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
