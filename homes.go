package dozo

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/mount"
)

// userMark stands for a user's name in the path of a share, and in its name.
const userMark = "{user}"

// isHome reports whether each user has a share of their own by o.
func (o *Share) isHome() bool { return strings.Contains(o.Path, userMark) }

// above is the folder that holds those of the users.
func (o *Share) above() string {
	path, _, _ := strings.Cut(o.Path, userMark)
	return filepath.Clean(path)
}

// checkHome refuses a path with a place for the user that is not just that.
func (o *Share) checkHome() error {
	before, after, _ := strings.Cut(o.Path, userMark)
	switch {
	case o.FileSystem != "":
		return fmt.Errorf("dozo: the share %s has a folder for each user, and so HomeFileSystems", o.Name)
	case !strings.HasSuffix(before, "/"), after != "" && after[0] != '/', strings.Contains(after, userMark):
		return fmt.Errorf("dozo: the share %s: in the path %s, %s must be one whole part", o.Name, o.Path, userMark)
	case o.above() == "/":
		return fmt.Errorf("dozo: the share %s: %s would be any folder of the machine", o.Name, o.Path)
	}
	return nil
}

// own is the share that a user has by o, with their folder, which really is real.
func (o *Share) own(user, path, real string) *Share {
	own := *o
	own.Name = strings.ReplaceAll(o.Name, userMark, user)
	own.Path, own.home, own.user, own.real = path, o.Path, user, real
	own.FileSystem = o.HomeFileSystems[path]
	return &own
}

// folderOf finds the folder of a user, whose account may be in small letters, and
// what its path really is. Links lead to it wherever the owner of the machine wants,
// and what is in it leads nowhere else: that is the user's.
func (o *Share) folderOf(user string) (path, real string, err error) {
	if user == "" || user == "." || user == ".." || strings.ContainsAny(user, "/\\\x00") {
		return "", "", fmt.Errorf("%q can be the name of no folder", user)
	}
	before, after, _ := strings.Cut(o.Path, userMark)
	for _, name := range []string{user, strings.ToLower(user)} {
		path = before + name + after
		if _, err := os.Stat(path); err != nil {
			continue
		}
		top, err := mount.RealPath(before + name)
		if err != nil {
			return "", "", err
		}
		real, err = mount.RealPath(path)
		if err != nil {
			return "", "", err
		}
		if real != top && !strings.HasPrefix(real, top+"/") {
			return "", "", fmt.Errorf("%s leads out of %s", path, top)
		}
		return path, real, nil
	}
	return "", "", fmt.Errorf("there is no folder %s; make it, and give it to the user's account", before+user+after)
}

// isFor reports whether what m serves is for id, if it is one user's.
func (m *mounted) isFor(id *auth.Identity) bool {
	user := m.options.Load().user
	return user == "" || id != nil && !id.Guest && auth.SameName(user, id.User)
}

// moveIn makes the shares that id has alone, unless they are there. What is in
// the way is told once.
func (r *running) moveIn(id *auth.Identity) {
	if id == nil || id.Guest {
		return
	}
	for {
		homes := r.homes.Load()
		if homes == nil {
			return
		}
		for _, o := range *homes {
			err := r.makeHome(o, id.User)
			key := o.Path + "\x00" + id.User
			if err == nil {
				r.homeless.Delete(key)
			} else if was, told := r.homeless.Swap(key, err.Error()); !told || was != err.Error() {
				r.log.Warn("a user has no share of their own", "user", id.User, "share", o.Name, "reason", err)
			}
		}
		if r.homes.Load() == homes {
			return
		}
	}
}

// makeHome makes the share that a user has by o. No other disk is waited for
// than that which it is on.
func (r *running) makeHome(o *Share, user string) error {
	is := func(m *mounted) bool {
		p := m.options.Load()
		return p.home == o.Path && auth.SameName(p.user, user)
	}
	if slices.ContainsFunc(*r.shares.Load(), is) {
		return nil
	}
	path, real, err := o.folderOf(user)
	if err != nil {
		return err
	}
	m, err := o.own(user, path, real).mount(r.common, r.log)
	if err != nil {
		return err
	}
	r.changing.Lock()
	defer r.changing.Unlock()
	all := *r.shares.Load()
	if r.stopped || !slices.Contains(*r.homes.Load(), o) || slices.ContainsFunc(all, is) {
		m.close()
		return nil
	}
	for _, other := range all {
		if m.overlaps(other) {
			m.close()
			return overlapError(other, m)
		}
	}
	m.after = r.before(m)
	all = append(slices.Clip(all), m)
	r.shares.Store(&all)
	return nil
}
