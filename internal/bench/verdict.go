package bench

import (
	"fmt"
	"strings"
	"time"

	"github.com/dozo-server/dozo/internal/report"
)

// judgeNames says in words what the sizes tell of who, a server or a file system:
// of creates, of names that are not there, and of names in another case.
func judgeNames(who string, sizes []*NamesSize) []string {
	if len(sizes) == 0 {
		return nil
	}
	of := func(pick func(*NamesSize) Latency) growth {
		var all []size
		for _, s := range sizes {
			l := pick(s)
			all = append(all, size{s.mean(), float64(l.P50), l.Noise})
		}
		return growthOf(all)
	}
	words := func(what string, g growth) string {
		return g.words(who, what, report.Count(sizes[len(sizes)-1].Files), report.Count(sizes[g.base].Files))
	}
	create := of(func(s *NamesSize) Latency { return s.Create })
	missing := of(func(s *NamesSize) Latency { return s.Missing })
	other := of(func(s *NamesSize) Latency { return s.OtherCase })
	verdict := []string{
		"create: " + words("create", create),
		"missing name: " + words("look for a missing name", missing),
	}
	absent, asked := 0, 0
	for _, s := range sizes {
		absent += s.OtherCase.Absent
		asked += s.OtherCase.Samples
	}
	switch {
	case asked == 0:
	case absent == asked:
		how := "FILE is not found as file"
		if other.kind == flat {
			how = "flat, but " + how
		}
		verdict = append(verdict, "other case: "+how+": names are case-sensitive here, which programs from Windows and macOS don't expect.")
	case absent > 0:
		verdict = append(verdict, fmt.Sprintf("other case: %s of %s names were not found in another case, though they are there: %s can't be relied on.",
			report.Count(absent), report.Count(asked), who))
	default:
		verdict = append(verdict, "other case: "+words("open in another case", other))
	}
	return verdict
}

// words tells the growth of what who does, in a large folder beside a small one.
func (g growth) words(who, what, large, small string) string {
	article := "a "
	if strings.HasPrefix(what, "o") {
		article = "an "
	}
	times := fmt.Sprintf("%s%s among %s files takes %s times as long as among %s", article, what, large, report.Number(g.ratio), small)
	if g.ratio < 1 {
		times = fmt.Sprintf("%s%s among %s files takes no longer than among %s", article, what, large, small)
	}
	noise := fmt.Sprintf("equal measurements differed by %.1f times", g.doubt)
	switch g.kind {
	case flat:
		if g.ratio*g.doubt <= 2*flatRatio {
			return "flat: " + times + "."
		}
		return "flat as far as can be seen: " + times + "; " + noise + "."
	case doubtful:
		return "not sure: " + times + ", but " + noise + "; measure again when the machine is quiet."
	case slower:
		return "slower: " + times + ", but not by the same for each file: this is no scan."
	case scan:
		return fmt.Sprintf("time per %s grows by %s µs for each file already there: %s scans the folder.",
			what, report.Number(float64(g.perFile)/float64(time.Microsecond)), who)
	}
	return "sizes so close to each other tell nothing of growth."
}
