// Package meter counts what is asked of a share: requests, bytes and times,
// since the start and over the last minute, and which folders are used most.
// It reads no clock: whoever counts says when.
package meter

import (
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
// methods may be called by several goroutines at once; none waits for long.
type Meter struct {
	totals        [kinds]atomic.Uint64
	read, written atomic.Uint64
	minute        atomic.Pointer[minute] // nil before the first request
	folders       folders
}

// minute is what was counted in the last periods.
type minute struct {
	began time.Time    // of the first request
	now   atomic.Int64 // number of the running period
	parts [periods]part

	advancing sync.Mutex // held to begin a period
}

// part is what was counted in one period.
type part struct {
	read, written atomic.Uint64
	kinds         [kinds]struct {
		times  histogram
		waited atomic.Uint32 // requests of which no time is known
	}
}

// Request is one request, as it has ended.
type Request struct {
	Kind   Kind
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
	m.totals[r.Kind].Add(1)
	last := m.minute.Load()
	if last == nil {
		last = &minute{began: r.Began}
		last.now.Store(number(r.Began))
		if !m.minute.CompareAndSwap(nil, last) {
			last = m.minute.Load()
		}
	}
	p := last.part(number(r.Began.Add(r.Took)))
	if k := &p.kinds[r.Kind]; r.Waited {
		k.waited.Add(1)
	} else {
		k.times.add(r.Took)
	}
	switch bytes := uint64(r.Bytes); r.Kind {
	case Read:
		m.read.Add(bytes)
		p.read.Add(bytes)
	case Write:
		m.written.Add(bytes)
		p.written.Add(bytes)
	}
}

// number is that of the period that a moment is in.
func number(at time.Time) int64 { return at.Unix() / int64(period/time.Second) }

// part returns that of the period n, which mostly is the running one. A request
// that ended just before another began a new period is counted in the new one.
func (s *minute) part(n int64) *part {
	now := s.now.Load()
	if n != now && n != now-1 {
		now = s.advance(n)
	}
	return &s.parts[now%periods]
}

// advance begins the period n and forgets what is older than a minute: all of
// it where the machine's clock was set back.
func (s *minute) advance(n int64) int64 {
	s.advancing.Lock()
	defer s.advancing.Unlock()
	now := s.now.Load()
	if n == now || n == now-1 {
		return now
	}
	first := max(now+1, n-periods+1)
	if n < now {
		first = n - periods + 1
	}
	for i := first; i <= n; i++ {
		s.parts[(i%periods+periods)%periods].clear()
	}
	s.now.Store(n)
	return n
}

func (p *part) clear() {
	p.read.Store(0)
	p.written.Store(0)
	for i := range p.kinds {
		p.kinds[i].times.clear()
		p.kinds[i].waited.Store(0)
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
	l := Load{Read: m.read.Load(), Written: m.written.Load()}
	for i := range m.totals {
		l.Requests += m.totals[i].Load()
	}
	last := m.minute.Load()
	if last == nil {
		return l
	}
	last.part(number(now))
	running := time.Duration(now.UnixNano()) % period
	l.Span = max(0, min(running+(periods-1)*period, now.Sub(last.began)))
	for k := Open; k < kinds; k++ {
		var sum counts
		t := Times{Kind: k}
		for i := range last.parts {
			t.Requests += uint64(last.parts[i].kinds[k].waited.Load())
			sum.take(&last.parts[i].kinds[k].times)
		}
		t.Requests += sum.n
		t.Median, t.Most = sum.quantile(0.5), sum.quantile(0.99)
		if t.Requests > 0 {
			l.Kinds = append(l.Kinds, t)
		}
	}
	for i := range last.parts {
		l.LastRead += last.parts[i].read.Load()
		l.LastWritten += last.parts[i].written.Load()
	}
	return l
}
