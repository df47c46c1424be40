package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// tell runs a program to its end with words on its standard input.
func tell(t *testing.T, words, name string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Stdin = strings.NewReader(words)
	cmd.WaitDelay = time.Second
	kill := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer kill.Stop()
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// mustTell is tell for what succeeds.
func mustTell(t *testing.T, words, name string, args ...string) string {
	t.Helper()
	out, err := tell(t, words, name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

// TestUsersComeFromSamba: nobody needs a new password, and owners stay who they
// were.
func TestUsersComeFromSamba(t *testing.T) {
	needRoot(t)
	need(t, "net", "smbpasswd", "smbclient")
	samba := serveSamba(t, nil)
	samba.write("file", "x")
	os.Chown(samba.path("file"), 1, 1) // the account daemon
	conf := filepath.Join(samba.dir, "..", "..", "smb.conf")
	mustTell(t, "daemonpw\ndaemonpw\n", "pdbedit", "-s", conf, "-a", "-t", "-u", "daemon")
	mustTell(t, "gamespw\ngamespw\n", "pdbedit", "-s", conf, "-a", "-t", "-u", "games")
	mustTell(t, "backuppw\nbackuppw\n", "pdbedit", "-s", conf, "-a", "-t", "-u", "backup")
	mustTell(t, "", "smbpasswd", "-c", conf, "-d", "games")
	mustTell(t, "", "smbpasswd", "-c", conf, "-n", "backup")
	samba.ok("ls")
	owner := regexp.MustCompile(`Owner SID:\s*(S-1-5-21-\d+-\d+-\d+)-`)
	before := owner.FindStringSubmatch(samba.ok("showacls; ls file"))
	list := mustTell(t, "", "net", "getlocalsid", "-s", conf) + mustTell(t, "", "pdbedit", "-s", conf, "-Lw")
	samba.stop()

	s := &server{t: t, port: freePort(t), share: "share", dir: sharedDir(t), state: filepath.Join(t.TempDir(), "state"),
		user: samba.user, password: samba.password}
	said := mustTell(t, list, dozo(t), "user", "import", "-", "--state", s.state)
	for _, want := range []string{"games is disabled", "backup had no password", "Users imported: 4. Left alone: 0. Left out: 0."} {
		if !strings.Contains(said, want) {
			t.Errorf("the import does not say %q:\n%s", want, said)
		}
	}
	s.write("file", "x")
	os.Chown(s.path("file"), 1, 1)
	s.start(exec.Command(dozo(t), "serve", "share="+s.dir, "--config", os.DevNull, "--state", s.state, "--bind", "127.0.0.1",
		"--smb", strconv.Itoa(s.port), "--user", s.user), "dozo: ready")
	after := owner.FindStringSubmatch(s.ok("showacls; ls file"))
	if before == nil || after == nil || before[1] != after[1] {
		t.Errorf("the SIDs of owners begin with %q, and did with %q", after, before)
	}
	as := func(user, password string) error {
		_, err := run(t, "smbclient", "//127.0.0.1/share", "-p", fmt.Sprint(s.port), "-s", emptyConf(t), "-U", user+"%"+password, "-c", "ls")
		return err
	}
	for _, login := range []struct {
		user, password string
		right          bool
	}{
		{"daemon", "daemonpw", true}, {"DAEMON", "daemonpw", true}, {"daemon", "gamespw", false},
		{"games", "gamespw", false}, {"backup", "backuppw", false}, {"backup", "", false},
	} {
		if err := as(login.user, login.password); (err == nil) != login.right {
			t.Errorf("login of %s with %q: %v", login.user, login.password, err)
		}
	}
	mustTell(t, "backuppw\n", dozo(t), "user", "password", "backup", "--state", s.state)
	if err := as("backup", "backuppw"); err != nil {
		t.Errorf("with a password backup can't log in: %v", err)
	}
}

// alone starts a server on port 445 in a network of its own, which has two
// addresses beside 127.0.0.1: who connects to one of them comes from it.
func alone(t *testing.T) (s *server, there func(words, name string, args ...string) (string, error)) {
	t.Helper()
	needRoot(t)
	need(t, "unshare", "nsenter", "ip")
	s = &server{t: t, port: 445, share: "share", dir: sharedDir(t), state: filepath.Join(t.TempDir(), "state"),
		user: "tester", password: "Secret77"}
	const script = `ip link set lo up && ip addr add 10.77.0.1/32 dev lo && ip addr add 10.77.0.2/32 dev lo && exec "$0" "$@"`
	s.start(exec.Command("unshare", "--net", "sh", "-c", script, dozo(t), "serve", "share="+s.dir, "--config", os.DevNull,
		"--state", s.state, "--no-discovery", "--user", s.user), "dozo: ready")
	network := fmt.Sprintf("--net=/proc/%d/ns/net", s.cmd.Process.Pid)
	return s, func(words, name string, args ...string) (string, error) {
		return tell(t, words, "nsenter", append([]string{network, name}, args...)...)
	}
}

// TestPasswordsAreChangedByTheirOwners with the programs that Samba and impacket
// have for it. Samba's smbpasswd knows port 445 only.
func TestPasswordsAreChangedByTheirOwners(t *testing.T) {
	need(t, "smbpasswd", "rpcclient", "smbclient")
	s, there := alone(t)
	conf := emptyConf(t)
	counts := func(password string) {
		t.Helper()
		if out, err := there("", "smbclient", "//127.0.0.1/share", "-s", conf, "-U", "tester%"+password, "-c", "ls"); err != nil {
			t.Errorf("the new password %s does not count: %s", password, out)
		}
	}
	smbpasswd := func(old, password string) string {
		out, _ := there(old+"\n"+password+"\n"+password+"\n", "smbpasswd", "-c", conf, "-s", "-r", "127.0.0.1", "-U", "tester")
		return out
	}
	if out := smbpasswd("Secret77", "Second88"); !strings.Contains(out, "Password changed for user tester") {
		t.Fatalf("smbpasswd: %s\n%s", out, s.log)
	}
	counts("Second88")
	if out := smbpasswd("Second88", "short"); !strings.Contains(out, "some password update rule has been violated") {
		t.Errorf("smbpasswd with a short one: %s", out)
	}
	if out := smbpasswd("Secret77", "Another88"); !strings.Contains(out, "NT_STATUS_LOGON_FAILURE") {
		t.Errorf("smbpasswd with the old one: %s", out)
	}

	password := "Second88"
	for i, tt := range []struct{ binding, command string }{
		{"127.0.0.1", "chgpasswd2"},
		{"127.0.0.1", "chgpasswd3"},
		{"127.0.0.1", "chgpasswd4"}, // with AES
		{"ncacn_np:127.0.0.1[sign]", "chgpasswd2"},
		{"ncacn_np:127.0.0.1[seal]", "chgpasswd3"},
		{"ncacn_np:127.0.0.1[seal,spnego]", "chgpasswd3"},
	} {
		change := func(old, to string) (string, error) {
			return there("", "rpcclient", tt.binding, "-s", conf, "-U", "tester%"+password, "-c", tt.command+" tester "+old+" "+to)
		}
		what := tt.binding + " " + tt.command
		if out, err := change(password, "short"); err == nil || !strings.Contains(out, "NT_STATUS_PASSWORD_RESTRICTION") {
			t.Errorf("%s with a short one: %v\n%s", what, err, out)
		}
		if out, err := change("Wrong777", "Another88"); err == nil || !strings.Contains(out, "NT_STATUS_WRONG_PASSWORD") {
			t.Errorf("%s with a wrong one: %v\n%s", what, err, out)
		}
		next := fmt.Sprintf("Next%d%d%d%d", i, i, i, i)
		if out, err := change(password, next); err != nil {
			t.Errorf("%s: %v\n%s", what, err, out)
			continue
		}
		password = next
		counts(password)
	}

	if exec.Command(systemPython, "-c", "import impacket").Run() != nil {
		missing(t, "python3-impacket is not installed")
	}
	for _, tt := range []struct{ to, want string }{{"short", "STATUS_PASSWORD_RESTRICTION"}, {"Impacket99", "ok"}} {
		out, err := there("", systemPython, "peers/newpassword", "445", "tester", password, tt.to)
		if err != nil || !strings.Contains(out, tt.want) {
			t.Errorf("impacket to %s: %v\n%s", tt.to, err, out)
		}
	}
	counts("Impacket99")
	for _, secret := range []string{"Secret77", "Second88", password, "Impacket99"} {
		if strings.Contains(s.log.String(), secret) {
			t.Errorf("the log tells the password %s", secret)
		}
	}
}

// TestGuessesAreHeldBack: who tries wrong passwords has to wait, and nobody who
// comes from elsewhere.
func TestGuessesAreHeldBack(t *testing.T) {
	need(t, "smbclient")
	s, there := alone(t)
	conf := emptyConf(t)
	try := func(addr, password string) (string, error) {
		return there("", "smbclient", "//"+addr+"/share", "-s", conf, "-U", "tester%"+password, "-c", "ls")
	}
	var last time.Time // when the last guess that counted began, at the latest
	for range 30 {
		began := time.Now()
		if out, err := try("10.77.0.1", "wrong"); err == nil || !strings.Contains(out, "NT_STATUS_LOGON_FAILURE") {
			t.Fatalf("a wrong password: %v\n%s", err, out)
		}
		if strings.Contains(s.log.String(), "too many wrong passwords") {
			break
		}
		last = began
	}
	// On a machine that takes longer for a login the wait may be over.
	if out, err := try("10.77.0.1", s.password); err == nil && time.Since(last) < time.Second {
		t.Errorf("the right password is told among guesses\n%s", out)
	}
	if out, err := try("10.77.0.2", s.password); err != nil {
		t.Errorf("from another address the right password does not count: %v\n%s", err, out)
	}
	line := regexp.MustCompile(`msg="smb: login refused" user=tester address=10\.77\.0\.1 reason="too many wrong passwords; the next try counts in \d+s"`)
	if text := s.log.String(); len(line.FindAllString(text, -1)) != 1 || strings.Contains(text, "address=10.77.0.2 reason") {
		t.Errorf("the log does not tell once who waits:\n%s", text)
	}
}
