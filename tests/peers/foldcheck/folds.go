package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// rows are the names that are used. Those of a row are one to the server,
// whatever the disk takes them for; those of two rows are one if the disk says
// so.
var rows = [][]string{
	{"File", "FILE", "fILE"},
	{"other", "OTHER"},
	{"2024-01", "2024-01"},
	{"\u00c9cole", "\u00e9cole", "\u00e9COLE", "e\u0301cole"},
	{"stra\u00dfe", "STRA\u00dfE"},
	{"strasse", "STRASSE"},
	{"\u03bf\u03b4\u03bf\u03c3", "\u039f\u0394\u039f\u03a3"},
	{"\u03bf\u03b4\u03bf\u03c2"},
	{"273K", "273k"},
	{"273\u212a"},
	{"ink", "INK"},
	{"\u0131nk", "\u0131NK"},
	{"\u0130nk", "i\u0307nk"},
	{"softly", "SOFTLY"},
	{"soft\u00adly"},
	{"finale", "Finale"},
	{"\ufb01nale"},
	{"wide", "WIDE"},
	{"\uff57\uff49\uff44\uff45", "\uff37\uff29\uff24\uff25"},
	{"\u13a0x"},
	{"\uab70x"},
}

// rowOf finds the row of a name.
var rowOf = func() map[string]int {
	row := map[string]int{}
	for i, names := range rows {
		for _, n := range names {
			row[n] = i
		}
	}
	return row
}()

// kinds are what disks may take for one.
var kinds = []struct{ what, a, b string }{
	{"case", "file", "FILE"},
	{"\u00e9 and \u00c9", "\u00e9", "\u00c9"},
	{"composition", "\u00e9", "e\u0301"},
	{"\u00df and ss", "\u00df", "ss"},
	{"\u03c3 and \u03c2", "\u03c3", "\u03c2"},
	{"k and the Kelvin sign", "k", "\u212a"},
	{"i and \u0131", "i", "\u0131"},
	{"i\u0307 and \u0130", "i\u0307", "\u0130"},
	{"fi and \ufb01", "fi", "\ufb01"},
	{"w and \uff57", "w", "\uff57"},
	{"Cherokee's case", "\u13a0", "\uab70"},
	{"a name and itself with a soft hyphen", "xy", "x\u00ady"},
}

// folds finds out locally what the disk takes for one in a folder, and leaves
// it empty.
func (s *share) folds(dir string) (string, error) {
	var all []string
	for _, k := range kinds {
		a, b := path.Join(dir, k.a), path.Join(dir, k.b)
		if err := s.put(a, ""); err != nil {
			return "", err
		}
		if _, err := os.Lstat(s.local(b)); err == nil {
			all = append(all, k.what)
		}
		if err := os.Remove(s.local(a)); err != nil {
			return "", err
		}
	}
	if all == nil {
		return "nothing", nil
	}
	return strings.Join(all, ", "), nil
}

// walks checks that what happens to folders is seen, whatever they are called.
func (s *share) walks(dir string) error {
	at := func(name string) string { return path.Join(dir, name) }
	expect := func(name, stored string) error {
		_, got, err := s.open(at(name))
		switch {
		case stored == "" && (errors.Is(err, smbwire.StatusObjectPathNotFound) || errors.Is(err, smbwire.StatusObjectNameNotFound)):
			return nil
		case err != nil:
			return fmt.Errorf("open of %s: %w", name, err)
		case stored == "" || got != at(stored):
			return fmt.Errorf("open of %s is said to be %q, not %q", name, got, at(stored))
		}
		return nil
	}
	other := "DIR" // as another program calls it, where the disk lets it
	var err error
	do := func(f func() error) {
		if err == nil {
			err = f()
		}
	}
	do(func() error { return os.Mkdir(s.local(at("Dir")), 0o755) })
	do(func() error { return s.put(at("Dir/In"), "1") })
	do(func() error { return expect("DIR/IN", "Dir/In") })
	do(func() error { return expect("Dir/In", "Dir/In") })
	if _, none := os.Lstat(s.local(at(other))); none != nil {
		other = "Dir"
	}
	do(func() error { return os.Rename(s.local(at(other)), s.local(at("Away"))) })
	do(func() error { return expect("Dir/In", "") })
	do(func() error { return expect("DIR/IN", "") })
	do(func() error { return expect("AWAY/in", "Away/In") })
	do(func() error { return os.Mkdir(s.local(at("dir")), 0o755) })
	do(func() error { return expect("Dir/In", "") })
	do(func() error { return s.rename(at("AWAY/in"), at("DIR/iN"), false) })
	do(func() error { return expect("Dir/In", "dir/iN") })
	do(func() error { return s.rename(at("Dir"), at("DIR"), false) })
	do(func() error { return expect("dir/in", "DIR/iN") })
	do(func() error { return os.Remove(s.local(at("Away"))) })
	do(func() error { return os.RemoveAll(s.local(at("DIR"))) })
	do(func() error { return expect("Dir/In", "") })
	do(func() error { return os.Symlink("nowhere", s.local(at("Link"))) })
	do(func() error { return s.remove(at("LINK")) })
	do(func() error {
		if left, err := s.list(dir); err != nil || slices.Contains(left, "Link") {
			return fmt.Errorf("lists %q after Link was removed (%v)", left, err)
		}
		return nil
	})
	return err
}
