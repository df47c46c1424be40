package meter

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"
)

var noon = time.Unix(1_796_040_000, 0) // the begin of a period

func TestLoadIsOfTheLastMinute(t *testing.T) {
	var m Meter
	at := func(seconds float64) time.Time { return noon.Add(time.Duration(seconds * float64(time.Second))) }
	if got := m.Load(noon); !reflect.DeepEqual(got, Load{}) {
		t.Errorf("before all requests: %+v", got)
	}
	m.Count(Request{Kind: Read, Began: at(0), Took: time.Millisecond, Bytes: 100})
	m.Count(Request{Kind: Read, Began: at(25), Took: time.Millisecond, Bytes: 50})
	m.Count(Request{Kind: Write, Began: at(25), Took: time.Second, Bytes: 7})
	m.Count(Request{Kind: Lock, Began: at(27), Took: time.Second, Waited: true})
	m.Count(Request{Kind: None, Began: at(28)})
	m.Count(Request{Kind: Open, Began: at(9), Took: 2 * time.Second}) // it ended in the period before, and is told late
	for _, tt := range []struct {
		now           float64
		span          time.Duration
		read, written uint64
		requests      map[Kind]uint64
	}{
		{30, 30 * time.Second, 150, 7, map[Kind]uint64{Open: 1, Read: 2, Write: 1, Lock: 1}},
		{59, 59 * time.Second, 150, 7, map[Kind]uint64{Open: 1, Read: 2, Write: 1, Lock: 1}},
		{60, 50 * time.Second, 50, 7, map[Kind]uint64{Open: 1, Read: 1, Write: 1, Lock: 1}},
		{79, 59 * time.Second, 50, 7, map[Kind]uint64{Open: 1, Read: 1, Write: 1, Lock: 1}},
		{80, 50 * time.Second, 0, 0, map[Kind]uint64{}},
		{1e6, 50 * time.Second, 0, 0, map[Kind]uint64{}},
	} {
		got := m.Load(at(tt.now))
		requests := map[Kind]uint64{}
		for _, k := range got.Kinds {
			requests[k.Kind] = k.Requests
		}
		if got.LastRead != tt.read || got.LastWritten != tt.written || !reflect.DeepEqual(requests, tt.requests) || got.Span.Round(time.Second) != tt.span {
			t.Errorf("after %v s: %+v, want %+v", tt.now, got, tt)
		}
		if got.Requests != 5 || got.Read != 150 || got.Written != 7 {
			t.Errorf("since the start: %+v", got)
		}
	}
}

// A clock that is set back costs the last minute and nothing else.
func TestClockIsSetBack(t *testing.T) {
	for _, back := range []time.Duration{30 * time.Second, time.Hour, time.Duration(noon.Unix()) * time.Second} {
		var m Meter
		m.Count(Request{Kind: Read, In: m.Uses("a"), Began: noon, Took: time.Second, Bytes: 1})
		then := noon.Add(-back)
		m.Count(Request{Kind: Read, In: m.Uses("b"), Began: then, Took: time.Second, Bytes: 1})
		got := m.Load(then.Add(2 * time.Second))
		if got.Requests != 2 || got.LastRead != 1 || got.Span < 0 {
			t.Errorf("set back by %v: %+v", back, got)
		}
		if f := m.Folders(then, 10); len(f) != 1 || f[0].Path != "b" {
			t.Errorf("set back by %v: %v", back, f)
		}
	}
}

func TestBucketsFollowEachOther(t *testing.T) {
	for i := range buckets {
		from, to := bounds(i)
		if bucket(from) != i || i+1 < buckets && bucket(to) != i+1 || bucket(to-1) != i {
			t.Errorf("bucket %d is from %v to %v, which are in %d and %d", i, from, to, bucket(from), bucket(to))
		}
	}
	if got := bucket(time.Hour); got != buckets-1 {
		t.Errorf("an hour is in bucket %d", got)
	}
	if got := bucket(-1); got != 0 {
		t.Errorf("a time below zero is in bucket %d", got)
	}
}

