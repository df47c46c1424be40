package bench_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dozo-server/dozo/internal/bench"
)

// quiet is a Progress that checks that stages end where they said.
type quiet struct {
	t           *testing.T
	stage       string
	steps, done int
}

func (q *quiet) Stage(name string, steps int) { q.stage, q.steps, q.done = name, steps, 0 }
func (q *quiet) Step(steps int) {
	if q.done += steps; q.done > q.steps {
		q.t.Errorf("stage %q has %d steps, %d are done", q.stage, q.steps, q.done)
	}
}

// small is a measurement that takes a moment.
func small(t *testing.T, target bench.Target) *bench.Names {
	return &bench.Names{
		Target: target, Name: "the target", Label: "it", Sizes: []int{10, 200}, Samples: 40, Seed: 1, Limit: time.Minute, Progress: &quiet{t: t},
	}
}

// empty fails the test if something was left in a folder.
func empty(t *testing.T, folder string) {
	t.Helper()
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestNamesInAFolder(t *testing.T) {
	dir := t.TempDir()
	folder, err := bench.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, fill := range []string{"", dir} {
		n := small(t, folder)
		n.Fill = fill
		r, err := n.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		complete(t, r)
		empty(t, dir)
	}
}

// complete checks that all was measured, and survives JSON.
func complete(t *testing.T, r *bench.NamesResult) {
	t.Helper()
	if len(r.Sizes) != 2 || r.Sizes[0].Files != 10 || r.Sizes[1].Files != 200 {
		t.Fatalf("sizes = %+v", r.Sizes)
	}
	for _, s := range r.Sizes {
		for name, l := range map[string]bench.Latency{"create": s.Create, "exact": s.Exact, "other case": s.OtherCase, "missing": s.Missing, "delete": s.Delete} {
			if l.Samples != 40 || l.P50 <= 0 {
				t.Errorf("%s at %d files: %+v", name, s.Files, l)
			}
		}
		if s.List <= 0 || (r.First != bench.NothingNew) != (s.FirstMiss > 0 && s.FirstList > 0) {
			t.Errorf("%q is begun anew; lists %v, %v, first miss %v", r.First, s.FirstList, s.List, s.FirstMiss)
		}
	}
	if len(r.Verdict) != 3 {
		t.Errorf("verdict = %q", r.Verdict)
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var again bench.NamesResult
	if err := json.Unmarshal(data, &again); err != nil || again.Page() == nil || fmt.Sprint(*again.Sizes[1]) != fmt.Sprint(*r.Sizes[1]) {
		t.Errorf("JSON brings back %+v, %v; was %+v", again.Sizes[1], err, r.Sizes[1])
	}
}

// model is a target in memory: any case finds a name unless it is exact. A call
// takes a time of its own, and one for each name that is there.
type model struct {
	exact         bool
	base, perFile time.Duration
	space         bench.Space
	before        func(op, path string) error // every call; nil: nothing

	mu      sync.Mutex
	folders map[string]map[string]bool
}

func newModel() *model {
	return &model{base: 20 * time.Microsecond, space: bench.Space{Bytes: 1 << 40}, folders: map[string]map[string]bool{"": {}}}
}

// enter begins a call and returns the folder of its path, and the name in it as
// it is stored. The caller unlocks.
func (m *model) enter(op, path string) (folder map[string]bool, name string, err error) {
	dir, name, deep := strings.Cut(path, "/")
	if !deep {
		dir, name = "", path
	}
	m.mu.Lock()
	files := len(m.folders[dir])
	m.mu.Unlock()
	time.Sleep(m.base + time.Duration(files)*m.perFile)
	m.mu.Lock()
	if m.before != nil {
		if err := m.before(op, path); err != nil {
			return nil, "", err
		}
	}
	folder, ok := m.folders[dir]
	if !ok {
		return nil, "", fs.ErrNotExist
	}
	if !m.exact {
		name = strings.ToLower(name)
	}
	return folder, name, nil
}

func (m *model) Mkdir(_ context.Context, path string) error {
	folder, name, err := m.enter("mkdir", path)
	defer m.mu.Unlock()
	if err == nil {
		folder[name] = true
		m.folders[path] = map[string]bool{}
	}
	return err
}

func (m *model) Create(_ context.Context, path string) (bench.File, error) {
	folder, name, err := m.enter("create", path)
	defer m.mu.Unlock()
	if err == nil && folder[name] {
		err = fs.ErrExist
	}
	if err != nil {
		return nil, err
	}
	folder[name] = true
	return nothing{}, nil
}

func (m *model) Open(_ context.Context, path string) (bench.File, error) {
	folder, name, err := m.enter("open", path)
	defer m.mu.Unlock()
	if err == nil && !folder[name] {
		err = fs.ErrNotExist
	}
	return nothing{}, err
}

func (m *model) Remove(_ context.Context, path string) error {
	folder, name, err := m.enter("remove", path)
	defer m.mu.Unlock()
	if err != nil {
		return err
	}
	if !folder[name] {
		return fs.ErrNotExist
	}
	if len(m.folders[path]) > 0 {
		return syscall.ENOTEMPTY
	}
	delete(folder, name)
	delete(m.folders, path)
	return nil
}

func (m *model) List(_ context.Context, path string) iter.Seq2[bench.Entry, error] {
	folder, _, err := m.enter("list", path+"/")
	defer m.mu.Unlock()
	var names []string
	for name := range folder {
		names = append(names, name)
	}
	return func(yield func(bench.Entry, error) bool) {
		if err != nil {
			yield(bench.Entry{}, err)
		}
		for _, name := range names {
			if !yield(bench.Entry{Name: name}, nil) {
				return
			}
		}
	}
}

func (m *model) Space(context.Context) (bench.Space, error) { return m.space, nil }
func (m *model) Link() *bench.Link                          { return &bench.Link{Words: "a model"} }
func (m *model) Close() error                               { return nil }

func (m *model) Renew(context.Context) (bench.Renewal, error) {
	return bench.NewSession, nil
}

// clean fails the test if something was left.
func (m *model) clean(t *testing.T) {
	t.Helper()
	if len(m.folders) != 1 || len(m.folders[""]) != 0 {
		t.Errorf("left: %d folders, %v", len(m.folders)-1, m.folders[""])
	}
}

type nothing struct{}

func (nothing) WriteAt(_ context.Context, p []byte, _ int64) (int, error) { return len(p), nil }
func (nothing) Close(context.Context) error                               { return nil }

// inBubble runs a test in which time passes only while all sleep.
func inBubble(t *testing.T, name string, do func(t *testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, do) })
}

