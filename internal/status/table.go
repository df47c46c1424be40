package status

import (
	"strings"
	"unicode"
)

// column is a column of a table.
type column struct {
	title string
	how   how
}

// how says how the cells of a column stand.
type how uint8

const (
	left  how = iota
	right     // numbers
	path      // names, whose middle may be left out
	words     // others, whose end may be
)

const (
	gap      = "  "
	minShort = 8 // what is left of a cell at least
	ellipsis = "…"
)

// table prints aligned columns, and nothing at all without a row.
type table struct {
	columns []column
	rows    [][]string
}

func (t *table) row(cells ...string) {
	for i, c := range cells {
		cells[i] = printable(c)
	}
	t.rows = append(t.rows, cells)
}

// write prints the table behind an empty line. Cells are shortened to make it no
// wider than width, where that is possible; 0 is any width.
func (t *table) write(out *strings.Builder, width int) {
	if len(t.rows) == 0 {
		return
	}
	titles := make([]string, len(t.columns))
	for i, c := range t.columns {
		titles[i] = c.title
	}
	widths := t.widths(titles, width)
	out.WriteByte('\n')
	for _, row := range append([][]string{titles}, t.rows...) {
		line := ""
		for i, cell := range row {
			cell = t.columns[i].how.shortened(cell, widths[i])
			room := strings.Repeat(" ", widths[i]-columnsOf(cell))
			if i > 0 {
				line += gap
			}
			if t.columns[i].how == right {
				line += room + cell
			} else {
				line += cell + room
			}
		}
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// widths are those of the columns. The widest that may be shortened gives way
// first.
func (t *table) widths(titles []string, width int) []int {
	widths := make([]int, len(t.columns))
	for _, row := range append([][]string{titles}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], columnsOf(cell))
		}
	}
	if width == 0 {
		return widths
	}
	sum := len(gap) * (len(widths) - 1)
	for _, w := range widths {
		sum += w
	}
	for ; sum > width; sum-- {
		widest := -1
		for i, c := range t.columns {
			if c.how >= path && widths[i] > max(minShort, columnsOf(c.title)) && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
	}
	return widths
}

// shortened leaves out what is too much of a cell. The end of a path tells most,
// then its beginning.
func (h how) shortened(s string, width int) string {
	if columnsOf(s) <= width {
		return s
	}
	tail := ""
	if h == path {
		letters := []rune(s)
		from, room := len(letters), (width-1)-(width-1)/3
		for room -= columnsOf(string(letters[from-1])); room >= 0 && from > 1; {
			from--
			room -= columnsOf(string(letters[from-1]))
		}
		tail = string(letters[from:])
	}
	head, room := "", width-1-columnsOf(tail)
	for _, l := range s {
		if room -= columnsOf(string(l)); room < 0 {
			break
		}
		head += string(l)
	}
	return head + ellipsis + tail
}

// wide are the letters that take two columns of a terminal: those of Chinese,
// Japanese and Korean, and pictures.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115f, Stride: 1}, {Lo: 0x2e80, Hi: 0x303e, Stride: 1}, {Lo: 0x3041, Hi: 0xa4cf, Stride: 1},
		{Lo: 0xac00, Hi: 0xd7a3, Stride: 1}, {Lo: 0xf900, Hi: 0xfaff, Stride: 1}, {Lo: 0xfe30, Hi: 0xfe6f, Stride: 1},
		{Lo: 0xff00, Hi: 0xff60, Stride: 1}, {Lo: 0xffe0, Hi: 0xffe6, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0x1f300, Hi: 0x1faff, Stride: 1}, {Lo: 0x20000, Hi: 0x3fffd, Stride: 1}},
}

// columnsOf is how many columns of a terminal s takes.
func columnsOf(s string) (n int) {
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case unicode.Is(wide, r):
			n += 2
		default:
			n++
		}
	}
	return n
}

// printable keeps a name that a client made from doing more to a terminal
// than being read.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || 0x7f <= r && r < 0xa0 || r == '\u2028' || unicode.Is(unicode.Bidi_Control, r) {
			return '?'
		}
		return r
	}, s)
}

// folded is a sentence in lines of at most width columns, those behind the first
// indented; 0 is any width.
func folded(s string, width int) string {
	if width == 0 || columnsOf(s) <= width {
		return s + "\n"
	}
	var out strings.Builder
	line := ""
	for i, word := range strings.Fields(s) {
		switch {
		case i == 0:
			line = word
		case columnsOf(line)+1+columnsOf(word) > width:
			out.WriteString(line + "\n")
			line = gap + word
		default:
			line += " " + word
		}
	}
	return out.String() + line + "\n"
}
