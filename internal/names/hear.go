package names

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dozo-server/dozo/vfs"
)

// maxHeard bounds the names that are kept until listeners are told.
const maxHeard = 1 << 13

// hearing is who wants to know what other processes do, and what they did. Names
// are noted as events are drained, which happens under locks and asks nothing of
// the disk; the one who tends the Tree looks at them and tells.
type hearing struct {
	count atomic.Int32 // of listeners: events are not looked at for nobody
	deep  atomic.Int32 // of these, with below

	mu        sync.Mutex // below all other locks
	listeners []*listener
	heard     map[heard]struct{}
	order     []heard // of heard
	lost      bool    // more than that was heard, or not heard
}

// listener is one who listens to a folder.
type listener struct {
	d     *dir
	below bool
	tell  func(vfs.Event)
	deaf  bool // the folder is not under watch; used by the one who tends the Tree
}

// heard is a name that another process made or took away.
type heard struct {
	d    *dir
	name string
}

// Watch is vfs.Watcher for the folder at p. What it tells of folders below is
// what happens in those that are cached. Only with Fanotify are other processes'
// changes told from own ones; else the error is KindUnsupported.
func (t *Tree) Watch(ctx context.Context, p *Place, below bool, tell func(vfs.Event)) (stop func(), err error) {
	err = t.do(ctx, nil, true, "watch", p.Path(), func(r *request) error {
		d, err := r.folder(p)
		switch {
		case err != nil:
			return err
		case d.q == nil, d.q.way != Fanotify, !d.watched():
			return errorOf(vfs.KindUnsupported)
		}
		d.pins.Add(1) // which keeps its mark
		l := &listener{d: d, below: below, tell: tell}
		t.hearing.add(l)
		stop = sync.OnceFunc(func() {
			t.hearing.remove(l)
			d.pins.Add(-1)
		})
		return nil
	})
	return stop, err
}

func (h *hearing) add(l *listener) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.listeners = append(h.listeners, l)
	h.count.Add(1)
	if l.below {
		h.deep.Add(1)
	}
}

func (h *hearing) remove(l *listener) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.listeners = slices.DeleteFunc(h.listeners, func(m *listener) bool { return m == l })
	h.count.Add(-1)
	if l.below {
		h.deep.Add(-1)
	}
}

// hear notes that another process changed name in d.
func (h *hearing) hear(d *dir, name []byte) {
	if h.count.Load() == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	e := heard{d, string(name)}
	if _, again := h.heard[e]; again || h.lost {
		return
	}
	if len(h.order) == maxHeard {
		h.heard, h.order, h.lost = nil, nil, true
		return
	}
	if h.heard == nil {
		h.heard = map[heard]struct{}{}
	}
	h.heard[e] = struct{}{}
	h.order = append(h.order, e)
}

// lose notes that changes may have happened of which nobody heard.
func (h *hearing) lose() {
	if h.count.Load() == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.heard, h.order, h.lost = nil, nil, true
}

// take returns what was heard since the last call and who listens.
func (h *hearing) take() (listeners []*listener, order []heard, lost bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	order, lost = h.order, h.lost
	h.heard, h.order, h.lost = nil, nil, false
	return slices.Clone(h.listeners), order, lost
}

// tellHeard tells the listeners what was heard. It looks at each name, because
// events don't say what is there.
func (t *Tree) tellHeard() {
	if t.hearing.count.Load() == 0 {
		return
	}
	listeners, order, lost := t.hearing.take()
	r := request{t: t}
	defer r.end()
	for _, l := range listeners {
		was := l.deaf
		if !l.d.watched() {
			r.enter(l.d)
		}
		l.deaf = !l.d.watched() // till the next time, perhaps
		if lost || l.deaf != was {
			l.tell(vfs.Event{})
		}
	}
	if lost {
		return
	}
	for _, h := range order {
		r.tell(listeners, h)
	}
}

// tell tells those of the listeners that h concerns.
func (r *request) tell(listeners []*listener, h heard) {
	if r.hides(h.d, h.name) || !r.hold(h.d) {
		return
	}
	n, err := r.node(h.d)
	if err != nil {
		return // it is gone, too, which is heard of in the folder above
	}
	st, err := n.StatAt(h.name)
	e := vfs.Event{Type: st.Type, Gone: vfs.IsKind(err, vfs.KindNotExist)}
	for _, l := range listeners {
		var ok bool
		if e.Name, ok = l.nameOf(h); ok {
			l.tell(e)
		} else if e.Gone && l.was(h) && removed(l.d) {
			l.tell(vfs.Event{Gone: true})
		}
	}
}

// nameOf returns what h is called from the listener's folder on. ok is false if
// it is not there.
func (l *listener) nameOf(h heard) (name string, ok bool) {
	l.d.t.shape.RLock()
	defer l.d.t.shape.RUnlock()
	name = Shown(h.name)
	for d := h.d; d != l.d; d = d.parent {
		if !l.below || d.parent == nil {
			return "", false
		}
		name = Shown(d.name) + "/" + name
	}
	return name, true
}

// was reports whether h is where the listener's folder was.
func (l *listener) was(h heard) bool {
	l.d.t.shape.RLock()
	defer l.d.t.shape.RUnlock()
	return l.d.parent == h.d && l.d.name == h.name
}

// removed reports whether d, which is no longer where it was, is nowhere.
func removed(d *dir) bool {
	d.mu.Lock()
	n := d.node
	d.mu.Unlock()
	if n == nil {
		return true // or moved; nobody can tell any more
	}
	st, err := n.Stat()
	return err == nil && st.Links == 0
}
