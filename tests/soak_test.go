package tests

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/status"
)

// TestSoak has clients of every habit use a server for a long time, while its
// configuration is read again and again. When all have left it holds what it
// held when all had left before. DOZO_FULL=1 makes it half an hour.
func TestSoak(t *testing.T) {
	first, second := 2*time.Second, 4*time.Second
	if os.Getenv("DOZO_FULL") != "" {
		first, second = 10*time.Minute, 20*time.Minute
	}
	s := &soak{configured(t, "", ""), sharedDir(t)}
	s.crowd()
	s.use(first)
	before := s.atRest(held{})
	s.use(second)
	after := s.atRest(before)
	t.Logf("at rest after %v: %v; after %v: %v", first, before, first+second, after)
	after.mustEqual(t, before, 1<<20)
}

// soak is a server that is used for a long time.
type soak struct {
	*server
	visitor string // folder of a share that comes and goes
}

// habit is what clients of a kind do.
type habit struct {
	name    string
	clients int
	// come connects a client. It returns what the client does over and over, and
	// how it leaves.
	come func(s *soak, client int) (once func(round int) error, leave func(), err error)
}

var habits = []habit{
	{"files of their own", 4, (*soak).files},
	{"byte ranges", 2, (*soak).ranges},
	{"oplocks", 2, (*soak).oplocks},
	{"notices of changes", 2, (*soak).notices},
	{"named pipes", 1, (*soak).pipes},
	{"a share that comes and goes", 1, (*soak).guests},
	{"coming and going", 1, (*soak).visits},
	{"wrong passwords", 1, (*soak).strangers},
	{"breaking off", 1, (*soak).breaks},
	{"asking for the status", 1, (*soak).asking},
	{"reloading", 1, (*soak).reloading},
}

// use has all clients work for a while, and returns when they have left.
func (s *soak) use(span time.Duration) {
	ctx, cancel := context.WithTimeout(s.t.Context(), span)
	defer cancel()
	var working sync.WaitGroup
	rounds := make([]atomic.Int64, len(habits))
	for i, h := range habits {
		for client := range h.clients {
			working.Go(func() {
				if err := h.live(ctx, s, client, &rounds[i]); err != nil {
					s.t.Errorf("%s, in round %d: %v", h.name, rounds[i].Load(), err)
					cancel()
				}
			})
		}
	}
	minutes := time.NewTicker(time.Minute)
	defer minutes.Stop()
	for ctx.Err() == nil {
		select {
		case <-minutes.C:
			s.t.Logf("%s: %v", time.Now().Format(time.TimeOnly), heldBy(s.ask()))
		case <-ctx.Done():
		}
	}
	working.Wait()
	for i, h := range habits {
		s.t.Logf("%s: %d rounds", h.name, rounds[i].Load())
		if rounds[i].Load() == 0 {
			s.t.Errorf("%s: nothing was done", h.name)
		}
	}
	s.turn(0)
	if err := s.reload(); err != nil {
		s.t.Error(err)
	}
}

// live does what a client does until ctx ends. What it has begun then it ends.
func (h *habit) live(ctx context.Context, s *soak, client int, rounds *atomic.Int64) error {
	once, leave, err := h.come(s, client)
	if err != nil {
		return err
	}
	defer leave()
	for round := 0; ctx.Err() == nil; round++ {
		if err := once(round); err != nil {
			return err
		}
		rounds.Add(1)
	}
	return nil
}

// turn changes shares, users and limits of what others do not use.
func (s *soak) turn(n int) {
	if n%2 == 0 {
		s.configure("", "")
		return
	}
	s.configure("memory = \"300M\"\nhosts-allow = [\"127.0.0.0/8\"]\n",
		fmt.Sprintf("comment = \"turn %d\"\nusers = [\"TESTER\", \"user%d\"]\n[[share]]\nname = \"visitor\"\npath = %q\n", n, n, s.visitor))
}

// asking is an administrator who looks at the server.
func (s *soak) asking(int) (once func(int) error, leave func(), err error) {
	return func(int) error {
		time.Sleep(20 * time.Millisecond)
		_, err := status.Ask(s.t.Context(), s.socket())
		return err
	}, func() {}, nil
}

// reloading is one who changes the configuration.
func (s *soak) reloading(int) (once func(int) error, leave func(), err error) {
	return func(round int) error {
		time.Sleep(100 * time.Millisecond)
		s.turn(round)
		if round%4 == 3 {
			return s.cmd.Process.Signal(syscall.SIGHUP)
		}
		return s.reload()
	}, func() {}, nil
}
