package tests

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

// What the server says its file systems can do (FileFsAttributeInformation) is
// what these clients rely on.

// TestPersistentACLs sets the rights of a file with Samba's smbcacls and finds
// them on the disk, and shows those that were set on the disk.
func TestPersistentACLs(t *testing.T) {
	needRoot(t) // smbcacls knows no port but 445
	need(t, "smbcacls")
	s := serve(t, "--smb", "445")
	s.write("file", "text")
	smbcacls := func(args ...string) string {
		t.Helper()
		args = append([]string{"//127.0.0.1/" + s.share, "file", "-s", emptyConf(t),
			"-U", s.user + "%" + s.password}, args...)
		out, err := run(t, "smbcacls", args...)
		if err != nil {
			t.Fatalf("smbcacls: %v\n%s", err, out)
		}
		return out
	}
	if err := os.Chmod(s.path("file"), 0o640); err != nil {
		t.Fatal(err)
	}
	if out := smbcacls(); !strings.Contains(out, "OWNER:") || strings.Contains(out, "Everyone:ALLOWED/0x0/R") {
		t.Errorf("of a file of mode 0640 smbcacls shows\n%s", out)
	}
	if err := os.Chmod(s.path("file"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := smbcacls(); !strings.Contains(out, "Everyone:ALLOWED/0x0/READ") && !strings.Contains(out, "Everyone:ALLOWED/0x0/R") {
		t.Errorf("of a file of mode 0644 smbcacls shows\n%s", out)
	}
	smbcacls("--modify", "ACL:Everyone:ALLOWED/0x0/FULL")
	if st, err := os.Stat(s.path("file")); err != nil || st.Mode()&0o006 != 0o006 {
		t.Errorf("after everyone was given all rights the mode is %v, %v", st.Mode(), err)
	}
}

// TestHardLinks makes one with smbclient.
func TestHardLinks(t *testing.T) {
	s := serve(t)
	s.write("file", "text")
	s.ok("hardlink file second")
	st, err := os.Stat(s.path("second"))
	if err != nil {
		t.Fatal(err)
	}
	if n := st.Sys().(*syscall.Stat_t).Nlink; n != 2 {
		t.Errorf("the file has %d names", n)
	}
}
