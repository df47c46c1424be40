package share

import (
	"context"

	"github.com/dozo-server/dozo/internal/lock"
	"github.com/dozo-server/dozo/vfs"
)

// event is a change of one name of the share.
type event struct {
	action lock.Action
	path   string
	kind   Changes
}

// report tells the watches of the folders above what changed. It is called
// without other locks held, after the change. Events that belong together are
// told together.
func (s *watches) report(events ...event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range events {
		s.spread(e)
	}
	for i, w := range s.fresh {
		s.deliver(w)
		s.fresh[i] = nil
	}
	s.fresh = s.fresh[:0]
}

// spread gives an event to all watches that want it.
func (s *watches) spread(e event) {
	for folder, direct := e.path, true; folder != ""; direct = false {
		folder = parent(folder)
		name := e.path[len(folder):]
		if folder != "" {
			name = name[1:] // the slash
		}
		for w := s.byPath[folder]; w != nil; w = w.next {
			if w.changes&e.kind != 0 && (direct || w.recursive) {
				s.keep(w, Change{Action: e.action, Name: name})
				s.fresh = append(s.fresh, w)
			}
		}
	}
}

// keep adds a change to those that w has to tell.
func (s *watches) keep(w *watch, c Change) {
	s.noticed -= w.notices.Size()
	w.notices.Add(c)
	if s.noticed+w.notices.Size() > maxNoticed {
		w.notices.Miss()
	}
	s.noticed += w.notices.Size()
}

// reportOther tells w what was done by others than the FS's callers.
func (s *watches) reportOther(w *watch, e vfs.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.ended {
		return
	}
	kind := lock.ChangeFileName | lock.ChangeDirName
	switch e.Type {
	case vfs.TypeDir:
		kind = lock.ChangeDirName
	case vfs.TypeFile, vfs.TypeSymlink, vfs.TypeOther:
		kind = lock.ChangeFileName
	}
	switch {
	case e.Name == "" && e.Gone:
		s.fail(w, vfs.KindDeletePending)
		return
	case e.Name == "":
		s.noticed -= w.notices.Size()
		w.notices.Miss()
	case w.changes&kind == 0:
		return
	case e.Gone:
		s.keep(w, Change{Action: lock.Removed, Name: e.Name})
	default:
		s.keep(w, Change{Action: lock.Added, Name: e.Name})
	}
	s.deliver(w)
}

// watched reports whether anybody watches anything in the share. Where nobody
// does, that is all that change notices cost.
func (o *Open) watched() bool { return o.tree.share.watches.count.Load() != 0 }

// changedName is the kind of a change of o's name.
func (o *Open) changedName() Changes {
	if o.IsDir() {
		return lock.ChangeDirName
	}
	return lock.ChangeFileName
}

// reportName tells that o's name came or went.
func (o *Open) reportName(action lock.Action) {
	if o.watched() {
		o.tree.share.watches.report(event{action, o.Path(), o.changedName()})
	}
}

// reportGone tells that o's name from went, into the bin if it has another now.
func (o *Open) reportGone(from string) {
	if !o.watched() {
		return
	}
	events := []event{{lock.Removed, from, o.changedName()}}
	if now := o.Path(); now != from {
		events = append(events, event{lock.Added, now, o.changedName()})
	}
	o.tree.share.watches.report(events...)
}

// reportChange tells that something of o changed, but not its name.
func (o *Open) reportChange(kind Changes) {
	if kind != 0 && o.watched() {
		o.tree.share.watches.report(event{lock.Modified, o.place(), kind})
	}
}

// reportRename tells that o was moved from one path to another, and whether it
// replaced what was there.
func (o *Open) reportRename(from, to string, replaced bool) {
	if to == from || !o.watched() {
		return
	}
	kind := o.changedName()
	s := &o.tree.share.watches
	if o.IsDir() && !o.linked {
		s.mu.Lock()
		s.moved(from)
		s.mu.Unlock()
	}
	if replaced {
		s.report(event{lock.Removed, to, kind})
	}
	before, after := lock.RenamedOld, lock.RenamedNew
	if parent(from) != parent(to) {
		before, after = lock.Removed, lock.Added
	}
	s.report(event{before, from, kind}, event{after, to, kind})
}

// reportLink tells that o has the further name to, and whether another file had
// it.
func (o *Open) reportLink(ctx context.Context, to string, replaced bool) {
	if !o.watched() {
		return
	}
	// The FS knows how the folders on the way are spelled.
	f, err := o.tree.share.fs.Open(ctx, o.tree.caller, to, vfs.OpenOptions{NoFollow: true})
	if err != nil {
		return // it is gone again
	}
	defer f.Close()
	s := &o.tree.share.watches
	if replaced {
		s.report(event{lock.Removed, f.Path(), lock.ChangeFileName})
	}
	s.report(event{lock.Added, f.Path(), lock.ChangeFileName})
}

// attributeChanges are the kinds of changes of attributes.
func attributeChanges(set vfs.AttrSet) (kind Changes) {
	for _, c := range []struct {
		set  vfs.AttrSet
		kind Changes
	}{
		{vfs.SetDOS, lock.ChangeAttributes},
		{vfs.SetMode | vfs.SetOwner | vfs.SetGroup, lock.ChangeSecurity},
		{vfs.SetBirth, lock.ChangeBirth},
		{vfs.SetModified, lock.ChangeModified},
		{vfs.SetAccessed, lock.ChangeAccessed},
	} {
		if set&c.set != 0 {
			kind |= c.kind
		}
	}
	return kind
}

// What a write changes, and what the emptying of a file by an open.
const (
	byWrite     = lock.ChangeSize | lock.ChangeModified
	byOverwrite = byWrite | lock.ChangeAttributes
)
