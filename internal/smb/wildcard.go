package smb

import (
	"github.com/dozo-server/dozo/internal/fold"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/vfs"
)

// Wildcards of search patterns ([MS-FSA] 2.1.4.4). The last three are what
// Windows makes of patterns that DOS understood in its own way.
const (
	anyString = '*' // zero or more characters
	anyChar   = '?' // one character
	dosStar   = '<' // zero or more characters, up to but not past the last period
	dosQM     = '>' // one character; nothing at a period or at the end
	dosDot    = '"' // a period; nothing at the end
)

// maxPattern bounds the units of a pattern, and with it the time a match may
// take. No name is longer than 255.
const maxPattern = 1024

// maxUnit is how many bytes a unit takes at most.
const maxUnit = 3

// wildcard marks those of a pattern's elements that are wildcards; the others
// are units of names.
const wildcard = 1 << 16

// pattern is a search pattern. Names are matched unit by unit of UTF-16, as
// Windows does, but folded as the share folds them: a letter with a mark is one
// or two units, and one letter. So a wildcard does not begin between a letter
// and its mark: é is not an e with something behind it.
type pattern struct {
	all      bool     // it is just *
	literal  string   // the only name that it can match, if there is no wildcard
	elements []uint32 // folded
	table    *fold.Table

	// Scratch of match: how it may stand at each place in elements, the end
	// included.
	here, next []way
}

// way is a set of ways to have come to a place of the pattern.
type way uint8

const (
	byUnit     way = 1 << iota // the last unit of the name was in the pattern, or there is none yet
	byWildcard                 // a wildcard stands for it
)

// tableOf returns how names are folded, nil for not at all.
func tableOf(f vfs.Features) *fold.Table {
	switch {
	case f.CaseSensitive:
		return nil
	case f.Normalized:
		return fold.Decomposing()
	}
	return fold.UpperCasing()
}

// compile prepares a pattern for names that are folded by a table.
func compile(text string, table *fold.Table) (pattern, error) {
	if text == "" || text == "*" {
		return pattern{all: true}, nil
	}
	if len(text) > maxPattern*maxUnit { // before time goes into it
		return pattern{}, smbwire.StatusObjectNameInvalid
	}
	p := pattern{table: table, literal: text}
	units, begun := []fold.Unit(nil), 0
	flush := func(end int) {
		units = table.AppendUnits(units[:0], text[begun:end])
		for _, u := range units {
			p.elements = append(p.elements, uint32(u.Code()))
		}
		begun = end + 1
	}
	for i := range len(text) {
		switch c := text[i]; c {
		case '\\', '/', 0:
			return pattern{}, smbwire.StatusObjectNameInvalid
		case anyString, anyChar, dosStar, dosQM, dosDot:
			p.literal = ""
			flush(i)
			p.elements = append(p.elements, wildcard|uint32(c))
		}
	}
	if flush(len(text)); len(p.elements) > maxPattern {
		return pattern{}, smbwire.StatusObjectNameInvalid
	}
	ways := make([]way, 2*(len(p.elements)+1))
	p.here, p.next = ways[:len(ways)/2], ways[len(ways)/2:]
	return p, nil
}

// match reports whether name matches. It follows all ways to match at the same
// time: here says which places of the pattern they have come to.
func (p *pattern) match(name string) bool {
	if p.all {
		return true
	}
	var room [256]fold.Unit
	units := p.table.AppendUnits(room[:0], name)
	lastDot := -1
	for i, u := range units {
		if u.Code() == '.' {
			lastDot = i
		}
	}
	clear(p.here)
	p.here[0] = byUnit
	for i, u := range units {
		if !p.step(u, i == lastDot) {
			return false
		}
	}
	return p.ends()
}

// step moves all ways over the unit u of a name and reports whether any is
// left.
func (p *pattern) step(u fold.Unit, lastDot bool) bool {
	clear(p.next)
	alive := way(0)
	c := uint32(u.Code())
	for at, came := range p.here {
		came = p.here[at] // which the place before may have changed
		if came == 0 {
			continue
		}
		free := true // a wildcard may begin to stand for u
		if u.Joins() {
			p.next[at] |= came & byWildcard // what stands for a letter stands for its marks
			alive |= came & byWildcard
			free = came&byWildcard != 0 && u.Begins()
		}
		if at == len(p.elements) {
			break
		}
		to, by := at+1, byWildcard // where the way goes on behind u; -1: nowhere
		switch want := p.elements[at]; want {
		case wildcard | anyString:
			p.here[at+1] |= came // an empty string
			to = at
		case wildcard | dosStar:
			p.here[at+1] |= came
			if to = at; lastDot {
				to = -1
			}
		case wildcard | anyChar:
		case wildcard | dosQM:
			if c == '.' {
				p.here[at+1] |= came
				to = -1
			}
		case wildcard | dosDot:
			by, free = byUnit, true
			if c != '.' {
				to = -1
			}
		default:
			by, free = byUnit, true
			if c != want {
				to = -1
			}
		}
		if to >= 0 && free {
			p.next[to] |= by
			alive |= by
		}
	}
	p.here, p.next = p.next, p.here
	return alive != 0
}

// ends reports whether one of the ways needs nothing more of the name.
func (p *pattern) ends() bool {
	for at := len(p.elements); ; at-- {
		if p.here[at] != 0 {
			return true
		}
		if at == 0 {
			return false
		}
		switch p.elements[at-1] {
		case wildcard | anyString, wildcard | dosStar, wildcard | dosQM, wildcard | dosDot:
		default:
			return false
		}
	}
}
