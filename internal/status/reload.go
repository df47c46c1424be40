package status

import (
	"fmt"
	"io"
	"strings"
)

// Reload is what came of reading the configuration again, in words.
type Reload struct {
	Changed []string `json:"changed"`
	Restart []string `json:"restart"` // what changes when the server is started again
	Errors  []string `json:"errors"`  // with one, nothing was changed
}

// Write prints it for people.
func (r *Reload) Write(w io.Writer) error {
	var out strings.Builder
	if len(r.Errors) > 0 {
		fmt.Fprintf(&out, "%s\nNothing was changed.\n", strings.Join(r.Errors, "\n"))
		_, err := io.WriteString(w, out.String())
		return err
	}
	for _, words := range r.Changed {
		fmt.Fprintln(&out, words)
	}
	if len(r.Restart) > 0 {
		fmt.Fprintln(&out, "Needs a restart:")
	}
	for _, words := range r.Restart {
		fmt.Fprintf(&out, "  %s\n", words)
	}
	if out.Len() == 0 {
		fmt.Fprintln(&out, "Nothing changed.")
	}
	_, err := io.WriteString(w, out.String())
	return err
}
