package wildcard

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/fold"
)

// matching is a name that is being held against a pattern, place by place: what
// program does for 64 places at a time.
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

// matchByPlace reports whether the units of a name match.
func matchByPlace(elements []uint32, name []fold.Unit) bool {
	m := matching{elements, make([]way, len(elements)+1), make([]way, len(elements)+1)}
	lastDot := -1
	for i, u := range name {
		if u.Code() == '.' {
			lastDot = i
		}
	}
	m.here[0] = byUnit
	for i, u := range name {
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

// TestProgram holds names against patterns of many blocks, and of just their size.
func TestProgram(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func(letters []string, length int) string {
		var b strings.Builder
		for range length {
			b.WriteString(letters[random.IntN(len(letters))])
		}
		return b.String()
	}
	inPatterns := strings.Split("* * * ? > < \" a b . \u00e9 e\u0301 \u0301 \uac01", " ")
	inNames := strings.Split("a a a b . \u00e9 e \u0301 \uac01", " ")
	matched, turns := 0, 6000
	for turn := range turns {
		table := []*fold.Table{fold.Decomposing(), fold.UpperCasing(), nil}[turn%3]
		pattern := text(inPatterns, random.IntN(5))
		for len(pattern) < []int{0, 60, 64, 125, 130, 300}[turn%6] {
			pattern += text(inPatterns[random.IntN(4):9+random.IntN(5)], 1+random.IntN(3))
		}
		name := text(inNames, random.IntN(len(pattern)+2))
		if turn%2 == 0 { // one that is likely to match
			var b strings.Builder
			for _, c := range pattern {
				switch c {
				case '*', '<':
					b.WriteString(text(inNames, random.IntN(4)))
				case '?', '>':
					b.WriteString(text(inNames, 1))
				case '"':
					b.WriteByte('.')
				default:
					b.WriteRune(c)
				}
			}
			name = b.String()
		}
		elements, _, err := elementsOf(pattern, table)
		if err != nil {
			t.Fatal(err)
		}
		units, p := table.AppendUnits(nil, name), programOf(elements)
		got, want := p.matches(units), matchByPlace(elements, units)
		if got != want {
			t.Fatalf("%+q against %+q is %v, want %v", pattern, name, got, want)
		}
		if want {
			matched++
		}
	}
	if matched < turns/10 || matched > turns*9/10 {
		t.Errorf("%d of %d match: the test sees little", matched, turns)
	}
}

// FuzzProgram does the same with patterns that are repeated.
func FuzzProgram(f *testing.F) {
	f.Add(`*a`, "aab", uint8(40))
	f.Add("?\u0301<", "\uac01\u0301.", uint8(60))
	f.Add(`a>`, "aa.", uint8(33))
	f.Fuzz(func(t *testing.T, text, name string, times uint8) {
		if len(text) > 40 || len(name) > 300 {
			return
		}
		text = strings.Repeat(text, int(times%64)+1)
		for _, table := range []*fold.Table{fold.Decomposing(), nil} {
			elements, _, err := elementsOf(text, table)
			if err != nil {
				return
			}
			for _, name := range []string{name, strings.Repeat(name, int(times%64)+1)} {
				units, p := table.AppendUnits(nil, name), programOf(elements)
				if got, want := p.matches(units), matchByPlace(elements, units); got != want {
					t.Errorf("%+q against %+q is %v, want %v", text, name, got, want)
				}
			}
		}
	})
}
