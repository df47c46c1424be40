package disk

import "golang.org/x/sys/unix"

func nameMax(s *unix.Statfs_t) int { return int(s.Namemax) }
