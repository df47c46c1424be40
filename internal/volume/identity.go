package volume

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"sync"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// A node's identity is its file system and its file handle. From both together
// comes a digest, and from that, without a store, the 64-bit id that protocols
// show, the same after a restart and a rename, and the key that tells nodes
// apart within the process.

// firstID is the smallest id a node can have; lower ones mean something to some
// protocol.
const firstID = 17

// identity is what the digest of a node is used for.
type identity struct {
	key vfs.Key
	id  uint64
}

// identify makes the identity of the node with the handle h on s.
func (s *system) identify(h disk.Handle) identity {
	var b [16 + 4 + len(h.Bytes)]byte
	copy(b[:], s.id[:])
	binary.LittleEndian.PutUint32(b[16:], uint32(h.Type))
	k := copy(b[20:], h.Bytes[:h.Size])
	sum := sha256.Sum256(b[:20+k])
	lo, hi := binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])
	return identity{vfs.Key{FS: s.num, Hi: hi, Lo: lo}, idOf(lo)}
}

// idOf makes an id: positive, for programs that take it as signed, and never a
// low one.
func idOf(digest uint64) uint64 {
	id := digest & math.MaxInt64
	if id < firstID {
		id += 1 << 62
	}
	return id
}

func serialOf(id [16]byte) uint32 { return binary.LittleEndian.Uint32(id[:]) | 1 }

// system is a file system, or a subvolume, that the folder reaches into.
type system struct {
	id  [16]byte // lasts as long as the file system
	num uint64   // differs between all systems that the process ever met
}

// systems are those of a volume: its own and what is mounted below.
type systems struct {
	mu      sync.RWMutex
	byDev   map[uint64]*system
	forgets int
}

// of returns the system that n, with the device number dev, is on.
func (s *systems) of(n *disk.Node, dev uint64) (*system, error) {
	s.mu.RLock()
	found, forgets := s.byDev[dev], s.forgets
	s.mu.RUnlock()
	if found != nil {
		return found, nil
	}
	fs, err := n.FileSystem()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.byDev[dev]; found != nil {
		return found, nil
	}
	found = &system{id: fs.ID, num: numberOf(fs.ID, dev)}
	if s.forgets != forgets {
		return found, nil // the number may be another's by now
	}
	if s.byDev == nil {
		s.byDev = map[uint64]*system{}
	}
	s.byDev[dev] = found
	return found, nil
}

// forget drops what is known: a device number may be another's after something
// was mounted.
func (s *systems) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byDev = nil
	s.forgets++
}

// numbered are the numbers given to systems. Two mounts of one file system have
// one device number, and two file systems that say the same of themselves have
// two; so both count.
var numbered struct {
	sync.Mutex
	of map[numberKey]uint64
}

type numberKey struct {
	id  [16]byte
	dev uint64
}

func numberOf(id [16]byte, dev uint64) uint64 {
	numbered.Lock()
	defer numbered.Unlock()
	if numbered.of == nil {
		numbered.of = map[numberKey]uint64{}
	}
	key := numberKey{id, dev}
	if _, ok := numbered.of[key]; !ok {
		numbered.of[key] = uint64(len(numbered.of) + 1)
	}
	return numbered.of[key]
}