func TestNamesOfAServer(t *testing.T) {
	for _, tt := range []struct {
		name string
		set  func(*model)
		want []string // of each sentence
	}{
		{"a scan", func(m *model) { m.perFile = 300 }, []string{
			"time per create grows by 0.3 µs for each file already there: this server scans the folder", "grows by 0.3 µs", "grows by 0.3 µs"}},
		{"constant", func(*model) {}, []string{"flat", "flat", "other case: flat: "}},
		{"exact names", func(m *model) { m.exact = true }, []string{"flat", "flat", "flat, but FILE is not found as file"}},
	} {
		inBubble(t, tt.name, func(t *testing.T) {
			m := newModel()
			tt.set(m)
			r, err := small(t, m).Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			complete(t, r)
			m.clean(t)
			for i, want := range tt.want {
				if !strings.Contains(r.Verdict[i], want) {
					t.Errorf("verdict %q, want %q", r.Verdict[i], want)
				}
			}
		})
	}
}

// TestNamesEndsEarly: whatever happens, at whatever moment, nothing is left, the
// error says why, and sizes that were measured are kept.
func TestNamesEndsEarly(t *testing.T) {
	full := errors.New("the disk is full")
	for _, tt := range []struct {
		name  string
		op    string
		at    int // which call of the operation
		sizes int // that are kept
	}{
		{"making the folder", "mkdir", 1, -1},
		{"growing", "create", 5, 0},
		{"the first sample", "create", 11, 0},
		{"the samples", "open", 30, 0},
		{"the second size", "create", 180, 1},
		{"the last samples", "open", 230, 1},
		{"deleting", "remove", 3, 2},
	} {
		for _, cancel := range []bool{false, true} {
			if cancel && tt.op == "mkdir" {
				continue
			}
			inBubble(t, fmt.Sprintf("%s, cancel %v", tt.name, cancel), func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				m, calls := newModel(), 0
				m.before = func(op, _ string) error {
					if op != tt.op {
						return nil
					}
					if calls++; calls != tt.at {
						return nil
					}
					if cancel {
						stop()
						return nil
					}
					return full
				}
				r, err := small(t, m).Run(ctx)
				switch {
				case cancel && (err == nil || !strings.Contains(err.Error(), "interrupted")):
					t.Errorf("Run = %v", err)
				case !cancel && !errors.Is(err, full):
					t.Errorf("Run = %v", err)
				}
				if tt.sizes >= 0 && len(r.Sizes) != tt.sizes {
					t.Errorf("%d sizes are kept, want %d", len(r.Sizes), tt.sizes)
				}
				m.clean(t)
			})
		}
	}
}

func TestNamesSaysWhatIsLeft(t *testing.T) {
	gone := errors.New("the connection is gone")
	m := newModel()
	m.before = func(op, path string) error {
		if op != "mkdir" && len(m.folders) == 2 && strings.Contains(path, "/") {
			return gone
		}
		return nil
	}
	_, err := small(t, m).Run(t.Context())
	if !errors.Is(err, gone) || !strings.Contains(err.Error(), "the folder dozo-bench-") || !strings.Contains(err.Error(), "is left in the target, delete it by hand") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("Run = %v", err)
	}
}

