package vfstest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dozo-server/dozo/vfs"
)

// testStreamSizes compares streams of all sizes with slices of bytes.
func testStreamSizes(t *tree) {
	t.needsStreams()
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	f := t.create("f")
	defer f.Close()
	for _, limit := range []int{100, 3000, 60_000, 300_000} {
		name := fmt.Sprint("up to ", limit)
		s := t.createStream(f, name)
		var model []byte
		for step := range 60 {
			off, p := random.IntN(limit), make([]byte, random.IntN(limit/3))
			for i := range p {
				p[i] = byte(random.Uint32())
			}
			if step%4 == 0 {
				if err := s.Truncate(ctx, int64(off)); err != nil {
					t.Fatalf("seed %d, step %d: truncate %d: %v", seed, step, off, err)
				}
				model = append(model[:min(off, len(model)):min(off, len(model))], make([]byte, max(0, off-len(model)))...)
			} else if len(p) > 0 {
				t.write(s, string(p), int64(off))
				model = append(model, make([]byte, max(0, off+len(p)-len(model)))...)
				copy(model[off:], p)
			}
			if step%20 == 19 {
				t.close(s)
				s = t.openStream(f, name)
			}
			if got := t.content(s); got != string(model) {
				t.Fatalf("seed %d, step %d: a stream of up to %d bytes holds %d bytes, want %d, or others", seed, step, limit, len(got), len(model))
			}
		}
		t.close(s)
	}
	_, err := t.openStream(f, "up to 100").WriteAt(ctx, []byte{1}, -1)
	t.want("write before the start", err, vfs.KindInvalid)
}

// testStreamsTogether has two opens of one stream write in turns.
func testStreamsTogether(t *tree) {
	t.needsStreams()
	t.build("f")
	f, g := t.open("f"), t.open("f")
	defer f.Close()
	defer g.Close()
	a := t.createStream(f, "s")
	defer a.Close()
	b := t.openStream(g, "s")
	defer b.Close()
	for i := range 20 {
		t.write([]vfs.File{a, b}[i%2], string(rune('a'+i)), int64(i*100))
	}
	if got, want := t.content(a), t.content(b); got != want || len(got) != 1901 {
		t.Errorf("one open sees %d bytes, another %d", len(got), len(want))
	}
}

func testStreamsClear(t *tree) {
	t.needsStreams()
	t.build("f")
	f := t.open("f")
	defer f.Close()
	if err := streamer(f).Clear(ctx); err != nil {
		t.Fatalf("clear of nothing: %v", err)
	}
	t.putStream(f, "one", "1")
	t.putStream(f, "two", strings.Repeat("2", 100_000))
	s := t.openStream(f, "one")
	defer s.Close()
	if t.fs.Features().Mac {
		t.putStream(f, vfs.ResourceFork, "fork")
		t.setMac(f, vfs.SetMac{Set: vfs.SetFinder | vfs.SetComment, Finder: [32]byte{1}, Comment: "c"})
	}
	if err := streamer(f).Clear(ctx); err != nil {
		t.Fatal(err)
	}
	t.wantStreams(f)
	_, err := s.ReadAt(ctx, make([]byte, 1), 0)
	t.want("read of a stream that was cleared away", err, vfs.KindStale)
	if got := t.content(f); got != "f" {
		t.Errorf("the file itself holds %q", got)
	}
	if t.fs.Features().Mac {
		if got := t.mac(f); got != (vfs.Mac{}) {
			t.Errorf("what Macs know is %+v", got)
		}
	}
	g := t.openFor("f", vfs.ReadData)
	defer g.Close()
	t.want("clear without the right to write", streamer(g).Clear(ctx), vfs.KindNotGranted)
}

