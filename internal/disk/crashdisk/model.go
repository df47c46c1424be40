package crashdisk

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/dozo-server/dozo/internal/disk"
)

// sectorSize is what a disk writes at once.
const sectorSize = 512

// model is a disk with all that it may still forget.
type model struct {
	files  []*file
	opened map[string]*file // by the path that they were last opened by
	synced map[string]node  // the entries that a power cut leaves
	now    map[string]node  // those that programs see
	steps  []step           // from the one to the other
}

// node is what an entry names; without a file it is a folder.
type node struct{ file *file }

// file is a file's data.
type file struct {
	sectors map[int64]*versions[[sectorSize]byte]
	size    versions[int64]
	failed  int // versions before this event may never be written
}

// versions are the states that something was in, from the synced one on.
type versions[T any] struct {
	synced T
	later  []version[T]
}

type version[T any] struct {
	event int
	state T
}

func (v *versions[T]) last() T {
	if n := len(v.later); n > 0 {
		return v.later[n-1].state
	}
	return v.synced
}

func (v *versions[T]) add(event int, state T) { v.later = append(v.later, version[T]{event, state}) }

// sync makes what was before an event last, unless all that was before failed.
func (v *versions[T]) sync(event, failed int) {
	newest := failed - 1
	for _, l := range v.later {
		if l.event < event {
			newest = l.event
		}
	}
	if newest < failed {
		return
	}
	for len(v.later) > 0 && v.later[0].event < event {
		v.synced = v.later[0].state
		v.later = v.later[1:]
	}
}

func (v *versions[T]) choose(fate Fate) T {
	if len(v.later) == 0 {
		return v.synced
	}
	if i := fate(len(v.later)); i > 0 {
		return v.later[i-1].state
	}
	return v.synced
}

// step is a change of the entries of folders.
type step struct {
	event    int
	from, to string // "": none
	node     node
}

func newModel(before map[string][]byte, dirs []string) *model {
	m := &model{opened: map[string]*file{}, synced: map[string]node{}}
	for _, name := range dirs {
		m.synced[name] = node{}
	}
	for name, data := range before {
		f := m.newFile()
		f.write(-1, 0, data)
		f.sync(0)
		m.synced[name] = node{f}
	}
	m.now = maps.Clone(m.synced)
	return m
}

func (m *model) newFile() *file {
	f := &file{sectors: map[int64]*versions[[sectorSize]byte]{}, failed: -1}
	m.files = append(m.files, f)
	return f
}

// play does what an event did.
func (m *model) play(i int, e event) {
	switch e.Op {
	case disk.OpOpen:
		n, ok := m.now[e.Path]
		if !ok && e.Flags.Has(disk.Create) {
			n = node{m.newFile()}
			m.step(step{i, "", e.Path, n})
		}
		if m.opened[e.Path] = n.file; n.file != nil && e.Flags.Has(disk.Truncate) {
			n.file.truncate(i, 0)
		}
	case disk.OpMkdir:
		m.step(step{i, "", e.Path, node{}})
	case disk.OpRename:
		m.step(step{i, e.Path, e.To, m.now[e.Path]})
	case disk.OpLink:
		m.step(step{i, "", e.To, m.now[e.Path]})
	case disk.OpRemove:
		m.step(step{i, e.Path, "", m.now[e.Path]})
	case disk.OpWrite:
		m.opened[e.Path].write(i, e.Offset, e.Data)
	case disk.OpTruncate:
		m.opened[e.Path].truncate(i, e.Offset)
	case disk.OpSync:
		switch f := m.opened[e.Path]; {
		case e.failed && f != nil:
			f.failed = e.synced
		case f != nil:
			f.sync(e.synced)
		case !e.failed:
			m.syncFolder(e.Path, e.synced)
		}
	}
}

func (m *model) step(s step) {
	m.steps = append(m.steps, s)
	s.take(m.now)
}

// take makes the change if what was before it is there.
func (s *step) take(names map[string]node) {
	if s.from != "" {
		if n, ok := names[s.from]; !ok || n != s.node {
			return
		}
		delete(names, s.from)
	}
	if s.to != "" {
		names[s.to] = s.node
	}
}

// in reports whether s is a change of the folder dir.
func (s *step) in(dir string) bool {
	return s.from != "" && path.Dir(s.from) == dir || s.to != "" && path.Dir(s.to) == dir
}

// syncFolder makes the changes of dir last that were before an event.
func (m *model) syncFolder(dir string, event int) {
	m.steps = slices.DeleteFunc(m.steps, func(s step) bool {
		if s.event >= event || !s.in(dir) {
			return false
		}
		s.take(m.synced)
		return true
	})
}

func (f *file) sync(event int) {
	f.size.sync(event, f.failed)
	for _, s := range f.sectors {
		s.sync(event, f.failed)
	}
}

func (f *file) write(event int, off int64, data []byte) {
	if end := off + int64(len(data)); end > f.size.last() {
		f.size.add(event, end)
	}
	for len(data) > 0 {
		k := min(len(data), int(sectorSize-off%sectorSize))
		f.sector(event, off/sectorSize, int(off%sectorSize), data[:k])
		off, data = off+int64(k), data[k:]
	}
}

func (f *file) sector(event int, number int64, at int, data []byte) {
	s := f.sectors[number]
	if s == nil {
		s = &versions[[sectorSize]byte]{}
		f.sectors[number] = s
	}
	state := s.last()
	copy(state[at:], data)
	s.add(event, state)
}

func (f *file) truncate(event int, size int64) {
	for number := range f.sectors {
		if end := (number + 1) * sectorSize; end > size {
			at := max(size-number*sectorSize, 0)
			f.sector(event, number, int(at), make([]byte, sectorSize-at))
		}
	}
	f.size.add(event, size)
}

// data returns what a power cut leaves. Where a sector was lost within the size
// are zeros.
func (f *file) data(fate Fate) []byte {
	data := make([]byte, f.size.choose(fate))
	for _, number := range slices.Sorted(maps.Keys(f.sectors)) {
		state := f.sectors[number].choose(fate)
		if at := number * sectorSize; at < int64(len(data)) {
			copy(data[at:], state[:])
		}
	}
	return data
}

// write makes one of the states in dir.
func (m *model) write(dir string, fate Fate) error {
	names := maps.Clone(m.synced)
	for _, s := range m.steps {
		if fate(1) == 1 {
			s.take(names)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		place := filepath.Join(dir, name)
		if names[name].file == nil {
			if err := os.MkdirAll(place, 0o700); err != nil {
				return err
			}
			continue
		}
		if _, ok := names[path.Dir(name)]; !ok && path.Dir(name) != "." {
			continue // its folder was lost, and it with it
		}
		if err := os.WriteFile(place, names[name].file.data(fate), 0o600); err != nil {
			return fmt.Errorf("restore %s: %w", name, err)
		}
	}
	return nil
}
