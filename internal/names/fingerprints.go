package names

import "hash/maphash"

// fingerprints are what is kept of a folder too large for the memory budget:
// 32 bits of each key's hash. They prove that a name is not there, at about
// 8 bytes a name; that it is there they only suggest, wrongly for a few names
// in 10,000, and then the folder has to be read.
//
// A name that goes leaves its fingerprint, which might be another's, too. Too
// many of these make wrong suggestions; stale tells when.
//
// Fingerprints are not safe for concurrent use.
type fingerprints struct {
	fold  folding
	seed  maphash.Seed
	table []uint32 // open addressing, linear probing; 0 is empty
	used  int
	gone  int // names that went
}

func newFingerprints(f folding, seed maphash.Seed) *fingerprints {
	return &fingerprints{fold: f, seed: seed, table: make([]uint32, minSlots)}
}

func (p *fingerprints) of(name []byte) uint32 {
	var buf keyBuffer
	return max(hashKey(p.seed, appendKey(p.fold, buf[:0], name)), 1)
}

// add enters a name, and those given to it.
func (p *fingerprints) add(name []byte) {
	p.put(p.of(name))
	for _, other := range givenTo(p.fold, name, mayHaveAlias(name)) {
		if other != "" {
			p.put(p.of([]byte(other)))
		}
	}
}

// put enters h unless it is there: names with one fingerprint share it.
func (p *fingerprints) put(h uint32) {
	if (p.used+1)*5 > len(p.table)*4 {
		old := p.table
		p.table, p.used = make([]uint32, len(old)*3/2), 0
		for _, h := range old {
			if h != 0 {
				p.put(h)
			}
		}
	}
	i := p.home(h)
	for ; p.table[i] != 0; i = p.after(i) {
		if p.table[i] == h {
			return
		}
	}
	p.table[i] = h
	p.used++
}

// maybe reports whether a name with the key of name may be there.
func (p *fingerprints) maybe(name []byte) bool {
	h := p.of(name)
	for i := p.home(h); p.table[i] != 0; i = p.after(i) {
		if p.table[i] == h {
			return true
		}
	}
	return false
}

// remove notes that a name went.
func (p *fingerprints) remove() { p.gone++ }

// stale reports whether so many names went that the folder should be read
// again when the next suggestion turns out wrong.
func (p *fingerprints) stale() bool { return p.gone > 64+p.used/10 }

func (p *fingerprints) bytes() int64 { return indexOverhead + int64(len(p.table))*4 }

func (p *fingerprints) home(h uint32) int {
	return int(uint64(h) * uint64(len(p.table)) >> 32)
}

func (p *fingerprints) after(i int) int {
	if i++; i == len(p.table) {
		return 0
	}
	return i
}
