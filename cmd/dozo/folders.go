package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/config"
	"github.com/dozo-server/dozo/internal/mount"
)

// folder is a share that can be served.
type folder struct {
	name   string
	path   string // absolute, without symbolic links
	rename string // how to give it another name
}

// parseFolder reads an argument [NAME=]DIR.
func parseFolder(arg string) (config.Share, error) {
	h := config.NewShare(config.CommandLine)
	name, path, named := strings.Cut(arg, "=")
	if !named || strings.Contains(name, "/") { // a folder may have "=" in its path
		name, path = "", arg
	}
	if path == "" {
		return h, usagef("%q names no folder; write NAME=DIR or DIR", arg)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return h, err
	}
	if !named || name == "" {
		name = filepath.Base(path)
	}
	h.Name, h.Path = config.ShareName(name), config.Folder(path)
	h.From["name"], h.From["path"] = h.Origin, h.Origin
	if fault := h.Name.Fault(); fault != "" {
		return h, usagef("the share name %q %s; give it another: NAME=%s", name, fault, path)
	}
	return h, nil
}

// checkFolders looks at the folders of shares and refuses, with the words for
// it, what could not be served. What is wrong with the shares of a file is added
// to errs; the first thing that is wrong with one of the command line is err. A
// folder of a file that is missing, and was on a file system in mounts, is one
// whose disk is absent: it will be served when that is back. Nothing is changed.
func checkFolders(shares []config.Share, mounts map[string]string, errs *config.Errors) (folders []folder, err error) {
	for i := range shares {
		h := &shares[i]
		if h.Path == "" || h.Name.Fault() != "" {
			continue // that was told
		}
		f := folder{name: string(h.Name), rename: "name = \"...\""}
		top := above(string(h.Path))
		if f.path, err = checkFolder(top); err == nil {
			f.path = filepath.Join(f.path, strings.TrimPrefix(string(h.Path), top))
		}
		if h.Origin == config.CommandLine {
			f.rename = "NAME=" + f.path
		} else if errors.Is(err, fs.ErrNotExist) && mounts[string(h.Path)] != "" {
			f.path, err = string(h.Path), nil
		}
		if err == nil {
			err = apart(f, folders)
		}
		if err != nil && h.Origin == config.CommandLine {
			return nil, err
		}
		if err != nil {
			errs.Add(h.From["path"], "%v", err) // it is no wrong usage
		}
		if h.InheritOwner && os.Geteuid() != 0 {
			errs.Add(h.From["inherit-owner"], "inherit-owner: only root can make files belong to others; start as root, or leave it out")
		}
		if h.Recycle != "" && h.InheritOwner {
			errs.Add(h.From["recycle"], "recycle: what is deleted must belong to who deleted it, and with inherit-owner it does not; leave one out")
		}
		if h.RecycleDays != 0 && h.Recycle == "" {
			errs.Add(h.From["recycle-days"], "recycle-days: there is no folder that takes what is deleted; name one: recycle = \".recycle\", or leave it out")
		}
		if fault := forceUserFault(h.ForceUser); fault != "" {
			errs.Add(h.From["force-user"], "force-user: %s", fault)
		}
		folders = append(folders, f)
	}
	return folders, nil
}

// forceUserFault says why an account can't act for others, "" if it can or none
// is named.
func forceUserFault(name string) string {
	if name == "" {
		return ""
	}
	account, err := auth.Account(name)
	switch me := os.Geteuid(); {
	case err != nil:
		return fmt.Sprintf("there is no account %s on this machine (%v); make it, or name another", name, err)
	case me != 0 && account.UID != uint32(me):
		return "only root can act as others; start as root, or leave it out"
	}
	return ""
}

// above is the folder that is there from the start: path, or the one above
// those of users, in whose place the path has {user}.
func above(path string) string {
	before, _, homes := strings.Cut(path, "/{user}")
	if homes {
		return cmp.Or(before, "/")
	}
	return path
}

// missingError says that there is no folder. It is fs.ErrNotExist.
type missingError struct{ path string }

func (e missingError) Error() string {
	return fmt.Sprintf("there is no folder %s; make it first: mkdir %s", e.path, e.path)
}

func (missingError) Unwrap() error { return fs.ErrNotExist }

// checkFolder returns the real path of a folder that can be served.
func checkFolder(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", missingError{path}
	}
	if err != nil {
		return "", unreadable(path, err)
	}
	info, err := os.Stat(real)
	if err == nil && !info.IsDir() {
		return "", fmt.Errorf("%s is a file, not a folder; serve the folder it is in: %s", path, filepath.Dir(path))
	}
	if err == nil {
		err = tryList(real)
	}
	if err != nil {
		return "", unreadable(real, err)
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

// apart refuses a share that would get in the way of others: one with the name
// of another, and a folder that holds another's or is in it. A file there would
// be in two shares, with locks and rules that know nothing of each other.
func apart(f folder, others []folder) error {
	for _, o := range others {
		switch {
		case strings.EqualFold(f.name, o.name):
			return usagef("two shares would be called %s; give one another name: %s", f.name, f.rename)
		case o.path == "": // it can't be served, which was told
		case mount.Overlap(above(f.path), above(o.path)):
			return usagef("the shares %s (%s) and %s (%s) overlap; serve only the outer folder, or two that are apart",
				o.name, o.path, f.name, f.path)
		case sameFolder(above(f.path), above(o.path)):
			return usagef("the shares %s (%s) and %s (%s) are the same folder; serve it once", o.name, o.path, f.name, f.path)
		}
	}
	return nil
}

func sameFolder(a, b string) bool {
	ai, err := os.Stat(a)
	if err != nil {
		return false
	}
	bi, err := os.Stat(b)
	return err == nil && os.SameFile(ai, bi)
}

// cause is the reason in an error about a path that the sentence names already.
func cause(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}
