package report

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// Chart is a row of panels with the same two axes, both logarithmic: what many
// things are across, times up. Series of one name have one colour in all panels.
type Chart struct {
	Title  string
	Across string // what the horizontal axis counts
	Panels []Panel
}

// Panel is one picture of a Chart.
type Panel struct {
	Title  string
	Series []Series
}

// Series is a line through points, from left to right.
type Series struct {
	Name   string
	Points []Point
	Note   string // said beside the line, which is dashed then; empty for none
}

// Point has a number of things above 0 and a time in nanoseconds above 0.
type Point struct{ X, Y float64 }

// The picture is laid out in units of which 1280 are its width. Letters have to
// be read in a picture of 1280 pixels and in one of 400, so their size in units
// depends on the width; the room left for them is for the largest.
const (
	chartWidth  = 1280.0
	largest     = 34.0 // size of letters in a narrow picture
	leftRoom    = 150.0
	rightRoom   = 30.0
	bottomRoom  = 106.0
	legendLine  = 46.0
	plotHeight  = 400.0
	panelGap    = 40.0
	legendChars = 58 // of a line
)

// chartSizes are the sizes of letters and lines. A line is as thick in a narrow
// picture as in a wide one.
const chartSizes = `text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-size:22px}
@media (min-width:1000px){text{font-size:17px}}
@media (max-width:560px){text{font-size:34px}}
.head{font-weight:600}
.grid{stroke-width:1px;vector-effect:non-scaling-stroke}
.line{fill:none;stroke-width:2px;stroke-linejoin:round;stroke-linecap:round;vector-effect:non-scaling-stroke}
.dashed{stroke-dasharray:5 5}
.note{paint-order:stroke;stroke-width:8px;stroke-linejoin:round}
.mid{text-anchor:middle}
.end{text-anchor:end}
`

// colours are those of a chart in light or dark surroundings. The series can be
// told apart without seeing red from green (after Okabe and Ito).
type colours struct {
	paper, ink, quiet, grid string
	series                  []string
}

var (
	light = colours{"#fff", "#1f2328", "#59636e", "#d8dee4", []string{"#0072b2", "#d55e00", "#00875f", "#a8548a", "#8a6d00", "#57606a"}}
	dark  = colours{"#0d1117", "#e6edf3", "#9198a1", "#30363d", []string{"#56b4e9", "#ff8f40", "#2fc79a", "#e39ac6", "#f0e442", "#9da7b1"}}
)

// style returns the rules that give all parts their colours. Not every viewer
// knows variables in styles, so there are none.
func (c *colours) style() string {
	s := fmt.Sprintf(".paper{fill:%s}\n.note{stroke:%s}\ntext{fill:%s}\n.head,.name{fill:%s}\n.grid{stroke:%s}\n", c.paper, c.paper, c.quiet, c.ink, c.grid)
	for i, colour := range c.series {
		s += fmt.Sprintf(".c%d{fill:%s}\n.l%d{stroke:%s}\n", i, colour, i, colour)
	}
	return s
}

// marks are the shapes of points, as letters of the legend and as paths.
var marks = []struct{ letter, path string }{
	{"●", "M-8 0a8 8 0 1 0 16 0a8 8 0 1 0 -16 0z"},
	{"■", "M-7.500 -7.500h15v15h-15z"},
	{"▲", "M0 -9l9 16h-18z"},
	{"◆", "M0 -10l10 10l-10 10l-10 -10z"},
	{"▼", "M0 9l9 -16h-18z"},
	{"✚", "M-3 -9h6v6h6v6h-6v6h-6v-6h-6v-6h6z"},
}

// MaxSeries is how many names a chart can tell apart.
var MaxSeries = len(marks)

// SVG writes the chart as a file of its own, without scripts, fonts or links.
func (c *Chart) SVG(w io.Writer) error {
	d := drawing{chart: c, names: c.names()}
	if len(d.names) > MaxSeries {
		return fmt.Errorf("a chart can tell %d apart, not %d", MaxSeries, len(d.names))
	}
	d.scale()
	d.draw()
	_, err := io.WriteString(w, d.out.String())
	return err
}

