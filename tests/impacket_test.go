package tests

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// systemPython is the Python that Debian's modules are installed for.
const systemPython = "/usr/bin/python3"

func TestImpacket(t *testing.T) {
	if exec.Command(systemPython, "-c", "import impacket").Run() != nil {
		missing(t, "python3-impacket is not installed")
	}
	s := serve(t)
	out, err := run(t, systemPython, "peers/impacketry", fmt.Sprint(s.port), s.user, s.password, s.share)
	if err != nil || !strings.HasSuffix(out, "ok\n") {
		t.Errorf("impacket: %v\n%s", err, out)
	}
}
