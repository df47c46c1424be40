package smb

import "sync"

const (
	// maxIdle bounds how many workers wait for something to do.
	maxIdle = 32

	// maxBusy bounds how many run chains. Each may hold a thread while its
	// disk does not answer, and Go ends a process with 10,000 of them.
	maxBusy = 4096
)

// workers run the chains that their reader hands over. Those that have nothing
// to do are kept for a while, because their stacks have grown to what a
// request needs, which costs a new goroutine a tenth of its request.
type workers struct {
	busy   chan struct{} // holds one for each chain that runs and does not wait for others
	chains chan *chain
	stop   chan struct{}
	ended  sync.WaitGroup

	mu      sync.Mutex
	idle    int
	stopped bool
}

func newWorkers() *workers {
	return &workers{busy: make(chan struct{}, maxBusy), chains: make(chan *chain), stop: make(chan struct{})}
}

// run has ch run by a worker.
func (w *workers) run(ch *chain) {
	select {
	case w.chains <- ch:
	default:
		w.ended.Add(1)
		go w.work(ch)
	}
}

func (w *workers) work(ch *chain) {
	defer w.ended.Done()
	for ch != nil {
		ch.run()
		ch = w.next()
	}
}

// next waits for a chain. It returns nil when the worker is not needed.
func (w *workers) next() *chain {
	w.mu.Lock()
	if w.stopped || w.idle >= maxIdle {
		w.mu.Unlock()
		return nil
	}
	w.idle++
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		w.idle--
		w.mu.Unlock()
	}()
	select {
	case ch := <-w.chains:
		return ch
	case <-w.stop:
		return nil
	}
}

// close ends the workers. No chain may be run any more.
func (w *workers) close() {
	w.mu.Lock()
	if !w.stopped {
		w.stopped = true
		close(w.stop)
	}
	w.mu.Unlock()
	w.ended.Wait()
}
