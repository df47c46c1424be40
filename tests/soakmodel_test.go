package tests

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/cloudsoda/go-smb2"
)

// model is one client with what its folder must hold.
type model struct {
	share *smb2.Share
	dir   string
	files map[string][]byte // by name, in lower case
	rnd   *rand.Rand
}

// files is a client that uses a folder of its own and checks all it does.
func (s *soak) files(client int) (once func(int) error, leave func(), err error) {
	share, depart, err := s.visit(s.t.Context(), s.user, s.password, s.share)
	if err != nil {
		return nil, nil, err
	}
	m := &model{share: share, dir: fmt.Sprintf("client %d", client), files: map[string][]byte{}, rnd: rand.New(rand.NewPCG(uint64(client), 1))}
	if err := share.Mkdir(m.dir, 0o755); err != nil {
		depart()
		return nil, nil, err
	}
	return m.work, func() {
		if err := share.RemoveAll(m.dir); err != nil {
			s.t.Errorf("removing %s: %v", m.dir, err)
		}
		depart()
	}, nil
}

// work does one thing and checks it.
func (m *model) work(int) error {
	steps := []func(name string) error{m.write, m.write, m.write, m.read, m.read, m.rename, m.remove, m.list}
	if err := steps[m.rnd.IntN(len(steps))](fmt.Sprintf("file %d", m.rnd.IntN(50))); err != nil {
		return fmt.Errorf("%s: %w", m.dir, err)
	}
	return nil
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
