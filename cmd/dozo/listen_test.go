package main

import (
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// taken is a port of the loopback that somebody listens on, free one that
// nobody does.
func taken(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().(*net.TCPAddr).Port
}

func free(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// A service has the port that clients look for, or none.
func TestSMBPorts(t *testing.T) {
	for _, tt := range []struct {
		asked   uint16
		service bool
		want    []int
	}{
		{0, false, []int{445, 4450}},
		{0, true, []int{445}},
		{4450, false, []int{4450}},
		{4450, true, []int{4450}},
	} {
		if got := smbPorts(tt.asked, tt.service); !slices.Equal(got, tt.want) {
			t.Errorf("for port %d, as a service %v: %v, want %v", tt.asked, tt.service, got, tt.want)
		}
	}
}

func TestListenFirst(t *testing.T) {
	loopback := []string{"127.0.0.1"}
	used, other := taken(t), free(t)

	ls, why, err := listenFirst(loopback, used, other)
	if err != nil {
		t.Fatal(err)
	}
	if len(ls) != 1 || ls[0].Addr().(*net.TCPAddr).Port != other {
		t.Errorf("listens at %v, want port %d", ls, other)
	}
	if !strings.Contains(why, "is in use") || !strings.Contains(why, "--smb PORT") {
		t.Errorf("why = %q", why)
	}
	closeAll(ls)

	if ls, why, err = listenFirst(loopback, other, used); err != nil || why != "" {
		t.Errorf("the first port is free: %q, %v", why, err)
	}
	closeAll(ls)

	_, _, err = listenFirst(loopback, used, taken(t))
	if err == nil || strings.Count(err.Error(), "is in use") != 2 {
		t.Errorf("both ports are used: %v", err)
	}

	// All addresses or none.
	if _, _, err := listenFirst([]string{"127.0.0.1", "192.0.2.1"}, other); err == nil || !strings.Contains(err.Error(), "192.0.2.1 is no address of this machine") {
		t.Errorf("an address of another machine: %v", err)
	}
	if ls, _, err = listenFirst(loopback, other); err != nil {
		t.Errorf("the port is still held: %v", err)
	}
	closeAll(ls)
}

func TestRefusal(t *testing.T) {
	sys := func(errno syscall.Errno) error {
		return &net.OpError{Op: "listen", Err: os.NewSyscallError("bind", errno)}
	}
	tests := []struct {
		err  error
		want string
	}{
		{sys(syscall.EACCES), "port 445 is for root only; start with sudo"},
		{sys(syscall.EADDRINUSE), "port 445 is in use"},
		{sys(syscall.EADDRNOTAVAIL), "192.0.2.1 is no address of this machine; --bind takes one of "},
		{sys(syscall.ENETDOWN), "can't listen at \"192.0.2.1\""},
	}
	for _, tt := range tests {
		if got := refusal("192.0.2.1", 445, tt.err).Error(); !strings.HasPrefix(got, tt.want) {
			t.Errorf("refusal of %v = %q, want %q", tt.err, got, tt.want)
		}
	}
	for program, want := range map[string]string{
		"/usr/bin/dozo":                "sudo setcap cap_net_bind_service=+ep /usr/bin/dozo",
		"/home/anna b/dozo":            "sudo setcap cap_net_bind_service=+ep '/home/anna b/dozo'",
		"/tmp/go-build123/b001/x/dozo": "go build ./cmd/dozo && sudo setcap cap_net_bind_service=+ep ./dozo, and start that",
	} {
		if got := setcap(program); got != want {
			t.Errorf("setcap(%s) = %q, want %q", program, got, want)
		}
	}
}
