package tests

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/cloudsoda/go-smb2"
)

// ownProgram skips tests of what only dozo has.
func ownProgram(t *testing.T) {
	t.Helper()
	if os.Getenv("DOZO_AGAINST") != "" {
		t.Skip("about dozo, not any server")
	}
}

// command runs a dozo command on the server's state folder, with a password.
func (s *server) command(password string, args ...string) string {
	s.t.Helper()
	cmd := exec.Command(s.cmd.Path, append(args, "--state", s.state)...)
	cmd.Env = append(os.Environ(), "DOZO_PASSWORD="+password)
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("dozo %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// Who is disabled or removed is thrown out at once. A new password ends no session.
func TestSessionsEndWithTheirUser(t *testing.T) {
	ownProgram(t)
	s := serve(t)
	s.write("file", "x")
	other := s.shell()
	for _, tt := range []struct {
		user   string
		change func() string // returns what was said
		ends   bool
	}{
		{"renewed", func() string { return s.command("Second22", "user", "password", "renewed") }, false},
		{"disabled", func() string { return s.command("", "user", "disable", "disabled") }, true},
		{"removed", func() string { return s.command("", "user", "remove", "removed") }, true},
		{"imported", func() string {
			const line = "imported:1000:XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX:0123456789ABCDEF0123456789ABCDEF:[DU         ]:LCT-5F000000:\n"
			return mustTell(t, line, s.cmd.Path, "user", "import", "--replace", "-", "--state", s.state)
		}, true},
		{"edited", func() string { // by hand, or out of a backup
			list := filepath.Join(s.state, "users.json")
			text, err := os.ReadFile(list)
			if err == nil {
				err = os.WriteFile(list, bytes.Replace(text, []byte(`"edited"`), []byte(`"another"`), 1), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			return s.command("", "reload")
		}, true},
	} {
		t.Run(tt.user, func(t *testing.T) {
			s.command("First111", "user", "add", tt.user)
			theirs := *s
			theirs.user, theirs.password = tt.user, "First111"
			c := theirs.shell()
			for _, c := range []*shell{c, other} {
				if said := c.list(); !strings.Contains(said, "file") {
					t.Fatalf("smbclient says %s", said)
				}
			}
			said := tt.change()
			if told := strings.Contains(said, "losed the session ") && strings.Contains(said, "of "+tt.user+" from 127.0.0.1, with 0 files open"); told != tt.ends {
				t.Errorf("it says %s", said)
			}
			if said := c.list(); strings.Contains(said, "NT_STATUS_USER_SESSION_DELETED") != tt.ends {
				t.Errorf("the smbclient of that user says %s", said)
			}
			if said := other.list(); !strings.Contains(said, "blocks available") {
				t.Errorf("the other one says %s", said)
			}
		})
	}
}

func TestUsersChangeWhileTheServerRuns(t *testing.T) {
	ownProgram(t)
	s := serve(t)
	can := func(user, password string) bool {
		t.Helper()
		_, err := s.login(user, password, s.share)
		return err == nil
	}
	if can("anna", "First111") {
		t.Error("anna logged in before she was added")
	}
	s.command("First111", "user", "add", "anna")
	if !can("anna", "First111") || !can("ANNA", "First111") {
		t.Error("anna can't log in after she was added")
	}
	s.command("Second22", "user", "password", "anna")
	if can("anna", "First111") || !can("anna", "Second22") {
		t.Error("the old password still counts, or the new one does not")
	}
	s.command("", "user", "remove", "anna")
	if can("anna", "Second22") {
		t.Error("anna logged in after she was removed")
	}
	if !can(s.user, s.password) {
		t.Error("the first user is gone")
	}
	log := s.log.String()
	for _, want := range []string{"anna", "127.0.0.1", "reason"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log of refused logins lacks %q:\n%s", want, log)
		}
	}
	for _, secret := range []string{"First111", "Second22", s.password} {
		if strings.Contains(log, secret) {
			t.Errorf("the log has the password %s", secret)
		}
	}
}

func TestStatusShowsSessionsAndOpens(t *testing.T) {
	ownProgram(t)
	s := serve(t)
	share := s.mount()
	f, err := share.Create("Open file.txt")
	if err != nil {
		t.Fatal(err)
	}
	out := s.command("", "status")
	for _, want := range []string{"Open file.txt", s.user, "127.0.0.1", "3.1.1", " rw "} {
		if !strings.Contains(out, want) {
			t.Errorf("status lacks %q:\n%s", want, out)
		}
	}
	f.Close()
	if out := s.command("", "status"); strings.Contains(out, "Open file.txt") {
		t.Errorf("status shows a file that was closed:\n%s", out)
	}
}

func TestGuests(t *testing.T) {
	ownProgram(t)
	none, reading, writing := serve(t), serve(t, "--guest"), serve(t, "--guest=write")
	for _, s := range []*server{none, reading, writing} {
		s.write("file", "hello")
		os.Chmod(s.dir, 0o777)
	}
	local := filepath.Join(t.TempDir(), "local")
	os.WriteFile(local, []byte("x"), 0o600)
	guest := func(s *server, commands string) error {
		t.Helper()
		need(t, "smbclient")
		out, err := run(t, "smbclient", "//127.0.0.1/"+s.share, "-p", fmt.Sprint(s.port), "-s", emptyConf(t), "-N", "-U", "%", "-c", commands)
		if err == nil && strings.Contains(out, "NT_STATUS_") {
			err = errors.New(out)
		}
		return err
	}
	get, put := "get file "+os.DevNull, "put "+local+" new"
	for _, tt := range []struct {
		name        string
		s           *server
		reads, puts bool
	}{{"none", none, false, false}, {"reading", reading, true, false}, {"writing", writing, true, true}} {
		if err := guest(tt.s, get); (err == nil) != tt.reads {
			t.Errorf("%s: a guest's get: %v", tt.name, err)
		}
		if err := guest(tt.s, put); (err == nil) != tt.puts {
			t.Errorf("%s: a guest's put: %v", tt.name, err)
		}
	}
	// A user with a wrong password is no guest.
	if _, err := reading.login(reading.user, "wrong", reading.share); err == nil {
		t.Error("a wrong password was taken for a guest")
	}
}

// TestSigningIsRequiredUnlessOffered: a client that would rather not sign does
// where it must, and does not where it need not.
func TestSigningIsRequiredUnlessOffered(t *testing.T) {
	ownProgram(t)
	for option, want := range map[string]string{"required": "signed", "offered": "open"} {
		s := serve(t, "--signing", option)
		d := &smb2.Dialer{Initiator: &smb2.NTLMInitiator{User: s.user, Password: s.password}}
		session, err := d.Dial(t.Context(), s.addr())
		if err != nil {
			t.Fatal(err)
		}
		share, err := session.Mount(s.share)
		if err != nil {
			t.Fatal(err)
		}
		if err := share.WriteFile("file", nil, 0o644); err != nil {
			t.Error(err)
		}
		if out := s.command("", "status"); !strings.Contains(out, " "+want) {
			t.Errorf("--signing %s: the session is not %s:\n%s", option, want, out)
		}
		session.Logoff()
	}
}

// TestAccounts: as root the server acts with the account of each user.
func TestAccounts(t *testing.T) {
	ownProgram(t)
	needRoot(t)
	s := serve(t)
	os.Chmod(s.dir, 0o777)
	s.command("Secret77", "user", "add", "daemon")
	s.command("Secret77", "user", "add", "other", "--unix-user", "bin")
	s.write("closed", "of root")
	os.Chmod(s.path("closed"), 0o600)
	os.Mkdir(s.path("closed dir"), 0o700)
	s.write("readable", "of root")
	os.Chmod(s.path("readable"), 0o644)
	for user, uid := range map[string]uint32{"daemon": 1, "other": 2} {
		share, err := s.login(user, "Secret77", s.share)
		if err != nil {
			t.Fatal(err)
		}
		name := "file of " + user
		if err := share.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := share.Mkdir("dir of "+user, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, made := range []string{name, "dir of " + user} {
			info, err := os.Stat(s.path(made))
			if err != nil {
				t.Fatal(err)
			}
			if got := info.Sys().(*syscall.Stat_t).Uid; got != uid {
				t.Errorf("%s belongs to %d, not to %d", made, got, uid)
			}
		}
		if _, err := share.ReadFile("closed"); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s reads a file closed to all but root: %v", user, err)
		}
		if err := share.WriteFile(`closed dir\new`, nil, 0o644); err == nil {
			t.Errorf("%s writes into a folder closed to all but root", user)
		}
		// Overwriting is writing, whatever the open is for (CVE-2023-4091).
		if f, err := share.OpenFile("readable", os.O_RDONLY|os.O_TRUNC, 0); err == nil {
			f.Close()
			t.Errorf("%s empties a file that only root may write", user)
		}
		if got, err := share.ReadFile("readable"); err != nil || string(got) != "of root" {
			t.Errorf("%s reads %q, %v", user, got, err)
		}
	}
}

// TestSudo: the first user is who called sudo, and what they make is theirs.
func TestSudo(t *testing.T) {
	ownProgram(t)
	needRoot(t)
	t.Setenv("SUDO_USER", "daemon")
	s := &server{t: t, port: freePort(t), share: "share", dir: sharedDir(t), state: filepath.Join(t.TempDir(), "state"),
		user: "daemon", password: "Secret77"}
	os.Chmod(s.dir, 0o777)
	s.start(exec.Command(dozo(t), "serve", "share="+s.dir, "--config", os.DevNull, "--state", s.state, "--bind", "127.0.0.1", "--smb", strconv.Itoa(s.port)), "dozo: ready")
	if err := s.mount().WriteFile("file", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(s.path("file"))
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Sys().(*syscall.Stat_t).Uid; got != 1 {
		t.Errorf("the file belongs to %d, not to daemon", got)
	}
}

// TestUnprivileged: a user without privileges serves, and learns in a sentence
// what can't be.
func TestUnprivileged(t *testing.T) {
	ownProgram(t)
	needRoot(t) // to become somebody else
	const nobody = 65534
	dir := sharedDir(t)
	os.Chown(dir, nobody, nobody)
	closed := filepath.Join(sharedDir(t), "closed")
	os.Mkdir(closed, 0o700)
	as := func(args ...string) *exec.Cmd {
		cmd := exec.Command(dozo(t), args...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
		return cmd
	}
	home := sharedDir(t)
	os.Chown(home, nobody, nobody)
	state := filepath.Join(home, "state")
	out, err := as("serve", closed, "--state", state, "--smb", strconv.Itoa(freePort(t))).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "can't be read by nobody (permission denied); start with sudo, or let that account in") {
		t.Errorf("serving a closed folder: %v\n%s", err, out)
	}
	out, err = as("serve", dir, "--state", filepath.Join(closed, "state"), "--smb", strconv.Itoa(freePort(t))).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "can't be used: permission denied") {
		t.Errorf("a state folder that can't be made: %v\n%s", err, out)
	}
	if _, err := os.Stat(state); err == nil {
		t.Error("a start that failed left a state folder")
	}

	s := &server{t: t, port: freePort(t), share: "share", dir: dir, state: state, user: "tester", password: "Secret77"}
	cmd := as("serve", "share="+dir, "--config", os.DevNull, "--state", state, "--bind", "127.0.0.1", "--smb", strconv.Itoa(s.port), "--user", s.user)
	s.start(cmd, "dozo: ready")
	share := s.mount()
	if err := share.WriteFile("file", []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := share.ReadFile("FILE"); err != nil || !bytes.Equal(got, []byte("x")) {
		t.Errorf("read back %q, %v", got, err)
	}
}
