package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// The ports of SMB: the one every client tries, and the one taken instead
// when that is refused.
const (
	smbPort      = 445
	smbOtherPort = 4450
)

// listenSMB listens on a port at the given addresses, at all of the machine
// for none. Port nil means 445 or, when that is refused, 4450; then why says
// the reason, and what to do about it.
func listenSMB(bind []string, port *uint16) (ls []net.Listener, why string, err error) {
	if port != nil {
		ls, err = listen(bind, int(*port))
		return ls, "", err
	}
	ls, err = listen(bind, smbPort)
	if !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EADDRINUSE) {
		return ls, "", err
	}
	first := err
	if ls, err = listen(bind, smbOtherPort); err != nil {
		return nil, "", fmt.Errorf("%w; and %w", first, err)
	}
	return ls, first.Error(), nil
}

// listen listens on one port at each address, or at none of them.
func listen(bind []string, port int) ([]net.Listener, error) {
	if len(bind) == 0 {
		bind = []string{""}
	}
	var ls []net.Listener
	for _, addr := range bind {
		addr = strings.Trim(addr, "[]")
		l, err := net.Listen("tcp", net.JoinHostPort(addr, strconv.Itoa(port)))
		if err != nil {
			for _, l := range ls {
				l.Close()
			}
			return nil, refusal(addr, port, err)
		}
		ls = append(ls, l)
	}
	return ls, nil
}

// refusal words the reason why a port can't be had, and the way out.
func refusal(addr string, port int, err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return portError{fmt.Sprintf("port %d is in use%s", port, holder(port)), err}
	case errors.Is(err, fs.ErrPermission):
		return portError{fmt.Sprintf("port %d is for root only: start with sudo, or allow it once: sudo setcap cap_net_bind_service=+ep %s", port, self()), err}
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return portError{fmt.Sprintf("%s is no address of this machine; --bind takes one of %s", addr, strings.Join(addresses(), ", ")), err}
	}
	return portError{fmt.Sprintf("can't listen at %q: %v; --bind takes an address of this machine", addr, err), err}
}

// portError is a sentence about a port with the system's error behind it.
type portError struct {
	words string
	err   error
}

func (e portError) Error() string { return e.words }
func (e portError) Unwrap() error { return e.err }

// holder names the program that listens on a port and the way to stop it.
func holder(port int) string {
	name, pid := portHolder(port)
	switch {
	case pid == 0:
		return "; stop the program that has it, or choose another with --smb PORT"
	case name == "smbd":
		return fmt.Sprintf(" by Samba (process %d); stop it with: sudo systemctl disable --now smbd, or choose another with --smb PORT", pid)
	}
	return fmt.Sprintf(" by %s (process %d); stop it, or choose another with --smb PORT", name, pid)
}

// self is the path of this program.
func self() string {
	if path, err := os.Executable(); err == nil {
		return path
	}
	return "dozo"
}

// addresses are those of this machine by which others may reach it; where
// there are none, the machine's own loopback.
func addresses() []string {
	var v4, v6, loop []string
	list, _ := net.InterfaceAddrs()
	for _, a := range list {
		n, ok := a.(*net.IPNet)
		switch {
		case !ok || n.IP.IsLinkLocalUnicast():
		case n.IP.IsLoopback():
			loop = append(loop, n.IP.String())
		case n.IP.To4() != nil:
			v4 = append(v4, n.IP.String())
		default:
			v6 = append(v6, n.IP.String())
		}
	}
	if len(v4)+len(v6) == 0 {
		return loop
	}
	return append(v4, v6...)
}
