package report

import (
	"io"
	"strings"
)

// Page is a report: lines, tables and lists, in the order they were put.
type Page struct{ parts []part }

// part is a line, an item of a list, or a table.
type part struct {
	line  string
	item  bool
	table *Table
}

// Line puts a sentence, or some.
func (p *Page) Line(s string) { p.parts = append(p.parts, part{line: s}) }

// Item puts an item of a list.
func (p *Page) Item(s string) { p.parts = append(p.parts, part{line: s, item: true}) }

// Table puts a table.
func (p *Page) Table(t *Table) { p.parts = append(p.parts, part{table: t}) }

// Text writes the page for a terminal.
func (p *Page) Text(w io.Writer) error { return p.write(w, (*Table).text, "") }

// Markdown writes the page for a document.
func (p *Page) Markdown(w io.Writer) error { return p.write(w, (*Table).markdown, "- ") }

// write writes the page. Lines and items stand close in a text; in Markdown, where
// items have a bullet, lines are paragraphs.
func (p *Page) write(w io.Writer, table func(*Table, *strings.Builder), bullet string) error {
	var b strings.Builder
	for i, part := range p.parts {
		if i > 0 && (part.apart(p.parts[i-1]) || bullet != "" && !part.item) {
			b.WriteString("\n")
		}
		switch {
		case part.table != nil:
			table(part.table, &b)
		case part.item:
			b.WriteString(bullet + part.line + "\n")
		default:
			b.WriteString(part.line + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// apart reports whether a blank line stands between a part and the one before it.
func (p part) apart(before part) bool {
	return p.table != nil || before.table != nil || p.item != before.item
}
