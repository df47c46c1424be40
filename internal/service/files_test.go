package service_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/service"
)

// odd has all that means something to systemd or to a shell.
const odd = `/srv/it's 100% $HOME "x" \n;-é`

func sample() *service.Service {
	return &service.Service{
		Program:   "/usr/bin/dozo",
		Arguments: []string{"--guest=read", "odd=" + odd},
		State:     "/var/lib/dozo",
		Config:    "/etc/dozo/dozo.toml",
		Folders:   []string{odd, "/srv/films"},
		LowPort:   true,
	}
}

func TestUnit(t *testing.T) {
	tests := []struct {
		name   string
		change func(*service.Service)
		has    []string // whole lines
		lacks  []string // parts
	}{
		{
			name:   "root, with a configuration",
			change: func(*service.Service) {},
			has: []string{
				`ExecStart=/usr/bin/dozo serve --service --state /var/lib/dozo --config /etc/dozo/dozo.toml --guest=read "odd=/srv/it's 100%% $$HOME \"x\" \\n;-é"`,
				`ExecReload=/usr/bin/dozo reload --state /var/lib/dozo`,
				`RequiresMountsFor=/var/lib/dozo`,
				`Wants=srv-it\x27s\x20100\x25\x20\x24HOME\x20\x22x\x22\x20\x5cn\x3b\x2d\xc3\xa9.mount`,
				`After=srv-films.mount`, `Wants=srv.mount`,
				`StateDirectory=dozo`, `ProtectSystem=full`, `ProtectHome=no`,
				`CapabilityBoundingSet=CAP_SETUID CAP_SETGID CAP_DAC_OVERRIDE CAP_FOWNER CAP_CHOWN CAP_NET_BIND_SERVICE`,
			},
			lacks: []string{"User=", "AmbientCapabilities=", "ReadWritePaths="},
		},
		{
			name:   "root, folders alone",
			change: func(s *service.Service) { s.Config = "" },
			has: []string{
				`ExecStart=/usr/bin/dozo serve --service --state /var/lib/dozo --config /dev/null --guest=read "odd=/srv/it's 100%% $$HOME \"x\" \\n;-é"`,
				`ProtectSystem=strict`, `ProtectHome=yes`,
				`ReadWritePaths="-/srv/it's 100%% $HOME \"x\" \\n;-é"`, `ReadWritePaths=-/srv/films`,
			},
			lacks: []string{"ReadWritePaths=-/var/lib/dozo"},
		},
		{
			name: "an account with a home",
			change: func(s *service.Service) {
				s.Config, s.Account, s.State, s.Folders = "", "anna", "/home/anna/.local/state/dozo", []string{"/home/anna/films"}
			},
			has: []string{
				`User=anna`, `ProtectHome=no`, `CapabilityBoundingSet=CAP_NET_BIND_SERVICE`, `AmbientCapabilities=CAP_NET_BIND_SERVICE`,
				`ReadWritePaths=-/home/anna/.local/state/dozo`, `ReadWritePaths=-/home/anna/films`, `After=home-anna.mount`,
			},
			lacks: []string{"StateDirectory"},
		},
		{
			name:   "an account, on a high port",
			change: func(s *service.Service) { s.Account, s.LowPort = "media", false },
			has:    []string{`CapabilityBoundingSet=`, `AmbientCapabilities=`, `User=media`, `StateDirectory=dozo`},
		},
		{
			name:   "a share in a folder of the system",
			change: func(s *service.Service) { s.Folders = []string{"/usr/share/films", "/srv/films"} },
			has:    []string{`ProtectSystem=full`, `ReadWritePaths=-/usr/share/films`},
			lacks:  []string{"ReadWritePaths=-/srv/films"},
		},
		{
			name:   "the whole disk",
			change: func(s *service.Service) { s.Config, s.Folders = "", []string{"/"} },
			has:    []string{`ReadWritePaths=-/`, `ProtectHome=no`},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := sample()
			tt.change(s)
			text, err := service.Unit(s)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(text, "\n")
			for _, want := range tt.has {
				if !slices.Contains(lines, want) {
					t.Errorf("there is no line %s in\n%s", want, text)
				}
			}
			for _, part := range tt.lacks {
				if strings.Contains(text, part) {
					t.Errorf("%s is in\n%s", part, text)
				}
			}
			s.Program = "/bin/sh" // which is there
			verify(t, s)
		})
	}
}

// verify has systemd's own reader look at the unit.
func verify(t *testing.T, s *service.Service) {
	t.Helper()
	text, err := service.Unit(s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		if os.Getenv("DOZO_PEERS") == "required" {
			t.Fatal("systemd-analyze is not installed")
		}
		return
	}
	file := filepath.Join(t.TempDir(), "dozo.service")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("systemd-analyze", "verify", "--man=no", file).CombinedOutput(); err != nil || strings.Contains(string(out), file) {
		t.Errorf("systemd-analyze verify: %v\n%s%s", err, out, text)
	}
}

