package vfstest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dozo-server/dozo/vfs"
)

// needsStreams skips the test where files have no streams.
func (t *tree) needsStreams() {
	t.Helper()
	if !t.fs.Features().Streams {
		t.Skip("the FS has no named streams")
	}
}

func streamer(f vfs.File) vfs.Streamer { return f.(vfs.Streamer) }

// rw are the rights that streams are opened with here.
var rw = vfs.StreamOptions{Access: vfs.ReadData | vfs.WriteData | vfs.ReadAttr}

func (t *tree) createStream(f vfs.File, name string) vfs.Stream {
	t.Helper()
	s, err := streamer(f).CreateStream(ctx, t.caller, name, rw)
	if err != nil {
		t.Fatalf("create stream %q of %s: %v", name, f.Path(), err)
	}
	return s
}

func (t *tree) openStream(f vfs.File, name string) vfs.Stream {
	t.Helper()
	s, err := streamer(f).OpenStream(ctx, t.caller, name, rw)
	if err != nil {
		t.Fatalf("open stream %q of %s: %v", name, f.Path(), err)
	}
	return s
}

// putStream makes a stream that holds content.
func (t *tree) putStream(f vfs.File, name, content string) {
	t.Helper()
	s := t.createStream(f, name)
	t.write(s, content, 0)
	t.close(s)
}

// getStream returns what a stream holds.
func (t *tree) getStream(f vfs.File, name string) string {
	t.Helper()
	s := t.openStream(f, name)
	defer s.Close()
	return t.content(s)
}

