package volume

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/internal/disk/faultdisk"
	"github.com/dozo-server/dozo/internal/hexdump"
	"github.com/dozo-server/dozo/internal/meta"
	"github.com/dozo-server/dozo/vfs"
)

// setAttrs gives a file extended attributes, as another program does.
func setAttrs(t testing.TB, path string, attrs map[string]string) {
	t.Helper()
	for name, value := range attrs {
		if err := unix.Lsetxattr(path, name, []byte(value), 0); err != nil {
			t.Fatalf("setxattr %s %s: %v", path, name, err)
		}
	}
}

func getAttr(t testing.TB, path, name string) (value string, ok bool) {
	t.Helper()
	buf := make([]byte, 64<<10)
	n, err := unix.Lgetxattr(path, name, buf)
	if err != nil {
		return "", false
	}
	return string(buf[:n]), true
}

func writeLocal(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func openFor(t testing.TB, v *Volume, path string) *file {
	t.Helper()
	f, err := v.Open(ctx, nil, path, vfs.OpenOptions{Access: vfs.ReadData | vfs.WriteData | vfs.WriteAttr | vfs.Delete})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f.(*file)
}

var rw = vfs.StreamOptions{Access: vfs.ReadData | vfs.WriteData}

// putStream makes a stream, or opens it, and writes content over it.
func putStream(t testing.TB, f *file, name, content string) {
	t.Helper()
	s, err := f.OpenStream(ctx, nil, name, rw)
	if vfs.IsKind(err, vfs.KindNoAttr) {
		s, err = f.CreateStream(ctx, nil, name, rw)
	}
	if err != nil {
		t.Fatalf("stream %q: %v", name, err)
	}
	defer s.Close()
	if err := s.Truncate(ctx, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := s.WriteAt(ctx, []byte(content), 0); err != nil {
		t.Fatalf("write stream %q: %v", name, err)
	}
}

func getStream(t testing.TB, f *file, name string) string {
	t.Helper()
	s, err := f.OpenStream(ctx, nil, name, vfs.StreamOptions{Access: vfs.ReadData})
	if vfs.IsKind(err, vfs.KindNoAttr) {
		return "none"
	}
	if err != nil {
		t.Fatalf("stream %q: %v", name, err)
	}
	defer s.Close()
	a, err := s.Attr(ctx)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, a.Size+1)
	n, _ := s.ReadAt(ctx, b, 0)
	return string(b[:n])
}

func streamNames(t testing.TB, f *file) []string {
	t.Helper()
	all, err := f.Streams(ctx)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, s := range all {
		names = append(names, fmt.Sprintf("%s %d", s.Name, s.Size))
	}
	slices.Sort(names)
	return names
}

func macOf(t testing.TB, f *file) vfs.Mac {
	t.Helper()
	m, err := f.Mac(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// fork is an AppleDouble file as netatalk 4.5.1 wrote it, with Finder info of its own.
var fork = string(hexdump.Must(`
	00051607 00020000 4e65746174616c6b 2020202020202020 0002
	00000009 00000032 00000020 00000002 00000052 0000000e
	5445585474747874 4000 010203040005 00000000000000000000000000000000
	7265736f75726365206279746573`))

// stored returns the files in the store.
func storedFiles(t testing.TB, dir string) (paths []string) {
	t.Helper()
	filepath.WalkDir(filepath.Join(dir, ".dozo", storeFolder), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			paths = append(paths, path)
		}
		return nil
	})
	return paths
}

// TestFormsOfOthers reads what Samba and netatalk wrote, and changes it in place.
func TestFormsOfOthers(t *testing.T) {
	dir := tempFolder(t)
	path := filepath.Join(dir, "f")
	writeLocal(t, path, "data")
	setAttrs(t, path, map[string]string{
		"user.DosStream.Zone.Identifier:$DATA":     "zone\x00",
		"user.DosStream.bare":                      "bare\x00",
		"user.com.apple.lastuseddate#PS":           "0123456789abcdef",
		"user.com.apple.metadata:_kMDItemUserTags": "bplist",
		"user.both":                                 "netatalk's",
		"user.DosStream.both:$DATA":                 "Samba's\x00",
		"user.org.netatalk.has-Extended-Attributes": "yes\x00",
		"user.DosStream.AFP_AfpInfo:$DATA":          "AFP\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80TEXTttxt" + strings.Repeat("\x00", 37),
		"user.DosStream.AFP_Resource:$DATA":         "resource bytes\x00",
	})
	v := open(t, dir, Options{})
	f := openFor(t, v, "f")
	want := []string{"AFP_Resource 14", "Zone.Identifier 4", "bare 4", "both 7", "com.apple.lastuseddate#PS 16", "com.apple.metadata\uf022_kMDItemUserTags 6"}
	if got := streamNames(t, f); !slices.Equal(got, want) {
		t.Errorf("streams are %q, want %q", got, want)
	}
	if m := macOf(t, f); string(m.Finder[:8]) != "TEXTttxt" || m.Resource != 14 || !m.Backup.IsZero() {
		t.Errorf("Macs know %+v", m)
	}
	for name, content := range map[string]string{
		"zone.identifier": "ZONE", "bare": "naked", "com.apple.metadata\uf022_kMDItemUserTags": "tags",
		"both": "new", "afp_resource": "fork", "made\uf022": "x",
	} {
		putStream(t, f, name, content)
		if got := getStream(t, f, name); got != content {
			t.Errorf("stream %q holds %q, want %q", name, got, content)
		}
	}
	for attr, value := range map[string]string{
		"user.DosStream.Zone.Identifier:$DATA": "ZONE\x00", "user.DosStream.bare": "naked\x00",
		"user.com.apple.metadata:_kMDItemUserTags": "tags", "user.DosStream.both:$DATA": "new\x00",
		"user.DosStream.AFP_Resource:$DATA": "fork\x00", "user.DosStream.made::$DATA": "x\x00",
	} {
		if got, _ := getAttr(t, path, attr); got != value {
			t.Errorf("%s is %q, want %q", attr, got, value)
		}
	}
	// A change takes netatalk's form, and Samba's is none that counts afterwards.
	if err := f.SetMac(ctx, nil, vfs.SetMac{Set: vfs.SetComment, Comment: "c"}); err != nil {
		t.Fatal(err)
	}
	value, ok := getAttr(t, path, meta.NetatalkName)
	if m, decoded := meta.DecodeMac([]byte(value)); !ok || !decoded || m.Comment != "c" || string(m.Finder[:8]) != "TEXTttxt" || len(value) != 402 {
		t.Errorf("netatalk's attribute is %q", value)
	}
	// Removing takes all forms away.
	s, err := f.OpenStream(ctx, nil, "both", rw)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Remove(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if got := getStream(t, f, "both"); got != "none" {
		t.Errorf("a removed stream holds %q", got)
	}
	if err := f.SetMac(ctx, nil, vfs.SetMac{Set: vfs.SetFinder | vfs.SetComment}); err != nil {
		t.Fatal(err)
	}
	if m := macOf(t, f); m != (vfs.Mac{Resource: 4}) {
		t.Errorf("after all was cleared Macs know %+v", m)
	}
}

// TestNetatalkFile reads a file with a fork and netatalk's attribute.
func TestNetatalkFile(t *testing.T) {
	dir := tempFolder(t)
	path := filepath.Join(dir, "rich")
	writeLocal(t, path, "data")
	writeLocal(t, filepath.Join(dir, "._rich"), fork)
	v := open(t, dir, Options{})
	f := openFor(t, v, "rich")
	if m := macOf(t, f); string(m.Finder[:8]) != "TEXTttxt" || m.Resource != 14 {
		t.Errorf("by the fork alone Macs know %+v", m)
	}
	m := meta.Mac{Mac: vfs.Mac{Comment: "Comment", Attr: vfs.MacInvisible | vfs.MacDeleteInhibit}}
	setAttrs(t, path, map[string]string{meta.NetatalkName: string(m.Encode(nil, f.first.st.Birth.AddDate(-10, 0, 0), f.first.st.Modified))})
	got := macOf(t, f)
	if got.Finder != ([32]byte{}) || got.Comment != "Comment" || got.Resource != 14 ||
		got.Attr != vfs.MacInvisible|vfs.MacDeleteInhibit || got.Created.Year() != f.first.st.Birth.Year()-10 {
		t.Errorf("by the attribute Macs know %+v", got)
	}
	// What DOS attributes say counts more.
	if err := f.SetAttr(ctx, nil, vfs.SetAttr{Set: vfs.SetDOS | vfs.SetBirth, DOS: vfs.DOSReadOnly, Birth: f.first.st.Birth}); err != nil {
		t.Fatal(err)
	}
	if got := macOf(t, f); got.Attr != vfs.MacDeleteInhibit || !got.Created.IsZero() {
		t.Errorf("beside DOS attributes Macs know %+v", got)
	}
	if err := f.SetMac(ctx, nil, vfs.SetMac{Set: vfs.SetMacAttr | vfs.SetComment}); err != nil {
		t.Fatal(err)
	}
	if got := macOf(t, f); got != (vfs.Mac{Resource: 14}) {
		t.Errorf("after all was cleared Macs know %+v", got)
	}
	// Finder info in the fork is gone, too, or it would have come back.
	b, err := os.ReadFile(filepath.Join(dir, "._rich"))
	if err != nil || !bytes.Equal(b[50:82], make([]byte, 32)) || string(b[82:]) != "resource bytes" {
		t.Errorf("the fork is %q, %v", b, err)
	}
}

// TestLargeStreams sees that what does not fit into attributes is kept elsewhere,
// survives a restart and a local rename, and goes with its file.
func TestLargeStreams(t *testing.T) {
	dir := tempFolder(t)
	v, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	makeFile(t, v, nil, "f", nil)
	f := openFor(t, v, "f")
	putStream(t, f, "small", "s")
	if got := storedFiles(t, dir); len(got) != 0 {
		t.Fatalf("a small stream is stored in %q", got)
	}
	large := strings.Repeat("large ", 100_000)
	putStream(t, f, "grows", "x")
	putStream(t, f, "grows", large)
	putStream(t, f, strings.Repeat("n", 255), "name")
	if got := storedFiles(t, dir); len(got) != 2 {
		t.Fatalf("stored are %q", got)
	}
	if _, ok := getAttr(t, filepath.Join(dir, "f"), "user.DosStream.grows:$DATA"); ok {
		t.Error("the attribute stayed")
	}
	if got := listNames(t, v, ""); !slices.Equal(got, []string{"f"}) {
		t.Errorf("listed are %q", got)
	}
	f.Close()
	v.Close()
	if err := os.Rename(filepath.Join(dir, "f"), filepath.Join(dir, "moved")); err != nil {
		t.Fatal(err)
	}

	v = open(t, dir, Options{})
	f = openFor(t, v, "moved")
	if got := getStream(t, f, "GROWS"); got != large {
		t.Errorf("after a restart the stream has %d bytes", len(got))
	}
	s, err := f.OpenStream(ctx, nil, "grows", rw)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Rename(ctx, nil, "Grown", false); err != nil {
		t.Fatal(err)
	}
	if got := streamNames(t, f); !slices.Equal(got, []string{"Grown 600000", strings.Repeat("n", 255) + " 4", "small 1"}) {
		t.Errorf("streams are %q", got)
	}
	makeFile(t, v, nil, "new", nil)
	n := openFor(t, v, "new")
	putStream(t, n, "other", large)
	if _, err := v.Rename(ctx, nil, n, "moved", true); err != nil {
		t.Fatal(err)
	}
	if got := storedFiles(t, dir); len(got) != 1 {
		t.Errorf("after a replacement there are %q", got)
	}
	if got := getStream(t, n, "other"); got != large {
		t.Errorf("the stream has %d bytes", len(got))
	}
	if err := v.Remove(ctx, nil, n); err != nil {
		t.Fatal(err)
	}
	if got := storedFiles(t, dir); len(got) != 0 {
		t.Errorf("after the removal there are %q", got)
	}
}

func listNames(t testing.TB, v *Volume, path string) (names []string) {
	t.Helper()
	for name := range list(t, v, path) {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// TestDiskWithoutAttributes keeps all in the store.
func TestDiskWithoutAttributes(t *testing.T) {
	dir := tempFolder(t)
	faults := faultdisk.New()
	for _, op := range []disk.Op{disk.OpGetXattr, disk.OpSetXattr, disk.OpListXattr, disk.OpDelXattr} {
		faults.Add(faultdisk.Rule{Op: op, Errno: unix.EOPNOTSUPP})
	}
	v := open(t, dir, Options{Faults: faults})
	makeFile(t, v, nil, "f", nil)
	f := openFor(t, v, "f")
	putStream(t, f, "s", "stream")
	set := vfs.SetMac{Set: vfs.SetFinder | vfs.SetComment, Finder: [32]byte{'F'}, Comment: "c"}
	for range 2 {
		if err := f.SetMac(ctx, nil, set); err != nil {
			t.Fatal(err)
		}
		set.Comment = "d"
	}
	if m := macOf(t, f); m.Comment != "d" || m.Finder[0] != 'F' {
		t.Errorf("Macs know %+v", m)
	}
	if got := getStream(t, f, "s"); got != "stream" {
		t.Errorf("the stream holds %q", got)
	}
	if got := storedFiles(t, dir); len(got) != 2 {
		t.Errorf("stored are %q", got)
	}
	if err := f.Clear(ctx); err != nil {
		t.Fatal(err)
	}
	if m := macOf(t, f); m != (vfs.Mac{}) || len(storedFiles(t, dir)) != 0 {
		t.Errorf("after all was cleared Macs know %+v, stored are %q", m, storedFiles(t, dir))
	}
}

// TestFullDiskKeepsStreams fails each call of a change once: the old value or the
// new one is there, never another, and the change works when it is tried again.
func TestFullDiskKeepsStreams(t *testing.T) {
	long := strings.Repeat("long", 10_000)
	for _, c := range []struct {
		name     string
		old, new string
		do       func(f *file, s vfs.Stream, content string) error
		get      func(t testing.TB, f *file) string
	}{
		{"a stream grows out of its attribute", "old", long, writeAll, func(t testing.TB, f *file) string { return getStream(t, f, "s") }},
		{"a stream is set", "old", "new", writeAll, func(t testing.TB, f *file) string { return getStream(t, f, "s") }},
		{"a comment is set", "old", "new", func(f *file, _ vfs.Stream, content string) error {
			return f.SetMac(ctx, nil, vfs.SetMac{Set: vfs.SetComment, Comment: content})
		}, func(t testing.TB, f *file) string { return macOf(t, f).Comment }},
	} {
		for call := 0; ; call++ {
			faults := faultdisk.New()
			dir := tempFolder(t)
			v, err := Open(dir, Options{Faults: faults})
			if err != nil {
				t.Fatal(err)
			}
			makeFile(t, v, nil, "f", nil)
			f := openFor(t, v, "f")
			putStream(t, f, "s", c.old)
			if err := f.SetMac(ctx, nil, vfs.SetMac{Set: vfs.SetComment, Comment: c.old}); err != nil {
				t.Fatal(err)
			}
			s, err := f.OpenStream(ctx, nil, "s", rw)
			if err != nil {
				t.Fatal(err)
			}
			faults.Reset()
			faults.Add(faultdisk.Rule{After: call, Times: 1, Errno: unix.EIO})
			failed := c.do(f, s, c.new)
			total := 0
			for _, n := range faults.Calls() {
				total += n
			}
			faults.Reset()
			got := c.get(t, f)
			if got != c.old && got != c.new || failed == nil && got != c.new {
				t.Errorf("%s: after a failure at call %d (%v) it holds %.20q", c.name, call, failed, got)
			}
			if err := c.do(f, s, c.new); err != nil || c.get(t, f) != c.new {
				t.Errorf("%s: after a failure at call %d it can't be tried again: %v, holds %.20q", c.name, call, err, c.get(t, f))
			}
			s.Close()
			f.Close()
			v.Close()
			if total <= call {
				break
			}
		}
	}
}

// writeAll replaces the beginning of a stream by one write.
func writeAll(_ *file, s vfs.Stream, content string) error {
	_, err := s.WriteAt(ctx, []byte(content), 0)
	return err
}

// TestHostileForks meets files beside files that are none of the server's making.
func TestHostileForks(t *testing.T) {
	dir := tempFolder(t)
	for name, content := range map[string]string{
		"a": "a", "._a": "not a fork at all", // a user's own
		"b": "b", "._b": fork[:40],
		"c": "c", "._c": "",
		"._alone": fork,
		"e":       "e", "._e": strings.Replace(fork, "\x00\x00\x00\x32", "\xff\xff\xff\xf0", 1),
	} {
		writeLocal(t, filepath.Join(dir, name), content)
	}
	for _, name := range []string{"p", "l", "dir"} {
		writeLocal(t, filepath.Join(dir, name), name)
	}
	spawn(t, "mkfifo ._p; ln -s /etc/passwd ._l; mkdir ._dir", dir)
	v := open(t, dir, Options{})
	want := []string{"._a", "._alone", "._b", "._c", "._dir", "._e", "._l", "._p", "a", "b", "c", "dir", "e", "l", "p"}
	if got := listNames(t, v, ""); !slices.Equal(got, want) {
		t.Errorf("listed are %q, want %q", got, want)
	}
	for _, name := range []string{"a", "b", "c", "e", "p", "l", "dir"} {
		f := openFor(t, v, name)
		if m := macOf(t, f); m != (vfs.Mac{}) {
			t.Errorf("Macs know %+v of %s", m, name)
		}
		putStream(t, f, vfs.ResourceFork, "fork of "+name)
		if got := getStream(t, f, vfs.ResourceFork); got != "fork of "+name {
			t.Errorf("%s has the fork %q", name, got)
		}
		if _, err := v.Rename(ctx, nil, f, "moved "+name, false); err != nil {
			t.Fatal(err)
		}
		if got := getStream(t, f, vfs.ResourceFork); got != "fork of "+name {
			t.Errorf("%s has the fork %q once it was moved", name, got)
		}
		if err := v.Remove(ctx, nil, f); err != nil {
			t.Fatal(err)
		}
	}
	// What was none stayed; the empty file was taken for one.
	if got := readNames(t, dir); !slices.Equal(got, []string{"._a", "._alone", "._b", "._dir", "._e", "._l", "._p", ".dozo"}) {
		t.Errorf("left are %q", got)
	}
	if len(storedFiles(t, dir)) != 0 {
		t.Errorf("stored are %q", storedFiles(t, dir))
	}
}

// TestForksOfLocalPrograms sees forks come and go behind the server's back.
func TestForksOfLocalPrograms(t *testing.T) {
	dir, away := tempFolder(t), t.TempDir()
	v := open(t, dir, Options{})
	makeFile(t, v, nil, "f", nil)
	f := openFor(t, v, "f")
	root := openDir(t, v, "")
	listNames(t, v, "")
	if got := getStream(t, f, vfs.ResourceFork); got != "" {
		t.Errorf("the fork is %q", got)
	}
	writeLocal(t, filepath.Join(away, "fork"), fork)
	spawn(t, "cp "+away+"/fork ._f", dir)
	if got := getStream(t, f, vfs.ResourceFork); got != "resource bytes" {
		t.Errorf("the fork is %q", got)
	}
	if got := listNames(t, v, ""); !slices.Equal(got, []string{"f"}) {
		t.Errorf("listed are %q", got)
	}
	if _, err := root.Lookup(ctx, nil, "._f", false); !vfs.IsKind(err, vfs.KindNotExist) {
		t.Errorf("lookup of a fork: %v", err)
	}
	spawn(t, "rm f", dir)
	if got := listNames(t, v, ""); !slices.Equal(got, []string{"._f"}) {
		t.Errorf("a fork without its file is listed as %q", got)
	}
	spawn(t, "echo new > f; mkdir sub", dir)
	g := openFor(t, v, "f")
	if _, err := v.Rename(ctx, nil, g, "sub/G", false); err != nil {
		t.Fatal(err)
	}
	if got := readNames(t, filepath.Join(dir, "sub")); !slices.Equal(got, []string{"._G", "G"}) {
		t.Errorf("moved were %q", got)
	}
	if _, err := v.Rename(ctx, nil, g, "sub/g", false); err != nil {
		t.Fatal(err)
	}
	if got := readNames(t, filepath.Join(dir, "sub")); !slices.Equal(got, []string{"._g", "g"}) {
		t.Errorf("after a change of case there are %q", got)
	}
	if err := v.Remove(ctx, nil, g); err != nil {
		t.Fatal(err)
	}
	if got := readNames(t, filepath.Join(dir, "sub")); len(got) != 0 {
		t.Errorf("left are %q", got)
	}
}

func openDir(t testing.TB, v *Volume, path string) vfs.File {
	t.Helper()
	f, err := v.Open(ctx, nil, path, vfs.OpenOptions{Access: vfs.ListDir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestOrphansAreSwept lets a local program remove a file whose stream is in the
// store: when the volume is opened again that goes, and what belongs to another
// stays.
func TestOrphansAreSwept(t *testing.T) {
	asRoot(t)
	dir := tempFolder(t)
	v, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"goes", "stays", "moves"} {
		makeFile(t, v, nil, name, nil)
		f := openFor(t, v, name)
		putStream(t, f, "large", strings.Repeat(name, 10_000))
		f.Close()
	}
	v.Close()
	spawn(t, "rm goes; mkdir d; mv moves d", dir)
	unfinished := filepath.Join(filepath.Dir(storedFiles(t, dir)[0]), storeNew+"X")
	writeLocal(t, unfinished, "half")
	spawn(t, "touch -d yesterday "+unfinished, dir)

	v = open(t, dir, Options{})
	v.store.sweeping.Wait()
	if got := storedFiles(t, dir); len(got) != 2 {
		t.Errorf("left are %q", got)
	}
	for path, name := range map[string]string{"stays": "stays", "d/moves": "moves"} {
		if got := getStream(t, openFor(t, v, path), "large"); got != strings.Repeat(name, 10_000) {
			t.Errorf("the stream of %s holds %d bytes", path, len(got))
		}
	}
}

// forkFile is an AppleDouble file with a resource fork.
func forkFile(fork string) string {
	b := append([]byte("\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        "), 0, 1, 0, 0, 0, 2, 0, 0, 0, 38, 0, 0, 0, byte(len(fork)))
	return string(b) + fork
}

// Who makes NAME beside another's ._NAME gets nothing by it; who has NAME made over to
// them has its fork.
func TestForksOfOthers(t *testing.T) {
	asRoot(t)
	dir := tempFolder(t)
	secret, own := filepath.Join(dir, "._x"), filepath.Join(dir, "._own")
	writeLocal(t, secret, forkFile("ben's secret"))
	writeLocal(t, filepath.Join(dir, "own"), "")
	writeLocal(t, own, forkFile("ann's"))
	for _, err := range []error{
		os.Chmod(dir, 0o777|os.ModeSticky), os.Chmod(secret, 0o600), os.Chown(secret, 4002, 4002),
		os.Chmod(own, 0o600), os.Chown(own, 4002, 4002), os.Chown(filepath.Join(dir, "own"), 4002, 4002),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	v := open(t, dir, Options{})
	ann := &vfs.Caller{User: "ann", HasID: true, UID: 4001, GID: 4001}
	f, err := v.Create(ctx, ann, "x", vfs.CreateOptions{Access: vfs.ReadData | vfs.WriteData | vfs.Delete})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := getStream(t, f.(*file), vfs.ResourceFork); got != "" {
		t.Errorf("ann reads %q", got)
	}
	if err := f.(*file).Clear(ctx); err != nil {
		t.Error(err)
	}
	putStream(t, f.(*file), vfs.ResourceFork, "ann's")
	if got := listNames(t, v, ""); !slices.Contains(got, "._x") {
		t.Errorf("listed are %q", got)
	}
	if err := v.Remove(ctx, ann, f); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(secret); err != nil || string(b) != forkFile("ben's secret") {
		t.Errorf("ben is left with %q, %v", b, err)
	}

	g := openFor(t, v, "own")
	if err := g.SetAttr(ctx, nil, vfs.SetAttr{Set: vfs.SetOwner, UID: 4001}); err != nil {
		t.Fatal(err)
	}
	if got := getStream(t, g, vfs.ResourceFork); got != "ann's" {
		t.Errorf("after a change of the owner the fork is %q", got)
	}
}
