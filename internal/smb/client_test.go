package smb

import (
	"testing"

	"github.com/dozo-server/dozo/internal/ntlm"
)

func TestSystemOf(t *testing.T) {
	for _, tt := range []struct {
		v    ntlm.Version
		want string
	}{
		{ntlm.Version{}, ""},
		{ntlm.Version{Major: 6, Minor: 1}, ""}, // Samba, impacket and this project's own
		{ntlm.Version{Major: 6, Minor: 1, Build: 7601}, "Windows 6.1.7601"},
		{ntlm.Version{Major: 10, Build: 22631}, "Windows 10.0.22631"},
		{ntlm.Version{Major: 6, Minor: 1, Build: 40}, "Linux 6.1"}, // cifs.ko
	} {
		if got := systemOf(tt.v); got != tt.want {
			t.Errorf("%+v is %q, want %q", tt.v, got, tt.want)
		}
	}
}
