package main

import (
	"strings"
	"testing"
)

func TestParseRow(t *testing.T) {
	const line = "share,seqread-qd1-total,5000,1,0,1024,2.0000,512.0,1953.1,1950.0,1900.0,3000.0,1024,0,0,536.9,0.50,0.25"
	got, err := parseRow(line)
	want := row{op: "seqread-qd1-total", count: 1024, elapsed: 2, rate: 512, p50: 1900, p99: 3000, mb: 536.9, cpu: 0.5}
	if err != nil || got != want {
		t.Errorf("parseRow = %+v, %v; want %+v", got, err, want)
	}
	sought := strings.NewReplacer("seqread-qd1", "miss")
	if _, err := parseRow(sought.Replace(strings.Replace(line, "1024,0,0,", "0,1024,0,", 1))); err != nil {
		t.Errorf("what is not there and sought is an error: %v", err)
	}
	for _, bad := range []string{"", "a,b", strings.Replace(line, "1024,0,0,", "1020,3,1,", 1), sought.Replace(line)} {
		if got, err := parseRow(bad); err == nil {
			t.Errorf("parseRow(%q) = %+v", bad, got)
		}
	}
}

// measured is a run in which dozo takes half of Samba's time and CPU.
func measured() *results {
	var all results
	for _, s := range []struct {
		name string
		rate float64
	}{{dozo, 200}, {samba, 100}} {
		for _, spread := range []float64{1, 0.1, 3} { // the median is the middle
			all.add(creating(1, plain), &server{name: s.name}, measure{s.rate * spread, "files/s", 100 / s.rate * spread, "µs/file"})
			all.add(listing(true), &server{name: s.name}, measure{100 / s.rate * spread, "s", 100 / s.rate * spread, "ms"})
		}
	}
	return &all
}

func TestComparison(t *testing.T) {
	all := measured()
	for _, work := range []string{creating(1, plain), listing(true)} {
		r := all.find(work)
		if r.speed() != 2 || r.cost() != 0.5 {
			t.Errorf("%s: speed %v, cost %v; want 2, 0.5", work, r.speed(), r.cost())
		}
	}
}

func TestJudgement(t *testing.T) {
	var out strings.Builder
	measured().judge(&out)
	got := out.String()
	for _, want := range []string{
		"| create, 1 at a time: speed | at least 1.5 x Samba | 2.00 x Samba | yes |",
		"| create, 1 at a time: CPU | at most 0.4 x Samba | 0.500 x Samba | **no** |",
		"| list after the start: speed | at least 2 x Samba | 2.00 x Samba | yes |",
	} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("the judgement has no line\n%s\nbut is\n%s", want, got)
		}
	}
	if n := strings.Count(got, "\n"); n != 2+3 {
		t.Errorf("the judgement has %d lines: what was not measured is judged", n)
	}
}

// TestOwnFigures compares dozo with itself, where Samba has no part.
func TestOwnFigures(t *testing.T) {
	var all results
	for work, us := range map[string]float64{inFolder(fullOps[0].words, "p50", few): 100, inFolder(fullOps[0].words, "p50", *many): 150} {
		all.add(work, &server{name: dozo}, measure{rate: us, unit: "µs"})
	}
	var out strings.Builder
	all.print(&out)
	all.judge(&out)
	for _, want := range []string{
		"| create + write 1 KiB + close in a folder of 1000, p50 | 100 µs | | | | | |\n",
		"| create + write 1 KiB + close: p50 with 1000000 files beside that with 1000 | at most 1.3 x | 1.50 x | **no** |\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no line\n%sin\n%s", want, out.String())
		}
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.01234: "0.012", 1.234: "1.23", 12.34: "12.3", 1234.5: "1234", -0.5: "-0.500", -30.4: "-30.4"} {
		if got := number(v); got != want {
			t.Errorf("number(%v) = %s, want %s", v, got, want)
		}
	}
}
