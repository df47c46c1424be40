package tests

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// unit is what dozo service install --print writes with further arguments.
func unit(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command(dozo(t), append([]string{"service", "install", "--print"}, args...)...).Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			t.Fatalf("%v: %s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	return string(out)
}

// unitLine is the value of a key of a unit.
func unitLine(t *testing.T, unit, key string) string {
	t.Helper()
	for line := range strings.Lines(unit) {
		if value, ok := strings.CutPrefix(line, key+"="); ok {
			return strings.TrimSpace(value)
		}
	}
	t.Fatalf("there is no %s in\n%s", key, unit)
	return ""
}

// unitWords are the words of a command line in a unit, as systemd reads it.
func unitWords(line string) (words []string) {
	word := regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[^" ]+`)
	for _, w := range word.FindAllString(line, -1) {
		if quoted, ok := strings.CutPrefix(w, `"`); ok {
			w = strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(strings.TrimSuffix(quoted, `"`))
		}
		words = append(words, strings.NewReplacer("%%", "%", "$$", "$").Replace(w))
	}
	return words
}

// TestServiceByHand: the unit's own command line, run where no systemd runs,
// serves the users that were made before, and again after it was killed.
func TestServiceByHand(t *testing.T) {
	ownProgram(t)
	dir := filepath.Join(sharedDir(t), `it's 100% $HOME "x"`)
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	os.Chmod(dir, 0o777)
	s := &server{t: t, port: freePort(t), share: "odd", dir: dir, state: filepath.Join(t.TempDir(), "state"), user: "anna", password: "Secret77"}
	s.cmd = exec.Command(dozo(t))
	s.command("Secret77", "user", "add", "anna")
	s.password = "NotThis1" // the variable would give a first user that password
	text := unit(t, "odd="+dir, "--state", s.state, "--bind", "127.0.0.1", "--smb", strconv.Itoa(s.port))
	words := unitWords(unitLine(t, text, "ExecStart"))
	s.start(exec.Command(words[0], words[1:]...), "dozo: ready")
	s.password = "Secret77"
	if err := s.mount().WriteFile("film", []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.cmd.Process.Kill()
	s.cmd.Wait()
	s.again()
	if got, err := s.mount().ReadFile("FILM"); err != nil || string(got) != "x" {
		t.Errorf("after it was killed: %q, %v", got, err)
	}
	if out, err := exec.Command(words[0], unitWords(unitLine(t, text, "ExecReload"))[1:]...).CombinedOutput(); err != nil {
		t.Errorf("ExecReload: %v\n%s", err, out)
	}
}

// TestServiceWantsItsPort: a service that finds port 445 taken says by whom and
// ends, to be started again by the machine, and has the port once it is free.
func TestServiceWantsItsPort(t *testing.T) {
	ownProgram(t)
	holder, _ := alone(t)
	net, err := os.Open(fmt.Sprintf("/proc/%d/ns/net", holder.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	defer net.Close() // until then the network outlives who made it
	s := &server{t: t, share: "films", dir: sharedDir(t), state: filepath.Join(t.TempDir(), "state")}
	words := unitWords(unitLine(t, unit(t, "films="+s.dir, "--state", s.state, "--no-discovery"), "ExecStart"))
	inside := append([]string{fmt.Sprintf("--net=/proc/%d/fd/%d", os.Getpid(), net.Fd())}, words...)

	out, err := tell(t, "", "nsenter", inside...)
	want := fmt.Sprintf("dozo: port 445 is in use by dozo (process %d); stop it with: sudo kill %[1]d, or choose another with --smb PORT\n", holder.cmd.Process.Pid)
	if err == nil || out != want {
		t.Fatalf("%v, it said\n%swant\n%s", err, out, want)
	}
	holder.stop()
	s.start(exec.Command("nsenter", inside...), "dozo: ready")
	if said := mustTell(t, "", dozo(t), "status", "--state", s.state); !strings.Contains(said, "listening on [::]:445\n") {
		t.Errorf("it does not listen on its port:\n%s", said)
	}
}

// TestServiceWithoutSystemd: where nothing starts services it says what to do.
func TestServiceWithoutSystemd(t *testing.T) {
	ownProgram(t)
	if _, err := os.Stat("/run/systemd/system"); err == nil {
		t.Skip("systemd runs here, and would be given a unit")
	}
	dir := sharedDir(t)
	out, err := exec.Command(dozo(t), "service", "install", "films="+dir).CombinedOutput()
	want := "dozo: neither systemd nor FreeBSD's rc starts the services of this machine; let what does run at boot: " + dozo(t) +
		" serve --service --state /var/lib/dozo --config /dev/null films=" + dir + "; for a machine with systemd, --print writes its unit\n"
	if err == nil || string(out) != want {
		t.Errorf("%v, it said\n%swant\n%s", err, out, want)
	}
	if _, err := os.Stat(service); err == nil {
		t.Skip(service, " is there")
	}
	out, err = exec.Command(dozo(t), "service", "remove").CombinedOutput()
	if want := "There is no " + service + ", so there is nothing to take away.\n"; err != nil || string(out) != want {
		t.Errorf("%v, it said\n%swant\n%s", err, out, want)
	}
}

// service is where a unit is installed.
const service = "/etc/systemd/system/dozo.service"

// TestServiceTellsSystemd: what the server says to who started it, and when.
func TestServiceTellsSystemd(t *testing.T) {
	ownProgram(t)
	path := filepath.Join(t.TempDir(), "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	next := func(limit time.Duration) string {
		buf := make([]byte, 4096)
		conn.SetReadDeadline(time.Now().Add(limit))
		n, _ := conn.Read(buf)
		text, _, _ := strings.Cut(string(buf[:n]), "\n")
		return text
	}
	// until passes over signs of life.
	until := func(want string) {
		t.Helper()
		for {
			if got := next(20 * time.Second); got == want {
				return
			} else if got != "WATCHDOG=1" {
				t.Fatalf("it said %q, want %s", got, want)
			}
		}
	}

	s := &server{t: t, port: freePort(t), share: "share", dir: sharedDir(t), state: filepath.Join(t.TempDir(), "state"), user: "tester", password: "Secret77"}
	config := filepath.Join(t.TempDir(), "dozo.toml")
	configure := func(text string) {
		if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	configure("")
	cmd := exec.Command(dozo(t), "serve", "share="+s.dir, "--config", config, "--state", s.state, "--bind", "127.0.0.1",
		"--smb", strconv.Itoa(s.port), "--user", s.user)
	cmd.Env = append(os.Environ(), "NOTIFY_SOCKET="+path, "WATCHDOG_USEC=400000")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // as a service: SIGHUP means reload
	s.start(cmd, "dozo: ready")
	if got := next(20 * time.Second); got != "READY=1" {
		t.Fatalf("first it said %q", got)
	}
	s.mount()
	until("WATCHDOG=1")
	configure("hosts-deny = [\"0.0.0.0/0\"]\n") // which keeps clients of this machine out, too
	cmd.Process.Signal(syscall.SIGHUP)
	until("RELOADING=1")
	until("READY=1")
	s.command("", "reload")
	until("RELOADING=1")
	until("READY=1")

	cmd.Process.Signal(syscall.SIGSTOP)
	for next(time.Millisecond) != "" { // what was said before
	}
	if got := next(time.Second); got != "" {
		t.Errorf("a server that stands still said %q", got)
	}
	cmd.Process.Signal(syscall.SIGCONT)
	until("WATCHDOG=1")
	go s.stop()
	until("STOPPING=1")
}

// lowPort finds a port of root's that nobody listens on.
func lowPort(t *testing.T) int {
	t.Helper()
	for port := 1023; port > 900; port-- {
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("all low ports are taken")
	return 0
}

// TestServiceCapabilities: with the capabilities of its unit the server does all
// that it does as root, and without any of them something fails. This is where
// docs/service.md has it from.
func TestServiceCapabilities(t *testing.T) {
	ownProgram(t)
	needRoot(t)
	need(t, "setpriv")
	all := strings.Fields(unitLine(t, unit(t, sharedDir(t)), "CapabilityBoundingSet"))
	without := map[string]string{ // a part of what fails
		"":                     "",
		"CAP_SETUID":           "write: ",
		"CAP_SETGID":           "write: ",
		"CAP_DAC_OVERRIDE":     "serve: ",
		"CAP_FOWNER":           "set times: ",
		"CAP_CHOWN":            "inherit the owner: ",
		"CAP_NET_BIND_SERVICE": "serve: ",
	}
	if len(all) != len(without)-1 {
		t.Errorf("the unit has %v", all)
	}
	for missing, want := range without {
		t.Run("without "+missing, func(t *testing.T) {
			caps := slices.DeleteFunc(slices.Clone(all), func(c string) bool { return c == missing })
			if missing != "" && len(caps) != len(all)-1 {
				t.Fatalf("the unit does not have it: %v", all)
			}
			err := withCapabilities(t, caps)
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		})
	}
}

// withCapabilities serves with these alone, and returns what can't be done.
func withCapabilities(t *testing.T, caps []string) (fault error) {
	const games, news = 5, 9 // accounts of every Debian
	root := sharedDir(t)
	folder := func(name string, uid int, mode os.FileMode) string {
		path := filepath.Join(root, name)
		err := errors.Join(os.Mkdir(path, mode), os.Chmod(path, mode), os.Chown(path, uid, uid))
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	closed, inherited := folder("closed", games, 0o700), folder("inherited", news, 0o777)
	config := filepath.Join(t.TempDir(), "dozo.toml")
	text := fmt.Sprintf("[[share]]\npath = %q\n[[share]]\npath = %q\ninherit-owner = true\n", closed, inherited)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, port: lowPort(t), share: "closed", dir: closed, state: filepath.Join(t.TempDir(), "state"), user: "games", password: "Secret77"}
	set := "-all"
	for _, c := range caps {
		set += ",+" + strings.ToLower(strings.TrimPrefix(c, "CAP_"))
	}
	args := []string{"--bounding-set=" + set, "--inh-caps=-all", dozo(t), "serve", "--config", config, "--state", s.state,
		"--bind", "127.0.0.1", "--smb", strconv.Itoa(s.port), "--user", s.user}
	s.cmd = exec.Command(dozo(t))
	s.command(s.password, "user", "add", s.user)
	if err := serves(args); err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	s.start(exec.Command("setpriv", args...), "dozo: ready")
	share := s.mount()
	owned := func(path string, uid uint32) error {
		info, err := os.Stat(path)
		if err == nil && info.Sys().(*syscall.Stat_t).Uid != uid {
			err = fmt.Errorf("%s belongs to %d", path, info.Sys().(*syscall.Stat_t).Uid)
		}
		return err
	}
	then := time.Date(2001, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"write", func() error { return share.WriteFile("file", []byte("x"), 0o644) }},
		{"be the user", func() error { return owned(s.path("file"), games) }},
		{"set times", func() error { return share.Chtimes("file", then, then) }},
		{"set attributes", func() error { return share.Chmod("file", 0o444) }},
		{"take them back", func() error { return share.Chmod("file", 0o666) }},
		{"rename", func() error { return share.Rename("file", "File") }},
		{"see a local change", func() error {
			s.write("Local", "x")
			_, err := share.Stat("LOCAL")
			return err
		}},
		{"remove", func() error { return share.Remove("FILE") }},
		{"inherit the owner", func() error {
			other, err := s.login(s.user, s.password, "inherited")
			if err == nil {
				err = other.WriteFile("file", []byte("x"), 0o644)
			}
			if err == nil {
				err = owned(filepath.Join(inherited, "file"), news)
			}
			return err
		}},
	} {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return nil
}

// serves reports why a server does not begin to serve; one that does is ended.
func serves(args []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "setpriv", args...)
	out := &output{}
	cmd.Stderr = out
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return err
	}
	buf := make([]byte, 1)
	if _, err := stdout.Read(buf); err != nil { // it ended without a word to say
		cmd.Wait()
		return errors.New(out.String())
	}
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
	return nil
}

// TestServiceUnderSystemd: a systemd in a virtual machine installs, starts,
// reloads, kills and removes the service.
func TestServiceUnderSystemd(t *testing.T) {
	ownProgram(t)
	if testing.Short() {
		t.Skip("boots a virtual machine")
	}
	need(t, "systemctl", "unshare", "nsenter", "smbclient")
	runInGuest(t, "guest-service", nil, []string{dozo(t)}, "-H", "-m", "1500", "-p", "unshare", "-p", "nsenter")
}
