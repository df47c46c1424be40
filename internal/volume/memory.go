package volume

import (
	"math/bits"
	"sync"
	"time"

	"github.com/dozo-server/dozo/internal/budget"
	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/internal/meta"
	"github.com/dozo-server/dozo/vfs"
)

// Of each entry a listing needs its attributes, its id and what is stored about
// it: three calls of the system. The first must be made each time; what the
// others found is remembered here, by folder, as long as the change time of the
// entry stays. A listing that came to its end leaves a table for the next one.

// memo is what is remembered about one entry. The zero memo is nothing.
type memo struct {
	ino     uint64
	id      uint64
	changed int64 // the change time, in nanoseconds since 1970
	info    meta.Info
}

// folder is a table of entries by inode. It does not change.
type folder struct {
	slots  []uint32 // index in places, from 1; the length is a power of two
	places []place
	infos  []meta.Info
}

// place is a memo in a folder.
type place struct {
	ino     uint64
	id      uint64
	changed int64
	info    uint32 // index in infos, from 1; 0: nothing is stored
}

// Sizes for the budget, in bytes.
const (
	placeBytes  = 32 + 2*4 // with its slots
	infoBytes   = 48
	folderBytes = 200
)

func (f *folder) bytes() int64 {
	return folderBytes + int64(len(f.places))*placeBytes + int64(len(f.infos))*infoBytes
}

func hashIno(ino uint64) uint64 { return bits.RotateLeft64(ino*0x9e3779b97f4a7c15, 32) }

// find returns what is known about an entry with the attributes st. The order of
// a folder seldom changes: at is where the entry is expected, and becomes where
// the next one is. f may be nil.
func (f *folder) find(st *disk.Stat, at *int) (memo, bool) {
	if f == nil {
		return memo{}, false
	}
	i := *at
	if i >= len(f.places) || f.places[i].ino != st.Ino {
		if i = f.search(st.Ino); i < 0 {
			return memo{}, false
		}
	}
	*at = i + 1
	p := &f.places[i]
	if p.changed != st.Changed.UnixNano() {
		return memo{}, false
	}
	m := memo{ino: p.ino, id: p.id, changed: p.changed}
	if p.info > 0 {
		m.info = f.infos[p.info-1]
	}
	return m, true
}

// search returns the index of an inode in places, -1 if it is not there.
func (f *folder) search(ino uint64) int {
	mask := uint64(len(f.slots) - 1)
	for i := hashIno(ino) & mask; f.slots[i] != 0; i = (i + 1) & mask {
		if at := int(f.slots[i] - 1); f.places[at].ino == ino {
			return at
		}
	}
	return -1
}

// gathering is a folder in the making.
type gathering struct {
	places []place
	infos  []meta.Info
	limit  int64 // bytes; a folder that takes more is not remembered
	over   bool
}

// add adds m unless it is empty.
func (g *gathering) add(m memo) {
	if m.ino == 0 || g.over {
		return
	}
	p := place{ino: m.ino, id: m.id, changed: m.changed}
	if m.info.Stored {
		g.infos = append(g.infos, m.info)
		p.info = uint32(len(g.infos))
	}
	g.places = append(g.places, p)
	if int64(len(g.places))*placeBytes+int64(len(g.infos))*infoBytes > g.limit {
		*g = gathering{over: true}
	}
}

// folder makes the table; nil if there is nothing to remember.
func (g *gathering) folder() *folder {
	if len(g.places) == 0 {
		return nil
	}
	f := &folder{
		slots:  make([]uint32, 1<<bits.Len(uint(len(g.places))*5/4)),
		places: g.places,
		infos:  g.infos,
	}
	mask := uint64(len(f.slots) - 1)
	for i := range f.places {
		at := hashIno(f.places[i].ino) & mask
		for f.slots[at] != 0 {
			at = (at + 1) & mask
		}
		f.slots[at] = uint32(i + 1)
	}
	return f
}

// memory holds the folders of a volume, the ones used last, within the budget
// that they share with the names.
type memory struct {
	account *budget.Account
	ended   chan struct{} // closed when nobody trims any more

	mu      sync.Mutex
	folders map[vfs.Key]*remembered
}

type remembered struct {
	key    vfs.Key
	folder *folder
	used   time.Time
}

// costOfPlace is what it takes to find out about one entry what a folder
// remembers.
const costOfPlace = 2 * time.Microsecond

// open begins to hold folders.
func (m *memory) open(b *budget.Budget) {
	m.account, m.ended = b.Open(m), make(chan struct{})
	m.folders = map[vfs.Key]*remembered{}
	go func() {
		defer close(m.ended)
		for range m.account.C() {
			m.account.Trim()
		}
	}()
}

// close gives the memory back.
func (m *memory) close() {
	m.account.Close()
	<-m.ended
}

// most is the size of the largest folder that is remembered: names come first.
func (m *memory) most() int64 { return m.account.Limit() / 8 }

// Items implements budget.Keeper.
func (m *memory) Items() []budget.Item {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make([]budget.Item, 0, len(m.folders))
	for _, r := range m.folders {
		cost := time.Duration(len(r.folder.places)) * costOfPlace
		all = append(all, budget.Item{Idle: float64(time.Since(r.used)) / float64(cost), Bytes: r.folder.bytes(), What: r})
	}
	return all
}

// Drop implements budget.Keeper.
func (m *memory) Drop(i budget.Item) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := i.What.(*remembered); m.folders[r.key] == r {
		m.drop(r.key)
	}
}

// get returns what is remembered about the folder key, nil if nothing is.
func (m *memory) get(key vfs.Key) *folder {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.folders[key]
	if r == nil {
		return nil
	}
	r.used = time.Now()
	return r.folder
}

// put remembers f, which may be nil, about the folder key, in place of what was.
func (m *memory) put(key vfs.Key, f *folder) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(key)
	if f == nil {
		return
	}
	m.folders[key] = &remembered{key, f, time.Now()}
	m.account.Add(f.bytes())
}

func (m *memory) drop(key vfs.Key) {
	if r := m.folders[key]; r != nil {
		m.account.Add(-r.folder.bytes())
		delete(m.folders, key)
	}
}
