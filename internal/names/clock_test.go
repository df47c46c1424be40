package names

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/disk"
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

// TestChangesBeforeOwnOnes changes folders that go by their times after a local
// process did. Ours must not hide theirs, which they made long before.
func TestChangesBeforeOwnOnes(t *testing.T) {
	if testing.Short() {
		t.Skip("makes folders that are too large to be read again at once")
	}
	f := fixtureIn(t, fastDir(t), Options{Coherence: Generations})
	f.mkdir("d")
	f.mkdir("e")
	local(t, fmt.Sprintf("burst %s File %d", f.path("d"), smallFolder+10))
	local(t, fmt.Sprintf("burst %s File %d", f.path("e"), smallFolder+10))
	p := startLocal(t)
	for _, tt := range []struct {
		what string
		do   func() (got, want string)
	}{
		{"remove", func() (string, string) { return f.remove("d/File1"), "d/File1" }},
		{"rename", func() (string, string) { return f.rename("d/File2", "d/Other2", false), "d/Other2" }},
		{"move away", func() (string, string) { return f.rename("d/File3", "e/Other3", false), "e/Other3" }},
		{"move here", func() (string, string) { return f.rename("e/File4", "d/Other4", false), "d/Other4" }},
		{"link", func() (string, string) { return f.link("e/File5", "d/Other5", false), "e/File5" }},
		{"create", func() (string, string) { return f.create("d/Other6"), "d/Other6" }},
		{"create exactly", func() (string, string) {
			n, p, err := f.Create(bg, nil, "d/Other7", disk.How{Flags: disk.Write, Mode: 0o644}, true)
			if err != nil {
				return err.Error(), ""
			}
			defer n.Close()
			defer p.Release()
			return p.Path(), "d/Other7"
		}},
		{"move here exactly", func() (string, string) {
			return f.change("e/File8", func(p *Place, n *disk.Node) error {
				return f.Rename(bg, nil, p, n, "d/Other8", false, true)
			}), "d/Other8"
		}},
	} {
		time.Sleep(2 * farGrain)
		f.open("d/none") // which reads it, so that it is not read for being young
		if err := p.do("put", f.path("d/By-"+strings.ReplaceAll(tt.what, " ", "-"))); err != nil {
			t.Fatal(err)
		}
		got, want := tt.do()
		expect(t, tt.what, got, want)
		name := "By-" + strings.ReplaceAll(tt.what, " ", "-")
		expect(t, tt.what+": made before", f.open("d/"+strings.ToUpper(name)), "d/"+name)
	}
}
