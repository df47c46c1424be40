package names

// slots is a hash table from 32-bit hashes to 32-bit offsets, several to a
// hash, by open addressing with linear probing:
//
//	63        32 31          0
//	+-----------+-------------+
//	|   hash    | offset + 1  |   0 is an empty slot
//	+-----------+-------------+
//
// Where a slot belongs follows from its hash alone, so a table grows without
// looking at what it leads to. Above manySlots it is split in tables that grow
// one by one: no single put moves more than a 64th. The zero slots are empty.
type slots struct {
	tables []table // none, 1 or 1<<tableBits
	size   int     // slots in all tables, empty ones too
}

// table is one of the tables. Its size is what is needed and no power of two.
type table struct {
	slots []uint64
	used  int
}

const (
	minSlots  = 8
	manySlots = 32 << 10
	tableBits = 6
)

func slotOf(hash, off uint32) uint64 { return uint64(hash)<<32 | uint64(off+1) }

// put adds a slot.
func (s *slots) put(hash, off uint32) {
	switch {
	case s.tables == nil:
		s.tables = make([]table, 1)
	case len(s.tables) == 1 && s.tables[0].used >= manySlots:
		s.split()
	}
	t, bits := s.table(hash)
	s.size -= len(t.slots)
	t.put(slotOf(hash, off), bits)
	s.size += len(t.slots)
}

// take removes the slot with the hash and offset, which is there.
func (s *slots) take(hash, off uint32) {
	t, bits := s.table(hash)
	i := t.home(hash, bits)
	for t.slots[i] != slotOf(hash, off) {
		i = t.after(i)
	}
	t.take(i, bits)
}

// move replaces each offset.
func (s *slots) move(to func(off uint32) uint32) {
	for _, t := range s.tables {
		for i, slot := range t.slots {
			if slot != 0 {
				t.slots[i] = slot>>32<<32 | uint64(to(uint32(slot)-1)+1)
			}
		}
	}
}

// probeSlots is a search for a hash.
type probeSlots struct {
	table *table
	hash  uint32
	at    int
}

func (s *slots) probe(hash uint32) probeSlots {
	t, bits := s.table(hash)
	return probeSlots{t, hash, t.home(hash, bits)}
}

// next returns the next offset with the hash, ok is false after the last.
func (p *probeSlots) next() (off uint32, ok bool) {
	if len(p.table.slots) == 0 {
		return 0, false
	}
	for {
		slot := p.table.slots[p.at]
		if slot == 0 {
			return 0, false
		}
		p.at = p.table.after(p.at)
		if uint32(slot>>32) == p.hash {
			return uint32(slot) - 1, true
		}
	}
}

// trim makes all tables as small as they can be.
func (s *slots) trim() {
	bits := s.bits()
	for i := range s.tables {
		t := &s.tables[i]
		if size := max(t.used*5/4+1, minSlots); size < len(t.slots) {
			s.size += size - len(t.slots)
			t.resize(size, bits)
		}
	}
}

// bytes returns the memory that the tables take.
func (s *slots) bytes() int { return s.size*8 + len(s.tables)*32 }

func (s *slots) bits() uint {
	if len(s.tables) > 1 {
		return tableBits
	}
	return 0
}

// table returns the table for the hash, which its first bits choose, and how
// many bits that took.
func (s *slots) table(hash uint32) (*table, uint) {
	if len(s.tables) == 1 {
		return &s.tables[0], 0
	}
	return &s.tables[hash>>(32-tableBits)], tableBits
}

func (s *slots) split() {
	whole := s.tables[0]
	s.tables, s.size = make([]table, 1<<tableBits), 0
	for _, slot := range whole.slots {
		if slot != 0 {
			s.put(uint32(slot>>32), uint32(slot)-1)
		}
	}
}

// home returns where the search for hash begins: the bits that did not choose
// the table, scaled to its size.
func (t *table) home(hash uint32, bits uint) int {
	return int(uint64(hash<<bits) * uint64(len(t.slots)) >> 32)
}

func (t *table) after(i int) int {
	if i++; i == len(t.slots) {
		return 0
	}
	return i
}

// put adds a slot, in a larger table if this one is filled to 4/5.
func (t *table) put(slot uint64, bits uint) {
	if (t.used+1)*5 > len(t.slots)*4 {
		t.resize(max(len(t.slots)*3/2, minSlots), bits)
	}
	i := t.home(uint32(slot>>32), bits)
	for t.slots[i] != 0 {
		i = t.after(i)
	}
	t.slots[i] = slot
	t.used++
}

// take empties slot i and moves back those behind it whose search would now
// end too early.
func (t *table) take(i int, bits uint) {
	hole := i
	for j := t.after(i); t.slots[j] != 0; j = t.after(j) {
		if home := t.home(uint32(t.slots[j]>>32), bits); !between(hole, home, j) {
			t.slots[hole] = t.slots[j]
			hole = j
		}
	}
	t.slots[hole] = 0
	t.used--
}

// between reports whether home lies behind hole and not behind j, going round.
func between(hole, home, j int) bool {
	if hole <= j {
		return hole < home && home <= j
	}
	return hole < home || home <= j
}

func (t *table) resize(size int, bits uint) {
	old := t.slots
	t.slots, t.used = make([]uint64, size), 0
	for _, slot := range old {
		if slot != 0 {
			t.put(slot, bits)
		}
	}
}
