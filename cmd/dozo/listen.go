package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"runtime"
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

// smbPorts are those to listen on: the first that is not refused of these, by the
// one that was asked for, 0 for none. A service has no other than the one that
// clients look for. It would keep another for good, and by ending it learns when
// that one is free, for it is started again.
func smbPorts(asked uint16, service bool) []int {
	switch {
	case asked != 0:
		return []int{int(asked)}
	case service:
		return []int{smbPort}
	}
	return []int{smbPort, smbOtherPort}
}

// listenFirst listens on the first of ports that is not refused, at the given
// addresses, at all of the machine for none. why says the reason that it is not
// the first port, and what to do about it.
func listenFirst(bind []string, ports ...int) (ls []net.Listener, why string, err error) {
	ls, err = listen(bind, ports[0])
	if len(ports) == 1 || !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EADDRINUSE) {
		return ls, "", err
	}
	ls, _, other := listenFirst(bind, ports[1:]...)
	if other != nil {
		return nil, "", fmt.Errorf("%w; and %w", err, other)
	}
	return ls, err.Error(), nil
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
		return portError{inUse(runtime.GOOS, port, portHolder(port)), err}
	case errors.Is(err, fs.ErrPermission):
		return portError{forRoot(runtime.GOOS, port, self()), err}
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

// self is the path of this program.
func self() string {
	if path, err := os.Executable(); err == nil {
		return path
	}
	return "dozo"
}

// setcap is the line that lets a program of any user have the ports of root.
func setcap(program string) string {
	const line = "sudo setcap cap_net_bind_service=+ep "
	if strings.Contains(program, "/go-build") { // go run's, gone when it ends
		return "go build ./cmd/dozo && " + line + "./dozo, and start that"
	}
	return line + shellQuote(program)
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
