package report

import (
	"strings"
	"testing"
)

func sample() *Page {
	p := &Page{}
	p.Line("first")
	p.Line("second")
	t := &Table{Header: []string{"files", "create"}}
	t.Add("1,000", "9.10 µs")
	t.Add("10", "a|b")
	p.Table(t)
	p.Item("flat")
	p.Item("exact")
	return p
}

func TestPage(t *testing.T) {
	for _, tt := range []struct {
		name  string
		write func(*Page, *strings.Builder) error
		want  string
	}{
		{"text", func(p *Page, b *strings.Builder) error { return p.Text(b) }, `first
second

files   create
1,000  9.10 µs
10         a|b

flat
exact
`},
		{"markdown", func(p *Page, b *strings.Builder) error { return p.Markdown(b) }, `first

second

| files | create |
|---|---:|
| 1,000 | 9.10 µs |
| 10 | a\|b |

- flat
- exact
`},
	} {
		var b strings.Builder
		if err := tt.write(sample(), &b); err != nil {
			t.Fatal(err)
		}
		if b.String() != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, b.String(), tt.want)
		}
	}
}
