package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// ordered is the test whose every answer is known before.
type ordered struct {
	bench
	c    chooser
	ctx  context.Context
	root *node
	made int              // files and folders
	ids  map[uint64]*node // all ids that were ever told
	done []string         // operations, for the report
}

// looksPerStep is how many paths are looked at after each operation, besides
// those that it was about.
const looksPerStep = 2

// stepsPerCensus is how many operations come before all is compared.
const stepsPerCensus = 100

func testOrdered(ctx context.Context, b bench, n int) error {
	o := &ordered{bench: b, c: newChooser(1), ctx: ctx, root: newFolder(), ids: map[uint64]*node{}}
	err := o.run(n)
	if err != nil {
		for _, what := range o.done[max(0, len(o.done)-50):] {
			fmt.Fprintln(os.Stderr, what)
		}
		return fmt.Errorf("operation %d: %w", len(o.done), err)
	}
	return nil
}

func (o *ordered) run(n int) error {
	for step := range n {
		touched, err := o.step()
		if err != nil {
			return err
		}
		for range looksPerStep {
			touched = append(touched, o.c.path())
		}
		for _, path := range touched {
			if err := o.look(path); err != nil {
				return err
			}
		}
		if step%stepsPerCensus == stepsPerCensus-1 {
			if err := o.census(o.root, ""); err != nil {
				return err
			}
		}
	}
	return o.census(o.root, "")
}

// client is any of the connections.
func (o *ordered) client() *client { return one(o.c, o.clients) }

// in is a path of the test as one of the share.
func (b bench) in(path string) string {
	return strings.Trim(b.name+"/"+path, "/")
}

// on is the same on this machine.
func (b bench) on(path string) string { return filepath.Join(b.folder, path) }

func (o *ordered) file() *node {
	o.made++
	return newFile(fmt.Sprintf("file %d", o.made))
}

// note keeps what is done next.
func (o *ordered) note(format string, args ...any) {
	o.done = append(o.done, fmt.Sprintf(format, args...))
}

// expect compares a status with the model's.
func expect(err error, want smbwire.Status) error {
	got, err := statusOf(err)
	if err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("the status is %v, not %v", got, want)
	}
	return nil
}

// step does one thing and returns the paths it was about.
func (o *ordered) step() (touched []string, err error) {
	from, to, replace := o.c.path(), o.c.path(), o.c.IntN(2) == 0
	if o.c.IntN(2) == 0 { // a path that most likely leads somewhere
		from = o.c.respelled(o.somewhere())
	}
	c := o.client()
	switch o.c.IntN(14) {
	case 0, 1:
		n := o.file()
		o.note("create %+q", from)
		return []string{from}, expect(c.put(o.ctx, o.in(from), n.text), o.root.create(from, n))
	case 2:
		o.note("mkdir %+q", from)
		return []string{from}, expect(c.mkdir(o.ctx, o.in(from)), o.root.create(from, newFolder()))
	case 3:
		o.note("remove %+q", from)
		return []string{from}, expect(c.remove(o.ctx, o.in(from)), o.root.remove(from))
	case 4, 5:
		if o.c.IntN(4) == 0 { // the case alone
			to = path.Join(path.Dir(from), o.c.spelling(path.Base(from)))
		}
		o.note("rename %+q to %+q, replace %v", from, to, replace)
		want := o.root.rename(from, to, replace)
		return []string{from, to}, expect(c.rename(o.ctx, o.in(from), o.in(to), replace), want)
	case 6:
		if o.ownLink(from, to) {
			return nil, nil
		}
		o.note("link %+q to %+q, replace %v", from, to, replace)
		want := o.root.link(from, to, replace)
		return []string{from, to}, expect(c.link(o.ctx, o.in(from), o.in(to), replace), want)
	case 7:
		folders := append(o.folders(), "")
		folder := one(o.c, folders)
		if o.note("list %+q", folder); folder == "" {
			return nil, o.list(o.root, "")
		}
		return nil, o.list(o.exact(folder).n, folder)
	}
	return o.local()
}

// ownLink reports whether a link would be the only name of a file once more,
// for which there is no rule.
func (o *ordered) ownLink(from, to string) bool {
	src, _ := o.root.existing(from)
	dst, _ := o.root.existing(to)
	return src.n != nil && src.n == dst.n && src.n.links == 1
}

// somewhere is the path of something that is there.
func (o *ordered) somewhere() string {
	if all := o.root.paths(""); len(all) > 0 {
		return strings.TrimSuffix(one(o.c, all), "/")
	}
	return o.c.path()
}

