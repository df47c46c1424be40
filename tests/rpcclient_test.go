package tests

import (
	"fmt"
	"os"
	"regexp"
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
	if out := s.rpcclient("netsharegetinfo " + s.share + " 1"); !strings.Contains(out, "netname: "+s.share) {
		t.Errorf("netsharegetinfo printed\n%s", out)
	}
}

// TestOwnersHaveNames: what shows the owner of a file to a person gets a name
// for it, not a number.
func TestOwnersHaveNames(t *testing.T) {
	needRoot(t)
	s := serve(t)
	s.write("file", "x")
	os.Chown(s.path("file"), 1, 4) // the account daemon and the group adm, which no account is called
	out := s.ok("showacls; ls file")
	for _, field := range []string{"Owner SID", "Group SID"} {
		m := regexp.MustCompile(field + `:\s*(S-1-[0-9-]+)`).FindStringSubmatch(out)
		if m == nil {
			t.Fatalf("showacls has no %s:\n%s", field, out)
		}
		looked := s.rpcclient("lookupsids " + m[1])
		name := regexp.MustCompile(`S-1-\S+ (.*\\(?:daemon|adm)) \(`).FindStringSubmatch(looked)
		if name == nil {
			t.Errorf("lookupsids of the %s printed\n%s", field, looked)
			continue
		}
		back := s.rpcclient("lookupnames '" + name[1] + "'")
		if !strings.Contains(back, m[1]) {
			t.Errorf("lookupnames of %s printed\n%s, not %s", name[1], back, m[1])
		}
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
