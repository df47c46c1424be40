package smb

import (
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
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

// pattern is a search pattern. Names are matched unit by unit of UTF-16, as
// Windows does.
type pattern struct {
	all     bool     // it is just *
	literal string   // the only name that it can match, if there is no wildcard
	units   []uint16 // folded
	fold    bool

	// Scratch of match: the places in units that a match may stand at, the
	// end included.
	here, next []bool
}

// compile prepares a pattern. With fold the case of letters does not matter.
func compile(text string, fold bool) (pattern, error) {
	if text == "" || text == "*" {
		return pattern{all: true}, nil
	}
	p := pattern{fold: fold, literal: text}
	for i := range len(text) {
		switch text[i] {
		case '\\', '/', 0:
			return pattern{}, smbwire.StatusObjectNameInvalid
		case anyString, anyChar, dosStar, dosQM, dosDot:
			p.literal = ""
		}
	}
	if p.units = p.appendUnits(nil, text); len(p.units) > maxPattern {
		return pattern{}, smbwire.StatusObjectNameInvalid
	}
	states := make([]bool, 2*(len(p.units)+1))
	p.here, p.next = states[:len(states)/2], states[len(states)/2:]
	return p, nil
}

// appendUnits appends the units of name, folded if p folds.
func (p *pattern) appendUnits(dst []uint16, name string) []uint16 {
	for i := 0; i < len(name); {
		if c := name[i]; c < utf8.RuneSelf {
			if p.fold && 'a' <= c && c <= 'z' {
				c -= 'a' - 'A'
			}
			dst = append(dst, uint16(c))
			i++
			continue
		}
		c, size := utf8.DecodeRuneInString(name[i:])
		if c == utf8.RuneError && size == 1 && i+3 <= len(name) { // a lone surrogate in WTF-8
			c, size = rune(name[i]&0xf)<<12|rune(name[i+1]&0x3f)<<6|rune(name[i+2]&0x3f), 3
		}
		i += size
		if c > 0xffff {
			high, low := utf16.EncodeRune(c)
			dst = append(dst, uint16(high), uint16(low))
			continue
		}
		if p.fold {
			if upper := unicode.ToUpper(c); upper <= 0xffff {
				c = upper
			}
		}
		dst = append(dst, uint16(c))
	}
	return dst
}

// match reports whether name matches. It follows all ways to match at the same
// time: here says which places of the pattern they have come to.
func (p *pattern) match(name string) bool {
	if p.all {
		return true
	}
	var room [256]uint16
	units := p.appendUnits(room[:0], name)
	lastDot := -1
	for i, c := range units {
		if c == '.' {
			lastDot = i
		}
	}
	clear(p.here)
	p.here[0] = true
	for i, c := range units {
		if !p.step(c, i == lastDot) {
			return false
		}
	}
	return p.ends()
}

// step moves all ways over the unit c of a name and reports whether any is
// left.
func (p *pattern) step(c uint16, lastDot bool) bool {
	clear(p.next)
	alive := false
	for at, want := range p.units {
		if !p.here[at] {
			continue
		}
		to := at + 1 // where the way goes on behind c; -1: nowhere
		switch want {
		case anyString:
			p.here[at+1] = true // an empty string
			to = at
		case dosStar:
			p.here[at+1] = true
			if to = at; lastDot {
				to = -1
			}
		case anyChar:
		case dosQM:
			if c == '.' {
				p.here[at+1] = true
				to = -1
			}
		case dosDot:
			if c != '.' {
				to = -1
			}
		default:
			if c != want {
				to = -1
			}
		}
		if to >= 0 {
			p.next[to] = true
			alive = true
		}
	}
	p.here, p.next = p.next, p.here
	return alive
}

// ends reports whether one of the ways needs nothing more of the name.
func (p *pattern) ends() bool {
	n := len(p.units)
	for at := n; at >= 0; at-- {
		if p.here[at] {
			return true
		}
		if at == 0 {
			break
		}
		switch p.units[at-1] {
		case anyString, dosStar, dosQM, dosDot:
		default:
			return false
		}
	}
	return false
}
