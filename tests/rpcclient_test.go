package tests

import (
	"fmt"
	"strings"
	"testing"
)

// rpcclient runs commands of Samba's client for pipes and returns what it
// printed.
func (s *server) rpcclient(commands string) string {
	s.t.Helper()
	need(s.t, "rpcclient")
	out, err := run(s.t, "rpcclient", fmt.Sprintf("ncacn_np:127.0.0.1[%s]", "smb2"), "-p", fmt.Sprint(s.port),
		"-s", emptyConf(s.t), "-U", s.user+"%"+s.password, "-c", commands)
	if err != nil {
		s.t.Fatalf("rpcclient %q: %v\n%s", commands, err, out)
	}
	return out
}

func TestRpcclientListsShares(t *testing.T) {
	s := serve(t)
	out := s.rpcclient("srvinfo; netshareenumall")
	for _, want := range []string{"netname: " + s.share, "netname: IPC$", "os version"} {
		if !strings.Contains(out, want) {
			t.Errorf("rpcclient lacks %q:\n%s", want, out)
		}
	}
	if out := s.rpcclient("netsharegetinfo " + s.share); !strings.Contains(out, "netname: "+s.share) {
		t.Errorf("netsharegetinfo printed\n%s", out)
	}
}

func TestRpcclientLooksUpNames(t *testing.T) {
	s := serve(t)
	out := s.rpcclient("lookupnames " + s.user)
	_, rest, _ := strings.Cut(out, s.user+" S-1-")
	sid, _, ok := strings.Cut(rest, " ")
	if !ok {
		t.Fatalf("lookupnames printed\n%s", out)
	}
	if out := s.rpcclient("lookupsids S-1-" + sid); !strings.Contains(strings.ToLower(out), " "+s.user) && !strings.Contains(out, `\`+s.user) {
		t.Errorf("lookupsids printed\n%s", out)
	}
}

func TestSmbclientListsShares(t *testing.T) {
	s := serve(t)
	need(t, "smbclient")
	out, err := run(t, "smbclient", "-L", "127.0.0.1", "-p", fmt.Sprint(s.port), "-s", emptyConf(t), "-U", s.user+"%"+s.password)
	if err != nil || !strings.Contains(out, s.share) || !strings.Contains(out, "Disk") || !strings.Contains(out, "IPC$") {
		t.Errorf("smbclient -L: %v\n%s", err, out)
	}
}
