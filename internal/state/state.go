// Package state keeps the state folder: all that the program remembers outside
// the shares it serves.
//
//	state.json      version of the folder, the server's id and its SID, if that is another's
//	lock            held by the server that runs on this folder
//	mounts.json     which file system each served folder was on
//	users.json      who may log in; package auth writes it
//	status.sock     where the running server answers `dozo status` and `dozo reload`
//	first-password  the password of the first user, if no terminal showed it
//
// Every file is replaced in one step, so a crash leaves the old or the new
// one. The version only rises: an older folder opens, a newer one is refused.
package state

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/dozo-server/dozo/internal/private"
)

// Version is the version of the folders that this program writes.
const Version = 1

const stateFile = "state.json"

// Folder is an open state folder. Its methods may be called by several
// goroutines at once.
type Folder struct {
	path string
	id   [16]byte
	sid  SID
}

// header is what state.json holds.
type header struct {
	Version int    `json:"version"`
	Server  string `json:"server"`        // the id, 32 hexadecimal digits
	SID     string `json:"sid,omitempty"` // of the machine, if it is not made from the id
}

// DefaultPath returns the state folder of the user who runs the program.
func DefaultPath() (string, error) {
	if os.Geteuid() == 0 {
		return RootPath(), nil
	}
	// The XDG rules say to pass over a relative path.
	if base := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(base) {
		return filepath.Join(base, "dozo"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no state folder: %w; name one with --state DIR", err)
	}
	return HomePath(home), nil
}

// RootPath is the state folder of root.
func RootPath() string {
	if runtime.GOOS == "freebsd" {
		return "/var/db/dozo"
	}
	return "/var/lib/dozo"
}

// HomePath is the state folder of who has that home and says nothing else.
func HomePath(home string) string { return filepath.Join(home, ".local", "state", "dozo") }

// Open opens the state folder at path and changes nothing. The error is
// fs.ErrNotExist when there is none yet, which Create would make.
func Open(path string) (*Folder, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("the state folder %s: %w", path, fs.ErrNotExist)
	case err != nil:
		return nil, unusable(path, err)
	case !info.IsDir():
		return nil, fmt.Errorf("the state folder %s is a file; name a folder with --state DIR", path)
	case info.Mode().Perm()&0o002 != 0 && info.Mode()&os.ModeSticky == 0:
		return nil, fmt.Errorf("anybody may write into the state folder %s; close it with: chmod go-w %s", path, path)
	}

	data, err := os.ReadFile(filepath.Join(path, stateFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, openFresh(path)
	case err != nil:
		return nil, unusable(path, err)
	}
	return parseHeader(path, data)
}

// Create opens the state folder at path; where there is none it makes one,
// with an id of its own.
func Create(path string) (*Folder, error) {
	f, err := Open(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	f = &Folder{}
	if f.path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(f.path, 0o700); err != nil {
		return nil, unusable(f.path, err)
	}
	rand.Read(f.id[:])
	return f, f.writeHeader(SID{})
}

// writeHeader writes state.json, with a SID unless that is zero.
func (f *Folder) writeHeader(sid SID) error {
	h := header{Version: Version, Server: hex.EncodeToString(f.id[:])}
	if sid != (SID{}) {
		h.SID = sid.String()
	}
	return f.writeJSON(stateFile, h)
}

// ID returns the server's id, the same for the life of the folder. Clients
// recognise a server by it.
func (f *Folder) ID() [16]byte { return f.id }

// Path returns the absolute path of a file in the folder, of the folder itself
// for "".
func (f *Folder) Path(name string) string { return filepath.Join(f.path, name) }

// openFresh tells whether a folder without state.json may become a state
// folder: only an empty one, or Create might have been asked for a home.
func openFresh(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return unusable(path, err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), stateFile) { // left by a crash in writeJSON
			return fmt.Errorf("%s is no state folder, it holds %s; name a new or empty folder with --state DIR", path, e.Name())
		}
	}
	return fmt.Errorf("the state folder %s: %w", path, fs.ErrNotExist)
}

func parseHeader(path string, data []byte) (*Folder, error) {
	var h header
	if err := json.Unmarshal(data, &h); err != nil {
		return nil, damaged(path, stateFile, err)
	}
	if h.Version > Version {
		return nil, fmt.Errorf("the state folder %s belongs to a newer dozo (version %d, this one knows %d); start that one, or name another folder with --state DIR",
			path, h.Version, Version)
	}
	f := &Folder{path: path}
	raw, err := hex.DecodeString(h.Server)
	if err != nil || len(raw) != len(f.id) || h.Version < 1 {
		return nil, damaged(path, stateFile, errors.New("the version or the server's id is missing"))
	}
	f.id = [16]byte(raw)
	if h.SID != "" {
		if f.sid, err = ParseSID(h.SID); err != nil {
			return nil, damaged(path, stateFile, err)
		}
	}
	return f, nil
}

func damaged(path, name string, cause error) error {
	return fmt.Errorf("the state folder %s is damaged: %s: %w; put that file back from a backup, or name another folder with --state DIR",
		path, name, cause)
}

func unusable(path string, cause error) error {
	if pe, ok := errors.AsType[*fs.PathError](cause); ok {
		cause = pe.Err // the path is in the sentence already
	}
	if errors.Is(cause, syscall.ENOSPC) || errors.Is(cause, syscall.EDQUOT) {
		return fmt.Errorf("there is no room for the state folder %s (%w), and nothing in it was changed; make room, and see how much there is with: df -h %s",
			path, cause, path)
	}
	return fmt.Errorf("the state folder %s can't be used: %w; mend that, or name another folder with --state DIR", path, cause)
}

// writeJSON replaces a file of the folder in one step, mode 0600, and returns
// when it is on the disk.
func (f *Folder) writeJSON(name string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return f.Write(name, append(data, '\n'))
}

// Write replaces a file of the folder in one step, mode 0600, and returns
// when it is on the disk.
func (f *Folder) Write(name string, data []byte) error {
	if err := private.Replace(f.Path(name), data); err != nil {
		return unusable(f.path, err)
	}
	return nil
}
