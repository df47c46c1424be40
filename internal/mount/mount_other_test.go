//go:build !linux

package mount_test

import "errors"

func unmount(string) error { return nil }

func mountTmp(string, string) error { return errors.New("no tmpfs") }
