package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/config"
	"github.com/dozo-server/dozo/internal/state"
)

// TestObstacles has the sentences that only another system, or another machine,
// would say.
func TestObstacles(t *testing.T) {
	denied := &fs.PathError{Op: "open", Path: "/home/bert/films", Err: syscall.EACCES}
	kept := &fs.PathError{Op: "open", Path: "/Users/anna/Documents", Err: syscall.EPERM}
	tests := []struct{ name, got, want string }{
		{"Samba, as a service", inUse("linux", 445, process{"smbd", 812, "smbd"}),
			"port 445 is in use by Samba (process 812); stop it with: sudo systemctl disable --now smbd, or choose another with --smb PORT"},
		{"Samba, without systemd", inUse("freebsd", 445, process{"smbd", 812, ""}),
			"port 445 is in use by Samba (process 812); stop it with: sudo kill 812, or choose another with --smb PORT"},
		{"another program", inUse("linux", 4450, process{"nc\x1b[31m", 9, ""}),
			"port 4450 is in use by nc?[31m (process 9); stop it with: sudo kill 9, or choose another with --smb PORT"},
		{"macOS File Sharing", inUse("darwin", 445, process{}),
			"port 445 is in use, as a rule by macOS File Sharing; turn that off with: sudo launchctl unload -w /System/Library/LaunchDaemons/com.apple.smbd.plist, or choose another with --smb PORT"},
		{"a stranger on macOS", inUse("darwin", 4450, process{}),
			"port 4450 is in use; see by whom with: sudo lsof -nP -iTCP:4450 -sTCP:LISTEN, or choose another with --smb PORT"},
		{"a stranger on FreeBSD", inUse("freebsd", 445, process{}),
			"port 445 is in use; see by whom with: sudo sockstat -l -p 445, or choose another with --smb PORT"},
		{"a stranger on Linux", inUse("linux", 445, process{}),
			"port 445 is in use; see by whom with: sudo ss -ltnp 'sport = :445', or choose another with --smb PORT"},
		{"no root", forRoot("linux", 445, "/usr/local/bin/dozo"),
			"port 445 is for root only; start with sudo, or allow it once with: sudo setcap cap_net_bind_service=+ep /usr/local/bin/dozo"},
		{"no root on FreeBSD", forRoot("freebsd", 445, "/usr/local/bin/dozo"), "port 445 is for root only; start with sudo"},
		{"a closed folder", refused("linux", "/home/bert/films", "/home/bert/films", "anna", cause(denied)).Error(),
			"the folder /home/bert/films can't be read by anna (permission denied); start with sudo, or let that account in with: sudo setfacl -m u:anna:rwx /home/bert/films"},
		{"a folder in a closed one", refused("linux", "/home/bert/films", "/home/bert", "anna", cause(denied)).Error(),
			"the folder /home/bert/films can't be reached by anna (permission denied); start with sudo, or let that account through with: sudo setfacl -m u:anna:x /home/bert"},
		{"a closed folder on FreeBSD", refused("freebsd", "/home/bert/films", "/home/bert", "anna", cause(denied)).Error(),
			"the folder /home/bert/films can't be read by anna (permission denied); let that account in, or start as another"},
		{"macOS keeps the folder", refused("darwin", "/Users/anna/Documents", "/Users/anna/Documents", "anna", cause(kept)).Error(),
			"macOS keeps the folder /Users/anna/Documents from this program (operation not permitted); give dozo, or the terminal that starts it, Full Disk Access with: open 'x-apple.systempreferences:com.apple.preference.security?Privacy_AllFiles'"},
		{"guests", guestHint([]config.Share{{Guest: config.GuestNone}, {Name: "films", Guest: config.GuestRead}}, "anna"),
			"Windows 11 refuses to be a guest of the share films; log in there as anna, or allow it in a PowerShell of its administrator with: Set-SmbClientConfiguration -EnableInsecureGuestLogons $true -RequireSecuritySignature $false"},
		{"no guests", guestHint([]config.Share{{Guest: config.GuestNone}}, "anna"), ""},
		{"another state folder", misled("/home/anna/.local/state/dozo", []string{"/var/lib/dozo"}, 1000, []string{"user", "add", "anna"}),
			"a server runs here with the state folder /var/lib/dozo, not with /home/anna/.local/state/dozo; go there with: sudo dozo user add anna --state /var/lib/dozo"},
		{"the server's state folder", misled("/var/lib/dozo", []string{"/var/lib/other", "/var/lib/dozo"}, 1000, nil), ""},
		{"no server", misled("/var/lib/dozo", nil, 1000, nil), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Log(tt.got)
			if tt.got != tt.want {
				t.Errorf("got  %q\nwant %q", tt.got, tt.want)
			}
		})
	}
	if err := refused("linux", "/f", "/f", "anna", cause(denied)); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("the reason is lost: %v", err)
	}
}

