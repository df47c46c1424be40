package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// DefaultPath returns the file that is read when none is named.
func DefaultPath() (string, error) {
	if os.Geteuid() == 0 {
		return RootPath(), nil
	}
	// The XDG rules say to pass over a relative path.
	base := os.Getenv("XDG_CONFIG_HOME")
	if filepath.IsAbs(base) {
		return filepath.Join(base, "dozo", "dozo.toml"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no configuration: %w; name one with --config FILE", err)
	}
	return HomePath(home), nil
}

// RootPath is the file that root's server reads.
func RootPath() string {
	if runtime.GOOS == "freebsd" {
		return "/usr/local/etc/dozo/dozo.toml"
	}
	return "/etc/dozo/dozo.toml"
}

// HomePath is the file of who has that home and says nothing else.
func HomePath(home string) string { return filepath.Join(home, ".config", "dozo", "dozo.toml") }

// Read reads a file, or the one at DefaultPath for "", which need not be there.
// The Config has what could be read even when there are Errors.
func Read(file string) (*Config, error) {
	named := file != ""
	if !named {
		var err error
		if file, err = DefaultPath(); err != nil {
			return New(), nil // who has no home has no file there
		}
	}
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !named:
		return New(), nil
	case err != nil:
		return New(), unreadable(file, err)
	case info.Mode().IsRegular() && info.Mode().Perm()&0o002 != 0:
		return New(), fmt.Errorf("anybody may write into the configuration %s; close it with: chmod go-w %s", file, file)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return New(), unreadable(file, err)
	}
	return Parse(file, text)
}

func unreadable(file string, err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err // the path is in the sentence already
	}
	return fmt.Errorf("the configuration %s can't be read: %w; mend that, or name another file with --config FILE", file, err)
}
