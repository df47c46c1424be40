package names

import (
	"testing"
	"time"

	"github.com/dozo-server/dozo/vfs"
)

// TestClocksDiffer reads a folder twice that just changed on another machine,
// whose clock is right, behind or ahead.
func TestClocksDiffer(t *testing.T) {
	for what, off := range map[string]time.Duration{"right": 0, "behind": -time.Hour, "ahead": time.Hour} {
		for _, tt := range []struct {
			what  string
			stamp time.Time
			grain time.Duration
		}{
			{"fine", time.Unix(1<<30, 7), farGrain},
			{"whole seconds", time.Unix(1<<30, 0), wholeGrain},
		} {
			var c clock
			now := time.Now()
			c.begin(tt.stamp.Add(off), now, time.Time{})
			if !c.young || !c.due(1, now) || c.due(smallFolder+1, now) || !c.due(smallFolder+1, now.Add(tt.grain+time.Second)) {
				t.Errorf("%s, %s: seen for the first time it is taken for settled, or a large folder is read at once", what, tt.what)
			}
			c.begin(tt.stamp.Add(off), c.since.Add(tt.grain-1), time.Time{})
			if !c.young {
				t.Errorf("%s, %s: a little later it is taken for settled", what, tt.what)
			}
			c.begin(tt.stamp.Add(off), c.since.Add(tt.grain), time.Time{})
			if later := now.Add(time.Minute); c.young || c.due(1, later) || c.due(smallFolder+1, later) {
				t.Errorf("%s, %s: it is never settled", what, tt.what)
			}
			c.begin(tt.stamp.Add(off+time.Nanosecond), c.since.Add(time.Minute), time.Time{})
			if !c.young {
				t.Errorf("%s, %s: changed again it is taken for settled", what, tt.what)
			}
		}
	}
}

// TestOwnClockIsBelieved reads folders once whose change is past by the clock
// that gave the time.
func TestOwnClockIsBelieved(t *testing.T) {
	for _, tt := range []struct {
		stamp time.Time
		after time.Duration
		young bool
	}{
		{time.Unix(1<<30, 7), grain - 1, true},
		{time.Unix(1<<30, 7), grain, false},
		{time.Unix(1<<30, 0), grain, true},
		{time.Unix(1<<30, 0), wholeGrain, false},
		{time.Unix(1<<30, 7), -time.Hour, true},
	} {
		var c clock
		if c.begin(tt.stamp, time.Now(), tt.stamp.Add(tt.after)); c.young != tt.young {
			t.Errorf("%v after %v: young %v", tt.after, tt.stamp, c.young)
		}
	}
}

// TestDiskOfAnotherMachine reads a folder of a disk whose times prove nothing
// until they were seen for a while.
func TestDiskOfAnotherMachine(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "d/File")
	time.Sleep(2 * grain)
	f := fixtureIn(t, dir, Options{Coherence: Generations})
	f.queues.byFS[f.root.id.dev].elsewhere = true
	f.open("d")
	before := f.Stats().Builds
	for i, want := range []int64{1, 2, 3, 3, 3} {
		expect(t, "nothing", f.open("d/none"), bracket(vfs.KindNotExist))
		if got := f.Stats().Builds - before; got != want {
			t.Errorf("look %d: read %d times, want %d", i, got, want)
		}
		if i == 1 { // as if it had been long ago
			for _, d := range f.allDirs() {
				d.clock.since = d.clock.since.Add(-time.Hour)
			}
		}
	}
}
