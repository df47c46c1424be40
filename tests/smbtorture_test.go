package tests

import (
	"bufio"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// torturePath is the table of what smbtorture's tests come to: suite, test,
// result here, result against Samba 4.17's default share, seconds the suite
// takes here.
const torturePath = "expected/smbtorture.tsv"

var update = flag.Bool("update", false, "write "+torturePath+" anew from this run")

const (
	quickSuite = 20 * time.Second  // a suite that ends within is part of every run
	suiteLimit = 120 * time.Second // of any suite
)

// tortureRow is a row of the table.
type tortureRow struct {
	suite, test string
	here, samba string // "success", "failure", "error", "skip", "timeout", "crash", "-" for not known
	seconds     string
}

func (r tortureRow) String() string {
	return strings.Join([]string{r.suite, r.test, r.here, r.samba, r.seconds}, "\t")
}

// TestSmbtorture runs each suite of the table on a server of its own. A test
// that passed must pass; one that does not is run alone three times, and two
// of three count. DOZO_FULL=1 runs the slow suites, too.
func TestSmbtorture(t *testing.T) {
	need(t, "smbtorture")
	full := os.Getenv("DOZO_FULL") != "" || *update
	var mu sync.Mutex
	var fresh []tortureRow
	passed, expected := 0, 0

	table := readTorture(t)
	t.Run("suites", func(t *testing.T) {
		for _, suite := range suites(table) {
			rows := slices.DeleteFunc(slices.Clone(table), func(r tortureRow) bool { return r.suite != suite })
			if d, _ := time.ParseDuration(rows[0].seconds + "s"); d > quickSuite && !full {
				continue
			}
			t.Run(suite, func(t *testing.T) {
				t.Parallel()
				began := time.Now()
				got := serveTorture(t).torture(suite)
				if cut(got) { // the tests behind the one that hung
					for _, row := range rows {
						if _, ran := got[row.test]; !ran && (row.here == "success" || *update) {
							maps.Copy(got, serveTorture(t).torture(suite+"."+row.test))
						}
					}
				}
				seconds := fmt.Sprintf("%.0f", time.Since(began).Seconds())
				mu.Lock()
				defer mu.Unlock()
				for _, row := range rows {
					result, ok := got[row.test]
					if !ok {
						result = "-"
					}
					if row.here == "success" {
						expected++
						if result != "success" && !*update {
							mu.Unlock()
							result = retry(t, suite, row.test, result)
							mu.Lock()
						}
					}
					if result == "success" {
						passed++
						if row.here != "success" {
							t.Logf("%s %s passes now; -update notes it", suite, row.test)
						}
					}
					delete(got, row.test)
					row.here, row.seconds = result, seconds
					fresh = append(fresh, row)
				}
				for test, result := range got { // not in the table so far
					fresh = append(fresh, tortureRow{suite, test, result, "-", seconds})
				}
			})
		}
	})
	t.Logf("smbtorture: %d tests passed, %d had to", passed, expected)
	if *update {
		writeTorture(t, fresh)
	}
}

// retry runs a test that was to pass alone on fresh servers, until two of at
// most three runs agree, and returns that result.
func retry(t *testing.T, suite, test, first string) string {
	good, bad := 0, 0
	for good < 2 && bad < 2 {
		if result := serveTorture(t).torture(suite + "." + test)[test]; result == "success" {
			good++
		} else {
			bad++
		}
	}
	if good < 2 {
		t.Errorf("%s %s: %s, and alone %d of %d runs pass", suite, test, first, good, good+bad)
		return first
	}
	t.Logf("%s %s: %s, but alone it passes", suite, test, first)
	return "success"
}

// cut reports whether a suite ended before its time.
func cut(results map[string]string) bool {
	for _, r := range results {
		if r == "timeout" || r == "crash" {
			return true
		}
	}
	return false
}

// serveTorture starts a server as smbtorture wants one. A client that must
// sign calls a refusal that can't be signed, such as that of a session that
// ended, access denied before it looks at the status, so signing is offered.
func serveTorture(t *testing.T) *server {
	t.Helper()
	return serve(t, "--signing", "offered")
}

var (
	tortureBegin = regexp.MustCompile(`^test: (.*)$`)
	tortureEnd   = regexp.MustCompile(`^(success|failure|error|skip|xfail|uxsuccess): (.*?)( \[)?$`)
)

// torture runs a suite or one test of it and returns the results by test.
func (s *server) torture(suite string) map[string]string {
	s.t.Helper()
	cmd := exec.Command("smbtorture", "-s", emptyConf(s.t), "--format=subunit", "//127.0.0.1/"+s.share,
		"-p", fmt.Sprint(s.port), "-U", s.user+"%"+s.password, suite)
	cmd.Dir = s.t.TempDir()                               // where it leaves a folder when it is killed
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // its children must not outlive it
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	cut := "crash"
	limit := time.AfterFunc(suiteLimit, func() {
		cut = "timeout"
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	})
	results := map[string]string{}
	running := ""
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := strings.ToValidUTF8(lines.Text(), "?")
		if m := tortureBegin.FindStringSubmatch(line); m != nil {
			running = m[1]
		} else if m := tortureEnd.FindStringSubmatch(line); m != nil {
			results[m[2]] = m[1]
			running = ""
		}
	}
	cmd.Wait()
	limit.Stop()
	if running != "" {
		results[running] = cut
	}
	return results
}

func readTorture(t *testing.T) (rows []tortureRow) {
	t.Helper()
	data, err := os.ReadFile(torturePath)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		f := strings.Split(line, "\t")
		if len(f) != 5 {
			t.Fatalf("%s:%d has %d columns", torturePath, i+1, len(f))
		}
		if i > 0 {
			rows = append(rows, tortureRow{f[0], f[1], f[2], f[3], f[4]})
		}
	}
	return rows
}

// writeTorture puts the rows of suites that ran in place of the old ones.
func writeTorture(t *testing.T, fresh []tortureRow) {
	t.Helper()
	ran := suites(fresh)
	rows := slices.DeleteFunc(readTorture(t), func(r tortureRow) bool { return slices.Contains(ran, r.suite) })
	rows = append(rows, fresh...)
	slices.SortFunc(rows, func(a, b tortureRow) int {
		return strings.Compare(a.suite+"\t"+a.test, b.suite+"\t"+b.test)
	})
	text := "suite\ttest\tdozo\tsamba\tseconds\n"
	for _, r := range rows {
		text += r.String() + "\n"
	}
	if err := os.WriteFile(torturePath, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func suites(rows []tortureRow) (names []string) {
	for _, r := range rows {
		if !slices.Contains(names, r.suite) {
			names = append(names, r.suite)
		}
	}
	return names
}
