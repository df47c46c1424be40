package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// world is the folders, which two sides change by turns. Each file holds a text
// of its own, so that it is known by whatever name. The disk itself is the
// model: what is in a folder is what a local process finds there.
type world struct {
	*share
	folders []string
	rnd     *rand.Rand
	texts   int      // given so far
	touched []string // folders that the last change was in
	done    []string // what was done
}

func newWorld(s *share, folders []string, seed uint64) *world {
	return &world{share: s, folders: folders, rnd: rand.New(rand.NewPCG(seed, 0))}
}

func (w *world) last(n int) string { return strings.Join(w.done[max(0, len(w.done)-n):], "\n") }

func (w *world) say(format string, args ...any) {
	w.done = append(w.done, fmt.Sprintf(format, args...))
}

func (w *world) text() string {
	w.texts++
	return strconv.Itoa(w.texts)
}

// some chooses a folder and a name in it.
func (w *world) some() (dir, name string) {
	dir = w.folders[w.rnd.IntN(len(w.folders))]
	w.touched = append(w.touched, dir)
	return dir, w.anyName()
}

func (w *world) anyName() string {
	row := rows[w.rnd.IntN(len(rows))]
	return row[w.rnd.IntN(len(row))]
}

// at returns what is in a folder: texts by names.
func (w *world) at(dir string) (map[string]string, error) {
	stored, err := names(w.local(dir))
	in := map[string]string{}
	for _, name := range stored {
		if text, err := os.ReadFile(w.local(path.Join(dir, name))); err == nil { // else a folder
			in[name] = string(text)
		}
	}
	return in, err
}

// target returns the name that a client means by name: itself, or what the disk
// finds by it, or the first of its row.
func (w *world) target(in map[string]string, dir, name string) (stored string, ok bool) {
	if _, ok := in[name]; ok {
		return name, true
	}
	text, err := os.ReadFile(w.local(path.Join(dir, name)))
	for _, stored := range slices.Sorted(maps.Keys(in)) {
		if err == nil && in[stored] == string(text) || err != nil && rowOf[stored] == rowOf[name] {
			return stored, true
		}
	}
	return "", false
}

// step makes a random change, and checks the folders that it was in.
func (w *world) step() error {
	w.touched = nil
	if *forget {
		if err := os.WriteFile("/proc/sys/vm/drop_caches", []byte("2"), 0); err != nil {
			return err
		}
	}
	changes := []func() error{w.putLocally, w.removeLocally, w.moveLocally, w.saveLocally,
		w.create, w.create, w.overwrite, w.delete, w.move, w.move, w.respell}
	if err := changes[w.rnd.IntN(len(changes))](); err != nil {
		return err
	}
	slices.Sort(w.touched)
	for _, dir := range slices.Compact(w.touched) {
		if err := w.check(dir); err != nil {
			return err
		}
	}
	return nil
}

// check compares a folder as SMB shows it with what is there.
func (w *world) check(dir string) error {
	want, err := names(w.local(dir))
	if err != nil {
		return err
	}
	if got, err := w.list(dir); err != nil || !slices.Equal(got, want) {
		return fmt.Errorf("%q lists %q, on disk %q (%v)", dir, got, want, err)
	}
	in, err := w.at(dir)
	if err != nil {
		return err
	}
	for range 2 {
		name := w.anyName()
		stored, ok := w.target(in, dir, name)
		text, said, err := w.open(path.Join(dir, name))
		switch {
		case !ok && errors.Is(err, smbwire.StatusObjectNameNotFound):
		case !ok:
			return fmt.Errorf("open of %q/%q: %q, %v; want nothing of %q", dir, name, said, err, want)
		case err != nil || text != in[stored] || said != path.Join(dir, stored):
			return fmt.Errorf("open of %q/%q: %q with %q, %v; want %q with %q", dir, name, said, text, err, stored, in[stored])
		}
	}
	return nil
}

// What local processes do. Where nothing is, nothing is done.

func (w *world) putLocally() error {
	dir, name := w.some()
	w.say("local put %q/%q", dir, name)
	return unless(w.put(path.Join(dir, name), w.text()), fs.ErrExist)
}

func (w *world) removeLocally() error {
	dir, name := w.some()
	w.say("local rm %q/%q", dir, name)
	return unless(os.Remove(w.local(path.Join(dir, name))), fs.ErrNotExist)
}

func (w *world) moveLocally() error {
	dir, name := w.some()
	toDir, toName := w.some()
	w.say("local mv %q/%q %q/%q", dir, name, toDir, toName)
	return unless(os.Rename(w.local(path.Join(dir, name)), w.local(path.Join(toDir, toName))), fs.ErrNotExist)
}