// streams returns the names of f's streams, sorted.
func (t *tree) streams(f vfs.File) []string {
	t.Helper()
	all, err := streamer(f).Streams(ctx)
	if err != nil {
		t.Fatalf("streams of %s: %v", f.Path(), err)
	}
	names := []string{}
	for _, s := range all {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	return names
}

func (t *tree) wantStreams(f vfs.File, want ...string) {
	t.Helper()
	if got := t.streams(f); !slices.Equal(got, want) {
		t.Errorf("streams of %s are %q, want %q", f.Path(), got, want)
	}
}

func testStreams(t *tree) {
	t.needsStreams()
	t.build("f", "d/")
	for _, path := range []string{"f", "d"} {
		f := t.openFor(path, vfs.ReadAttr|vfs.WriteAttr)
		before := t.attr(f)
		t.wantStreams(f)
		_, err := streamer(f).OpenStream(ctx, t.caller, "missing", rw)
		t.want("open of a stream that is not there", err, vfs.KindNoAttr)

		s := t.createStream(f, "one")
		if got := t.content(s); got != "" {
			t.Errorf("a new stream holds %q", got)
		}
		t.wantStreams(f, "one")
		t.write(s, "hello", 0)
		t.write(s, "!", 7)
		if got := t.content(s); got != "hello\x00\x00!" {
			t.Errorf("a stream holds %q", got)
		}
		if err := s.Truncate(ctx, 4); err != nil {
			t.Fatal(err)
		}
		if err := s.Truncate(ctx, 6); err != nil {
			t.Fatal(err)
		}
		_, err = streamer(f).CreateStream(ctx, t.caller, "one", rw)
		t.want("create of a stream that is there", err, vfs.KindExist)
		t.putStream(f, "two", "2")
		if err := s.Sync(ctx); err != nil {
			t.Error(err)
		}

		// Another open of the file sees the same.
		g := t.openFor(path, vfs.ReadAttr)
		if got := t.getStream(g, "one"); got != "hell\x00\x00" {
			t.Errorf("a stream holds %q by another open", got)
		}
		t.wantStreams(g, "one", "two")
		t.close(g)
		infos, err := streamer(f).Streams(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range infos {
			if want := map[string]int64{"one": 6, "two": 1}[i.Name]; i.Size != want || i.Allocated < 0 {
				t.Errorf("stream %s is listed with %d bytes, %d on the disk, has %d", i.Name, i.Size, i.Allocated, want)
			}
		}

		// It is the file but for its size.
		after := t.attr(f)
		if after.Size != before.Size || !after.Modified.Equal(before.Modified) || after.Type != before.Type {
			t.Errorf("a stream changed the file: %+v, was %+v", after, before)
		}
		a := t.attr(s)
		if a.Size != 6 || a.ID != after.ID || a.Mode != after.Mode || a.Links != after.Links || !a.Birth.Equal(after.Birth) {
			t.Errorf("a stream of %+v has %+v", after, a)
		}
		if s.Path() != f.Path() || s.StreamName() != "one" {
			t.Errorf("stream %q of %q", s.StreamName(), s.Path())
		}
		t.set(s, vfs.SetAttr{Set: vfs.SetMode, Mode: 0o750})
		if t.attr(f).Mode != 0o750 {
			t.Error("setting the mode of a stream did not set the file's")
		}
		_, err = s.List(ctx, t.caller)
		t.want("list of a stream", err, vfs.KindNotDir)
		t.close(s)
		_, err = s.ReadAt(ctx, make([]byte, 1), 0)
		t.want("read of a closed stream", err, vfs.KindClosed)
		t.close(f)
	}
}

func testStreamKeys(t *tree) {
	t.needsStreams()
	t.build("f", "g")
	f, g := t.open("f"), t.open("g")
	defer f.Close()
	defer g.Close()
	one, two := t.createStream(f, "one"), t.createStream(f, "two")
	defer one.Close()
	defer two.Close()
	of := t.createStream(g, "one")
	defer of.Close()
	again := t.openStream(f, "one")
	defer again.Close()

	if one.Key().Node() != f.Key() || one.Key() == f.Key() || two.Key().Node() != f.Key() {
		t.Errorf("keys of streams %v and %v are not those of their file %v with a stream", one.Key(), two.Key(), f.Key())
	}
	if one.Key() == two.Key() || one.Key() == of.Key() {
		t.Error("two streams have one key")
	}
	if again.Key() != one.Key() {
		t.Error("two opens of a stream have two keys")
	}
	key := one.Key()
	if err := one.Rename(ctx, t.caller, "three", false); err != nil {
		t.Fatal(err)
	}
	if one.Key() != key || again.Key() != key || again.StreamName() != "three" {
		t.Errorf("a rename changed the key of a stream, or another open calls it %q", again.StreamName())
	}
	f.Close()
}

// someStreams are names of streams that must be kept as they are.
var someStreams = []string{
	"plain", "Zone.Identifier", "com.apple.lastuseddate#PS", "com.apple.metadata\uf022_kMDItemUserTags",
	"two  spaces ", ".dot.", "umlaut ä", "日本語", "emoji \U0001F5FF", "a=b&c;d", "\x01control",
	"user.DosStream.x", "name$DATA", "org.netatalk.Metadata", "DOSATTRIB", strings.Repeat("x", 200), strings.Repeat("y", vfs.MaxStreamName),
	strings.Repeat("長", vfs.MaxStreamName),
}

func testStreamNames(t *tree) {
	t.needsStreams()
	f := t.create("f")
	defer f.Close()
	for i, name := range someStreams {
		s, err := streamer(f).CreateStream(ctx, t.caller, name, rw)
		if err != nil {
			t.Errorf("create %q: %v", name, err)
			continue
		}
		if got := s.StreamName(); got != name {
			t.Errorf("%q is stored as %q", name, got)
		}
		t.write(s, fmt.Sprint(i), 0)
		t.close(s)
	}
	want := slices.Sorted(slices.Values(someStreams))
	if got := t.streams(f); !slices.Equal(got, want) {
		t.Errorf("listed are %q, want %q", got, want)
	}
	for i, name := range someStreams {
		if got := t.getStream(f, name); got != fmt.Sprint(i) {
			t.Errorf("stream %q holds %q", name, got)
		}
	}
	for name, kind := range map[string]vfs.Kind{
		"": vfs.KindInvalidName, "a/b": vfs.KindInvalidName, `a\b`: vfs.KindInvalidName,
		"a:b": vfs.KindInvalidName, "a\x00": vfs.KindInvalidName, strings.Repeat("z", vfs.MaxStreamName+1): vfs.KindNameTooLong,
	} {
		_, err := streamer(f).CreateStream(ctx, t.caller, name, rw)
		t.want(fmt.Sprintf("create %q", name), err, kind)
	}
	if t.fs.Features().CaseSensitive {
		t.putStream(f, "PLAIN", "")
		return
	}
	_, err := streamer(f).CreateStream(ctx, t.caller, "PLAIN", rw)
	t.want("create of another spelling", err, vfs.KindExist)
	s := t.openStream(f, "UMLAUT Ä")
	defer s.Close()
	if got := s.StreamName(); got != "umlaut ä" {
		t.Errorf("another spelling opened %q", got)
	}
}

func testStreamRename(t *tree) {
	t.needsStreams()
	f := t.create("f")
	defer f.Close()
	t.putStream(f, "one", "1")
	t.putStream(f, "two", "2")
	one, two := t.openStream(f, "one"), t.openStream(f, "two")
	defer one.Close()
	defer two.Close()
	t.want("rename to what is there", one.Rename(ctx, t.caller, "two", false), vfs.KindExist)
	t.want("rename to no name", one.Rename(ctx, t.caller, "a:b", false), vfs.KindInvalidName)
	for _, to := range []string{"three", "THREE", "THREE"} {
		if err := one.Rename(ctx, t.caller, to, false); err != nil {
			t.Fatalf("rename to %s: %v", to, err)
		}
		t.wantStreams(f, to, "two")
		if got := one.StreamName(); got != to {
			t.Errorf("it is called %q, not %q", got, to)
		}
	}
	t.write(one, "more", 1)
	if err := one.Rename(ctx, t.caller, "two", true); err != nil {
		t.Fatal(err)
	}
	t.wantStreams(f, "two")
	if got := t.getStream(f, "two"); got != "1more" {
		t.Errorf("the stream that replaced another holds %q", got)
	}
	_, err := two.ReadAt(ctx, make([]byte, 1), 0)
	t.want("read of a replaced stream", err, vfs.KindStale)

	again := t.openStream(f, "two")
	defer again.Close()
	if err := one.Remove(ctx, t.caller); err != nil {
		t.Fatal(err)
	}
	t.wantStreams(f)
	_, err = again.WriteAt(ctx, []byte("x"), 0)
	t.want("write to a removed stream", err, vfs.KindStale)
	t.want("second removal", again.Remove(ctx, t.caller), vfs.KindStale)
	t.putStream(f, "two", "new")
	if got := t.getStream(f, "two"); got != "new" {
		t.Errorf("a stream made anew holds %q", got)
	}
}

// testStreamsFollow sees that streams go where their file goes.
func testStreamsFollow(t *tree) {
	t.needsStreams()
	t.build("a/f", "b/", "old")
	f := t.open("a/f")
	t.putStream(f, "s", "of f")
	old := t.open("old")
	t.putStream(old, "other", "of old")
	t.rename(f, "b/g", false)
	if got := t.getStream(f, "s"); got != "of f" {
		t.Errorf("after a rename the stream holds %q", got)
	}
	t.rename(f, "old", true)
	t.close(old)
	t.close(f)
	f = t.open("old")
	t.wantStreams(f, "s")
	if t.fs.Features().HardLinks {
		if err := t.fs.Link(ctx, t.caller, f, "a/link", false); err != nil {
			t.Fatal(err)
		}
		g := t.open("a/link")
		if got := t.getStream(g, "s"); got != "of f" {
			t.Errorf("by another name the stream holds %q", got)
		}
		if err := t.fs.Remove(ctx, t.caller, g); err != nil {
			t.Fatal(err)
		}
		t.close(g)
		t.wantStreams(f, "s")
	}
	if err := t.fs.Remove(ctx, t.caller, f); err != nil {
		t.Fatal(err)
	}
	t.close(f)
	f = t.create("old")
	defer f.Close()
	t.wantStreams(f)
}
