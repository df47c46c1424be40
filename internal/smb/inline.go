package smb

import (
	"sync/atomic"
	"time"
)

const (
	// glance is how often the chains that readers run are looked at. One that is
	// still the same has taken long enough.
	glance = 5 * time.Millisecond

	// calm is after how many glances that met none they end, until the next one.
	calm = 200
)

// inline are the chains that the readers of connections run themselves. Should
// one take long, another goroutine goes on reading, so that it holds up no other
// request of its connection.
//
// A timer for each would say so sooner, but to set one wakes a thread: that was a
// sixth of the CPU time of a create.
type inline struct {
	places   [256]atomic.Pointer[chain] // by connection; who finds its place taken uses a worker
	glancing atomic.Bool
}

// enter reports whether the reader of ch's connection may run it.
func (in *inline) enter(ch *chain) bool {
	if !in.place(ch).CompareAndSwap(nil, ch) {
		return false
	}
	if in.glancing.CompareAndSwap(false, true) {
		w := ch.conn.server.workers
		w.ended.Add(1)
		go func() {
			defer w.ended.Done()
			in.glance(w.stop)
		}()
	}
	return true
}

func (in *inline) leave(ch *chain) { in.place(ch).CompareAndSwap(ch, nil) }

func (in *inline) place(ch *chain) *atomic.Pointer[chain] {
	return &in.places[ch.conn.id%uint64(len(in.places))]
}

// glance looks at the chains until there were none for a while, or the server
// stops.
func (in *inline) glance(stop <-chan struct{}) {
	var seen [len(in.places)]*chain
	ticks := time.NewTicker(glance)
	defer ticks.Stop()
	for idle := 0; ; idle++ {
		select {
		case <-ticks.C:
		case <-stop:
			return
		}
		for i := range in.places {
			ch := in.places[i].Load()
			if ch != nil && ch == seen[i] && ch.handOver() {
				go ch.conn.read()
			}
			if seen[i] = ch; ch != nil {
				idle = 0
			}
		}
		if idle < calm {
			continue
		}
		in.glancing.Store(false)
		if !in.any() || !in.glancing.CompareAndSwap(false, true) {
			return
		}
	}
}

// any reports whether a chain is run.
func (in *inline) any() bool {
	for i := range in.places {
		if in.places[i].Load() != nil {
			return true
		}
	}
	return false
}
