// Package wildcard holds names against patterns: those that clients search for,
// and those of the files that a share hides or does not show at all.
//
//	p, err := wildcard.Compile("*.tmp", wildcard.TableOf(fs.Features()))
//	if p.Match(name) {
//		...
package wildcard

import (
	"errors"

	"github.com/dozo-server/dozo/internal/fold"
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

// ErrPattern is the error of what can be no pattern: it has a separator of
// paths or NUL, or is too long.
var ErrPattern = errors.New("it is no pattern of names")

// Pattern is a search pattern. Names are matched unit by unit of UTF-16, as
// Windows does, but folded as the share folds them: a letter with a mark is one
// or two units, and one letter. So a wildcard does not begin between a letter
// and its mark: é is not an e with something behind it. It is constant; the zero
// Pattern matches nothing but the empty name.
type Pattern struct {
	all      bool     // it is just *
	literal  string   // the only name that it can match, if there is no wildcard
	elements []uint32 // folded
	table    *fold.Table
}

// All reports whether it matches every name.
func (p *Pattern) All() bool { return p.all }

// Literal is the only name that it can match, "" if there are others.
func (p *Pattern) Literal() string { return p.literal }

// maxRoom is how many places of a pattern can be held without memory of their
// own. Few patterns have more.
const maxRoom = 64

// matching is a name that is being held against a pattern.
type matching struct {
	elements   []uint32
	here, next []way // how it may stand at each place in elements, the end included
}

// way is a set of ways to have come to a place of the pattern.
type way uint8

const (
	byUnit     way = 1 << iota // the last unit of the name was in the pattern, or there is none yet
	byWildcard                 // a wildcard stands for it
)

// TableOf returns how names are folded, nil for not at all.
func TableOf(f vfs.Features) *fold.Table {
	switch {
	case f.CaseSensitive:
		return nil
	case f.Normalized:
		return fold.Decomposing()
	}
	return fold.UpperCasing()
}

// Compile prepares a pattern for names that are folded by a table. The empty one
// is *. The error is ErrPattern.
func Compile(text string, table *fold.Table) (Pattern, error) {
	if text == "" || text == "*" {
		return Pattern{all: true}, nil
	}
	if len(text) > maxPattern*maxUnit { // before time goes into it
		return Pattern{}, ErrPattern
	}
	p := Pattern{table: table, literal: text}
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
			return Pattern{}, ErrPattern
		case anyString, anyChar, dosStar, dosQM, dosDot:
			p.literal = ""
			flush(i)
			p.elements = append(p.elements, wildcard|uint32(c))
		}
	}
	if flush(len(text)); len(p.elements) > maxPattern {
		return Pattern{}, ErrPattern
	}
	return p, nil
}

// Match reports whether name matches. It follows all ways to match at the same
// time. It may be called by several goroutines at once.
func (p *Pattern) Match(name string) bool {
	if p.all {
		return true
	}
	places := len(p.elements) + 1
	var ways [2 * maxRoom]way
	m := matching{p.elements, ways[:maxRoom], ways[maxRoom:]}
	if places > maxRoom {
		more := make([]way, 2*places)
		m.here, m.next = more[:places], more[places:]
	}
	m.here, m.next = m.here[:places], m.next[:places]
	var room [256]fold.Unit
	units := p.table.AppendUnits(room[:0], name)
	lastDot := -1
	for i, u := range units {
		if u.Code() == '.' {
			lastDot = i
		}
	}
	m.here[0] = byUnit
	for i, u := range units {
		if !m.step(u, i == lastDot) {
			return false
		}
	}
	return m.ends()
}

// step moves all ways over the unit u of a name and reports whether any is
// left.
func (m *matching) step(u fold.Unit, lastDot bool) bool {
	clear(m.next)
	alive := way(0)
	c := uint32(u.Code())
	for at, came := range m.here {
		came = m.here[at] // which the place before may have changed
		if came == 0 {
			continue
		}
		free := true // a wildcard may begin to stand for u
		if u.Joins() {
			m.next[at] |= came & byWildcard // what stands for a letter stands for its marks
			alive |= came & byWildcard
			free = came&byWildcard != 0 && u.Begins()
		}
		if at == len(m.elements) {
			break
		}
		to, by := at+1, byWildcard // where the way goes on behind u; -1: nowhere
		switch want := m.elements[at]; want {
		case wildcard | anyString:
			m.here[at+1] |= came // an empty string
			to = at
		case wildcard | dosStar:
			m.here[at+1] |= came
			if to = at; lastDot {
				to = -1
			}
		case wildcard | anyChar:
		case wildcard | dosQM:
			if c == '.' {
				m.here[at+1] |= came
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
			m.next[to] |= by
			alive |= by
		}
	}
	m.here, m.next = m.next, m.here
	return alive != 0
}

// ends reports whether one of the ways needs nothing more of the name.
func (m *matching) ends() bool {
	for at := len(m.elements); ; at-- {
		if m.here[at] != 0 {
			return true
		}
		if at == 0 {
			return false
		}
		switch m.elements[at-1] {
		case wildcard | anyString, wildcard | dosStar, wildcard | dosQM, wildcard | dosDot:
		default:
			return false
		}
	}
}
