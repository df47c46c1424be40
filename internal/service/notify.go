package service

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// Notifier tells systemd how the server is, by datagrams of lines NAME=VALUE
// (sd_notify(3)). A nil Notifier tells nobody: the server was started by
// something else. Its methods may be called by several goroutines at once. That
// a message did not arrive is no error of the server, so nothing is returned.
type Notifier struct {
	address  *net.UnixAddr
	watchdog time.Duration // how long systemd waits for a sign of life; 0: it does not
}

// sendTime is how long systemd may take to make room for a message.
const sendTime = time.Second

// FromEnvironment returns the Notifier that systemd has asked for, nil if it has
// not. The variables are taken away, lest a child of the server speak for it.
func FromEnvironment() *Notifier {
	path, process, limit := os.Getenv("NOTIFY_SOCKET"), os.Getenv("WATCHDOG_PID"), os.Getenv("WATCHDOG_USEC")
	for _, name := range []string{"NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"} {
		os.Unsetenv(name)
	}
	if path == "" {
		return nil
	}
	n := &Notifier{address: &net.UnixAddr{Name: path, Net: "unixgram"}}
	// The variable is there for a child that systemd did not mean, too.
	if process == "" || process == strconv.Itoa(os.Getpid()) {
		if us, err := strconv.ParseInt(limit, 10, 64); err == nil && us > 0 {
			n.watchdog = time.Duration(us) * time.Microsecond
		}
	}
	return n
}

// Ready tells that the server serves, or serves again after Reloading.
func (n *Notifier) Ready() { n.send("READY=1") }

// Reloading tells that the server reads its configuration again.
func (n *Notifier) Reloading() {
	// systemd compares the time with that of its own signal.
	n.send("RELOADING=1", fmt.Sprintf("MONOTONIC_USEC=%d", monotonic().Microseconds()))
}

// Stopping tells that the server is about to end.
func (n *Notifier) Stopping() { n.send("STOPPING=1") }

// Watch gives systemd a sign of life whenever alive returns no error, until ctx
// ends. It asks four times in the time that systemd waits, so one that fails or
// takes long is not the end; what is needed for an answer by then is killed.
func (n *Notifier) Watch(ctx context.Context, alive func(context.Context) error) {
	if n == nil || n.watchdog == 0 {
		return
	}
	every := time.NewTicker(n.watchdog / 4)
	defer every.Stop()
	for {
		limited, cancel := context.WithTimeout(ctx, n.watchdog/2)
		err := alive(limited)
		cancel()
		if err == nil {
			n.send("WATCHDOG=1")
		}
		select {
		case <-every.C:
		case <-ctx.Done():
			return
		}
	}
}

func (n *Notifier) send(lines ...string) {
	if n == nil {
		return
	}
	c, err := net.DialUnix("unixgram", nil, n.address)
	if err != nil {
		return
	}
	defer c.Close()
	c.SetWriteDeadline(time.Now().Add(sendTime))
	c.Write([]byte(strings.Join(lines, "\n")))
}
