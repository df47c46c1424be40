package smbclient

import (
	"strings"
	"testing"
)

func TestParsePath(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Path
	}{
		{"smb://nas/media", Path{Host: "nas", Port: "445", Share: "media"}},
		{"smb://nas", Path{Host: "nas", Port: "445"}},
		{"smb://anna@nas:4450/media/", Path{Login: Login{User: "anna"}, Host: "nas", Port: "4450", Share: "media"}},
		{"smb://anna@nas/media/photos/2020%20summer", Path{Login: Login{User: "anna"}, Host: "nas", Port: "445", Share: "media", Name: `photos\2020 summer`}},
		{"smb://HOME;anna:p%40ss@[fd00::1]/m/a", Path{Login: Login{User: "anna", Domain: "HOME", Password: "p@ss"}, Host: "fd00::1", Port: "445", Share: "m", Name: "a"}},
	} {
		got, err := ParsePath(tt.text)
		if err != nil || got != tt.want {
			t.Errorf("ParsePath(%s) = %+v, %v; want %+v", tt.text, got, err, tt.want)
			continue
		}
		tt.want.Login.Password = ""
		if again, err := ParsePath(got.String()); err != nil || again != tt.want {
			t.Errorf("%s, written as %s, is read as %+v, %v", tt.text, got, again, err)
		}
	}
}

func TestParsePathRefuses(t *testing.T) {
	for _, text := range []string{"", "nas/media", "http://nas/media", "smb:///media", "smb://nas/a?b", "smb://nas/a#b", "smb://anna:secret@nas:port/x", "smb://anna:secret@na s/"} {
		p, err := ParsePath(text)
		if err == nil {
			t.Errorf("ParsePath(%q) = %+v", text, p)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("the error of ParsePath(%q) shows the password: %v", text, err)
		}
	}
}
