package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/auth"
)

// unreadable says why this process can't read a folder, and what to do about it.
func unreadable(path string, err error) error {
	return refused(runtime.GOOS, path, closedAt(path), accountName(uint32(os.Geteuid())), cause(err))
}

// refused says why a folder of a system can't be read by an account, and what to do
// about it. closed is the folder on the way there that does not let it through, or
// path itself.
func refused(system, path, closed, account string, err error) error {
	switch {
	case errors.Is(err, syscall.EPERM) && system == "darwin":
		return fmt.Errorf("macOS keeps the folder %s from this program (%w); give dozo, or the terminal that starts it, Full Disk Access with: "+
			"open 'x-apple.systempreferences:com.apple.preference.security?Privacy_AllFiles'", path, err)
	case !errors.Is(err, fs.ErrPermission) || system != "linux" || account == "root":
		return fmt.Errorf("the folder %s can't be read by %s (%w); let that account in, or start as another", path, account, err)
	case closed != path:
		return fmt.Errorf("the folder %s can't be reached by %s (%w); start with sudo, or let that account through with: %s",
			path, account, err, letIn(account, "x", closed))
	}
	return fmt.Errorf("the folder %s can't be read by %s (%w); start with sudo, or let that account in with: %s",
		path, account, err, letIn(account, "rwx", path))
}

// letIn is the line that gives an account rights to a folder and takes none from
// anybody.
func letIn(account, rights, path string) string {
	return fmt.Sprintf("sudo setfacl -m %s %s", shellQuote("u:"+account+":"+rights), shellQuote(path))
}

// closedAt is the folder on the way to path that does not let this process
// through, or path itself.
func closedAt(path string) string {
	for dir := path; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil {
			return dir
		}
	}
	return path
}

// unwritable says that who logs in can't write in a folder, and what to do about
// it; "" if they can, as far as the permission bits tell.
func unwritable(path string, id *auth.Identity) string {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() || mayWrite(path, info, id) {
		return ""
	}
	account := id.User
	if me := os.Geteuid(); me != 0 {
		account = accountName(uint32(me))
	} else if u, err := user.LookupId(strconv.FormatUint(uint64(id.UID), 10)); err == nil {
		account = u.Username
	}
	return fmt.Sprintf("%s may not write in %s, which belongs to %s; let that account with: %s",
		account, path, accountName(owner(info)), letIn(account, "rwx", path))
}

// mayWrite reports whether a user may make files in a folder: by the permission
// bits, or as this process. Who acts as the folder's owner may, and where there is
// an ACL it is not said that somebody may not.
func mayWrite(path string, info os.FileInfo, id *auth.Identity) bool {
	if os.Geteuid() != 0 {
		return unix.Access(path, unix.W_OK|unix.X_OK) == nil
	}
	if _, err := unix.Getxattr(path, "system.posix_acl_access", nil); err == nil || !id.HasID || id.UID == 0 {
		return true
	}
	const writeAndSearch = 0o3
	st, mode := info.Sys().(*syscall.Stat_t), info.Mode().Perm()
	switch {
	case st.Uid == id.UID:
		mode >>= 6
	case st.Gid == id.GID || slices.Contains(id.Groups, st.Gid):
		mode >>= 3
	}
	return mode&writeAndSearch == writeAndSearch
}
