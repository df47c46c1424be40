package main

import (
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/dozo-server/dozo/internal/service"
)

// exchangeable names who, beside root and whom the service runs as, could put
// another program in the place of that of s; "" for nobody. Groups are trusted:
// root has made their members.
func exchangeable(s *service.Service) string {
	trusted := map[uint32]bool{0: true}
	if u, err := user.Lookup(s.Account); err == nil {
		if id, err := strconv.ParseUint(u.Uid, 10, 32); err == nil {
			trusted[uint32(id)] = true
		}
	}
	for path := s.Program; ; path = filepath.Dir(path) {
		info, err := os.Stat(path)
		if err != nil {
			return ""
		}
		if uid := owner(info); !trusted[uid] {
			return accountName(uid)
		}
		if info.Mode().Perm()&0o002 != 0 && info.Mode()&os.ModeSticky == 0 {
			return "anybody"
		}
		if path == filepath.Dir(path) {
			return ""
		}
	}
}

// ownsHome reports whether u has a home of its own: accounts of services have
// none, or one of the system.
func ownsHome(u *user.User) bool {
	info, err := os.Stat(u.HomeDir)
	return err == nil && info.IsDir() && strconv.FormatUint(uint64(owner(info)), 10) == u.Uid
}

func owner(info os.FileInfo) uint32 { return info.Sys().(*syscall.Stat_t).Uid }

func accountName(uid uint32) string {
	id := strconv.FormatUint(uint64(uid), 10)
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return "user " + id
}