// saveLocally replaces a file as editors do.
func (w *world) saveLocally() error {
	dir, name := w.some()
	w.say("local save %q/%q", dir, name)
	made := path.Join(dir, "new~")
	if err := w.put(made, w.text()); err != nil {
		return err
	}
	return os.Rename(w.local(made), w.local(path.Join(dir, name)))
}

func unless(err, allowed error) error {
	if errors.Is(err, allowed) {
		return nil
	}
	return err
}

// What clients do.

func (w *world) create() error {
	dir, name := w.some()
	in, err := w.at(dir)
	if err != nil {
		return err
	}
	stored, there := w.target(in, dir, name)
	text := w.text()
	w.say("create %q/%q", dir, name)
	err = w.make(path.Join(dir, name), text, false)
	switch {
	case there && errors.Is(err, smbwire.StatusObjectNameCollision):
		return nil
	case there:
		return fmt.Errorf("create, where %q is: %v", stored, err)
	case err != nil:
		return err
	}
	return w.holds(dir, name, text)
}

func (w *world) overwrite() error {
	dir, name := w.some()
	in, err := w.at(dir)
	if err != nil {
		return err
	}
	stored, there := w.target(in, dir, name)
	if !there {
		stored = name
	}
	text := w.text()
	w.say("overwrite %q/%q", dir, name)
	if err := w.make(path.Join(dir, name), text, true); err != nil {
		return err
	}
	return w.holds(dir, stored, text)
}

func (w *world) delete() error {
	dir, name := w.some()
	in, err := w.at(dir)
	if err != nil {
		return err
	}
	stored, there := w.target(in, dir, name)
	w.say("delete %q/%q", dir, name)
	err = w.remove(path.Join(dir, name))
	switch {
	case !there && errors.Is(err, smbwire.StatusObjectNameNotFound):
		return nil
	case !there:
		return fmt.Errorf("delete of nothing: %v", err)
	case err != nil:
		return err
	}
	return w.lacks(dir, stored, in[stored])
}

// respell renames a file to another name of its row.
func (w *world) respell() error {
	dir, name := w.some()
	row := rows[rowOf[name]]
	return w.renames(dir, name, dir, row[w.rnd.IntN(len(row))])
}

func (w *world) move() error {
	dir, name := w.some()
	toDir, toName := w.some()
	return w.renames(dir, name, toDir, toName)
}

func (w *world) renames(dir, name, toDir, toName string) error {
	replace := w.rnd.IntN(2) == 0
	in, err := w.at(dir)
	if err != nil {
		return err
	}
	inTo, err := w.at(toDir)
	if err != nil {
		return err
	}
	stored, there := w.target(in, dir, name)
	old, taken := w.target(inTo, toDir, toName)
	own := dir == toDir && old == stored
	w.say("rename %q/%q %q/%q, replacing: %t", dir, name, toDir, toName, replace)
	err = w.rename(path.Join(dir, name), path.Join(toDir, toName), replace)
	switch {
	case !there && errors.Is(err, smbwire.StatusObjectNameNotFound):
		return nil
	case !there:
		return fmt.Errorf("rename of nothing: %v", err)
	case taken && !own && !replace && errors.Is(err, smbwire.StatusObjectNameCollision):
		return w.holds(dir, stored, in[stored])
	case taken && !own && !replace:
		return fmt.Errorf("rename, where %q is: %v", old, err)
	case err != nil && *forget && own && (rowOf[stored] != rowOf[toName] || !strings.EqualFold(stored, toName)):
		return w.holds(dir, stored, in[stored]) // ZFS finds by the new name what had it as another form
	case err != nil:
		return fmt.Errorf("%w, of %q, where %q was", err, in, inTo)
	}
	if !own {
		if err := w.lacks(dir, stored, in[stored]); err != nil {
			return err
		}
	}
	if taken && !own && rowOf[old] != rowOf[toName] {
		toName = old // which only the disk takes for the same
	}
	return w.holds(toDir, toName, in[stored])
}

// holds checks that a file is in a folder, by that name.
func (w *world) holds(dir, name, text string) error {
	in, err := w.at(dir)
	if err == nil && in[name] != text {
		err = fmt.Errorf("%q holds %q, without %q in %q", dir, in, text, name)
	}
	return err
}

// lacks checks that a file is not in a folder by that name.
func (w *world) lacks(dir, name, text string) error {
	in, err := w.at(dir)
	if err == nil && in[name] == text {
		err = fmt.Errorf("%q holds %q still in %q", dir, text, name)
	}
	return err
}
