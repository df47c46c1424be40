package share

import (
	"context"
	"fmt"
	"strings"

	"github.com/dozo-server/dozo/internal/fold"
	"github.com/dozo-server/dozo/internal/wildcard"
	"github.com/dozo-server/dozo/vfs"
)

// CheckPattern says why a pattern of Options.Veto or Hide can't be meant.
func CheckPattern(text string) error {
	if strings.Trim(strings.Replace(text, "?", "", 1), "*") == "" && text != "?" {
		return fmt.Errorf("%q would be every name", text)
	}
	if _, err := wildcard.Compile(text, nil); err != nil {
		return fmt.Errorf("%q: %w", text, err)
	}
	return nil
}

// filter says which names clients do not see, and which they see as hidden.
// Names are held against it as clients see them. A nil filter does nothing.
type filter struct {
	veto, hide []wildcard.Pattern
	sweeps     bool // what clients do not see goes with the folder that it is in
}

// newFilter returns the filter of a share, nil if it has no patterns.
func newFilter(o *Options, f vfs.Features) *filter {
	if len(o.Veto) == 0 && len(o.Hide) == 0 {
		return nil
	}
	return &filter{compile(o.Veto, f), compile(o.Hide, f), o.DeleteVetoed}
}

// compile makes patterns of texts, without those that CheckPattern refuses.
func compile(texts []string, f vfs.Features) (all []wildcard.Pattern) {
	for _, text := range texts {
		if p, err := wildcard.Compile(shown(text), wildcard.TableOf(f)); err == nil && CheckPattern(text) == nil {
			all = append(all, p)
		}
	}
	return all
}

// shown writes the pattern text as clients see names: what they can't spell,
// such as the end of "Icon\r", is a character of Unicode's private range.
func shown(text string) string {
	var b strings.Builder
	for i := range len(text) {
		r := fold.Private(text[i], i == len(text)-1)
		if r == 0 || text[i] == '*' || text[i] == '?' {
			b.WriteByte(text[i])
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// spelled writes a name that a client sent as clients see it. They may send more
// private characters than are shown to them: U+F029 for a dot that is not the
// last one, and others than those of Macs.
func spelled(name string) string {
	const first = 0xef // the byte that all of them begin with
	if strings.IndexByte(name, first) < 0 {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); {
		r, size := fold.Decode(name[i:])
		if !fold.IsPrivate(r) {
			b.WriteString(name[i : i+size])
		} else if c := fold.Plain(r); fold.Private(c, i+size == len(name)) == 0 {
			b.WriteByte(c)
		} else {
			b.WriteRune(fold.Private(c, i+size == len(name)))
		}
		i += size
	}
	return b.String()
}

func matches(patterns []wildcard.Pattern, name string) bool {
	for i := range patterns {
		if patterns[i].Match(name) {
			return true
		}
	}
	return false
}

// vetoes reports whether a name is there for no client.
func (f *filter) vetoes(name string) bool { return f != nil && matches(f.veto, name) }

// seen returns nil if clients see what stands at a path, and else the error of
// what is not there.
func (f *filter) seen(c *call, path string) error {
	if f == nil {
		return nil
	}
	for more := path != ""; more; {
		var name string
		if name, path, more = strings.Cut(path, "/"); !matches(f.veto, spelled(name)) {
			continue
		}
		if more {
			return c.fail(vfs.KindPathNotExist)
		}
		return c.fail(vfs.KindNotExist)
	}
	return nil
}

// mayBe returns nil if path may be the name of something new, and else the
// error. A client that was told of a new name that it is not there would take
// that for a fault of the disk.
func (f *filter) mayBe(c *call, path string) error {
	err := f.seen(c, path)
	if vfs.IsKind(err, vfs.KindNotExist) {
		return c.fail(vfs.KindAccess)
	}
	return err
}

// parentSeen refuses a new name in a folder that clients do not see, or in the bin,
// where it could be told by neither of their names: it has a short name or an alias.
func (t *Tree) parentSeen(c *call, path string) error {
	folder := parent(path)
	if t.options.filter == nil && t.options.bin == nil || !strings.Contains(folder, "~") {
		return nil
	}
	f, err := t.share.fs.Open(c.ctx, t.caller, folder, vfs.OpenOptions{})
	if err != nil {
		return nil // whoever makes the name is told
	}
	defer f.Close()
	if t.options.filter.seen(c, f.Path()) != nil {
		return c.fail(vfs.KindPathNotExist)
	}
	if t.reserved(f.Path() + "/") {
		return c.fail(vfs.KindAccess)
	}
	return nil
}

// hidden reports whether o's name makes it hidden.
func (o *Open) hidden() bool {
	f := o.tree.options.filter
	if f == nil || len(f.hide) == 0 {
		return false
	}
	path := o.Path()
	return path != "" && matches(f.hide, path[strings.LastIndexByte(path, '/')+1:])
}

// show makes attributes of o what clients see of them.
func (o *Open) show(a *vfs.Attr) {
	o.tree.share.times.show(a)
	if o.hidden() {
		a.DOS |= vfs.DOSHidden
	}
}

// lister lists what clients see of a folder.
type lister struct {
	vfs.Lister
	times  *changeTimes
	filter *filter
}

func (l *lister) Next(ctx context.Context, entries []vfs.Entry, names bool) (int, error) {
	for {
		n, err := l.Lister.Next(ctx, entries, names)
		for i := range entries[:n] {
			l.times.show(&entries[i].Attr)
		}
		if l.filter == nil || n == 0 {
			return n, err
		}
		if n = l.filter.apply(entries[:n]); n > 0 || err != nil {
			return n, err
		}
	}
}

// apply moves the entries that clients see to the front, and returns how many
// there are.
func (f *filter) apply(entries []vfs.Entry) (n int) {
	for i := range entries {
		e := &entries[i]
		if f.vetoes(e.Name) {
			continue
		}
		if matches(f.hide, e.Name) {
			e.Attr.DOS |= vfs.DOSHidden
		}
		if n != i {
			entries[n] = *e
		}
		n++
	}
	return n
}
