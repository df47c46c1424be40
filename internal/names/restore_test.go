package names

import (
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

func TestSightsAreExplained(t *testing.T) {
	at := time.Now()
	ago := func(d time.Duration) time.Time { return at.Add(-d) }
	seen := sight{ago(time.Minute), ago(time.Minute), 7, 3}
	for _, tt := range []struct {
		what           string
		now            sight
		explained, yet bool
	}{
		{"nothing happened", seen, true, true},
		{"a change that was told", sight{ago(time.Second), ago(time.Second), 8, 4}, true, true},
		{"one whose event is on its way", sight{ago(time.Millisecond), ago(time.Millisecond), 7, 4}, false, false},
		{"one that nobody told", sight{ago(time.Second), ago(time.Second), 7, 4}, false, true},
		{"other rights", sight{ago(time.Second), ago(time.Minute), 7, 4}, true, true},
		{"put back", sight{ago(time.Hour), ago(time.Hour), 7, 4}, false, true},
		{"a look from before, which ends now", sight{ago(time.Hour), ago(time.Hour), 6, 2}, true, false},
		{"put back after a change that was told", sight{ago(time.Hour), ago(time.Hour), 8, 4}, false, true},
	} {
		explained, yet := seen.explains(tt.now, at)
		if explained != tt.explained || yet != tt.yet {
			t.Errorf("%s: explained %t, yet %t", tt.what, explained, yet)
		}
	}
}

// TestFolderPutBack changes a folder so that nobody tells, as the process
// itself behind the Tree's back.
func TestFolderPutBack(t *testing.T) {
	f := newFixture(t, Options{})
	if f.root.q == nil {
		t.Skip("no watch here")
	}
	f.root.q.restorable = true
	f.mkdir("d")
	put(t, f.path(""), "d/sub/x")
	f.drainAll()
	expect(t, "seen", f.open("D/sub/X"), "d/sub/x")
	expect(t, "nothing", f.open("D/none"), bracket(vfs.KindNotExist))
	if err := os.Rename(f.path("d/sub"), f.path("d/None")); err != nil {
		t.Fatal(err)
	}
	for _, d := range f.allDirs() { // as if it had been long ago
		d.mu.Lock()
		d.sight.changed = d.sight.changed.Add(time.Hour)
		d.mu.Unlock()
	}
	expect(t, "found", f.open("D/none"), "d/None")
	expect(t, "in it", f.open("D/none/X"), "d/None/x")
	expect(t, "gone", f.open("D/sub/x"), bracket(vfs.KindPathNotExist))
	if s := f.Stats(); s.Unannounced == 0 {
		t.Error("nobody was told")
	}
}

// TestSlowChangeIsNoRestore has a call that changed a folder tell of itself long
// after it set the time: while the folder is read, which waits for its lock.
func TestSlowChangeIsNoRestore(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "d/File")
	f, h := hookedFixture(t, dir, Options{})
	if f.root.q == nil {
		t.Skip("no watch here")
	}
	f.root.q.restorable = true
	f.open("D/none")
	builds := f.Stats().Builds
	time.Sleep(2 * onItsWay)
	d := f.cachedAs("d")
	d.mu.Lock()
	d.sight.changed, d.sight.modified = d.sight.changed.Add(-time.Hour), d.sight.modified.Add(-time.Hour)
	d.mu.Unlock()
	p := startLocal(t)
	told := false
	h.set(func(c disk.Call) unix.Errno {
		if c.Op == disk.OpList && c.Path == "d" && !told {
			told = true
			if err := p.do("put", f.path("d/New")); err != nil {
				t.Error(err)
			}
		}
		return 0
	})
	expect(t, "made slowly", f.open("D/NEW"), "d/New")
	if s := f.Stats(); !told || s.Unannounced != 0 || s.Builds != builds {
		t.Errorf("waited for it: %v; %+v", told, s)
	}
}
