package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestVetoAndHide: Samba's client does not see some names, and sees others as
// hidden, before and after a reload.
func TestVetoAndHide(t *testing.T) {
	const keys = "bind = [\"127.0.0.1\"]\n"
	s := configured(t, keys, "short-names = true\nveto = [\".DS_Store\", \"*.very-secret\", \"Gone\"]\nhide = [\"desktop.ini\"]")
	for _, folder := range []string{"Films", "Gone"} {
		os.Mkdir(s.path(folder), 0o777)
		os.Chmod(s.path(folder), 0o777)
	}
	for _, name := range []string{"a.very-secret", "Seen", "Desktop.INI", "Films/.DS_Store", "Gone/inner"} {
		s.write(name, "text")
	}
	local := filepath.Join(t.TempDir(), "local")
	os.WriteFile(local, []byte("new"), 0o600)
	out := s.ok("ls; ls Films/*")
	for name, there := range map[string]bool{"Seen": true, "Films": true, "Desktop.INI": true, ".DS_Store": false, "secret": false, "Gone": false} {
		if strings.Contains(out, name) != there {
			t.Errorf("%s is listed: %v\n%s", name, !there, out)
		}
	}
	hidden := false
	for line := range strings.Lines(out) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "Desktop.INI" {
			hidden = strings.Contains(f[1], "H")
		}
	}
	if !hidden {
		t.Errorf("Desktop.INI is not hidden:\n%s", out)
	}
	for command, want := range map[string]string{
		"get a.very-secret " + os.DevNull:         "NT_STATUS_OBJECT_NAME_NOT_FOUND",
		"get A.VERY-SECRET " + os.DevNull:         "NT_STATUS_OBJECT_NAME_NOT_FOUND",
		`get Gone\inner ` + os.DevNull:            "NT_STATUS_OBJECT_PATH_NOT_FOUND",
		"put " + local + " b.Very-Secret":         "NT_STATUS_ACCESS_DENIED",
		"put " + local + ` films\.ds_store`:       "NT_STATUS_ACCESS_DENIED",
		"rename Seen c.very-secret":               "NT_STATUS_ACCESS_DENIED",
		"mkdir gone":                              "NT_STATUS_ACCESS_DENIED",
		"put " + local + ` GONE\new`:              "NT_STATUS_OBJECT_PATH_NOT_FOUND",
		"rmdir Films":                             "NT_STATUS_DIRECTORY_NOT_EMPTY",
		"del a.very-secret":                       "NT_STATUS_NO_SUCH_FILE",
		fmt.Sprintf("get %s %s", "a", os.DevNull): "NT_STATUS_OBJECT_NAME_NOT_FOUND",
	} {
		if out, _ := s.smbclient(command); !strings.Contains(out, want) {
			t.Errorf("%s: want %s:\n%s", command, want, out)
		}
	}
	// Neither does a short name lead there, which others can't know but guess.
	c := s.connect()
	s.reconfigure(keys, "short-names = true")
	var short string
	for _, e := range s.connect().entries("", "*") {
		if e.FileName == "a.very-secret" {
			short = e.ShortName
		}
	}
	s.reconfigure(keys, "short-names = true\nveto = [\"*.very-secret\"]\ndelete-vetoed = true")
	if short == "" {
		t.Fatal("a.very-secret has no short name")
	}
	if out, _ := s.smbclient("get " + short + " " + os.DevNull); !strings.Contains(out, "NT_STATUS_OBJECT_NAME_NOT_FOUND") {
		t.Errorf("by the short name %s:\n%s", short, out)
	}
	// The client that was there all the time is under the rules of now.
	c.lists("", "Desktop.INI", "Films", "Gone", "Seen")

	s.write("Films/x.very-secret", "text")
	os.Remove(s.path("Films/.DS_Store"))
	s.ok("rmdir Films")
	if got := s.names(""); got != "Desktop.INI Gone Seen a.very-secret" {
		t.Errorf("on the disk are %s", got)
	}
}