func testStreamRights(t *tree) {
	t.needsStreams()
	if t.lacks(Callers) {
		t.Skip("the process can't act for other accounts")
	}
	t.build("f", "d/")
	f := t.openFor("f", vfs.ReadAttr)
	defer f.Close()
	t.putStream(f, "s", "content")
	t.chmod("f", 0o644)
	other := &vfs.Caller{User: "other", HasID: true, UID: 54321, GID: 54321}

	s, err := streamer(f).OpenStream(ctx, other, "s", vfs.StreamOptions{Access: vfs.ReadData})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := s.Granted(); got != vfs.ReadData {
		t.Errorf("Granted = %#x", got)
	}
	_, err = s.WriteAt(ctx, []byte("x"), 0)
	t.want("write to a stream opened for reading", err, vfs.KindNotGranted)
	t.want("removal", s.Remove(ctx, other), vfs.KindAccess)
	t.want("rename", s.Rename(ctx, other, "t", false), vfs.KindAccess)
	_, err = streamer(f).OpenStream(ctx, other, "s", rw)
	t.want("open for writing", err, vfs.KindAccess)
	_, err = streamer(f).CreateStream(ctx, other, "new", vfs.StreamOptions{Access: vfs.ReadData})
	t.want("create", err, vfs.KindAccess)
	t.wantStreams(f, "s")
	t.chmod("f", 0o600)
	_, err = streamer(f).OpenStream(ctx, other, "s", vfs.StreamOptions{Access: vfs.ReadData})
	t.want("open for reading", err, vfs.KindAccess)
	m, err := streamer(f).OpenStream(ctx, t.caller, "s", vfs.StreamOptions{Maximum: true})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if !m.Granted().Has(vfs.ReadData | vfs.WriteData) {
		t.Errorf("Maximum grants the owner %#x", m.Granted())
	}
}

// testStreamsRacing lets several callers make, write, rename and remove the streams
// of one file at once: one of each pair of racers wins, and what was written is
// there.
func testStreamsRacing(t *tree) {
	t.needsStreams()
	const racers, rounds = 4, 25
	t.build("f")
	var wins [rounds]atomic.Int32
	var all sync.WaitGroup
	for racer := range racers {
		all.Go(func() {
			f, err := t.fs.Open(ctx, t.caller, "f", vfs.OpenOptions{Access: vfs.ReadAttr})
			if err != nil {
				t.Error(err)
				return
			}
			defer f.Close()
			for round := range rounds {
				t.raceStreams(f, fmt.Sprint("stream ", round), racer, &wins[round])
			}
		})
	}
	all.Wait()
	f := t.open("f")
	defer f.Close()
	for round := range wins {
		if n := wins[round].Load(); n != 1 {
			t.Errorf("in round %d %d racers made the stream", round, n)
		}
	}
	names := t.streams(f)
	if len(names) != rounds {
		t.Errorf("%d streams are left of %d rounds: %q", len(names), rounds, names)
	}
	for _, name := range names {
		if got := t.getStream(f, name); len(got) != racers*1000 || strings.Contains(got, "\x00") {
			t.Errorf("%s holds %d bytes, want %d that are not zero", name, len(got), racers*1000)
		}
	}
}

// raceStreams makes or opens the stream called name and writes its racer's part.
// Whoever made it changes the case of its name, where that leads to it all the same.
func (t *tree) raceStreams(f vfs.File, name string, racer int, wins *atomic.Int32) {
	s, err := streamer(f).CreateStream(ctx, t.caller, name, rw)
	won := err == nil
	if won {
		wins.Add(1)
	}
	if vfs.IsKind(err, vfs.KindExist) {
		s, err = streamer(f).OpenStream(ctx, t.caller, name, rw)
	}
	if err != nil {
		t.Errorf("racer %d, %s: %v", racer, name, err)
		return
	}
	defer s.Close()
	part := strings.Repeat(string(rune('a'+racer)), 1000)
	if _, err := s.WriteAt(ctx, []byte(part), int64(racer)*1000); err != nil {
		t.Errorf("racer %d, %s: %v", racer, name, err)
	}
	if _, err := streamer(f).Streams(ctx); err != nil {
		t.Errorf("racer %d, %s: %v", racer, name, err)
	}
	if won && !t.fs.Features().CaseSensitive {
		if err := s.Rename(ctx, t.caller, strings.ToUpper(name), false); err != nil {
			t.Errorf("rename of %s: %v", name, err)
		}
	}
}
