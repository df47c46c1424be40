package afp

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/vfs"
)

// listing are the names of the folder that a client lists just now, in their
// order: it asks for them by their place, from 1 on, and must neither miss one nor
// see it twice while others come and go. So they are read once, when it asks for
// the first, and what is gone meanwhile is taken out when it is met. mu is held for
// a whole FPEnumerate, which keeps only others of the same volume waiting.
type listing struct {
	mu    sync.Mutex
	of    vfs.Key // the folder; zero: none
	files bool    // which of both are among the names
	dirs  bool
	names []string
}

// batch is how many entries are looked up and numbered together.
const batch = 64

// enumerate answers FPEnumerate, FPEnumerateExt and FPEnumerateExt2.
func (r *request) enumerate(ctx context.Context, m *afpwire.EnumerateRequest) (reply, error) {
	v, done, err := r.volume(m.Volume)
	if err != nil {
		return nil, err
	}
	defer done()
	path, err := v.resolve(ctx, m.Dir, m.Path)
	if err != nil {
		return nil, dirNotFound(err)
	}
	if m.Files == 0 && m.Dirs == 0 {
		return nil, afpwire.ResultBitmapErr
	}
	if err := errors.Join(r.checkBits(m.Files, false), r.checkBits(m.Dirs, true)); err != nil {
		return nil, err
	}
	if m.Start == 0 || m.Count == 0 {
		return nil, afpwire.ResultParamErr
	}
	o, _, err := v.tree.Open(ctx, share.OpenRequest{Path: path, Access: vfs.ListDir, Share: everything, Disposition: share.OpenExisting, Directory: true})
	if err != nil {
		return nil, dirNotFound(err)
	}
	defer o.Close(ctx)
	v.listing.mu.Lock()
	defer v.listing.mu.Unlock()
	if err := v.listing.begin(ctx, o, m); err != nil {
		return nil, err
	}
	w := cursor.NewWriter(nil)
	l := m.BeginListing(w, quantum)
	if err := r.list(ctx, v, o, m, l); err != nil {
		return nil, err
	}
	return raw(w.Message()), nil
}

// dirNotFound is how FPEnumerate says that a folder is not there.
func dirNotFound(err error) error {
	if isMissing(err) || err == afpwire.ResultObjectNotFound {
		return afpwire.ResultDirNotFound
	}
	return err
}

// begin reads the names of a folder, unless the client goes on with those that
// were read. mu is held.
func (l *listing) begin(ctx context.Context, o *share.Open, m *afpwire.EnumerateRequest) error {
	files, dirs := m.Files != 0, m.Dirs != 0
	if m.Start > 1 && l.of == o.Key() && l.files == files && l.dirs == dirs {
		return nil
	}
	l.of, l.files, l.dirs, l.names = vfs.Key{}, files, dirs, nil
	lister, err := o.List(ctx)
	if err != nil {
		return err
	}
	defer lister.Close()
	entries := make([]vfs.Entry, batch)
	for err == nil {
		var n int
		n, err = lister.Next(ctx, entries, true)
		for _, e := range entries[:n] {
			if e.Attr.Type == vfs.TypeDir && dirs || e.Attr.Type != vfs.TypeDir && files {
				l.names = append(l.names, e.Name)
			}
		}
	}
	if err != io.EOF {
		l.names = nil
		return err
	}
	l.of = o.Key()
	return nil
}

// list adds the entries that m asks for, as many as find room. mu is held.
func (r *request) list(ctx context.Context, v *volume, o *share.Open, m *afpwire.EnumerateRequest, l *afpwire.Listing) error {
	at, full := int(min(m.Start-1, math.MaxInt32)), false
	for l.Count() < int(m.Count) && at < len(v.listing.names) && !full {
		most := min(batch, int(m.Count)-l.Count())
		nodes, err := v.listing.look(ctx, o, at, most)
		if err != nil {
			return err
		}
		for i := range nodes {
			p := r.entry(ctx, v, o, m, &nodes[i])
			if full = !l.Add(p); full {
				break
			}
			at++
		}
	}
	switch {
	case l.Count() > 0:
		return nil
	case full:
		return afpwire.ResultParamErr
	}
	v.listing.of, v.listing.names = vfs.Key{}, nil // it is at the end
	return afpwire.ResultObjectNotFound
}

// entry are the parameters of an entry.
func (r *request) entry(ctx context.Context, v *volume, o *share.Open, m *afpwire.EnumerateRequest, n *node) *afpwire.Parms {
	if !n.dir() {
		return v.parms(n, m.Files, r.session.version)
	}
	p := v.parms(n, m.Dirs, r.session.version)
	if m.Dirs&afpwire.BitOffspring != 0 {
		p.Offspring = v.count(ctx, join(o.Path(), n.name))
	}
	return p
}

// look finds out about the nodes by some of the names, from a place on, and takes
// out the names of what is gone. mu is held.
func (l *listing) look(ctx context.Context, o *share.Open, at, most int) ([]node, error) {
	names := l.names[at:min(at+most, len(l.names))]
	entries := make([]vfs.Entry, 0, len(names))
	for _, name := range names {
		e, err := o.Lookup(ctx, name, true)
		if err != nil && !isMissing(err) {
			return nil, err
		}
		if isDir := e.Attr.Type == vfs.TypeDir; err == nil && (isDir && l.dirs || !isDir && l.files) {
			entries = append(entries, e)
		}
	}
	numbers, macs := make([]uint32, len(entries)), make([]vfs.Mac, len(entries))
	if err := o.Numbered(ctx, entries, numbers, macs); err != nil {
		return nil, err
	}
	folder, err := o.Number(ctx)
	if err != nil {
		return nil, err
	}
	var nodes []node
	kept := make([]string, 0, len(names))
	for i, e := range entries {
		if numbers[i] != 0 {
			kept = append(kept, e.Name)
			nodes = append(nodes, node{name: e.Name, attr: e.Attr, mac: macs[i], number: vfs.Number{Node: numbers[i], Parent: folder.Node}})
		}
	}
	l.names = slices.Replace(l.names, at, at+len(names), kept...)
	return nodes, nil
}
