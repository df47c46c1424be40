package bench

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

const us = float64(time.Microsecond)

// among are times in µs at 10^3, 10^4, ... files.
func among(noise float64, times ...float64) (all []size) {
	for i, t := range times {
		all = append(all, size{math.Pow(10, float64(3+i)), t * us, noise})
	}
	return all
}

func TestGrowth(t *testing.T) {
	for _, tt := range []struct {
		name    string
		sizes   []size
		kind    growthKind
		perFile time.Duration // about
	}{
		{"nothing", nil, unknown, 0},
		{"one size", among(0.1, 500), unknown, 0},
		{"two close sizes", []size{{1000, 500, 0.1}, {2000, 900, 0.1}}, unknown, 0},
		{"the same", among(0.02, 500, 500, 500, 500), flat, 0},
		{"a promise kept", among(0.05, 500, 520, 570, 640), flat, 0},
		{"faster, by noise", among(0.2, 500, 400, 450, 380), flat, 0},
		{"a scan of 0.3 µs a file", among(0.05, 800, 3500, 30500, 300500), scan, 300},
		{"a scan that two sizes show", among(0.05, 800, 3500), scan, 300},
		{"a scan that shows at the end only", among(0.05, 500, 501, 510, 800.3), slower, 0}, // 0.3 ns a file: nothing is looked at so fast
		{"a fast scan over a slow network", among(0.05, 5000, 5100, 6000, 15000), scan, 10},
		{"a scan in noise", among(0.3, 800, 3900, 27000, 330000), scan, 310},
		{"a tree that gets deeper", among(0.03, 500, 650, 800, 950), slower, 0},
		{"twice as slow in the last step", among(0.03, 500, 510, 490, 1000), slower, 0},
		{"a slow start hides nothing", among(0.05, 1500, 500, 1000, 2000), slower, 0},
		{"a slow start", among(0.05, 1500, 500, 510, 520), flat, 0},
		{"more, within the noise", among(0.4, 500, 600, 650, 800), doubtful, 0},
		{"two sizes, a little more", among(0.03, 500, 900), slower, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := growthOf(tt.sizes)
			if g.kind != tt.kind {
				t.Fatalf("growth = %+v, want kind %d", g, tt.kind)
			}
			if off := math.Abs(float64(g.perFile - tt.perFile)); off > 0.15*float64(tt.perFile) {
				t.Errorf("%v a file, want about %v", g.perFile, tt.perFile)
			}
		})
	}
}

// TestNoiseIsNoGrowth: of a flat server on a busy machine nothing worse may be
// said than that it is not sure, and of a scanning one the truth.
func TestNoiseIsNoGrowth(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	measure := func(noise float64, time func(files float64) float64) growth {
		var all []size
		for _, files := range []float64{1e3, 1e4, 1e5, 1e6} {
			all = append(all, size{files, us * time(files) * math.Exp(noise*random.NormFloat64()), noise})
		}
		return growthOf(all)
	}
	const tries = 1000
	for _, noise := range []float64{0.02, 0.1, 0.3} {
		wrong, missed := 0, 0
		for range tries {
			if g := measure(noise, func(float64) float64 { return 500 }); g.kind != flat && g.kind != doubtful {
				wrong++
			}
			if g := measure(noise, func(files float64) float64 { return 500 + 0.3*files }); g.kind != scan {
				missed++
			}
		}
		if wrong > tries/50 {
			t.Errorf("with noise of %v, %d of %d flat servers are said to grow", noise, wrong, tries)
		}
		if missed > tries/50 {
			t.Errorf("with noise of %v, %d of %d scans are not seen", noise, missed, tries)
		}
	}
}

func TestVerdictNamesWhatItComparesWith(t *testing.T) {
	slow := []float64{1500, 500, 510, 520}
	got := judgeNames("this server", sized(0.03, true, slow, slow, slow))
	if want := "create: flat: a create among 1,000,000 files takes 1.04 times as long as among 10,000."; got[0] != want {
		t.Errorf("verdict\n%s\nwant\n%s", got[0], want)
	}
}

// sized are results at 10^3, 10^4, ... files; other cases are found or not.
func sized(noise float64, found bool, create, missing, other []float64) (all []*NamesSize) {
	files := 1000
	for i := range create {
		of := func(v float64) Latency {
			return Latency{Samples: 1000, P50: time.Duration(v * us), Noise: noise}
		}
		s := &NamesSize{Files: files, Create: of(create[i]), Missing: of(missing[i]), OtherCase: of(other[i])}
		if !found {
			s.OtherCase.Absent = 1000
		}
		all = append(all, s)
		files *= 10
	}
	return all
}

func TestVerdict(t *testing.T) {
	even := []float64{500, 510, 540, 560}
	scanning := []float64{1250, 3950, 30950, 300950} // 800 and 0.3 for each file, of which there are 500 more on the average
	for _, tt := range []struct {
		name  string
		sizes []*NamesSize
		want  []string
	}{
		{"flat", sized(0.03, true, even, even, even), []string{
			"create: flat: a create among 1,000,000 files takes 1.12 times as long as among 1,000.",
			"missing name: flat: a look for a missing name among 1,000,000 files takes 1.12 times as long as among 1,000.",
			"other case: flat: an open in another case among 1,000,000 files takes 1.12 times as long as among 1,000.",
		}},
		{"exact names only", sized(0.03, false, even, even, even), []string{
			"create: flat: a create among", "missing name: flat: ",
			"other case: flat, but FILE is not found as file: names are case-sensitive here",
		}},
		{"a scan", sized(0.05, true, scanning, scanning, even), []string{
			"create: time per create grows by 0.3 µs for each file already there: this server scans the folder.",
			"missing name: time per look for a missing name grows by 0.3 µs for each file",
			"other case: flat",
		}},
		{"noise", sized(0.5, true, []float64{500, 900, 700, 1200}, even, even), []string{
			"create: not sure: a create among 1,000,000 files takes 2.40 times as long as among 1,000, but equal measurements differed by 4.1 times; measure again",
			"missing name: flat as far as can be seen: ", "other case: flat as far as can be seen: ",
		}},
		{"one size", sized(0.03, true, even[:1], even[:1], even[:1]), []string{
			"create: sizes so close to each other tell nothing of growth.", "missing name: sizes", "other case: sizes",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := judgeNames("this server", tt.sizes)
			if len(got) != len(tt.want) {
				t.Fatalf("verdict = %q", got)
			}
			for i, want := range tt.want {
				if !strings.HasPrefix(got[i], want) {
					t.Errorf("verdict\n%s\nwant\n%s", got[i], want)
				}
			}
		})
	}
}

func TestVerdictOfAServerThatFindsSome(t *testing.T) {
	sizes := sized(0.03, true, []float64{500, 500}, []float64{500, 500}, []float64{500, 500})
	sizes[1].OtherCase.Absent = 7
	got := judgeNames("this server", sizes)
	if want := "other case: 7 of 2,000 names were not found"; !strings.HasPrefix(got[2], want) {
		t.Errorf("verdict = %q", got[2])
	}
}
