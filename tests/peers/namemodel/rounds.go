package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"unicode"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// stepsPerRound is what each client and each local writer does in a round.
const stepsPerRound = 100

// manner is how a round goes.
type manner struct {
	title   string // and its folder
	locals  bool   // local writers take part
	replace bool   // clients replace files, and change the case of names
	unique  bool   // there is one spelling of a name at most, or
	byMaker bool   // one of those that clients made, which the first letter tells
}

// Where local processes make second spellings, a client that replaces one of
// them leaves two that are its own. So either that is left out, or nothing can
// be said of how many there are.
var manners = []manner{
	{title: "all", locals: true, replace: true},
	{title: "makers", locals: true, unique: true, byMaker: true},
	{title: "clients", replace: true, unique: true},
}

// testRounds has all change one folder at once, and looks when they rest.
func testRounds(ctx context.Context, b bench, n int) error {
	for _, m := range manners {
		if err := os.Mkdir(b.on(m.title), 0o755); err != nil {
			return err
		}
	}
	for i := range n {
		r := round{b.below(manners[i%len(manners)].title), manners[i%len(manners)], ctx, i}
		if err := r.run(); err != nil {
			return fmt.Errorf("round %d (%s): %w", i, r.title, err)
		}
		if err := r.settled(newChooser(uint64(i)<<32), ""); err != nil {
			return fmt.Errorf("after round %d (%s): %w", i, r.title, err)
		}
	}
	return nil
}

// below is a folder of the bench as one.
func (b bench) below(folder string) bench {
	return bench{b.clients, b.in(folder), b.on(folder)}
}

// round is a time in which all do what they like.
type round struct {
	bench
	manner
	ctx context.Context
	num int
}

