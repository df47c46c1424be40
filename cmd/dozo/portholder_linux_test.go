package main

import (
	"os"
	"testing"
)

func TestUnitOf(t *testing.T) {
	for cgroup, want := range map[string]string{
		"0::/system.slice/smbd.service\n":                                                 "smbd",
		"0::/system.slice/system-samba.slice/samba@one.service\n":                         "samba@one",
		"12:pids:/system.slice/smbd.service\n1:name=systemd:/system.slice/smbd.service\n": "smbd",
		"0::/user.slice/user-1000.slice/user@1000.service/app.slice/x.service\n":          "",
		"0::/system.slice/docker-1234.scope\n":                                            "",
		"0::/\n":                                                                          "",
		"":                                                                                "",
	} {
		if got := unitOf(cgroup); got != want {
			t.Errorf("unitOf(%q) = %q, want %q", cgroup, got, want)
		}
	}
}

func TestPortHolder(t *testing.T) {
	if p := portHolder(taken(t)); p.pid != os.Getpid() || p.name == "" {
		t.Errorf("the holder of this process's port is %+v", p)
	}
	if p := portHolder(free(t)); p != (process{}) {
		t.Errorf("the holder of nobody's port is %+v", p)
	}
}
