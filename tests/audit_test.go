package tests

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// auditLine is a line of the audit log.
type auditLine struct{ Time, Operation, User, Address, Share, Path, To, Result string }

// audited returns the lines of a file, each as "operation user path to result",
// without what is empty.
func audited(t *testing.T, file string) (all []string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for text := range strings.Lines(string(data)) {
		var l auditLine
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		if l.Time == "" || l.Address != "127.0.0.1" || (l.Share != "share") != (l.Operation == "logon") {
			t.Errorf("a line without time, address or share: %s", text)
		}
		all = append(all, strings.Join(strings.Fields(strings.Join([]string{l.Operation, l.User, l.Path, l.To, l.Result}, " ")), " "))
	}
	return all
}

// TestAudit: what Samba's client does is in the log, and goes on in a new one when
// that was moved away.
func TestAudit(t *testing.T) {
	ownProgram(t)
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	keys := "bind = [\"127.0.0.1\"]\naudit = \"" + file + "\"\n"
	s := configured(t, keys, "")
	local := filepath.Join(t.TempDir(), "local")
	os.WriteFile(local, []byte("text"), 0o600)
	s.command("Secret77", "user", "add", "looker")
	s.reconfigure(keys, "read-only-users = [\"looker\"]\nusers = [\"tester\"]")
	s.ok("mkdir d; put " + local + " d/a; put " + local + " d/a; get d/a " + os.DevNull + "; rename d/a d/b; del d/b; rmdir d; put " + local + " c")
	if err := os.Rename(file, file+".1"); err != nil {
		t.Fatal(err)
	}
	s.reconfigure(keys, "read-only-users = [\"looker\"]\nusers = [\"tester\"]\nrecycle = \".bin\"")
	s.ok("del c")
	s.smbclient("put "+local+" e", "-U", "looker%Secret77")
	s.smbclient("ls", "-U", "tester%wrong")
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	const want = `logon tester ok
connect tester ok
create tester d ok
create tester d/a ok
overwrite tester d/a ok
rename tester d/a d/b ok
delete tester d/b ok
delete tester d ok
create tester c ok
logon tester ok
connect tester ok
recycle tester c .bin/tester/c ok
logon looker ok
connect looker ok
overwrite looker e access denied
logon tester wrong password`
	old, now := audited(t, file+".1"), audited(t, file)
	got := strings.Join(append(old, now...), "\n")
	if !strings.HasPrefix(got, want) {
		t.Errorf("the log is\n%s\nwant\n%s", got, want)
	}
	if len(now) < 6 || !strings.HasPrefix(now[len(now)-1], "logon tester wrong") {
		t.Errorf("the new file has %q", now)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode of the file is %v, %v", info.Mode(), err)
	}

	// It is in no share, and has a folder.
	for bad, words := range map[string]string{s.path("audit"): "is in the share share", filepath.Join(t.TempDir(), "none/audit"): "can't be written: no such file or directory; make its folder"} {
		s.configure("audit = \""+bad+"\"\n", "")
		if out, err := run(t, s.cmd.Path, s.cmd.Args[1:]...); err == nil || !strings.Contains(out, words) {
			t.Errorf("audit = %s: %v\n%s", bad, err, out)
		}
	}
}

// TestAuditElsewhere: with a reload the log begins, goes on in another file and
// ends, each line in the file that counted then.
func TestAuditElsewhere(t *testing.T) {
	ownProgram(t)
	const keys = "bind = [\"127.0.0.1\"]\n"
	dir := t.TempDir()
	s := configured(t, keys, "")
	c := s.connect()
	for _, step := range []struct{ file, name string }{{"first", "a"}, {"second", "b"}, {"", "c"}, {"first", "d"}} {
		audit := ""
		if step.file != "" {
			audit = "audit = \"" + filepath.Join(dir, step.file) + "\"\n"
		}
		s.reconfigure(keys+audit, "")
		c.write(step.name, "text")
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"first": "create tester a ok|create tester d ok", "second": "create tester b ok"} {
		if got := strings.Join(audited(t, filepath.Join(dir, file)), "|"); got != want {
			t.Errorf("%s has %s, want %s", file, got, want)
		}
	}
}
