package names

import (
	"os"
	"testing"
	"time"

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
