package names

import (
	"encoding/binary"
	"hash/maphash"
	"sync"
	"time"

	"github.com/dozo-server/dozo/internal/budget"
)

// packs are the packed folders of a Tree: records in chunks of bytes that the
// garbage collector does not look into, in the order they came.
//
//	| device 8 | handle: type 4, length 1, bytes | change time 8 | count 4 | length 4 | names |
//
// The names stand as in an arena. Integers are little-endian.
type packs struct {
	account *budget.Account
	age     time.Duration // packAge, but in tests

	mu     sync.Mutex        // below all other locks of a Tree
	at     map[uint64]uint64 // hash of a dirID -> number of the chunk, place in it; 32 bits each
	chunks []packChunk
	first  uint32 // number of chunks[0]
	live   int    // bytes of the records in at
	dead   int    // of the others
}

// packChunk is a run of records.
type packChunk struct {
	data  []byte
	live  int
	since int64 // when the last record came, in nanoseconds of now
}

// packed is what is kept of a folder.
type packed struct {
	changed time.Time // its change time
	count   int       // of names
	names   []byte
}

const (
	packChunkSize = 64 << 10
	packHeader    = 8 + 4 + 1 + 8 + 4 + 4
	packMapBytes  = 32 // that a record takes in at
)

var packSeed = maphash.MakeSeed()

// put keeps p of the folder id.
func (s *packs) put(id dirID, p packed) {
	handle := id.handle.Bytes[:id.handle.Size]
	size := packHeader + len(handle) + len(p.names)
	key := maphash.Comparable(packSeed, id)

	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(key)
	last := len(s.chunks) - 1
	if last < 0 || len(s.chunks[last].data)+size > cap(s.chunks[last].data) {
		s.chunks = append(s.chunks, packChunk{data: make([]byte, 0, max(size, packChunkSize))})
		last++
		s.account.Add(int64(cap(s.chunks[last].data)))
	}
	c := &s.chunks[last]
	if s.at == nil {
		s.at = map[uint64]uint64{}
	}
	s.at[key] = uint64(s.first+uint32(last))<<32 | uint64(len(c.data))
	b := binary.LittleEndian.AppendUint64(c.data, id.dev)
	b = binary.LittleEndian.AppendUint32(b, uint32(id.handle.Type))
	b = append(append(b, id.handle.Size), handle...)
	b = binary.LittleEndian.AppendUint64(b, uint64(p.changed.UnixNano()))
	b = binary.LittleEndian.AppendUint32(b, uint32(p.count))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(p.names)))
	c.data = append(b, p.names...)
	c.live += size
	c.since = now()
	s.live += size
	s.account.Add(packMapBytes)
}

// take returns what is kept of the folder id, and keeps it no longer.
func (s *packs) take(id dirID) (p packed, ok bool) {
	key := maphash.Comparable(packSeed, id)
	s.mu.Lock()
	defer s.mu.Unlock()
	at, ok := s.at[key]
	if !ok {
		return p, false
	}
	who, p, _ := readPacked(s.record(at))
	if who != id {
		return p, false
	}
	p.names = append([]byte(nil), p.names...)
	s.forget(key)
	return p, true
}

func (s *packs) record(at uint64) []byte {
	return s.chunks[uint32(at>>32)-s.first].data[uint32(at):]
}

// readPacked reads the record that b begins with, which takes size bytes.
func readPacked(b []byte) (id dirID, p packed, size int) {
	id.dev = binary.LittleEndian.Uint64(b)
	id.handle.Type = int32(binary.LittleEndian.Uint32(b[8:]))
	id.handle.Size = b[12]
	n := copy(id.handle.Bytes[:id.handle.Size], b[13:])
	b = b[13+n:]
	p.changed = time.Unix(0, int64(binary.LittleEndian.Uint64(b)))
	p.count = int(binary.LittleEndian.Uint32(b[8:]))
	length := int(binary.LittleEndian.Uint32(b[12:]))
	p.names = b[16 : 16+length]
	return id, p, packHeader + n + length
}

// forget forgets the record of key, if there is one. A chunk goes when it has
// no more; when more is forgotten than kept, the oldest goes with what it has.
// It runs with mu held.
func (s *packs) forget(key uint64) {
	at, ok := s.at[key]
	if !ok {
		return
	}
	_, _, size := readPacked(s.record(at))
	delete(s.at, key)
	s.account.Add(-packMapBytes)
	s.live, s.dead = s.live-size, s.dead+size
	c := &s.chunks[uint32(at>>32)-s.first]
	if c.live -= size; c.live == 0 {
		s.free(c)
	}
	for len(s.chunks) > 0 && (s.chunks[0].data == nil || s.dead > s.live+16*packChunkSize) {
		s.dropOldest()
	}
}

// free gives back the memory of a chunk without records.
func (s *packs) free(c *packChunk) {
	s.account.Add(-int64(cap(c.data)))
	s.dead -= len(c.data)
	c.data = nil
}

// dropOldest forgets the first chunk. It runs with mu held.
func (s *packs) dropOldest() {
	c := &s.chunks[0]
	for off := 0; off < len(c.data); {
		id, _, size := readPacked(c.data[off:])
		key := maphash.Comparable(packSeed, id)
		if at, ok := s.at[key]; ok && at == uint64(s.first)<<32|uint64(off) {
			delete(s.at, key)
			s.account.Add(-packMapBytes)
			s.live, s.dead = s.live-size, s.dead+size
		}
		off += size
	}
	if c.data != nil {
		s.free(c)
	}
	s.chunks = s.chunks[1:]
	s.first++
}

// forgetOthers forgets the folders of all file systems but one.
func (s *packs) forgetOthers(dev uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, at := range s.at {
		if id, _, _ := readPacked(s.record(at)); id.dev != dev {
			s.forget(key)
		}
	}
}

// count returns how many folders are packed, and how many names.
func (s *packs) count() (folders, names int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, at := range s.at {
		_, p, _ := readPacked(s.record(at))
		names += p.count
	}
	return len(s.at), names
}

// Items implements budget.Keeper: of the chunks only the oldest can go, as if
// all that is in it were one folder.
func (s *packs) Items() []budget.Item {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]budget.Item, 0, len(s.chunks))
	for _, c := range s.chunks {
		if c.data != nil {
			idle := float64(now()-c.since) / float64(costOfDir)
			all = append(all, budget.Item{Idle: idle, Bytes: int64(cap(c.data)), What: s})
		}
	}
	return all
}

// Drop implements budget.Keeper.
func (s *packs) Drop(budget.Item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.chunks) > 0 {
		s.dropOldest()
	}
}