// folders are the paths of all folders.
func (o *ordered) folders() (all []string) {
	for _, p := range o.root.paths("") {
		if folder, ok := strings.CutSuffix(p, "/"); ok {
			all = append(all, folder)
		}
	}
	return all
}

// look compares what a connection says of a path with the model.
func (o *ordered) look(path string) error {
	p, want := o.root.existing(path)
	got, err := o.client().look(o.ctx, o.in(path))
	if err := expect(err, want); err != nil || p.n == nil {
		return wrap(err, "then look at %+q", path)
	}
	if err := o.compare(got, p); err != nil {
		return wrap(err, "then look at %+q", path)
	}
	if p.n.isFolder() {
		return nil
	}
	text, err := o.client().read(o.ctx, o.in(path))
	if err == nil && text != p.n.text {
		err = fmt.Errorf("it holds %q, not %q", text, p.n.text)
	}
	return wrap(err, "then read %+q", path)
}

func wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
}

// compare holds what was seen against the model.
func (o *ordered) compare(got seen, p place) error {
	switch {
	case got.path != o.in(p.path()):
		return fmt.Errorf("it is called %+q, not %+q", got.path, o.in(p.path()))
	case got.folder != p.n.isFolder():
		return fmt.Errorf("that it is a folder is %v", got.folder)
	case !got.folder && got.links != p.n.links:
		return fmt.Errorf("it has %d links, not %d", got.links, p.n.links)
	case !got.folder && got.size != uint64(len(p.n.text)):
		return fmt.Errorf("it has %d bytes, not %d", got.size, len(p.n.text))
	}
	return o.identify(p.n, got.id)
}

// identify holds an id against those that were told: one node has one, always,
// and no two nodes have the same, not even one after the other.
func (o *ordered) identify(n *node, id uint64) error {
	owner := o.ids[id]
	switch {
	case id < lowestID:
		return fmt.Errorf("the id is %d", id)
	case n.id != 0 && n.id != id:
		return fmt.Errorf("the id is %d, and was %d", id, n.id)
	case owner != nil && owner != n:
		return fmt.Errorf("the id %d is or was another node's", id)
	}
	n.id, o.ids[id] = id, n
	return nil
}

// list compares what a connection lists in a folder with the model.
func (o *ordered) list(n *node, stored string) error {
	listed, err := o.client().list(o.ctx, o.in(o.respelled(n, stored)), one(o.c, classes), "*")
	if err != nil {
		return wrap(err, "then list %+q", stored)
	}
	if own := listed["."]; stored != "" {
		if err := o.identify(n, own.FileID); err != nil {
			return wrap(err, `then list %+q: "."`, stored)
		}
	}
	delete(listed, ".")
	delete(listed, "..")
	got, want := slices.Sorted(maps.Keys(listed)), slices.Sorted(maps.Keys(n.entries))
	if !slices.Equal(got, want) {
		return fmt.Errorf("then list %+q: %+q, not %+q", stored, got, want)
	}
	for name, e := range n.entries {
		entry := listed[name]
		err := o.identify(e, entry.FileID)
		if folder := entry.FileAttributes&directory != 0; err == nil && folder != e.isFolder() {
			err = fmt.Errorf("that it is a folder is %v", folder)
		}
		if err == nil && entry.EndOfFile != uint64(len(e.text)) {
			err = fmt.Errorf("it has %d bytes, not %d", entry.EndOfFile, len(e.text))
		}
		if err != nil {
			return wrap(err, "then list %+q: %+q", stored, name)
		}
	}
	return nil
}

// respelled is another spelling of a stored path, if that leads to the same n.
func (o *ordered) respelled(n *node, stored string) string {
	other := o.c.respelled(stored)
	if p, _ := o.root.existing(other); p.n == n {
		return other
	}
	return stored
}

// directory is the attribute of a folder.
const directory smbwire.FileAttributes = 0x10

// census compares all there is, in the share and on the disk.
func (o *ordered) census(n *node, stored string) error {
	if err := o.list(n, stored); err != nil {
		return err
	}
	entries, err := os.ReadDir(o.on(stored))
	if err != nil {
		return err
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if want := slices.Sorted(maps.Keys(n.entries)); !slices.Equal(got, want) {
		return fmt.Errorf("on disk %+q has %+q, not %+q", stored, got, want)
	}
	for name, e := range n.entries {
		child := path.Join(stored, name)
		err := o.look(child)
		if err == nil && e.isFolder() {
			err = o.census(e, child)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
