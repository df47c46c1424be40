package disk

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/vfs"
)

// eachQueue runs f with each kind of Watcher.
func eachQueue(t *testing.T, f func(t *testing.T, w *Watcher, tellsOwn bool)) {
	for name, open := range map[string]func() (*Watcher, error){"fanotify": newFanotify, "inotify": newInotify} {
		t.Run(name, func(t *testing.T) {
			w, err := open()
			if err != nil {
				t.Skip(err)
			}
			defer w.Close()
			f(t, w, name == "fanotify")
		})
	}
}

// drain returns what is in the queue as lines "folder/name", with "own " before
// what this process did.
func drain(t *testing.T, w *Watcher, names map[Handle]string) (lines []string) {
	t.Helper()
	err := w.Drain(func(e Event) {
		line := names[e.Dir] + "/" + string(e.Name)
		switch {
		case e.Overflow():
			line = "overflow"
		case e.Gone:
			line = names[e.Dir] + " gone"
		case e.Own:
			line = "own " + line
		}
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return lines
}

func openRoot(t *testing.T) (*Node, string) {
	t.Helper()
	dir := t.TempDir()
	n, err := OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Close() })
	return n, dir
}

func want(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: events %q, want %q", what, got, want)
	}
}

// shell makes changes as another process.
func shell(t *testing.T, dir, script string) {
	t.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

func TestWatcherSeesEntriesChange(t *testing.T) {
	eachQueue(t, func(t *testing.T, w *Watcher, tellsOwn bool) {
		r, dir := openRoot(t)
		names := map[Handle]string{}
		var id Handle
		if err := w.Add(r, func(h Handle) { id, names[h] = h, "r" }); err != nil {
			t.Fatal(err)
		}
		want(t, "nothing done", drain(t, w, names))

		shell(t, dir, "touch a; mkdir d; ln a b; ln -s a c; touch d/below")
		want(t, "making", drain(t, w, names), "r/a", "r/b", "r/c", "r/d")
		shell(t, dir, "mv a A; mv b d/")
		want(t, "moving", drain(t, w, names), "r/A", "r/a", "r/b")
		shell(t, dir, "rm c; rm -r d")
		want(t, "removing", drain(t, w, names), "r/c", "r/d")
		shell(t, dir, "chmod 700 .")
		want(t, "permissions", drain(t, w, names), "r/")
		if tellsOwn { // inotify would tell of all that is written in the folder, too
			shell(t, dir, "touch -m .")
			want(t, "time of modification", drain(t, w, names), "r/")
		}
		shell(t, dir, "echo hello > A; chmod 600 A")
		want(t, "an entry's own attributes", drain(t, w, names))

		own := ""
		if tellsOwn {
			own = "own "
		}
		if err := r.Mkdir(nil, "mine", 0o755); err != nil {
			t.Fatal(err)
		}
		want(t, "own change", drain(t, w, names), own+"r/mine")

		if err := w.Remove(r, id, func() bool { return false }); err != nil {
			t.Fatal(err)
		}
		shell(t, dir, "touch still")
		want(t, "after a Remove that was not agreed to", drain(t, w, names), "r/still")
		if err := w.Remove(r, id, func() bool { return true }); err != nil {
			t.Fatal(err)
		}
		drain(t, w, names)
		shell(t, dir, "touch later")
		want(t, "after Remove", drain(t, w, names))
	})
}

func TestWatcherTellsFoldersApart(t *testing.T) {
	eachQueue(t, func(t *testing.T, w *Watcher, _ bool) {
		r, dir := openRoot(t)
		names := map[Handle]string{}
		for i := range 50 {
			name := fmt.Sprint("d", i)
			shell(t, dir, "mkdir "+name)
			d, err := r.Open(nil, name, How{Flags: Directory})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			if err := w.Add(d, func(h Handle) { names[h] = name }); err != nil {
				t.Fatal(err)
			}
		}
		if len(names) != 50 {
			t.Fatalf("%d handles for 50 folders", len(names))
		}
		shell(t, dir, "touch d7/x; mv d7/x d8/y; mv d8 d9/moved; touch d9/moved/z")
		want(t, "events", drain(t, w, names), "d7/x", "d8/y", "d8/z", "d9/moved")
	})
}

// TestWatcherOverflow fills a queue of limited size.
func TestWatcherOverflow(t *testing.T) {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Skip(err)
	}
	w := &Watcher{fd: fd, queue: inotify{}, buf: make([]byte, watchBuffer)}
	defer w.Close()
	limit, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	if err != nil {
		t.Skip(err)
	}
	var events int
	if fmt.Sscan(string(limit), &events); events > 40000 {
		t.Skip("the queue is too long to fill it")
	}
	r, dir := openRoot(t)
	if err := w.Add(r, func(Handle) {}); err != nil {
		t.Fatal(err)
	}
	for i := 0; i <= events; i++ {
		name := filepath.Join(dir, fmt.Sprint(i%100))
		if err := errors.Join(os.Mkdir(name, 0o700), os.Remove(name)); err != nil {
			t.Fatal(err)
		}
	}
	overflows := 0
	w.Drain(func(e Event) {
		if e.Overflow() {
			overflows++
		}
	})
	if overflows != 1 {
		t.Errorf("%d overflow events", overflows)
	}
	os.Mkdir(filepath.Join(dir, "after"), 0o700)
	if got := drain(t, w, nil); len(got) != 1 {
		t.Errorf("after an overflow: %q", got)
	}
}

