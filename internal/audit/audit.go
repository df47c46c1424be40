// Package audit writes down who did what in the shares, one line of JSON each,
// for an administrator who is asked who deleted a file.
//
//	{"time":"2026-11-30T18:04:11.312Z","operation":"delete","user":"anna","address":"192.0.2.7","share":"films","path":"a/b.mkv","result":"ok"}
//
// Whoever notes something waits for no disk. What comes faster than it can be
// written is bounded; beyond that it is lost, and a line says how much was.
package audit

import (
	"bytes"
	"io"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// Operation is what somebody did, or tried to do.
type Operation string

// The operations.
const (
	Logon     Operation = "logon"
	Connect   Operation = "connect"   // to a share
	Create    Operation = "create"    // a file or folder
	Overwrite Operation = "overwrite" // a file that was there was emptied
	Write     Operation = "write"     // a file was opened to be written
	Delete    Operation = "delete"
	Recycle   Operation = "recycle" // deleted, and kept at To
	Expire    Operation = "expire"  // kept for long enough; by nobody
	Rename    Operation = "rename"  // to To
	Link      Operation = "link"    // the file got the further name To

	lost Operation = "lost" // nothing but the count of lines that were
)

// Event is one line. Empty fields are left out.
type Event struct {
	Time      time.Time
	Operation Operation
	User      string // "" for a guest
	Address   netip.Addr
	Share     string
	Path, To  string
	Replaced  bool   // the file that was at To is gone
	Result    string // what was in the way; "": it was done

	count uint64 // of lost lines
}

const (
	// waiting is how many events may wait to be written.
	waiting = 8192
	// together is how many bytes are written at a time, about.
	together = 64 << 10
)

// Log writes events to a writer. All methods may be called by several goroutines
// at once, and Note and On of a nil Log, which does nothing.
type Log struct {
	failed  func(error)
	on      atomic.Bool
	events  chan *Event // so that who keeps no account has little memory for it
	lost    atomic.Uint64
	outputs chan output
	stop    chan struct{}
	done    sync.WaitGroup
}

// output is what SetOutput asks for.
type output struct {
	to   io.Writer
	done chan struct{} // closed when nothing more goes to the one before
}

// New returns a Log that writes to out, whole lines at a time, from a goroutine
// of its own. failed is called from that when a write fails after one that did
// not; the lines that out does not say it has are lost, and counted as those that
// came too fast. Without out there is no log, until SetOutput. Close ends the Log.
func New(out io.Writer, failed func(error)) *Log {
	l := &Log{failed: failed, events: make(chan *Event, waiting), outputs: make(chan output), stop: make(chan struct{})}
	l.on.Store(out != nil)
	l.done.Go(func() { l.write(out) })
	return l
}

// On reports whether somebody wants to know what is noted.
func (l *Log) On() bool { return l != nil && l.on.Load() }

// SetOutput has what is noted from now on written to another writer, nil for none.
// It returns when all that was noted before is written to the one before, which is
// used no more.
func (l *Log) SetOutput(out io.Writer) {
	change := output{out, make(chan struct{})}
	select {
	case l.outputs <- change:
		<-change.done
	case <-l.stop:
	}
}

// Note writes down an event, now unless it has a time. It never waits.
func (l *Log) Note(e Event) {
	if !l.On() {
		return
	}
	kept := new(Event) // not e itself, which would be made for nobody, too
	if *kept = e; e.Time.IsZero() {
		kept.Time = time.Now()
	}
	select {
	case l.events <- kept:
	default:
		l.lost.Add(1)
	}
}

// Close returns when all that was noted before is written. It is called once, and
// what is noted after it may be lost.
func (l *Log) Close() {
	close(l.stop)
	l.done.Wait()
}

// write is the goroutine that writes.
func (l *Log) write(out io.Writer) {
	var b []byte
	failing := false
	flush := func() {
		n := l.lost.Swap(0)
		if n > 0 {
			b = appendLine(b, &Event{Time: time.Now(), Operation: lost, count: n})
		}
		if len(b) == 0 || out == nil {
			return
		}
		there, err := out.Write(b)
		if missing := bytes.Count(b[there:], []byte("\n")); missing > 0 {
			if n > 0 { // what says how many is the last of them
				missing--
			}
			l.lost.Add(n + uint64(missing))
		}
		b = b[:0]
		if err != nil && !failing {
			l.failed(err)
		}
		failing = err != nil
	}
	rest := func() {
		for len(l.events) > 0 {
			e := <-l.events
			b = appendLine(b, e)
		}
		flush()
	}
	for {
		select {
		case e := <-l.events:
			b = appendLine(b, e)
			if len(l.events) == 0 || len(b) >= together {
				flush()
			}
		case change := <-l.outputs:
			rest()
			b, out = b[:0], change.to
			l.on.Store(out != nil)
			close(change.done)
		case <-l.stop:
			rest()
			return
		}
	}
}