func TestNamesRefusesATargetWithoutRoom(t *testing.T) {
	for _, tt := range []struct {
		space bench.Space
		want  string
	}{
		{bench.Space{Bytes: 100_000}, "has 100 kB free and the test needs 1.45 MB; name smaller --sizes, or another target"},
		{bench.Space{Bytes: 1 << 40, Files: 100, Limited: true}, "has room for 100 files and the test makes 284; name smaller"},
	} {
		m := newModel()
		m.space = tt.space
		m.before = func(op, path string) error { t.Errorf("%s %s", op, path); return nil }
		if _, err := small(t, m).Run(t.Context()); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Run = %v, want %q", err, tt.want)
		}
	}
}

func TestNamesSaysThatGrowingTookTooLong(t *testing.T) {
	inBubble(t, "too long", func(t *testing.T) {
		m := newModel()
		m.perFile = time.Microsecond
		n := small(t, m)
		n.Sizes = []int{10, 5000, 10_000}
		n.Limit = 100 * time.Millisecond
		r, err := n.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		// After 100 ms with 8 at a time, n files took n²/2 µs / 8.
		if len(r.Sizes) != 2 || r.Sizes[1].Files < 1000 || r.Sizes[1].Files > 1400 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "--fill") {
			t.Errorf("sizes %+v, notes %q", r.Sizes, r.Notes)
		}
		m.clean(t)
	})
}

func TestFillNamesAnotherFolder(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	n := small(t, bench.Folder(dir))
	n.Fill = other
	if _, err := n.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "is not the folder behind the target") {
		t.Errorf("Run = %v", err)
	}
	empty(t, dir)
	empty(t, other)
}

func TestOpenFolder(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{filepath.Join(dir, "none"): "make it first: mkdir", file: "is a file; name a folder"} {
		if _, err := bench.OpenFolder(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("OpenFolder(%s) = %v, want %q", path, err, want)
		}
	}
}

// result is one that was not measured.
func result(label string, files ...int) *bench.NamesResult {
	r := &bench.NamesResult{Test: bench.NamesTest, Label: label, Target: "smb://nas/" + label, Verdict: []string{"create: flat."}}
	for _, n := range files {
		l := bench.Latency{Samples: 1000, P50: 400 * time.Microsecond, P99: time.Millisecond}
		r.Sizes = append(r.Sizes, &bench.NamesSize{Files: n, Create: l, Exact: l, OtherCase: l, Missing: l})
	}
	return r
}

func TestNamesComparison(t *testing.T) {
	results := []*bench.NamesResult{result("dozo", 1000, 10_000), result("Samba", 1000)}
	results[1].Sizes[0].OtherCase.Absent = 1000
	if err := bench.CheckNames(results); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := bench.NamesComparison(results).Text(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"dozo: smb://nas/dozo\n", "p50            files    dozo      Samba\n",
		"create         1,000  400 µs     400 µs\n", "create        10,000  400 µs          -\n",
		"other case     1,000  400 µs  not found\n", "Samba, create: flat.\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	c := bench.NamesChart(results...)
	if len(c.Panels) != 3 || len(c.Panels[0].Series) != 2 || len(c.Panels[0].Series[0].Points) != 2 || c.Panels[2].Series[1].Note != "not found" {
		t.Errorf("chart = %+v", c)
	}
}

func TestCheckNames(t *testing.T) {
	spoiled := func(spoil func(r *bench.NamesResult)) []*bench.NamesResult {
		r := result("a", 1000, 10_000)
		spoil(r)
		return []*bench.NamesResult{r}
	}
	for _, tt := range []struct {
		results []*bench.NamesResult
		want    string
	}{
		{[]*bench.NamesResult{result("a", 1), {Test: "tree"}}, "no result of dozo bench names"},
		{[]*bench.NamesResult{result("a", 1), result("a", 1)}, `two results are called "a"`},
		{spoiled(func(r *bench.NamesResult) { r.Sizes[1] = nil }), "somebody changed it"},
		{spoiled(func(r *bench.NamesResult) { r.Sizes[0].Files = 0 }), "somebody changed it"},
		{spoiled(func(r *bench.NamesResult) { r.Sizes[1].Create.P50 = 0 }), "somebody changed it"},
		{spoiled(func(r *bench.NamesResult) { r.Sizes[1].Missing.P50 = -1 }), "somebody changed it"},
	} {
		if err := bench.CheckNames(tt.results); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("CheckNames = %v, want %q", err, tt.want)
		}
	}
}