// TestUnwritable: who can't write in a share is told before a client is refused,
// and nobody is alarmed without need.
func TestUnwritable(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	dir := filepath.Join(t.TempDir(), "films")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	daemon := &auth.Identity{User: "Daemon", HasID: true, UID: 1, GID: 1, Groups: []uint32{50}}
	tests := []struct {
		name     string
		uid, gid int
		mode     os.FileMode
		id       *auth.Identity
		may      bool
	}{
		{"root's", 0, 0, 0o755, daemon, false},
		{"their own", 1, 0, 0o700, daemon, true},
		{"their own, closed", 1, 0, 0o577, daemon, false},
		{"their group's", 0, 1, 0o770, daemon, true},
		{"a further group's", 0, 50, 0o770, daemon, true},
		{"a group's that may read", 0, 50, 0o757, daemon, false},
		{"everybody's", 0, 0, 0o777, daemon, true},
		{"root's, by root", 0, 0, 0o700, &auth.Identity{User: "admin", HasID: true}, true},
		{"root's, by its owner", 0, 0, 0o755, &auth.Identity{User: "anna"}, true},
	}
	for _, tt := range tests {
		if err := errors.Join(os.Chown(dir, tt.uid, tt.gid), os.Chmod(dir, tt.mode)); err != nil {
			t.Fatal(err)
		}
		want := ""
		if !tt.may {
			want = "daemon may not write in " + dir + ", which belongs to " + accountName(uint32(tt.uid)) +
				"; let that account with: sudo setfacl -m u:daemon:rwx " + dir
		}
		if got := unwritable(dir, tt.id); got != want {
			t.Errorf("%s: %q, want %q", tt.name, got, want)
		} else {
			t.Log(got)
		}
	}
}

// TestHintsFollowTheShares: who has nothing to write is told nothing.
func TestHintsFollowTheShares(t *testing.T) {
	for _, tt := range []struct {
		name  string
		share config.Share
		may   bool
	}{
		{"for all", config.Share{}, true},
		{"read-only", config.Share{ReadOnly: true}, false},
		{"theirs", config.Share{Users: []string{"Anna"}}, true},
		{"others'", config.Share{Users: []string{"bert"}}, false},
		{"a group's", config.Share{Groups: []string{"staff"}}, false},
		{"to read", config.Share{ReadOnlyUsers: []string{"ANNA"}}, false},
	} {
		if got := mayChange(&tt.share, "anna"); got != tt.may {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	dir := t.TempDir()
	got := unwritableBy(nil, &config.Share{ForceUser: "daemon"}, "anna", dir)
	if want := "daemon may not write in " + dir; !strings.HasPrefix(got, want) {
		t.Errorf("a share where all act as daemon: %q", got)
	}
}

func TestClosedAt(t *testing.T) {
	top := t.TempDir()
	path := filepath.Join(top, "a", "b")
	if got := closedAt(path); got != top {
		t.Errorf("closedAt(%s) = %s, want what is there: %s", path, got, top)
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := closedAt(path); got != path {
		t.Errorf("closedAt(%s) = %s", path, got)
	}
}

// TestHintsAreParagraphs: nothing is printed for nothing.
func TestHintsAreParagraphs(t *testing.T) {
	p := &plan{config: &config.Config{Shares: []config.Share{{Name: "films", ReadOnly: true, Guest: config.GuestNone}}},
		folders: []folder{{name: "films", path: "/nowhere"}}}
	home, err := state.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	p.hint(&b, home, "anna", nil)
	if b.Len() > 0 {
		t.Errorf("hints for nothing: %q", b.String())
	}
	p.config.Shares[0].Guest = config.GuestRead
	p.hint(&b, home, "anna", nil)
	if got := b.String(); !strings.HasPrefix(got, "Note: Windows 11 refuses") || !strings.HasSuffix(got, "\n\n") {
		t.Errorf("hints: %q", got)
	}
	b.Reset()
	p.hint(&b, home, "", nil)
	want := "Note: nobody can log in yet; add a user with: dozo user add NAME --state " + home.Path("") + "\nNote: Windows 11 refuses to be a guest of the share films; log in there as a user, or "
	if got := b.String(); !strings.HasPrefix(got, want) {
		t.Errorf("hints where there are no users: %q", got)
	}
}