// names are those of the series, as they first come.
func (c *Chart) names() (names []string) {
	seen := map[string]bool{}
	for _, p := range c.Panels {
		for _, s := range p.Series {
			if !seen[s.Name] {
				seen[s.Name] = true
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// drawing is a Chart that is being written.
type drawing struct {
	chart  *Chart
	names  []string
	legend [][]int // names of each line
	x, y   axis
	top    float64 // of the plots
	width  float64 // of a plot
	out    strings.Builder
}

// axis maps values to a way of some length.
type axis struct{ low, high float64 } // logarithms

func (a axis) at(v float64) float64 { return (math.Log10(v) - a.low) / (a.high - a.low) }

// scale finds the axes, which the panels share, and the room of each part.
func (d *drawing) scale() {
	d.x = axis{math.Inf(1), math.Inf(-1)}
	d.y = d.x
	for _, p := range d.chart.Panels {
		for _, s := range p.Series {
			for _, pt := range s.Points {
				d.x = d.x.with(pt.X)
				d.y = d.y.with(pt.Y)
			}
		}
	}
	if math.IsInf(d.x.low, 1) { // no point at all
		d.x, d.y = axis{0, 1}, axis{3, 4}
	}
	// Whole powers of ten upwards, at least one; across a margin is enough.
	d.y = axis{math.Floor(d.y.low + 1e-9), math.Ceil(d.y.high - 1e-9)}
	d.y.high = max(d.y.high, d.y.low+1)
	d.x = axis{d.x.low - 0.12, d.x.high + 0.12}

	room := 0
	for i, name := range d.names {
		chars := len([]rune(name)) + 5
		if i == 0 || room+chars > legendChars {
			d.legend, room = append(d.legend, nil), 0
		}
		last := len(d.legend) - 1
		d.legend[last] = append(d.legend[last], i)
		room += chars
	}
	d.top = 68 + legendLine*float64(len(d.legend)+1)
	n := float64(max(len(d.chart.Panels), 1))
	d.width = (chartWidth - leftRoom - rightRoom - panelGap*(n-1)) / n
}

func (a axis) with(v float64) axis {
	l := math.Log10(v)
	return axis{min(a.low, l), max(a.high, l)}
}

// ticks are the round values of an axis: powers of ten and, where these are
// few, twice and five times them.
func (a axis) ticks() (all []float64) {
	steps := []float64{1}
	if a.high-a.low <= 2 {
		steps = []float64{1, 2, 5}
	}
	for e := math.Floor(a.low); e <= a.high; e++ {
		for _, s := range steps {
			v := s * math.Pow(10, e)
			if at := a.at(v); at > -1e-9 && at < 1+1e-9 {
				all = append(all, v)
			}
		}
	}
	return all
}

// powers are the powers of ten on an axis.
func (a axis) powers() (all []float64) {
	for e := math.Ceil(a.low); e <= a.high; e++ {
		all = append(all, math.Pow(10, e))
	}
	return all
}

func (d *drawing) draw() {
	height := d.top + plotHeight + bottomRoom
	d.put(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%s" height="%s" role="img">`, f(chartWidth), f(height), f(chartWidth), f(height))
	d.put(`<title>%s</title>`, escape(d.chart.Title))
	d.put("<style>\n%s%s@media (prefers-color-scheme:dark){\n%s}\n</style>", chartSizes, light.style(), dark.style())
	d.put(`<rect class="paper" width="%s" height="%s" rx="12"/>`, f(chartWidth), f(height))
	d.text(24, 48, "head", d.chart.Title)
	for i, line := range d.legend {
		d.put(`<text x="24" y="%s" xml:space="preserve">`, f(48+legendLine*float64(i+1)))
		for _, n := range line {
			d.put(`<tspan class="c%d">%s</tspan><tspan class="name"> %s     </tspan>`, n, marks[n].letter, escape(d.names[n]))
		}
		d.put(`</text>`)
	}
	for i, p := range d.chart.Panels {
		d.panel(&p, leftRoom+float64(i)*(d.width+panelGap), i == 0)
	}
	d.text(leftRoom+(chartWidth-leftRoom-rightRoom)/2, d.top+plotHeight+bottomRoom-24, "mid", d.chart.Across)
	d.put("</svg>\n")
}

// panel draws one panel, whose plot begins at left.
func (d *drawing) panel(p *Panel, left float64, first bool) {
	bottom := d.top + plotHeight
	x := func(v float64) float64 { return left + d.width*d.x.at(v) }
	y := func(v float64) float64 { return bottom - plotHeight*d.y.at(v) }
	d.text(left+d.width/2, d.top-22, "head mid", p.Title)
	for _, v := range d.y.ticks() {
		d.put(`<path class="grid" d="M%s %sH%s"/>`, f(left), f(y(v)), f(left+d.width))
		if first {
			d.put(`<text class="end" x="%s" y="%s" dy=".35em">%s</text>`, f(left-12), f(y(v)), escape(shortTime(v)))
		}
	}
	for _, v := range d.x.powers() {
		d.put(`<path class="grid" d="M%s %sV%s"/>`, f(x(v)), f(d.top), f(bottom))
		d.text(x(v), bottom+largest, "mid", short(v))
	}
	for n, name := range d.names {
		for _, s := range p.Series {
			if s.Name == name && len(s.Points) > 0 {
				d.series(&s, n, x, y)
			}
		}
	}
}

func (d *drawing) series(s *Series, n int, x, y func(float64) float64) {
	var path strings.Builder
	for i, pt := range s.Points {
		fmt.Fprintf(&path, "%c%s %s", "ML"[min(i, 1)], f(x(pt.X)), f(y(pt.Y)))
	}
	class := fmt.Sprintf("line l%d", n)
	if s.Note != "" {
		class += " dashed"
	}
	d.put(`<path class="%s" d="%s"/>`, class, path.String())
	for _, pt := range s.Points {
		d.put(`<path class="c%d" transform="translate(%s %s)" d="%s"><title>%s</title></path>`, n, f(x(pt.X)), f(y(pt.Y)), marks[n].path,
			escape(fmt.Sprintf("%s: %s at %s", s.Name, shortTime(pt.Y), short(pt.X))))
	}
	if last := s.Points[len(s.Points)-1]; s.Note != "" {
		d.put(`<text class="note end c%d" x="%s" y="%s">%s</text>`, n, f(x(last.X)+8), f(y(last.Y)-18), escape(s.Note))
	}
}

func (d *drawing) text(x, y float64, class, words string) {
	d.put(`<text class="%s" x="%s" y="%s">%s</text>`, class, f(x), f(y), escape(words))
}

func (d *drawing) put(format string, args ...any) { fmt.Fprintf(&d.out, format+"\n", args...) }

// f writes a length, short.
func f(v float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") }

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

func escape(s string) string { return escaper.Replace(s) }