// Quantiles are as near as promised, whatever the times are like.
func TestQuantiles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, next := range map[string]func() float64{
		"even":   func() float64 { return 1e4 + 1e6*r.Float64() },
		"skewed": func() float64 { return 1e4 * math.Exp(2*r.NormFloat64()) },
		"two":    func() float64 { return []float64{5e4, 5e7}[r.IntN(10)/9] },
	} {
		var m Meter
		var all []time.Duration
		for range 10_000 {
			d := time.Duration(next())
			all = append(all, d)
			m.Count(Request{Kind: Read, Began: noon, Took: d})
		}
		slices.Sort(all)
		got := m.Load(noon).Kinds[0]
		for _, q := range []struct{ got, want time.Duration }{{got.Median, all[4999]}, {got.Most, all[9899]}} {
			if off := math.Abs(float64(q.got)/float64(q.want) - 1); off > 0.13 {
				t.Errorf("%s: %v, want %v: %.0f %% off", name, q.got, q.want, 100*off)
			}
		}
	}
}

// Nothing is lost however many count, also where a period begins.
func TestCountingAtOnce(t *testing.T) {
	var m Meter
	var all sync.WaitGroup
	const each = 5000
	for range 8 {
		all.Go(func() {
			for i := range each {
				at := noon.Add(time.Duration(i) * 10 * time.Millisecond) // 50 s
				m.Count(Request{Kind: Write, In: m.Uses(fmt.Sprint(i % 10)), Began: at, Took: time.Microsecond, Bytes: 3})
			}
		})
	}
	all.Wait()
	got := m.Load(noon.Add(50 * time.Second))
	if got.Requests != 8*each || got.Written != 3*8*each || got.Kinds[0].Requests > 8*each {
		t.Errorf("%+v", got)
	}
}

func (m *Meter) use(in *Uses, at time.Time) { m.Count(Request{Kind: Info, In: in, Began: at}) }

func TestFoldersAreBounded(t *testing.T) {
	var m Meter
	often := m.Uses("often") // of a file that stays open
	for i := range 50_000 {
		m.use(m.Uses(fmt.Sprint("seldom/", i)), noon)
		if i%50 == 0 {
			m.use(often, noon)
		}
		if i%100 == 0 {
			m.use(m.Uses(""), noon)
		}
	}
	if n := len(m.folders.by); n > maxFolders {
		t.Errorf("%d folders are remembered", n)
	}
	got := m.Folders(noon, 2)
	if want := []Folder{{"often", 1000}, {"", 500}}; !slices.Equal(got, want) {
		t.Errorf("used most: %v, want %v", got, want)
	}
	if got := m.Folders(noon.Add(70*time.Second), 10); len(got) != 0 || len(m.folders.by) != 0 {
		t.Errorf("after a minute: %v", got)
	}
}

// A folder that was forgotten while a file in it stayed open counts again, as one
// with that of others.
func TestFoldersComeBack(t *testing.T) {
	for _, others := range []bool{false, true} {
		var m Meter
		early := m.Uses("a/b")
		m.use(early, noon)
		later := noon.Add(2 * time.Minute)
		if got := m.Folders(later, 10); len(got) != 0 {
			t.Errorf("two minutes later: %v", got)
		}
		want := uint64(1)
		if others {
			m.use(m.Uses("a/b"), later)
			want++
		}
		m.use(early, later)
		if got := m.Folders(later, 10); !slices.Equal(got, []Folder{{"a/b", want}}) {
			t.Errorf("others %v: %v, want %d", others, got, want)
		}
	}
}

func TestCountingTakesNoMemory(t *testing.T) {
	var m Meter
	folder := m.Uses("a/b")
	count := func() {
		m.Count(Request{Kind: Read, In: folder, Began: noon, Took: time.Microsecond, Bytes: 1})
	}
	count()
	if n := testing.AllocsPerRun(100, count); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
