package discovery

import (
	"context"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// watchLinks tells of changes of interfaces and addresses until ctx ends.
// Where the system doesn't tell, they are seen at the next look.
func watchLinks(ctx context.Context, changed chan<- struct{}) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_ROUTE)
	if err != nil {
		return
	}
	f := os.NewFile(uintptr(fd), "netlink")
	defer f.Close()
	const groups = unix.RTMGRP_LINK | unix.RTMGRP_IPV4_IFADDR | unix.RTMGRP_IPV6_IFADDR
	if unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: groups}) != nil {
		return
	}
	defer context.AfterFunc(ctx, func() { f.Close() })()
	buf := make([]byte, 4096) // what it says doesn't count: all is looked at
	for {
		// That messages were lost is a change, too.
		if _, err := f.Read(buf); err != nil && !errors.Is(err, unix.ENOBUFS) {
			return
		}
		select {
		case changed <- struct{}{}:
		default: // one look is enough for all
		}
	}
}