func TestWatcherRefusesFiles(t *testing.T) {
	eachQueue(t, func(t *testing.T, w *Watcher, _ bool) {
		r, dir := openRoot(t)
		shell(t, dir, "touch f")
		f, err := r.Open(nil, "f", How{})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := w.Add(f, func(Handle) {}); !vfs.IsKind(err, vfs.KindNotDir) {
			t.Errorf("Add of a file: %v", err)
		}
	})
}

func FuzzEvents(f *testing.F) {
	f.Add([]byte{24, 0, 0, 0, 3, 0, 24, 0, 0, 64, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0})
	f.Add([]byte("\x18\x00\x00\x0000000000000000000000")) // its description is beyond its end
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, q := range []notifier{fanotify{1}, inotify{}} {
			for rest := b; len(rest) > 0; {
				_, size, _ := q.parse(rest)
				if size <= 0 || size > len(rest) {
					break
				}
				rest = rest[size:]
			}
		}
	})
}

func TestMountChangesAreTold(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("mounting needs root")
	}
	table, err := OpenMountTable()
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip(err)
	}
	defer unix.Unmount(dir, unix.MNT_DETACH)
	if !table.Changed() {
		t.Error("a mount was not told")
	}
	for i := 0; table.Changed(); i++ { // others mount, too
		if i == 1000 {
			t.Fatal("one mount is told for ever")
		}
	}
	unix.Unmount(dir, 0)
	if !table.Changed() {
		t.Error("an unmount was not told")
	}
}

func TestParseMount(t *testing.T) {
	for _, tt := range []struct {
		line string
		want mountEntry
		ok   bool
	}{
		{"36 35 98:0 /root /mnt rw,noatime shared:1 master:2 - ext4 /dev/sda1 rw\n", mountEntry{36, "ext4", "/dev/sda1"}, true},
		{`40 35 0:40 / /mnt/a\040b rw - nfs4 host:/a\040b\134c rw`, mountEntry{40, "nfs4", `host:/a b\c`}, true},
		{"41 1 0:3 / / rw - tmpfs none", mountEntry{41, "tmpfs", "none"}, true},
		{"41 1 0:3 / / rw", mountEntry{}, false},
		{"x 1 0:3 / / rw - tmpfs none", mountEntry{}, false},
		{"", mountEntry{}, false},
	} {
		if got, ok := parseMount(tt.line); ok != tt.ok || ok && got != tt.want {
			t.Errorf("parseMount(%q) = %+v, %v", tt.line, got, ok)
		}
	}
}

func TestParseUUID(t *testing.T) {
	const s = "6a4b0a3c-0102-0304-0506-070809aabbcc"
	if got := uuidString(parseUUID(s)); got != s {
		t.Errorf("parseUUID(%s) = %s", s, got)
	}
	if parseUUID("ABCD-1234") == parseUUID("ABCD-1235") {
		t.Error("two FAT serial numbers make one UUID")
	}
}
