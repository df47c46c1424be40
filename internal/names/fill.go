package names

import (
	"github.com/dozo-server/dozo/vfs"
)

// filling enters the names of a folder that is read into an index. Once there
// are many, the slots wait until all names are known: each table is made once
// then, of the size it needs, and filled on its own, so that the processor has
// it at hand.
type filling struct {
	x       *index
	waiting [1 << tableBits][][]uint64 // slots by table, in runs
	slots   int                        // of these
	late    []uint32                   // records of names whose key another has
}

const waitingRun = 512

// add is index.add.
func (f *filling) add(name []byte, typ vfs.Type) (ok bool) {
	x := f.x
	if len(x.slots.tables) < 2 {
		_, ok := x.add(name, typ)
		return ok
	}
	if len(name) > maxIndexed {
		return false
	}
	off, ok := x.names.add(name, typ, mayHaveAlias(name))
	if !ok {
		return false
	}
	x.live++
	if isOdd(name) {
		x.odd++
	}
	f.wait(x.hash(name), off)
	x.eachGiven(x.names.at(off), func(hash uint32) { f.wait(hash, off) })
	return true
}

func (f *filling) wait(hash, off uint32) {
	runs := &f.waiting[hash>>(32-tableBits)]
	last := len(*runs) - 1
	if last < 0 || len((*runs)[last]) == waitingRun {
		*runs = append(*runs, make([]uint64, 0, waitingRun))
		last++
	}
	(*runs)[last] = append((*runs)[last], slotOf(hash, off))
	f.slots++
}

// bytes is what the index will take, in bytes, but for what clashes take: these
// are known at the end.
func (f *filling) bytes() int64 { return f.x.bytes() + int64(f.slots)*10 }

// end enters what waits, and gives back memory that is not needed.
func (f *filling) end() {
	x := f.x
	for i, runs := range f.waiting {
		if runs == nil {
			continue
		}
		n := 0
		for _, run := range runs {
			n += len(run)
		}
		t := &x.slots.tables[i]
		x.slots.size -= len(t.slots)
		t.resize((t.used+n)*5/4+1, tableBits)
		x.slots.size += len(t.slots)
		for _, run := range runs {
			for _, slot := range run {
				f.enter(t, slot)
			}
		}
		f.waiting[i] = nil
	}
	for _, off := range f.late {
		f.join(off)
	}
	x.trim()
}

// enter puts slot into t, unless it is by a key that another name has, too.
func (f *filling) enter(t *table, slot uint64) {
	x, hash, off := f.x, uint32(slot>>32), uint32(slot)-1
	var buf keyBuffer
	var key []byte // of the record, once there is another slot with the hash
	for p := (probeSlots{t, hash, t.home(hash, tableBits)}); ; {
		other, more := p.next()
		if !more {
			break
		}
		if key == nil {
			key = appendKey(x.fold, buf[:0], x.names.at(off).name)
			if hashKey(x.seed, key) != hash {
				break // this one is of a name that is given
			}
		}
		if other != off && x.hasKey(x.names.at(other).name, key) {
			f.late = append(f.late, off)
			return
		}
	}
	t.put(slot, tableBits)
}

// join enters the record at off beside those that have its key, as index.add
// does. A folder that changes while it is read may show a name twice.
func (f *filling) join(off uint32) {
	x := f.x
	r := x.names.at(off)
	var buf keyBuffer
	key := appendKey(x.fold, buf[:0], r.name)
	hash := hashKey(x.seed, key)
	first := x.first(key, hash)
	if x.same(r.name, first) == noRecord {
		x.join(off, first, key, hash)
		x.clashes++
		return
	}
	x.eachGiven(r, func(hash uint32) { x.slots.take(hash, off) })
	x.names.kill(off)
	x.live--
	if isOdd(r.name) {
		x.odd--
	}
}
