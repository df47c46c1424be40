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
// take and the memory of a pattern. No name is longer than 255.
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
	all     bool   // it is just *
	literal string // the only name that it can match, if there is no wildcard
	program program
	table   *fold.Table
}

// All reports whether it matches every name.
func (p *Pattern) All() bool { return p.all }

// Literal is the only name that it can match, "" if there are others.
func (p *Pattern) Literal() string { return p.literal }

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
	elements, wild, err := elementsOf(text, table)
	if err != nil {
		return Pattern{}, err
	}
	if wild {
		p.literal = ""
	}
	p.program = programOf(elements)
	return p, nil
}

// elementsOf returns the elements of a pattern, and whether there are wildcards
// among them.
func elementsOf(text string, table *fold.Table) (elements []uint32, wild bool, err error) {
	units, begun := []fold.Unit(nil), 0
	flush := func(end int) {
		units = table.AppendUnits(units[:0], text[begun:end])
		for _, u := range units {
			elements = append(elements, uint32(u.Code()))
		}
		begun = end + 1
	}
	for i := range len(text) {
		switch c := text[i]; c {
		case '\\', '/', 0:
			return nil, false, ErrPattern
		case anyString, anyChar, dosStar, dosQM, dosDot:
			wild = true
			flush(i)
			elements = append(elements, wildcard|uint32(c))
		}
	}
	if flush(len(text)); len(elements) > maxPattern {
		return nil, false, ErrPattern
	}
	return elements, wild, nil
}

// Match reports whether name matches. It may be called by several goroutines at
// once.
func (p *Pattern) Match(name string) bool {
	if p.all {
		return true
	}
	var room [256]fold.Unit
	return p.program.matches(p.table.AppendUnits(room[:0], name))
}
