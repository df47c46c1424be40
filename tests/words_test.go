package tests

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Here the obstacles of docs/words.md are put in the way of the program. Where a
// command mends one, it is run, and does.

// nobody is an account that owns nothing.
const nobody = "65534"

// said finds a sentence in what the program printed, shows it, and returns the
// parts in parentheses.
func said(t *testing.T, output, sentence string) []string {
	t.Helper()
	m := regexp.MustCompile(sentence).FindStringSubmatch(output)
	if m == nil {
		t.Fatalf("nothing says %q:\n%s", sentence, output)
	}
	t.Log(strings.TrimSpace(m[0]))
	return m
}

// logged is said for the log, of which a line may be written after a client has
// its answer.
func (s *server) logged(sentence string) {
	s.t.Helper()
	line := regexp.MustCompile(sentence)
	for range 500 {
		if line.MatchString(s.log.String()) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	said(s.t, s.log.String(), sentence)
}

// refusedServe runs a serve that fails, as the last words of a command line.
func refusedServe(t *testing.T, args ...string) string {
	t.Helper()
	out, err := run(t, args[0], args[1:]...)
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 1 {
		t.Fatalf("%q ended with %v:\n%s", args, err, out)
	}
	return out
}

func TestPortHeldBySamba(t *testing.T) {
	ownProgram(t)
	needRoot(t)
	s := serveSamba(t, nil)
	out := refusedServe(t, dozo(t), "serve", "share="+sharedDir(t), "--config", os.DevNull, "--state", filepath.Join(t.TempDir(), "state"),
		"--bind", "127.0.0.1", "--smb", strconv.Itoa(s.port))
	m := said(t, out, fmt.Sprintf(`port %d is in use by Samba \(process (\d+)\); stop it with: sudo kill (\d+), or choose another with --smb PORT`, s.port))
	if m[1] != m[2] {
		t.Errorf("process %s would be stopped, not %s", m[2], m[1])
	}
	comm, _ := os.ReadFile("/proc/" + m[1] + "/comm")
	if string(comm) != "smbd\n" {
		t.Errorf("process %s is %q", m[1], comm)
	}
}

// TestPortForRoot takes the advice, too: with the capability the port is given.
func TestPortForRoot(t *testing.T) {
	ownProgram(t)
	needRoot(t)
	need(t, "unshare", "setpriv")
	as := []string{"unshare", "--net", "setpriv", "--reuid", nobody, "--regid", nobody, "--clear-groups"}
	dir, state := sharedDir(t), filepath.Join(sharedDir(t), "state")
	os.Chown(filepath.Dir(state), 65534, 65534)
	serve := []string{dozo(t), "serve", "share=" + dir, "--config", os.DevNull, "--state", state, "--no-discovery", "--user", "tester", "--smb", "445"}
	out := refusedServe(t, append(as, serve...)...)
	said(t, out, `port 445 is for root only; start with sudo, or allow it once with: sudo setcap cap_net_bind_service=\+ep `+regexp.QuoteMeta(dozo(t)))

	s := &server{t: t, password: "Secret77"}
	able := append(as, "--inh-caps", "+net_bind_service", "--ambient-caps", "+net_bind_service")
	s.start(exec.Command(able[0], append(able[1:], serve...)...), "dozo: ready")
}

// TestFirewallIsNamed gives the machine of one server a ufw that is closed.
func TestFirewallIsNamed(t *testing.T) {
	ownProgram(t)
	needRoot(t)
	need(t, "unshare", "ip")
	etc := filepath.Join(t.TempDir(), "etc")
	if out, err := exec.Command("cp", "-a", "/etc", etc).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	rules := filepath.Join(etc, "ufw", "user.rules")
	if err := os.MkdirAll(filepath.Dir(rules), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		filepath.Join(etc, "ufw", "ufw.conf"): "ENABLED=yes\nLOGLEVEL=low\n",
		rules:                                 "*filter\n### tuple ### allow tcp 22 0.0.0.0/0 any 0.0.0.0/0 in\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	s := &server{t: t, port: 445, share: "share", dir: sharedDir(t), state: filepath.Join(t.TempDir(), "state"), user: "tester", password: "Secret77"}
	const script = `ip link set lo up && mount --bind "$1" /etc && shift && exec "$0" "$@"`
	serve := []string{"unshare", "--net", "--mount", "sh", "-c", script, dozo(t), etc, "serve", "share=" + s.dir, "--config", os.DevNull,
		"--state", s.state, "--no-discovery", "--user", s.user}
	s.start(exec.Command(serve[0], serve[1:]...), "dozo: ready")
	said(t, s.log.String(), `(?m)^Note: the firewall ufw has no rule for port 445, so clients can't reach it; let them with: sudo ufw allow 445/tcp$`)
	s.stop()

	if err := os.WriteFile(rules, []byte("### tuple ### allow tcp 445 0.0.0.0/0 any 0.0.0.0/0 in\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	s.start(exec.Command(serve[0], serve[1:]...), "dozo: ready")
	if out := s.log.String(); strings.Contains(out, "firewall") {
		t.Errorf("the firewall is open, and still named:\n%s", out)
	}
}

// TestGuestIsRefusedByTheClient: smbclient that insists on signing refuses to be a
// guest, as Windows 11 does.
func TestGuestIsRefusedByTheClient(t *testing.T) {
	ownProgram(t)
	need(t, "smbclient")
	s := serve(t, "--guest")
	said(t, s.log.String(), `(?m)^Note: Windows 11 refuses to be a guest of the share share; log in there as tester, or allow it in a PowerShell of its administrator with: `+
		`Set-SmbClientConfiguration -EnableInsecureGuestLogons \$true -RequireSecuritySignature \$false$`)
	as := func(user string, options ...string) (string, error) {
		return run(t, "smbclient", append([]string{"//127.0.0.1/" + s.share, "-p", fmt.Sprint(s.port), "-s", emptyConf(t), "-U", user, "-c", "ls"}, options...)...)
	}
	const sentence = `smb: a client left because it would have been a guest, as Windows 11 does; log in there as a user, made with: dozo user add NAME`
	if out, err := as("stranger%x"); err != nil || strings.Contains(s.log.String(), sentence) {
		t.Fatalf("a guest that is content: %v\n%s\n%s", err, out, s.log)
	}
	if out, err := as("stranger%x", "--option=client signing=required"); err == nil {
		t.Fatalf("a client that must sign is a guest:\n%s", out)
	}
	s.logged(`msg="` + sentence + `" user=stranger address=127\.0\.0\.1`)
}

// TestWrongPasswordIsExplained, and mended by the command in the log.
func TestWrongPasswordIsExplained(t *testing.T) {
	ownProgram(t)
	s := serve(t)
	if _, err := s.login(s.user, "wrong", s.share); err == nil {
		t.Fatal("a wrong password was taken")
	}
	s.logged(`msg="smb: login refused" user=tester address=127\.0\.0\.1 reason="wrong password; who has forgotten it gets another with: dozo user password NAME"`)
	mustTell(t, "wrong\n", dozo(t), "user", "password", s.user, "--state", s.state)
	if _, err := s.login(s.user, "wrong", s.share); err != nil {
		t.Errorf("after dozo user password: %v", err)
	}
	if _, err := s.login("bert", "x", s.share); err == nil {
		t.Fatal("a stranger was let in")
	}
	s.logged(`user=bert address=127\.0\.0\.1 reason="unknown user; add one with: dozo user add NAME"`)
	mustTell(t, "Secret88\n", dozo(t), "user", "add", "bert", "--state", s.state)
	if _, err := s.login("bert", "Secret88", s.share); err != nil {
		t.Errorf("after dozo user add: %v", err)
	}
}

// TestFolderOfAnother is closed to who serves it, and opened by the command.
func TestFolderOfAnother(t *testing.T) {
	ownProgram(t)
	needRoot(t)
	need(t, "setpriv", "setfacl")
	top := sharedDir(t)
	dir, state := filepath.Join(top, "home", "films"), filepath.Join(top, "state")
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.Mkdir(state, 0o700), os.Chown(state, 65534, 65534)); err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, port: freePort(t), share: "share", dir: dir, user: "tester", password: "Secret77"}
	serve := []string{"setpriv", "--reuid", nobody, "--regid", nobody, "--clear-groups", dozo(t), "serve", "share=" + dir,
		"--config", os.DevNull, "--state", state, "--bind", "127.0.0.1", "--smb", strconv.Itoa(s.port), "--user", s.user}
	mend := func(command string) {
		t.Helper()
		if out, err := exec.Command("sh", "-c", strings.TrimPrefix(command, "sudo ")).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	if err := os.Chmod(filepath.Dir(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	m := said(t, refusedServe(t, serve...),
		`the folder \S+/home/films can't be reached by nobody \(permission denied\); start with sudo, or let that account through with: (sudo setfacl -m u:nobody:x \S+/home)\n`)
	mend(m[1])
	m = said(t, refusedServe(t, serve...),
		`the folder \S+/home/films can't be read by nobody \(permission denied\); start with sudo, or let that account in with: (sudo setfacl -m u:nobody:rwx \S+/home/films)\n`)
	mend(m[1])
	s.start(exec.Command(serve[0], serve[1:]...), "dozo: ready")
	if err := s.mount().WriteFile("new", []byte("x"), 0o644); err != nil {
		t.Errorf("a file in the folder that was opened: %v", err)
	}
}

// TestFolderOfRoot may be read by who logs in, and not written.
func TestFolderOfRoot(t *testing.T) {
	ownProgram(t)
	needRoot(t)
	need(t, "setfacl")
	s := &server{t: t, port: freePort(t), share: "share", dir: sharedDir(t), state: filepath.Join(t.TempDir(), "state"), user: "daemon", password: "Secret77"}
	serve := []string{dozo(t), "serve", "share=" + s.dir, "--config", os.DevNull, "--state", s.state, "--bind", "127.0.0.1",
		"--smb", strconv.Itoa(s.port), "--user", s.user}
	s.start(exec.Command(serve[0], serve[1:]...), "dozo: ready")
	m := said(t, s.log.String(), `(?m)^Note: daemon may not write in \S+, which belongs to root; let that account with: (sudo setfacl -m u:daemon:rwx \S+)$`)
	if err := s.mount().WriteFile("new", nil, 0o644); err == nil {
		t.Error("daemon may write all the same")
	}
	if out, err := exec.Command("sh", "-c", strings.TrimPrefix(m[1], "sudo ")).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", m[1], err, out)
	}
	if err := s.mount().WriteFile("new", nil, 0o644); err != nil {
		t.Errorf("after %s: %v", m[1], err)
	}
	s.stop()
	s.again()
	if out := s.log.String(); strings.Contains(out, "may not write") {
		t.Errorf("it is said still:\n%s", out)
	}
}

// TestWatchLimitIsNamed serves with room for a few watches only.
func TestWatchLimitIsNamed(t *testing.T) {
	ownProgram(t)
	needRoot(t)
	need(t, "unshare")
	dir := sharedDir(t)
	for i := range 8 {
		if err := os.MkdirAll(filepath.Join(dir, fmt.Sprintf("d%d", i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s := &server{t: t, port: freePort(t), share: "share", dir: dir, state: filepath.Join(t.TempDir(), "state"), user: "tester", password: "Secret77"}
	const script = `echo 5 >/proc/sys/user/max_fanotify_marks && echo 5 >/proc/sys/user/max_inotify_watches && exec "$0" "$@"`
	s.start(exec.Command("unshare", "--user", "--map-root-user", "sh", "-c", script, dozo(t), "serve", "share="+dir, "--config", os.DevNull,
		"--state", s.state, "--bind", "127.0.0.1", "--smb", strconv.Itoa(s.port), "--user", s.user), "dozo: ready")
	share := s.mount()
	for i := range 8 {
		if _, err := share.Stat(fmt.Sprintf(`D%d\NONE`, i)); err == nil {
			t.Fatal("a file that is nowhere was found")
		}
	}
	s.logged(`names: no more folders can be watched, so changes by local programs may be seen late; raise the system's limit with: sudo sysctl fs\.(fanotify\.max_user_marks|inotify\.max_user_watches)=\d{7,}`)
}

// TestStateOnFullDisk: nothing is lost, and with room all goes on.
func TestStateOnFullDisk(t *testing.T) {
	ownProgram(t)
	disk := smallDisk(t, "size=256k")
	state, ballast := filepath.Join(disk, "state"), filepath.Join(disk, "ballast")
	s := &server{t: t, port: freePort(t), share: "share", dir: sharedDir(t), state: state, user: "tester", password: "Secret77"}
	serve := []string{dozo(t), "serve", "share=" + s.dir, "--config", os.DevNull, "--state", state, "--bind", "127.0.0.1",
		"--smb", strconv.Itoa(s.port), "--user", s.user}
	fill := func() {
		t.Helper()
		f, err := os.Create(ballast)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for err == nil {
			_, err = f.Write(make([]byte, 4096))
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
	}

	fill()
	said(t, refusedServe(t, serve...), `there is no room for the state folder \S+/state \(no space left on device\), and nothing in it was changed; make room, and see how much there is with: df -h \S+/state\n`)
	os.Remove(ballast)
	s.start(exec.Command(serve[0], serve[1:]...), "dozo: ready")
	before, err := os.ReadFile(filepath.Join(state, "users.json"))
	if err != nil {
		t.Fatal(err)
	}
	fill()
	for _, command := range []string{"password tester", "add bert"} {
		out, err := tell(t, "Another88\n", dozo(t), append(append([]string{"user"}, strings.Fields(command)...), "--state", state)...)
		if err == nil {
			t.Fatalf("dozo user %s had room:\n%s", command, out)
		}
		said(t, out, `there is no room to change the list of users \S+/users\.json \(no space left on device\), which is as it was; make room, and see how much there is with: df -h \S+/state\n`)
	}
	if after, err := os.ReadFile(filepath.Join(state, "users.json")); err != nil || string(after) != string(before) {
		t.Errorf("the list of users is another: %v\n%s", err, after)
	}
	s.mount() // with the password as it was
	s.stop()
	s.again()
	s.mount()
	os.Remove(ballast)
	mustTell(t, "Another88\n", dozo(t), "user", "password", "tester", "--state", state)
	if _, err := s.login(s.user, "Another88", s.share); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

// TestTwoStateFolders: what is changed in one that no server runs on is said to
// change nothing for who logs in.
func TestTwoStateFolders(t *testing.T) {
	ownProgram(t)
	s := serve(t)
	other := filepath.Join(t.TempDir(), "other")
	out := mustTell(t, "Secret88\n", dozo(t), "user", "add", "bert", "--state", other)
	m := said(t, out, `a server runs here with the state folder (\S+), not with `+regexp.QuoteMeta(other)+`; go there with: dozo user add bert --state (\S+)\n`)
	if m[1] != m[2] {
		t.Errorf("users are in %s, and the command goes to %s", m[1], m[2])
	}
	if _, err := s.login("bert", "Secret88", s.share); err == nil {
		t.Fatal("bert may log in")
	}
	mustTell(t, "Secret88\n", dozo(t), "user", "add", "bert", "--state", s.state)
	if _, err := s.login("bert", "Secret88", s.share); err != nil {
		t.Errorf("after the command was run: %v", err)
	}
}
