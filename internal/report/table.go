// Package report writes what was measured for people: numbers with their
// units, tables for a terminal and in Markdown, and charts in SVG.
package report

import (
	"strings"
	"unicode/utf8"
)

// Table has a header and rows of as many cells. The first column is aligned to
// the left, the others, which are numbers, to the right.
type Table struct {
	Header []string
	Rows   [][]string
}

// Add appends a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// text writes the table in columns.
func (t *Table) text(b *strings.Builder) {
	width := make([]int, len(t.Header))
	for _, row := range t.lines() {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range t.lines() {
		line := ""
		for i, cell := range row {
			room := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				line = cell + room
			} else {
				line += "  " + room + cell
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// markdown writes the table with bars.
func (t *Table) markdown(b *strings.Builder) {
	for i, row := range t.lines() {
		for _, cell := range row {
			b.WriteString("| " + strings.ReplaceAll(cell, "|", `\|`) + " ")
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString("|---|" + strings.Repeat("---:|", len(row)-1) + "\n")
		}
	}
}

func (t *Table) lines() [][]string { return append([][]string{t.Header}, t.Rows...) }
