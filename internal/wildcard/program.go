package wildcard

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/dozo-server/dozo/internal/fold"
)

// program is a pattern as its names are held against it: all ways to match are
// followed at the same time, those that stand at 64 places of the pattern in one
// step. So the worst pattern of 200 units takes four steps for each unit of a
// name, whatever that is. A place is one before an element of the pattern, or the
// end.
type program struct {
	blocks []block // each of 64 places, with one for the end
	units  []cell  // sorted by unit, then by block
	last   int     // the first place behind which nothing more of a name is needed
}

// block says at which of its 64 places stands which wildcard.
type block struct{ anyString, anyChar, dosStar, dosQM uint64 }

// cell says at which places of a block stands a unit.
type cell struct {
	unit  uint16
	block uint16
	at    uint64
}

// places are those of a block that ways have come to. It is one way to have
// matched the last unit of the name by itself, or to be at the beginning, and
// another to have a wildcard stand for it.
type places struct{ byUnit, byWildcard uint64 }

// maxRoom is how many blocks can be held without memory of their own. Few
// patterns have more.
const maxRoom = 4

// programOf compiles the elements of a pattern.
func programOf(elements []uint32) program {
	p := program{blocks: make([]block, len(elements)/64+1)}
	for at, e := range elements {
		b, bit := &p.blocks[at/64], uint64(1)<<(at%64)
		switch e {
		case wildcard | anyString:
			b.anyString |= bit
		case wildcard | anyChar:
			b.anyChar |= bit
		case wildcard | dosStar:
			b.dosStar |= bit
		case wildcard | dosQM:
			b.dosQM |= bit
		case wildcard | dosDot:
			p.units = append(p.units, cell{'.', uint16(at / 64), bit})
		default:
			p.units = append(p.units, cell{uint16(e), uint16(at / 64), bit})
		}
		switch e {
		case wildcard | anyString, wildcard | dosStar, wildcard | dosQM, wildcard | dosDot:
		default:
			p.last = at + 1
		}
	}
	slices.SortFunc(p.units, func(a, b cell) int {
		return cmp.Or(cmp.Compare(a.unit, b.unit), cmp.Compare(a.block, b.block))
	})
	joined := p.units[:0]
	for _, c := range p.units {
		if n := len(joined); n > 0 && joined[n-1].unit == c.unit && joined[n-1].block == c.block {
			joined[n-1].at |= c.at
		} else {
			joined = append(joined, c)
		}
	}
	p.units = slices.Clip(joined)
	return p
}

// matches reports whether the units of a name match.
func (p *program) matches(name []fold.Unit) bool {
	var room [maxRoom]places
	here := room[:]
	if len(p.blocks) > maxRoom {
		here = make([]places, len(p.blocks))
	}
	here = here[:len(p.blocks)]
	lastDot := -1
	for i, u := range name {
		if u.Code() == '.' {
			lastDot = i
		}
	}
	here[0].byUnit = 1
	for i, u := range name {
		if !p.step(here, u, i == lastDot) {
			return false
		}
	}
	return p.ends(here)
}

// step moves all ways over the unit u of a name and reports whether any is
// left.
func (p *program) step(here []places, u fold.Unit, lastDot bool) bool {
	cells := p.cellsOf(u.Code())
	var more, moved struct{ byUnit, byWildcard uint64 } // from one block into the next
	alive := uint64(0)
	for i := range p.blocks {
		b, came := &p.blocks[i], here[i]
		passed, taking, keeping := b.anyString|b.dosStar, b.anyChar|b.dosQM, b.anyString|b.dosStar
		if u.Code() == '.' {
			passed, taking = passed|b.dosQM, b.anyChar
		}
		if lastDot {
			keeping = b.anyString
		}
		came.byUnit, more.byUnit = pass(came.byUnit, passed, more.byUnit)
		came.byWildcard, more.byWildcard = pass(came.byWildcard, passed, more.byWildcard)

		stays, free := uint64(0), came.byUnit|came.byWildcard // a wildcard may begin to stand for u
		if u.Joins() {
			stays = came.byWildcard // what stands for a letter stands for its marks
			if free = 0; u.Begins() {
				free = came.byWildcard
			}
		}
		unit := uint64(0)
		if len(cells) > 0 && cells[0].unit == u.Code() && int(cells[0].block) == i {
			unit, cells = cells[0].at&(came.byUnit|came.byWildcard), cells[1:]
		}
		here[i] = places{
			byUnit:     unit<<1 | moved.byUnit,
			byWildcard: stays | free&keeping | free&taking<<1 | moved.byWildcard,
		}
		moved.byUnit, moved.byWildcard = unit>>63, free&taking>>63
		alive |= here[i].byUnit | here[i].byWildcard
	}
	return alive != 0
}

// pass takes the ways at places to those behind elements that may stand for
// nothing, in one addition: where there is a way, the carry runs through all such
// elements that follow each other. carry is that of the block before, and the
// second result that for the next.
func pass(ways, passed, carry uint64) (uint64, uint64) {
	ways |= carry
	sum, carry := bits.Add64(passed, ways&passed, 0)
	return ways | (sum ^ passed), carry
}

// cellsOf returns the cells of a unit, and maybe those of greater ones behind
// them.
func (p *program) cellsOf(unit uint16) []cell {
	from, to := 0, len(p.units)
	for from < to {
		if middle := (from + to) / 2; p.units[middle].unit < unit {
			from = middle + 1
		} else {
			to = middle
		}
	}
	return p.units[from:]
}

// ends reports whether one of the ways needs nothing more of the name.
func (p *program) ends(here []places) bool {
	for i := p.last / 64; i < len(here); i++ {
		ways := here[i].byUnit | here[i].byWildcard
		if i == p.last/64 {
			ways &= ^uint64(0) << (p.last % 64)
		}
		if ways != 0 {
			return true
		}
	}
	return false
}
