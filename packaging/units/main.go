// Command units prints the file that starts the server on a machine where a
// package has put it: the unit of systemd, or with freebsd the script of rc.
package main

import (
	"fmt"
	"os"

	"github.com/dozo-server/dozo/internal/service"
)

func main() {
	s := &service.Service{Program: "/usr/bin/dozo", State: "/var/lib/dozo", Config: "/etc/dozo/dozo.toml", LowPort: true}
	text := service.Unit
	if len(os.Args) > 1 && os.Args[1] == "freebsd" {
		s = &service.Service{Program: "/usr/local/bin/dozo", State: "/var/db/dozo", Config: "/usr/local/etc/dozo/dozo.toml"}
		text = service.Script
	}
	out, err := text(s)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Print(out)
}