// TestScript runs the script with rc.subr and daemon replaced by what prints.
func TestScript(t *testing.T) {
	s := sample()
	s.Account = "anna"
	text, err := service.Script(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# PROVIDE: dozo\n", "# REQUIRE: NETWORKING zfs mountlate\n", "rcvar=dozo_enable\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, name)
	}
	subr := write("rc.subr", `load_rc_config() { :; }; run_rc_command() { eval "\$${1}_cmd"; }`)
	print := write("print", "#!/bin/sh\nprintf '<%s>' \"$@\"\n")
	text = strings.NewReplacer("/etc/rc.subr", subr, "/usr/sbin/daemon", print, "/usr/bin/dozo", print).Replace(text)
	script := write("dozo", text)
	for action, want := range map[string]string{
		"start": "Starting dozo.\n<-f><-r><-R><5><-P></var/run/dozo.pid><-S><-T><dozo><-u><anna><" + print +
			"><serve><--service><--state></var/lib/dozo><--config></etc/dozo/dozo.toml><--guest=read><odd=" + odd + ">",
		"reload": "<reload><--state></var/lib/dozo>",
	} {
		out, err := exec.Command("sh", script, action).CombinedOutput()
		if err != nil || string(out) != want {
			t.Errorf("%s: %v\n%s\nwant\n%s\nin\n%s", action, err, out, want, text)
		}
	}
	if out, err := exec.Command("sh", "-n", script).CombinedOutput(); err != nil {
		t.Errorf("sh -n: %v %s", err, out)
	}
}

func TestNamesThatNoLineHolds(t *testing.T) {
	for _, name := range []string{"a\nb", "a\x00b", "\xff", "\x1b[2J"} {
		s := sample()
		s.Folders = []string{"/srv/" + name}
		for _, write := range []func(*service.Service) (string, error){service.Unit, service.Script} {
			if text, err := write(s); err == nil || !strings.Contains(err.Error(), "can't be told of") {
				t.Errorf("%q: %v\n%s", name, err, text)
			}
		}
	}
}

// TestUnitNames: what systemd itself calls the unit of a path.
func TestUnitNames(t *testing.T) {
	if _, err := exec.LookPath("systemd-escape"); err != nil {
		if os.Getenv("DOZO_PEERS") == "required" {
			t.Fatal("systemd-escape is not installed")
		}
		t.Skip("systemd-escape is not installed")
	}
	for _, path := range []string{odd, "/srv", "/.hidden/.x", "/a-b/c_d:e@f", "/a+b,c=d", "/ü"} {
		out, err := exec.Command("systemd-escape", "--path", "--suffix=mount", path).Output()
		if err != nil {
			t.Fatal(err)
		}
		s := sample()
		s.Folders = []string{path}
		text, err := service.Unit(s)
		if err != nil || !strings.Contains(text, "\nAfter="+string(out)) {
			t.Errorf("%s is %s by systemd, %v\n%s", path, out, err, text)
		}
	}
}

func TestInstallAndRemove(t *testing.T) {
	m := *service.Systemd
	m.File = filepath.Join(t.TempDir(), "system", "dozo.service")
	if there, err := m.Installed(); there || err != nil {
		t.Errorf("before: %v, %v", there, err)
	}
	for i, want := range []bool{false, true} {
		s := sample()
		s.LowPort = i == 0
		if replaced, err := m.Install(s); replaced != want || err != nil {
			t.Fatalf("install %d: %v, %v", i, replaced, err)
		}
		text, err := os.ReadFile(m.File)
		if full, _ := service.Unit(s); err != nil || !strings.HasPrefix(string(text), full) {
			t.Errorf("install %d left %s, %v", i, text, err)
		}
	}
	if info, err := os.Stat(m.File); err != nil || info.Mode() != 0o644 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if m.InUse() {
		t.Error("it is in use")
	}
	wants := filepath.Join(filepath.Dir(m.File), "multi-user.target.wants")
	if err := os.Mkdir(wants, 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(wants, "dozo.service")
	if err := os.Symlink(m.File, link); err != nil {
		t.Fatal(err)
	}
	if !m.InUse() {
		t.Error("it is started at boot, and not in use")
	}
	os.Remove(link)
	os.Remove(wants)
	if err := m.Remove(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(filepath.Dir(m.File)); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}

	const foreign = "[Service]\nExecStart=/opt/dozo\n"
	if err := os.WriteFile(m.File, []byte(foreign), 0o644); err != nil {
		t.Fatal(err)
	}
	_, installed := m.Install(sample())
	for _, err := range []error{installed, m.Remove()} {
		if err == nil || !strings.Contains(err.Error(), "was not written by dozo service install") {
			t.Errorf("with another's file: %v", err)
		}
	}
	if text, _ := os.ReadFile(m.File); string(text) != foreign {
		t.Errorf("another's file is now %s", text)
	}
}
