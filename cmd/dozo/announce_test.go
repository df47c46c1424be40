package main

import (
	"fmt"
	"net"
	"testing"
)

// boundTo is a listener of which only the address counts.
type boundTo struct {
	net.Listener
	addr string
}

func (b boundTo) Addr() net.Addr {
	a, _ := net.ResolveTCPAddr("tcp", b.addr)
	return a
}

func TestReachable(t *testing.T) {
	for _, tt := range []struct {
		listeners []string
		want      string
	}{
		{[]string{"[::]:445"}, "[] 445"},
		{[]string{"0.0.0.0:4450"}, "[] 4450"},
		{[]string{"127.0.0.1:445", "[::1]:445"}, "[] 0"},
		{[]string{"127.0.0.1:445", "192.0.2.1:445", "[fe80::1%1]:445"}, "[192.0.2.1 fe80::1] 445"},
	} {
		var ls []net.Listener
		for _, addr := range tt.listeners {
			ls = append(ls, boundTo{addr: addr})
		}
		addrs, port := reachable(ls)
		if got := fmt.Sprint(addrs, port); got != tt.want {
			t.Errorf("%v are reached at %s, want %s", tt.listeners, got, tt.want)
		}
	}
}
