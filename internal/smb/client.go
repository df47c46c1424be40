package smb

import (
	"fmt"

	"github.com/dozo-server/dozo/internal/ntlm"
)

// client is what a client says of itself when it logs in. It may be anything.
type client struct {
	name   string
	system string // "" if it does not say, or nothing can be made of it
}

// maxClientName is what is kept of its name, in characters. Names of machines
// have 15, or 63.
const maxClientName = 64

func clientOf(s *ntlm.Session) *client {
	name := []rune(s.Workstation)
	return &client{string(name[:min(len(name), maxClientName)]), systemOf(s.Version)}
}

// The builds of the two that tell something. The others, such as Samba and
// Apple's, claim to be some Windows and have a build that no Windows had.
const (
	firstWindows = 2195 // Windows 2000
	firstLinux   = 30   // cifs.ko 2.30
	lastLinux    = 999
)

// systemOf makes words of the version.
func systemOf(v ntlm.Version) string {
	switch {
	case v.Build >= firstWindows:
		return fmt.Sprintf("Windows %d.%d.%d", v.Major, v.Minor, v.Build)
	case v.Build >= firstLinux && v.Build <= lastLinux:
		return fmt.Sprintf("Linux %d.%d", v.Major, v.Minor)
	}
	return ""
}
