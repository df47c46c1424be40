package service

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// mark ends every file that Install writes, and says which ones Remove may take
// away.
const mark = "# Written by dozo service install; dozo service remove takes it away."

// Manager is what starts the services of a machine.
type Manager struct {
	// File is where it looks for that of dozo.
	File string

	// Text is what stands there for a service.
	Text func(*Service) (string, error)

	// Enable is the command line, for a shell of root, that starts the service
	// now and at each boot, Restart the one that has it follow a change of File,
	// Disable undoes Enable, and Forget is what to type after Remove, if anything.
	Enable, Restart, Disable, Forget string

	mode fs.FileMode
	used func(m *Manager) bool
}

// Systemd starts the services of most Linux machines.
var Systemd = &Manager{
	File:    "/etc/systemd/system/dozo.service",
	Text:    Unit,
	Enable:  "systemctl daemon-reload && systemctl enable --now dozo",
	Restart: "systemctl daemon-reload && systemctl restart dozo",
	Disable: "systemctl disable --now dozo",
	Forget:  "systemctl daemon-reload",
	mode:    0o644,
	used: func(m *Manager) bool {
		link, _ := os.Readlink(filepath.Join(filepath.Dir(m.File), "multi-user.target.wants", filepath.Base(m.File)))
		return link == m.File || succeeds("systemctl", "is-active", "--quiet", "dozo")
	},
}

// RC starts those of FreeBSD.
var RC = &Manager{
	File:    "/usr/local/etc/rc.d/dozo",
	Text:    Script,
	Enable:  "sysrc dozo_enable=YES && service dozo start",
	Restart: "service dozo restart",
	Disable: "service dozo onestop && sysrc -x dozo_enable",
	mode:    0o555,
	used:    func(m *Manager) bool { return succeeds(m.File, "onestatus") || succeeds(m.File, "enabled") },
}

func succeeds(program string, args ...string) bool {
	return exec.Command(program, args...).Run() == nil
}

// Usual returns the Manager that a machine of this system has if it has one.
func Usual() *Manager {
	if runtime.GOOS == "freebsd" {
		return RC
	}
	return Systemd
}

// ErrNone is the error of Here.
var ErrNone = errors.New("neither systemd nor FreeBSD's rc starts the services of this machine")

// Here returns the Manager of this machine.
func Here() (*Manager, error) {
	switch runtime.GOOS {
	case "freebsd":
		return RC, nil
	case "linux":
		// What sd_booted(3) looks for: a systemd that runs, not one that lies there.
		if _, err := os.Stat("/run/systemd/system"); err == nil {
			return Systemd, nil
		}
	}
	return nil, ErrNone
}

// Install writes m.File in one step. replaced tells that an older one of
// Install's was there. One that somebody else wrote is left alone.
func (m *Manager) Install(s *Service) (replaced bool, err error) {
	text, err := m.Text(s)
	if err != nil {
		return false, err
	}
	replaced, err = m.Installed()
	if err != nil {
		return false, err
	}
	return replaced, m.write(text + "\n" + mark + "\n")
}

// Installed reports whether m.File is there and is Install's.
func (m *Manager) Installed() (bool, error) {
	text, err := os.ReadFile(m.File)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if !strings.HasSuffix(string(text), "\n"+mark+"\n") {
		return false, fmt.Errorf("%s was not written by dozo service install and is left alone; move it away first, if you do not need it", m.File)
	}
	return true, nil
}

// InUse reports whether the service runs, or is started at boot.
func (m *Manager) InUse() bool { return m.used(m) }

// Remove takes m.File away, if it is Install's.
func (m *Manager) Remove() error {
	there, err := m.Installed()
	if err != nil || !there {
		return err
	}
	return os.Remove(m.File)
}

// write replaces m.File.
func (m *Manager) write(text string) error {
	dir := filepath.Dir(m.File)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, ".dozo.*") // systemd and rc pass over what begins with a dot
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // fails once the rename is done
	_, err = tmp.WriteString(text)
	err = errors.Join(err, tmp.Chmod(m.mode), tmp.Sync(), tmp.Close())
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), m.File)
}
