package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// smbclient runs commands of Samba's client in the share and returns what it
// printed.
func (s *server) smbclient(commands string, options ...string) (string, error) {
	s.t.Helper()
	need(s.t, "smbclient")
	args := append([]string{"//127.0.0.1/" + s.share, "-p", fmt.Sprint(s.port), "-s", emptyConf(s.t),
		"-U", s.user + "%" + s.password, "-c", commands}, options...)
	return run(s.t, "smbclient", args...)
}

// emptyConf is a configuration of Samba's programs that sets nothing, so that
// the machine's own does not matter.
func emptyConf(t *testing.T) string {
	t.Helper()
	conf := filepath.Join(t.TempDir(), "smb.conf")
	if err := os.WriteFile(conf, []byte("[global]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return conf
}

// ok fails the test unless smbclient did all it was asked.
func (s *server) ok(commands string, options ...string) string {
	s.t.Helper()
	out, err := s.smbclient(commands, options...)
	if err != nil || strings.Contains(out, "NT_STATUS_") {
		s.t.Fatalf("smbclient %q: %v\n%s", commands, err, out)
	}
	return out
}

func TestSmbclientWorksWithFiles(t *testing.T) {
	s := serve(t)
	local := filepath.Join(t.TempDir(), "local")
	text := strings.Repeat("All work and no play makes Jack a dull boy.\n", 100_000) // 4.4 MB: several WRITEs
	if err := os.WriteFile(local, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s.ok("put " + local + " Report.txt")
	if got := s.read("Report.txt"); got != text {
		t.Fatalf("on the disk are %d bytes, not the %d that were put", len(got), len(text))
	}
	back := local + ".back"
	s.ok("get report.TXT " + back) // in other case
	if got, _ := os.ReadFile(back); string(got) != text {
		t.Errorf("got %d bytes back, not the %d that were put", len(got), len(text))
	}

	s.ok("mkdir Films; cd films; put " + local + " a.txt; rename a.txt b.txt")
	if got := s.names("Films"); got != "b.txt" {
		t.Errorf("Films holds %q after the rename", got)
	}
	s.ok(`rename Report.txt FILMS\report.TXT; rename Films\B.txt Films\b.TXT`)
	if got := s.names("Films"); got != "b.TXT report.TXT" {
		t.Errorf("Films holds %q after a move and a rename of case", got)
	}
	if out := s.ok("cd Films; ls"); !strings.Contains(out, "b.TXT") || !strings.Contains(out, fmt.Sprint(len(text))) {
		t.Errorf("ls printed\n%s", out)
	}
	if out, _ := s.smbclient("rmdir Films"); !strings.Contains(out, "NT_STATUS_DIRECTORY_NOT_EMPTY") {
		t.Errorf("rmdir of a folder that is not empty printed\n%s", out)
	}
	s.ok("cd Films; del *.txt; cd ..; rmdir films")
	if got := s.names(""); got != "" {
		t.Errorf("the share still holds %q", got)
	}
}

func TestSmbclientSeesWhatIsMadeLocally(t *testing.T) {
	s := serve(t)
	s.write("First.txt", "1")
	s.ok("get FIRST.TXT " + os.DevNull)
	s.write("Second.txt", "2") // after the server learned the folder's names
	s.ok("get SECOND.txt " + os.DevNull)
	if err := os.Rename(s.path("Second.txt"), s.path("Third.txt")); err != nil {
		t.Fatal(err)
	}
	s.ok("get third.TXT " + os.DevNull)
	if out, _ := s.smbclient("get second.txt " + os.DevNull); !strings.Contains(out, "NT_STATUS_OBJECT_NAME_NOT_FOUND") {
		t.Errorf("get of a name that was renamed away printed\n%s", out)
	}
}

func TestSmbclientNamesInAllScripts(t *testing.T) {
	s := serve(t)
	local := filepath.Join(t.TempDir(), "local")
	os.WriteFile(local, []byte("x"), 0o600)
	names := []string{"Übung.txt", "ファイル.txt", "файл.txt", "Ω ≈ 💿.txt", strings.Repeat("ä", 120) + ".txt"}
	for _, name := range names {
		s.ok(fmt.Sprintf("put %s %q", local, name))
		if _, err := os.Stat(s.path(name)); err != nil {
			t.Errorf("%v", err)
		}
	}
	out := s.ok("ls")
	for _, name := range names {
		if !strings.Contains(out, name) {
			t.Errorf("ls does not show %s:\n%s", name, out)
		}
	}
	s.ok(`get "ÜBUNG.TXT" ` + os.DevNull + `; get "ФАЙЛ.txt" ` + os.DevNull)
}

func TestSmbclientAttributesAndSpace(t *testing.T) {
	s := serve(t)
	local := filepath.Join(t.TempDir(), "local")
	os.WriteFile(local, []byte("hello"), 0o600)
	s.ok("put " + local + " a.txt")
	out := s.ok("allinfo a.txt")
	for _, want := range []string{"create_time:", "write_time:", "attributes: A (20)", "stream: [::$DATA], 5 bytes"} {
		if !strings.Contains(out, want) {
			t.Errorf("allinfo lacks %q:\n%s", want, out)
		}
	}
	s.ok("setmode a.txt +hr")
	if out := s.ok("allinfo a.txt"); !strings.Contains(out, "RH") && !strings.Contains(out, "HR") {
		t.Errorf("after setmode +hr:\n%s", out)
	}
	s.ok("setmode a.txt -hr")
	if out := s.ok("du"); !strings.Contains(out, "blocks of size") {
		t.Errorf("du printed\n%s", out)
	}
}

func TestSmbclientSpeaksEveryDialect(t *testing.T) {
	s := serve(t)
	s.write("a.txt", "hello")
	for _, dialect := range []string{"SMB2_02", "SMB2_10", "SMB3_00", "SMB3_02", "SMB3_11"} {
		for _, protection := range []string{"sign", "encrypt"} {
			if protection == "encrypt" && strings.HasPrefix(dialect, "SMB2") {
				continue
			}
			t.Run(dialect+" "+protection, func(t *testing.T) {
				out := filepath.Join(t.TempDir(), "out")
				s.on(t).ok("get a.txt "+out, "--option=client max protocol="+dialect, "--option=client min protocol="+dialect,
					"--client-protection="+protection)
				if got, _ := os.ReadFile(out); string(got) != "hello" {
					t.Errorf("got %q", got)
				}
			})
		}
	}
	t.Run("negotiated as SMB 1", func(t *testing.T) { // the multi-protocol negotiate
		s.on(t).ok("ls", "--option=client min protocol=NT1")
	})
}

func TestSmbclientRefusals(t *testing.T) {
	s := serve(t)
	tests := []struct {
		name    string
		options []string
		want    string
	}{
		{"wrong password", []string{"-U", s.user + "%wrong"}, "NT_STATUS_LOGON_FAILURE"},
		{"unknown user", []string{"-U", "nobodyknows%" + s.password}, "NT_STATUS_LOGON_FAILURE"},
		{"no password", []string{"-U", s.user + "%"}, "NT_STATUS_LOGON_FAILURE"},
		{"SMB 1 only", []string{"--option=client min protocol=NT1", "--option=client max protocol=NT1"}, "NT_STATUS_"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := s.smbclient("ls", tt.options...)
			if err == nil || !strings.Contains(out, tt.want) {
				t.Errorf("smbclient: %v\n%s", err, out)
			}
		})
	}
	t.Run("unknown share", func(t *testing.T) {
		other := s.on(t)
		other.share = "nowhere"
		if out, _ := other.smbclient("ls"); !strings.Contains(out, "NT_STATUS_BAD_NETWORK_NAME") {
			t.Errorf("smbclient printed\n%s", out)
		}
	})
	if os.Getenv("DOZO_AGAINST") == "" && !strings.Contains(s.log.String(), "nobodyknows") {
		t.Errorf("the log does not name the refused user:\n%s", s.log)
	}
}

// TestSmbclientIsTold: a client that watches a folder is told what another one
// changes in it.
func TestSmbclientIsTold(t *testing.T) {
	s := serve(t)
	need(t, "smbclient")
	share := s.mount()
	if err := share.Mkdir("watched", 0o755); err != nil {
		t.Fatal(err)
	}
	watch := exec.Command("stdbuf", "-oL", "smbclient", "//127.0.0.1/"+s.share, "-p", fmt.Sprint(s.port), "-s", emptyConf(t),
		"-U", s.user+"%"+s.password, "-c", "notify watched")
	var said output
	watch.Stdout, watch.Stderr = &said, &said
	if err := watch.Start(); err != nil {
		t.Fatal(err)
	}
	defer watch.Wait()
	defer watch.Process.Kill()

	// It is not said when the client has begun to watch: change until it sees.
	for deadline := time.Now().Add(20 * time.Second); !strings.Contains(said.String(), "new.txt"); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("smbclient was told nothing in 20 s:\n%s", said.String())
		}
		share.Remove(`watched\new.txt`)
		if err := share.WriteFile(`watched\new.txt`, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
