package status

import (
	"fmt"
	"strings"
)

// Discovery is how clients find the server without typing its address.
type Discovery struct {
	Name    string   `json:"name"`    // as lists of servers show it
	Host    string   `json:"host"`    // its name in "local"
	Settled bool     `json:"settled"` // no other host on the network has these names
	By      []string `json:"by"`      // "mDNS" or "avahi", "WS-Discovery", "LLMNR"
	On      []string `json:"on"`      // interfaces
}

// words tells it in a line.
func (d *Discovery) words() string {
	switch {
	case len(d.On) == 0:
		return "by nobody: no interface is up"
	case !d.Settled:
		return fmt.Sprintf("soon: %s asks on %s whether the name %q is free", list(d.By), list(d.On), d.Name)
	}
	return fmt.Sprintf("as %q on host %s.local, by %s on %s", printable(d.Name), printable(d.Host), list(d.By), list(d.On))
}

// list joins words: "a, b and c".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
