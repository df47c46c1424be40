package tests

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cloudsoda/go-smb2"
)

// TestSoak lets clients work for a long time, each on files of its own whose
// contents it knows, while others connect and leave at any moment, and then
// looks whether the server has grown. DOZO_FULL=1 makes it long.
func TestSoak(t *testing.T) {
	clients, span := 4, 5*time.Second
	if os.Getenv("DOZO_FULL") != "" {
		span = 10 * time.Minute
	}
	s := serve(t)
	shares := make([]*smb2.Share, clients)
	for c := range shares {
		shares[c] = s.mount()
	}
	work := func(span time.Duration) {
		// No deadline, by which a visitor could fail before ctx says that it has ended.
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		defer time.AfterFunc(span, cancel).Stop()
		var wg sync.WaitGroup
		for c, share := range shares {
			wg.Go(func() {
				m := &model{t: t, share: share, dir: fmt.Sprintf("client %d", c), files: map[string][]byte{}, rnd: rand.New(rand.NewPCG(uint64(c), 1))}
				m.work(ctx)
			})
		}
		wg.Go(func() {
			for ctx.Err() == nil { // comers and goers
				share, leave, err := s.visit(ctx, s.user, s.password, s.share)
				if err != nil {
					if ctx.Err() == nil {
						t.Errorf("a client that comes: %v", err)
					}
					return
				}
				share.ReadDir("")
				leave()
				time.Sleep(20 * time.Millisecond)
			}
		})
		wg.Wait()
	}
	work(span / 5)
	before := s.resident()
	work(span)
	grown := s.resident() - before
	t.Logf("the server has %d MB, %d MB more than after a fifth of the time", s.resident()>>20, grown>>20)
	if limit := 64 << 20; grown > limit {
		t.Errorf("the server grew by %d MB", grown>>20)
	}
}

// model is one client with what its folder must hold.
type model struct {
	t     *testing.T
	share *smb2.Share
	dir   string
	files map[string][]byte // by name, in lower case
	rnd   *rand.Rand
}

// work does one thing after the other and checks each.
func (m *model) work(ctx context.Context) {
	m.share.RemoveAll(m.dir)
	clear(m.files)
	if err := m.share.Mkdir(m.dir, 0o755); err != nil {
		m.t.Errorf("mkdir %s: %v", m.dir, err)
		return
	}
	steps := []func(name string) error{m.write, m.write, m.write, m.read, m.read, m.rename, m.remove, m.list}
	for ctx.Err() == nil {
		name := fmt.Sprintf("file %d", m.rnd.IntN(50))
		if err := steps[m.rnd.IntN(len(steps))](name); err != nil {
			m.t.Errorf("%s: %v", m.dir, err)
			return
		}
	}
}

// spelled is the path of a file, in one case or the other.
func (m *model) spelled(name string) string {
	if m.rnd.IntN(2) == 0 {
		name = strings.ToUpper(name)
	}
	return m.dir + `\` + name
}

func (m *model) write(name string) error {
	data := make([]byte, m.rnd.IntN(100_000))
	for i := range data {
		data[i] = byte(m.rnd.Uint32())
	}
	m.files[name] = data
	return m.share.WriteFile(m.spelled(name), data, 0o644)
}

func (m *model) read(name string) error {
	want, there := m.files[name]
	got, err := m.share.ReadFile(m.spelled(name))
	switch {
	case there && err != nil:
		return err
	case !there && err == nil:
		return fmt.Errorf("%s is there and should not be", name)
	case there && !bytes.Equal(got, want):
		return fmt.Errorf("%s has %d other bytes than the %d written", name, len(got), len(want))
	}
	return nil
}

func (m *model) rename(name string) error {
	to := fmt.Sprintf("file %d", m.rnd.IntN(50))
	data, there := m.files[name]
	_, taken := m.files[to]
	if !there || taken && to != name {
		return nil
	}
	delete(m.files, name)
	m.files[to] = data
	return m.share.Rename(m.spelled(name), m.spelled(to))
}

func (m *model) remove(name string) error {
	_, there := m.files[name]
	delete(m.files, name)
	err := m.share.Remove(m.spelled(name))
	if there != (err == nil) {
		return fmt.Errorf("remove %s, which was there (%v): %v", name, there, err)
	}
	return nil
}

func (m *model) list(string) error {
	entries, err := m.share.ReadDir(m.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		data, ok := m.files[strings.ToLower(e.Name())]
		if !ok || int64(len(data)) != e.Size() {
			return fmt.Errorf("listed %s with %d bytes; it should be there: %v, with %d", e.Name(), e.Size(), ok, len(data))
		}
	}
	if len(entries) != len(m.files) {
		return fmt.Errorf("%d files are listed, %d are there", len(entries), len(m.files))
	}
	return nil
}
