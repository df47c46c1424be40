package names

// probe yields the offsets of the records that may have a key with the hash:
// without slots all of them.
type probe struct {
	slots probeSlots
	all   cursor
}

func (x *index) probe(hash uint32) probe {
	if x.tabled {
		return probe{slots: x.slots.probe(hash)}
	}
	return probe{all: cursor{chunks: x.names.chunks}}
}

func (p *probe) next() (off uint32, ok bool) {
	if p.slots.table != nil {
		return p.slots.next()
	}
	_, off, ok = p.all.next()
	return off, ok
}
