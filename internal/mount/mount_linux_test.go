package mount_test

import "syscall"

func unmount(dir string) error { return syscall.Unmount(dir, 0) }

func mountTmp(source, dir string) error { return syscall.Mount(source, dir, "tmpfs", 0, "size=1m") }
