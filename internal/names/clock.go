package names

import (
	"time"

	"github.com/dozo-server/dozo/internal/disk"
)

// clock tells for a folder that can't be watched whether it changed since it
// was read: by its change time. For folders the server does not write that is
// exact, once the time is older than its grain. Our own changes move the time,
// too, and can hide a foreign one made between two looks at it: the folder is
// suspect then and read again, at once while it is small and otherwise soon.
//
// Only another case of a name made in such a moment can be missed, since the
// exact spelling is always asked from the disk first.
//
// It is guarded by the folder's content.
type clock struct {
	seen    time.Time     // change time up to which the index is right
	since   time.Time     // when that was first seen, by this machine's clock
	young   bool          // seen was younger than its grain when the folder was read
	suspect time.Time     // of the first own change since it was read; zero is none
	last    time.Time     // of the last one
	cost    time.Duration // of reading the folder
	next    time.Time     // when it may be read again without need
}

const (
	// grain is two ticks of the slowest kernel. A change may bear the same
	// time as one that long before, on some file systems even where stamps
	// are finer: a folder gets the stamp of the entry that came or went.
	grain = 20 * time.Millisecond
	// farGrain is the same of another machine, which may be kept waiting.
	farGrain = 100 * time.Millisecond
	// wholeGrain is that of file systems whose times are whole seconds, or even
	// ones.
	wholeGrain = 2 * time.Second

	// A suspect folder of up to smallFolder names is read before each answer
	// that a name is not there, in at most a fifth of the time.
	smallFolder = 2000
	dutyCycle   = 4

	// A larger one when it was quiet for a while, and at the latest after.
	quiet      = time.Second
	latest     = 5 * time.Second
	latestCost = 20
)

// reading notes that the folder n is going to be read. elsewhere tells that
// another machine gives its times.
func (c *clock) reading(n *disk.Node, elsewhere bool) {
	c.suspect, c.last = time.Time{}, time.Time{}
	var stamps time.Time
	if !elsewhere {
		stamps = disk.Clock()
	}
	began := time.Now()
	t, err := n.ChangeTime()
	if err != nil {
		c.seen = time.Time{} // which is never seen again
		return
	}
	c.begin(t, began, stamps)
}

// begin notes that the folder had the change time t when reading it began, by
// this machine's clock. stamps is what the clock said then that gives change
// times; where that is not known its zero value. There a time is past when it
// was seen a while ago, however the clocks differ.
func (c *clock) begin(t, began, stamps time.Time) {
	switch {
	case !stamps.IsZero():
		c.young = stamps.Sub(t) < grainOf(t, grain)
	default:
		c.young = !t.Equal(c.seen) || began.Sub(c.since) < grainOf(t, farGrain)
	}
	c.see(t)
}

// see notes the change time t.
func (c *clock) see(t time.Time) {
	if !t.Equal(c.seen) {
		c.seen, c.since = t, time.Now()
	}
}

// grainOf is how long two changes may bear the same time t.
func grainOf(t time.Time, grain time.Duration) time.Duration {
	if t.Nanosecond() == 0 {
		return wholeGrain
	}
	return grain
}

// built notes how long reading took.
func (c *clock) built(cost time.Duration) {
	c.cost, c.next = cost, time.Now().Add(dutyCycle*cost)
}

// writes is called before a change of the folder n by this process if n was not
// looked at just now: what others did until then must not hide behind ours.
func (c *clock) writes(n *disk.Node) {
	if c.seen.IsZero() {
		return // watched, or not read
	}
	if t, err := n.ChangeTime(); err != nil || !t.Equal(c.seen) {
		c.seen = time.Time{} // which is never seen again
	}
}

// wrote notes a change of the folder n by this process.
func (c *clock) wrote(n *disk.Node) {
	if c.seen.IsZero() {
		return // watched, or not read
	}
	now := time.Now()
	if c.suspect.IsZero() {
		c.suspect = now
	}
	c.last = now
	if t, err := n.ChangeTime(); err == nil {
		c.see(t)
	} else {
		c.seen = time.Time{}
	}
}

// due reports whether a folder with so many names should be read now although
// its change time is the same.
func (c *clock) due(names int, now time.Time) bool {
	if c.young && (names <= smallFolder || now.Sub(c.since) >= grainOf(c.seen, farGrain)) {
		return true
	}
	if c.suspect.IsZero() {
		return false
	}
	if names <= smallFolder {
		return !now.Before(c.next)
	}
	return now.Sub(c.last) > quiet || now.Sub(c.suspect) > max(latest, latestCost*c.cost)
}

// checkTime has d built anew if its change time, or suspicion, says so. It runs
// with content held exclusively.
func (r *request) checkTime(d *dir) error {
	n, err := r.node(d)
	if err != nil {
		return err
	}
	t, err := n.ChangeTime()
	if err != nil {
		return err
	}
	names, _ := d.size.load()
	if !t.Equal(d.clock.seen) || d.clock.due(names, time.Now()) {
		d.invalid.Store(true)
	}
	return nil
}
