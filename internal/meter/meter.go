// Package meter counts what is asked of a share: requests, bytes and times,
// since the start and over the last minute, and which folders are used most.
// It reads no clock: whoever counts says when.
package meter

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Kind is a kind of request.
type Kind uint8

// The kinds, by what is asked for.
const (
	None    Kind = iota // is not counted
	Open                // of a file or folder, made or found
	Close               // of one, with what that deletes
	Read                // of bytes
	Write               // of bytes
	List                // of a folder
	Info                // about a file or the file system
	Change              // of attributes, size or name
	Lock                // or unlock, of byte ranges
	Flush               // to the disk
	Control             // all else about a file
	kinds
)

var kindNames = [kinds]string{"none", "open", "close", "read", "write", "list", "info", "change", "lock", "flush", "control"}

func (k Kind) String() string { return kindNames[k] }

// The last minute is the running period and those before it, so it has between
// 50 and 60 seconds.
const (
	period  = 10 * time.Second
	periods = 6
)

// Meter is the count of one share. The zero Meter has counted nothing. All
// methods may be called by several goroutines at once. To count a request takes no
// lock and no memory: an addition or two to what only requests of the same kind and
// length, or about the same folder, add to.
type Meter struct {
	minute  atomic.Pointer[minute] // nil before the first request
	folders folders
}

// minute is what was counted in the last periods, and before them.
type minute struct {
	began time.Time    // of the first request
	now   atomic.Int64 // number of the running period
	parts [periods]part

	mu     sync.Mutex // held to begin a period
	before sums       // of periods that are over and forgotten
}

// part is what was counted in one period.
type part struct {
	read, written atomic.Uint64
	kinds         [kinds]struct {
		times  histogram
		waited atomic.Uint32 // requests of which no time is known
	}
}

// sums are what is known of all requests.
type sums struct{ requests, read, written uint64 }

// Request is one request, as it has ended.
type Request struct {
	Kind   Kind
	In     *Uses // of the folder that it was about, nil for none
	Began  time.Time
	Took   time.Duration
	Waited bool // for another client: what it took says nothing about the server
	Bytes  int  // of the file, with Read and Write
}

// Count counts a request.
func (m *Meter) Count(r Request) {
	if r.Kind == None {
		return
	}
	last := m.minute.Load()
	if last == nil {
		last = m.begin(r.Began)
	}
	i := m.part(last, number(r.Began.Add(r.Took)))
	p := &last.parts[i]
	if k := &p.kinds[r.Kind]; r.Waited {
		k.waited.Add(1)
	} else {
		k.times.add(r.Took)
	}
	switch r.Kind {
	case Read:
		p.read.Add(uint64(r.Bytes))
	case Write:
		p.written.Add(uint64(r.Bytes))
	}
	if r.In != nil {
		m.folders.present(r.In).in[i].Add(1)
	}
}

// begin begins the first minute.
func (m *Meter) begin(at time.Time) *minute {
	first := &minute{began: at}
	first.now.Store(number(at))
	m.minute.CompareAndSwap(nil, first)
	return m.minute.Load()
}

// number is that of the period that a moment is in.
func number(at time.Time) int64 { return at.Unix() / int64(period/time.Second) }

// part returns where the period n is counted, which mostly is the running one. A
// request that ended just before another began a new period is counted in the new
// one.
func (m *Meter) part(s *minute, n int64) int {
	now := s.now.Load()
	if n != now && n != now-1 {
		now = m.advance(s, n)
	}
	return at(now)
}

// at is the place of a period.
func at(n int64) int { return int((n%periods + periods) % periods) }

// advance begins the period n and forgets what is older than a minute: all of
// it where the machine's clock was set back.
func (m *Meter) advance(s *minute, n int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now.Load()
	if n == now || n == now-1 {
		return now
	}
	first := max(now+1, n-periods+1)
	if n < now {
		first = n - periods + 1
	}
	for i := first; i <= n; i++ {
		s.parts[at(i)].moveTo(&s.before)
		m.folders.clear(at(i))
	}
	s.now.Store(n)
	return n
}

// moveTo empties a part.
func (p *part) moveTo(sum *sums) {
	sum.read += p.read.Swap(0)
	sum.written += p.written.Swap(0)
	for i := range p.kinds {
		k := &p.kinds[i]
		sum.requests += uint64(k.waited.Swap(0))
		for j := range k.times {
			sum.requests += uint64(k.times[j].Swap(0))
		}
	}
}

// Load is what a meter has counted.
type Load struct {
	Requests      uint64 // since the start
	Read, Written uint64 // bytes, since the start

	// Span is the time that the rest is about, at most a minute; it is 0 when
	// nothing was counted yet.
	Span                  time.Duration
	LastRead, LastWritten uint64
	Kinds                 []Times // those that there were in Span, in the order of the constants
}

// Times are the requests of a kind in the last minute.
type Times struct {
	Kind     Kind
	Requests uint64
	// Median is the time that half of the requests took at most, Most that which
	// 99 % did, both to an eighth. Those that waited for other clients are left
	// out. With no others both are 0.
	Median, Most time.Duration
}

// Load tells what was counted until now.
func (m *Meter) Load(now time.Time) Load {
	s := m.minute.Load()
	if s == nil {
		return Load{}
	}
	m.part(s, number(now))
	s.mu.Lock() // no period moves to what was before
	defer s.mu.Unlock()
	var l Load
	running := time.Duration(now.UnixNano()) % period
	l.Span = max(0, min(running+(periods-1)*period, now.Sub(s.began)))
	l.Requests = s.before.requests
	for k := Open; k < kinds; k++ {
		var sum counts
		t := Times{Kind: k}
		for i := range s.parts {
			t.Requests += uint64(s.parts[i].kinds[k].waited.Load())
			sum.take(&s.parts[i].kinds[k].times)
		}
		t.Requests += sum.n
		t.Median, t.Most = sum.quantile(0.5), sum.quantile(0.99)
		if t.Requests > 0 {
			l.Kinds = append(l.Kinds, t)
		}
		l.Requests += t.Requests
	}
	for i := range s.parts {
		l.LastRead += s.parts[i].read.Load()
		l.LastWritten += s.parts[i].written.Load()
	}
	l.Read, l.Written = s.before.read+l.LastRead, s.before.written+l.LastWritten
	return l
}

// Folders returns the folders used most in the last minute, at most so many.
func (m *Meter) Folders(now time.Time, most int) []Folder {
	if s := m.minute.Load(); s != nil {
		m.part(s, number(now))
	}
	m.folders.mu.Lock()
	defer m.folders.mu.Unlock()
	all := m.folders.sorted()
	all = slices.DeleteFunc(all, func(f Folder) bool { return f.Requests == 0 })
	return all[:min(len(all), most)]
}