// run returns when everybody has done his part.
func (r round) run() error {
	errs := make([]error, len(r.clients))
	var all sync.WaitGroup
	for i, client := range r.clients {
		c := newChooser(uint64(r.num)<<32 | uint64(1+i))
		all.Go(func() { errs[i] = r.changeAsClient(c, client, fmt.Sprintf("round %d client %d", r.num, i)) })
	}
	for i := 0; r.locals && i < *locals; i++ {
		c := newChooser(uint64(r.num)<<32 | uint64(100+i))
		all.Go(func() { r.changeLocally(c, fmt.Sprintf("round %d local %d", r.num, i)) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// madeBy is a path whose last component tells who made it.
func (c chooser) madeBy(change func(rune) rune) string {
	path := c.path()
	at := strings.LastIndexByte(path, '/') + 1
	first := []rune(path[at:])
	first[0] = change(first[0])
	return path[:at] + string(first)
}

// usual are the answers that a client may get while others change what it asks
// for.
var usual = []smbwire.Status{
	smbwire.StatusOK, smbwire.StatusObjectNameNotFound, smbwire.StatusObjectPathNotFound, smbwire.StatusObjectNameCollision,
	smbwire.StatusAccessDenied, smbwire.StatusDirectoryNotEmpty, smbwire.StatusNotADirectory, smbwire.StatusFileIsADirectory,
	smbwire.StatusInvalidParameter, smbwire.StatusSharingViolation, smbwire.StatusDeletePending, smbwire.StatusNoSuchFile,
}

func (r round) changeAsClient(c chooser, client *client, who string) error {
	for step := range stepsPerRound {
		from, to := r.in(c.path()), r.in(c.madeBy(unicode.ToLower))
		replace := r.replace && c.IntN(2) == 0
		if !r.replace && key(from) == key(to) {
			continue
		}
		var what string
		var err error
		switch c.IntN(9) {
		case 0, 1:
			what, err = "create", client.put(r.ctx, to, fmt.Sprintf("%s file %d", who, step))
		case 2:
			what, err = "mkdir", client.mkdir(r.ctx, to)
		case 3:
			what, err = "remove", client.remove(r.ctx, from)
		case 4, 5:
			what, err = "rename", client.rename(r.ctx, from, to, replace)
		case 6:
			what, err = "link", client.link(r.ctx, from, to, replace)
		case 7:
			what = "list"
			_, err = client.list(r.ctx, from, one(c, classes), "*")
		default:
			what = "look"
			_, err = client.look(r.ctx, from)
		}
		status, err := statusOf(err)
		if err == nil && !slices.Contains(usual, status) {
			err = status
		}
		if err != nil {
			return fmt.Errorf("%s: %s %+q, %+q: %w", who, what, from, to, err)
		}
	}
	return nil
}

// changeLocally does what the system lets it do.
func (r round) changeLocally(c chooser, who string) {
	for step := range stepsPerRound {
		from, to := r.on(c.path()), r.on(c.madeBy(unicode.ToUpper))
		switch c.IntN(7) {
		case 0:
			put(to, fmt.Sprintf("%s file %d", who, step))
		case 1:
			os.Mkdir(to, 0o755)
		case 2:
			os.Remove(from)
		case 3:
			syscall.Rename(r.on(r.any(c)), to)
		case 4, 5:
			syscall.Rename(from, to)
		default:
			os.Link(from, to)
		}
	}
}

// any is something that is in the folder, or in one of its folders.
func (r round) any(c chooser) (stored string) {
	for range 2 {
		entries, _ := os.ReadDir(r.on(stored))
		if len(entries) == 0 {
			break
		}
		stored = path.Join(stored, one(c, entries).Name())
	}
	return stored
}

// settled holds what the server says of a folder in which nobody does anything
// any more against what is there.
func (r round) settled(c chooser, folder string) error {
	there := newFolder()
	entries, err := os.ReadDir(r.on(folder))
	if err != nil {
		return err
	}
	for _, e := range entries {
		n := newFile("")
		if e.IsDir() {
			n = newFolder()
		}
		there.put(e.Name(), n)
	}
	if err := r.alone(there); err != nil {
		return fmt.Errorf("in %+q: %w", folder, err)
	}
	listed, err := one(c, r.clients).list(r.ctx, r.in(folder), one(c, classes), "*")
	if err != nil {
		return fmt.Errorf("list %+q: %w", folder, err)
	}
	delete(listed, ".")
	delete(listed, "..")
	if got, want := slices.Sorted(maps.Keys(listed)), slices.Sorted(maps.Keys(there.entries)); !slices.Equal(got, want) {
		return fmt.Errorf("%+q lists %+q, on disk are %+q", folder, got, want)
	}
	for _, name := range append(slices.Sorted(maps.Keys(there.entries)), words...) {
		for _, asked := range []string{name, c.spelling(name), c.spelling(name)} {
			if err := r.agree(c, there, listed, folder, asked); err != nil {
				return fmt.Errorf("look at %+q in %+q: %w", asked, folder, err)
			}
		}
	}
	for name, e := range there.entries {
		if !e.isFolder() {
			err = r.whole(c, path.Join(folder, name))
		} else {
			err = r.settled(c, path.Join(folder, name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// alone finds two spellings of one name where one may be.
func (r round) alone(there *node) error {
	first := map[string]string{}
	for name := range there.entries {
		if !r.unique || r.byMaker && unicode.IsUpper([]rune(name)[0]) {
			continue
		}
		if other, twice := first[key(name)]; twice {
			return fmt.Errorf("clients made both %+q and %+q", name, other)
		}
		first[key(name)] = name
	}
	return nil
}

// agree compares an answer to a name with what is there, and the id with that
// of the listing.
func (r round) agree(c chooser, there *node, listed map[string]smbwire.DirectoryEntry, folder, asked string) error {
	got, err := one(c, r.clients).look(r.ctx, r.in(path.Join(folder, asked)))
	name, n := there.find(asked)
	if n == nil {
		return expect(err, smbwire.StatusObjectNameNotFound)
	}
	if err := expect(err, smbwire.StatusOK); err != nil {
		return err
	}
	switch {
	case got.path != r.in(path.Join(folder, name)):
		return fmt.Errorf("it is called %+q, not %+q", got.path, name)
	case got.id != listed[name].FileID:
		return fmt.Errorf("the id is %d, in the listing %d", got.id, listed[name].FileID)
	}
	return nil
}

// whole looks whether a file holds what somebody wrote.
func (r round) whole(c chooser, stored string) error {
	data, err := os.ReadFile(r.on(stored))
	if err != nil {
		return err
	}
	var round, by, file int
	var who string
	if _, err := fmt.Sscanf(string(data), "round %d %s %d file %d", &round, &who, &by, &file); err != nil {
		return fmt.Errorf("%+q holds %q: %w", filepath.Base(stored), data, err)
	}
	text, err := one(c, r.clients).read(r.ctx, r.in(stored))
	if err == nil && text != string(data) {
		err = fmt.Errorf("it holds %q, and by SMB %q", data, text)
	}
	return wrap(err, "%+q", stored)
}
