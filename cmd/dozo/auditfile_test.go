package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestAuditFileHasWholeLines: whatever was begun, by somebody who was killed or by
// a disk that was full, the lines after it are lines.
func TestAuditFileHasWholeLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit")
	if err := os.WriteFile(path, []byte("one\ntw"), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := openAudit(path)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if _, err := a.Write([]byte("three\n")); err != nil {
		t.Fatal(err)
	}
	const limit = 20 // bytes that the file may have
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: before.Max}); err != nil {
		t.Skip("no limit for files: ", err)
	}
	n, err := a.Write([]byte("four\nfive is too long\nsix\n"))
	syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before)
	if n != len("four\n") || err == nil {
		t.Errorf("a full disk took %d bytes, %v", n, err)
	}
	if _, err := a.Write([]byte("seven\n")); err != nil {
		t.Fatal(err)
	}
	const want = "one\ntw\nthree\nfour\nseven\n"
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("the file has %q, %v; want %q", got, err, want)
	}
}

// TestAuditIntoAPipe: one that nobody reads holds up nobody.
func TestAuditIntoAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if a, err := openAudit(path); err == nil {
		a.Close()
		t.Error("a pipe that nobody reads was opened")
	}
}
