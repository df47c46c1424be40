package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"
)

// drawn is a chart's SVG with its elements, as a reader of XML sees them.
func drawn(t *testing.T, c *Chart) (svg string, elements []xml.StartElement) {
	t.Helper()
	var b strings.Builder
	if err := c.SVG(&b); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(strings.NewReader(b.String()))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return b.String(), elements
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, b.String())
		}
		if e, ok := token.(xml.StartElement); ok {
			elements = append(elements, e.Copy())
		}
	}
}

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func line(name string, up ...float64) Series {
	s := Series{Name: name}
	for i, v := range up {
		s.Points = append(s.Points, Point{X: []float64{1e3, 1e4, 1e5, 1e6}[i], Y: v})
	}
	return s
}

func TestChartPutsHigherValuesHigher(t *testing.T) {
	_, elements := drawn(t, &Chart{Title: "t", Panels: []Panel{{Title: "create", Series: []Series{line("a", 2e5, 2e6, 2e7)}}}})
	lastX, lastY, n := 0.0, 1e9, 0
	for _, e := range elements {
		var x, y float64
		if _, err := fmt.Sscanf(attr(e, "transform"), "translate(%g %g)", &x, &y); err != nil {
			continue
		}
		n++
		if x <= lastX || y >= lastY {
			t.Errorf("point %d at %v %v is not to the right of and above %v %v", n, x, y, lastX, lastY)
		}
		if x < leftRoom || x > chartWidth-rightRoom || y < 0 {
			t.Errorf("point %d at %v %v is outside", n, x, y)
		}
		lastX, lastY = x, y
	}
	if n != 3 {
		t.Errorf("%d points are drawn, want 3", n)
	}
}

func TestChart(t *testing.T) {
	noted := line("<b>&\"", 1e5)
	noted.Note = "not found"
	for _, tt := range []struct {
		name   string
		series []Series
		want   []string
	}{
		{"nothing", nil, []string{"100 µs", "1k"}},
		{"a time in a narrow range has round ticks", []Series{line("a", 2.1e5, 2.2e5)}, []string{">100 µs<", ">200 µs<", ">500 µs<", ">1 ms<", ">1k<", ">10k<"}},
		{"a wide range has powers of ten", []Series{line("a", 2e4, 2e5, 2e6, 2e8)}, []string{">10 µs<", ">100 ms<", ">1 s<", ">1M<"}},
		{"names are no markup", []Series{noted}, []string{"&lt;b&gt;&amp;&quot;", "not found", `class="line l0 dashed"`}},
		{"light and dark", nil, []string{"prefers-color-scheme:dark"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &Chart{Title: "t", Panels: []Panel{{Title: "p", Series: tt.series}}}
			if tt.series == nil {
				c.Panels[0].Series = []Series{line("a", 2e5, 2e5)}
			}
			svg, _ := drawn(t, c)
			for _, want := range tt.want {
				if !strings.Contains(svg, want) {
					t.Errorf("no %q in\n%s", want, svg)
				}
			}
		})
	}
	drawn(t, &Chart{})
}

func TestChartRefusesMoreThanItCanTellApart(t *testing.T) {
	p := Panel{}
	for i := range MaxSeries + 1 {
		p.Series = append(p.Series, line(fmt.Sprint(i), 1))
	}
	if err := (&Chart{Panels: []Panel{p}}).SVG(io.Discard); err == nil {
		t.Error("SVG drew them")
	}
}

func TestLegendHasLines(t *testing.T) {
	c := &Chart{Panels: []Panel{{Series: []Series{line(strings.Repeat("long ", 8), 1e3), line(strings.Repeat("name ", 8), 1e3), line("short", 1e3)}}}}
	d := drawing{chart: c, names: c.names()}
	d.scale()
	if len(d.legend) != 2 || len(d.legend[1]) != 2 {
		t.Errorf("legend = %v, want two lines", d.legend)
	}
}
