package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// maxShareName is the longest name that all clients take ([MS-SMB2] 2.2.9
// leaves it open, Windows does not).
const maxShareName = 80

// folder is a share as the command line names it.
type folder struct {
	name string
	path string // absolute, without symbolic links
}

// parseFolders reads the arguments [NAME=]DIR and refuses, with the words for
// it, what could not be served. It changes nothing.
func parseFolders(args []string) ([]folder, error) {
	var folders []folder
	for _, arg := range args {
		f, err := parseFolder(arg)
		if err != nil {
			return nil, err
		}
		for _, other := range folders {
			if strings.EqualFold(f.name, other.name) {
				return nil, usagef("two shares would be called %s; give one another name: NAME=%s", f.name, f.path)
			}
			if err := apart(f, other); err != nil {
				return nil, err
			}
		}
		folders = append(folders, f)
	}
	return folders, nil
}

func parseFolder(arg string) (folder, error) {
	name, path, named := strings.Cut(arg, "=")
	if !named || strings.Contains(name, "/") { // a folder may have "=" in its path
		name, path = "", arg
	}
	if path == "" {
		return folder{}, usagef("%q names no folder; write NAME=DIR or DIR", arg)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return folder{}, err
	}
	if !named || name == "" {
		name = filepath.Base(path)
	}
	if err := checkShareName(name, path); err != nil {
		return folder{}, err
	}
	if path, err = checkFolder(path); err != nil {
		return folder{}, err
	}
	return folder{name, path}, nil
}

func checkShareName(name, path string) error {
	bad := ""
	switch lower := strings.ToLower(name); {
	case name == "/":
		bad = "has no name of its own"
	case !utf8.ValidString(name):
		bad = "is not UTF-8"
	case utf8.RuneCountInString(name) > maxShareName:
		bad = fmt.Sprintf("is longer than %d letters", maxShareName)
	case lower == "ipc$" || lower == "admin$" || lower == "print$" || lower == "global":
		bad = "means something else to clients"
	case strings.TrimSpace(name) != name || strings.ContainsFunc(name, notInShareName):
		bad = "has letters that clients don't take"
	default:
		return nil
	}
	return usagef("the share name %q %s; give it another: NAME=%s", name, bad, path)
}

func notInShareName(r rune) bool {
	return r < 0x20 || r == 0x7f || strings.ContainsRune(`"/\[]:|<>+=;,*?`, r)
}

// checkFolder returns the real path of a folder that can be served.
func checkFolder(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("there is no folder %s; make it first: mkdir %s", path, path)
	}
	if err != nil {
		return "", fmt.Errorf("the folder %s can't be reached: %w; let this user in, or start as another", path, cause(err))
	}
	info, err := os.Stat(real)
	if err == nil && !info.IsDir() {
		return "", fmt.Errorf("%s is a file, not a folder; serve the folder it is in: %s", path, filepath.Dir(path))
	}
	if err == nil {
		err = tryList(real)
	}
	if err != nil {
		return "", fmt.Errorf("the folder %s can't be read: %w; let this user in, or start as another", path, cause(err))
	}
	return real, nil
}

func tryList(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return d.Close()
}

// apart refuses two folders of which one holds the other: a file would be in
// two shares, with locks and rules that know nothing of each other.
func apart(a, b folder) error {
	if within(a.path, b.path) || within(b.path, a.path) {
		return usagef("the shares %s (%s) and %s (%s) overlap; serve only the outer folder, or two that are apart",
			b.name, b.path, a.name, a.path)
	}
	if ai, err := os.Stat(a.path); err == nil {
		if bi, err := os.Stat(b.path); err == nil && os.SameFile(ai, bi) {
			return usagef("the shares %s (%s) and %s (%s) are the same folder; serve it once", b.name, b.path, a.name, a.path)
		}
	}
	return nil
}

// realPath is path without symbolic links, as far as it exists.
func realPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	for dir, rest := path, ""; ; dir, rest = filepath.Dir(dir), filepath.Join(filepath.Base(dir), rest) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest), nil
		}
		if dir == filepath.Dir(dir) {
			return path, nil
		}
	}
}

// within reports whether path is dir or below it; both are clean and absolute.
func within(path, dir string) bool {
	return path == dir || dir == "/" || strings.HasPrefix(path, dir+"/")
}

// cause is the reason in an error about a path that the sentence names already.
func cause(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}
