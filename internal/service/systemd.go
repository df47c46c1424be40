package service

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"
)

// What a server that runs as root keeps of root's rights; docs/service.md says
// what fails without each.
const (
	rootCapabilities = "CAP_SETUID CAP_SETGID CAP_DAC_OVERRIDE CAP_FOWNER CAP_CHOWN"
	portCapability   = "CAP_NET_BIND_SERVICE"
)

// stateParent is where systemd makes folders for services.
const stateParent = "/var/lib"

//go:embed unit.tmpl
var unitText string

var unitTemplate = template.Must(template.New("unit").Funcs(template.FuncMap{
	"word":     unitWord,
	"optional": func(path string) string { return unitWord("-" + path) },
	"command":  unitCommand,
}).Parse(unitText))

// unit is what the template of a unit asks for.
type unit struct{ *Service }

// Unit returns the unit file of systemd for s.
func Unit(s *Service) (string, error) {
	if err := s.check("systemd"); err != nil {
		return "", err
	}
	var b strings.Builder
	err := unitTemplate.Execute(&b, unit{s})
	return b.String(), err
}

// check refuses what can't be written into a line of text.
func (s *Service) check(manager string) error {
	for _, word := range slices.Concat(s.Command(), s.Folders, []string{s.Account}) {
		if !utf8.ValidString(word) || strings.ContainsFunc(word, unicode.IsControl) {
			return fmt.Errorf("%s can't be told of %q; give it a name without line breaks and other control characters", manager, word)
		}
	}
	return nil
}

// Capabilities are what the service may have. As root it has them, and takes
// those of nobody else when it acts for a user; another account has none but
// that for the port.
func (u unit) Capabilities() string {
	var all []string
	if u.Account == "" {
		all = append(all, rootCapabilities)
	}
	if u.LowPort {
		all = append(all, portCapability)
	}
	return strings.Join(all, " ")
}

// fixed reports whether all that will ever be served is known.
func (u unit) fixed() bool { return u.Config == "" }

// ProtectSystem is how much of the machine the service can't write: all of it
// but what is served where that is known, else what belongs to the system.
func (u unit) ProtectSystem() string {
	if u.fixed() {
		return "strict"
	}
	return "full"
}

// protected are the folders that ProtectSystem=full makes read-only.
var protected = []string{"/usr", "/boot", "/efi", "/etc"}

// Writable are the folders that are exceptions from ProtectSystem.
func (u unit) Writable() (paths []string) {
	for _, path := range u.own() {
		inSystem := slices.ContainsFunc(protected, func(dir string) bool { return path == dir || isBelow(path, dir) })
		if u.fixed() || inSystem {
			paths = append(paths, path)
		}
	}
	return paths
}

// own are the folders that the service writes, without one that systemd makes.
func (u unit) own() []string {
	paths := slices.Clone(u.Folders)
	if u.StateDirectory() == "" {
		paths = append(paths, u.State)
	}
	return paths
}

// ProtectHome tells whether the homes of users are hidden: where nothing in them
// is served or may come to be.
func (u unit) ProtectHome() string {
	for _, home := range []string{"/home", "/root", "/run/user"} {
		for _, path := range append(u.own(), filepath.Dir(u.Program)) {
			if path == home || isBelow(path, home) || isBelow(home, path) {
				return "no"
			}
		}
	}
	if !u.fixed() {
		return "no"
	}
	return "yes"
}

// StateDirectory is the state folder as seen from where systemd makes those of
// services, for whom they run as; "" when it is elsewhere.
func (u unit) StateDirectory() string {
	rest, ok := below(u.State, stateParent)
	if !ok {
		return ""
	}
	return rest
}

// Mounts are the mount units that folders may be on: one for each folder on the
// way there. systemd passes over those that it does not know.
func (u unit) Mounts() (units []string) {
	for _, path := range u.Folders {
		for dir := path; dir != "/" && dir != "."; dir = filepath.Dir(dir) {
			if name := unitName(dir) + ".mount"; !slices.Contains(units, name) {
				units = append(units, name)
			}
		}
	}
	return units
}

func isBelow(path, dir string) bool {
	_, ok := below(path, dir)
	return ok
}

// unitName is what systemd calls the unit of a path (systemd-escape --path).
func unitName(path string) string {
	var b strings.Builder
	for i, c := range []byte(strings.Trim(path, "/")) {
		switch {
		case c == '/':
			b.WriteByte('-')
		case c == '.' && i == 0, !plain(rune(c)) || c == '-' || c == '@' || c == '=' || c == ',' || c == '+':
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// plain reports whether no program that reads a line of words takes c for more
// than a letter.
func plain(c rune) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.ContainsRune("/._-:@=,+", c)
}

// unitWord quotes s as one word of a unit file, in which %n and the like mean
// something.
func unitWord(s string) string {
	s = strings.ReplaceAll(s, "%", "%%")
	if s != "" && !strings.ContainsFunc(s, func(c rune) bool { return !plain(c) && c != '%' }) {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// unitCommand writes a command line, in which $HOME and the like mean something.
func unitCommand(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strings.ReplaceAll(unitWord(w), "$", "$$")
	}
	return strings.Join(quoted, " ")
}
