package vfstest

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"

	"github.com/dozo-server/dozo/vfs"
)

func testReadWrite(t *tree) {
	f := t.create("f")
	defer f.Close()
	if got := t.content(f); got != "" {
		t.Errorf("a new file holds %q", got)
	}
	t.write(f, "hello world", 0)
	t.write(f, "W", 6)
	t.write(f, "", 20) // nothing written is nothing changed
	if got := t.content(f); got != "hello World" {
		t.Errorf("content = %q", got)
	}
	t.write(f, "!", 13)
	if got := t.content(f); got != "hello World\x00\x00!" {
		t.Errorf("content after a write behind the end = %q", got)
	}

	reads := []struct {
		off  int64
		n    int
		want string
		eof  bool
	}{
		{0, 5, "hello", false},
		{6, 5, "World", false},
		{0, 14, "hello World\x00\x00!", false},
		{12, 5, "\x00!", true},
		{14, 1, "", true},
		{1000, 10, "", true},
		{math.MaxInt64 - 10, 5, "", true},
		{3, 0, "", false},
	}
	for _, r := range reads {
		b := bytes.Repeat([]byte{'?'}, r.n)
		n, err := f.ReadAt(ctx, b, r.off)
		if got := string(b[:n]); got != r.want {
			t.Errorf("read %d at %d = %q, want %q", r.n, r.off, got, r.want)
		}
		if r.n > 0 && errors.Is(err, io.EOF) != r.eof || err != nil && !errors.Is(err, io.EOF) {
			t.Errorf("read %d at %d: error %v", r.n, r.off, err)
		}
	}
	_, err := f.ReadAt(ctx, make([]byte, 1), -1)
	t.want("read before the start", err, vfs.KindInvalid)
	_, err = f.WriteAt(ctx, []byte{1}, -1)
	t.want("write before the start", err, vfs.KindInvalid)
	t.want("truncate to less than nothing", f.Truncate(ctx, -1), vfs.KindInvalid)
	// Some file systems can hold a file that is mostly one hole of that size.
	if _, err = f.WriteAt(ctx, []byte{1}, math.MaxInt64-1); err == nil {
		err = f.Truncate(ctx, 14)
	} else {
		t.want("write at the end of all offsets", err, vfs.KindTooLarge, vfs.KindNoSpace, vfs.KindInvalid)
		err = nil
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := t.attr(f).Size; got != 14 {
		t.Errorf("size after what failed = %d", got)
	}
	if err := f.Sync(ctx); err != nil {
		t.Errorf("sync: %v", err)
	}

	// Another open sees what was written.
	g := t.open("f")
	defer g.Close()
	if got := t.content(g); got != "hello World\x00\x00!" {
		t.Errorf("content by another open = %q", got)
	}
}

// testRandomIO compares a file with a slice of bytes while both suffer the same
// reads, writes and truncations.
func testRandomIO(t *tree) {
	const limit = 300_000
	f := t.create("f")
	defer f.Close()
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	var model []byte
	resize := func(n int) {
		if n <= len(model) {
			model = model[:n:n]
		} else {
			model = append(model, make([]byte, n-len(model))...)
		}
	}
	for step := range 600 {
		off := random.IntN(limit)
		p := make([]byte, random.IntN(1+random.IntN(70_000)))
		switch random.IntN(4) {
		case 0:
			if err := f.Truncate(ctx, int64(off)); err != nil {
				t.Fatalf("seed %d, step %d: truncate %d: %v", seed, step, off, err)
			}
			resize(off)
		case 1, 2:
			for i := range p {
				p[i] = byte(random.Uint32())
			}
			if n, err := f.WriteAt(ctx, p, int64(off)); n != len(p) || err != nil {
				t.Fatalf("seed %d, step %d: write %d at %d: %d, %v", seed, step, len(p), off, n, err)
			}
			if len(p) > 0 {
				resize(max(len(model), off+len(p)))
				copy(model[off:], p)
			}
		case 3:
			n, err := f.ReadAt(ctx, p, int64(off))
			var want []byte
			if off < len(model) {
				want = model[off:min(len(model), off+len(p))]
			}
			if !bytes.Equal(p[:n], want) || len(p) > 0 && len(p) > n != errors.Is(err, io.EOF) {
				t.Fatalf("seed %d, step %d: read %d at %d of %d: %d bytes, %v", seed, step, len(p), off, len(model), n, err)
			}
		}
		if got := t.attr(f).Size; got != int64(len(model)) {
			t.Fatalf("seed %d, step %d: size %d, want %d", seed, step, got, len(model))
		}
	}
	if got := t.content(f); got != string(model) {
		t.Errorf("seed %d: the contents differ at the end", seed)
	}
}

func testLargeFile(t *tree) {
	if t.lacks(Sparse) {
		t.Skip("the FS has no holes")
	}
	f := t.create("f")
	defer f.Close()
	offsets := []int64{1<<31 - 3, 1 << 32, 5<<30 + 1, 1<<40 - 7}
	for _, off := range offsets {
		t.write(f, "across", off)
	}
	for _, off := range offsets {
		b := make([]byte, 10)
		n, err := f.ReadAt(ctx, b[:8], off-1)
		if err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		if got := string(b[:n]); got[:7] != "\x00across" {
			t.Errorf("read at %d = %q", off, got)
		}
	}
	a := t.attr(f)
	if want := int64(1<<40 - 1); a.Size != want {
		t.Errorf("size = %d, want %d", a.Size, want)
	}
	if t.fs.Features().Sparse && a.Allocated > 16<<20 {
		t.Errorf("four short writes take %d bytes", a.Allocated)
	}
}

func testSparseTruncate(t *tree) {
	f := t.create("f")
	defer f.Close()
	t.write(f, string(bytes.Repeat([]byte{'x'}, 10_000)), 0)
	for _, size := range []int64{5_000, 9_000, 4_096, 8_192, 1, 0, 100} {
		if err := f.Truncate(ctx, size); err != nil {
			t.Fatal(err)
		}
		if got := t.attr(f).Size; got != size {
			t.Errorf("size = %d, want %d", got, size)
		}
	}
	// What was cut off is gone for good.
	if got, want := t.content(f), string(make([]byte, 100)); got != want {
		t.Errorf("content = %q, want zeros", got)
	}
	if t.lacks(Sparse) {
		return
	}
	const size = 1 << 35
	if err := f.Truncate(ctx, size); err != nil {
		t.Fatal(err)
	}
	a := t.attr(f)
	if a.Size != size {
		t.Errorf("size = %d", a.Size)
	}
	if t.fs.Features().Sparse && a.Allocated > 1<<20 {
		t.Errorf("a hole takes %d bytes", a.Allocated)
	}
	b := bytes.Repeat([]byte{'?'}, 4096)
	if _, err := f.ReadAt(ctx, b, size/2); err != nil || !bytes.Equal(b, make([]byte, 4096)) {
		t.Errorf("a hole does not read as zeros (%v)", err)
	}
}

func testAllocate(t *tree) {
	f := t.create("f")
	defer f.Close()
	t.write(f, "data", 0)
	err := f.Allocate(ctx, 1<<20)
	if vfs.IsKind(err, vfs.KindUnsupported) {
		t.Skip("the FS reserves no room")
	}
	if err != nil {
		t.Fatal(err)
	}
	a := t.attr(f)
	if a.Size != 4 || t.content(f) != "data" {
		t.Errorf("Allocate changed the file: size %d, content %q", a.Size, t.content(f))
	}
	if a.Allocated < 1<<20 {
		t.Errorf("Allocated = %d, want 1 MiB at least", a.Allocated)
	}
}

func testSpace(t *tree) {
	f := t.create("f")
	defer f.Close()
	for _, g := range []vfs.File{f, t.openDir("")} {
		s, err := t.fs.Space(ctx, t.caller, g)
		if err != nil {
			t.Fatal(err)
		}
		if s.Total <= 0 || s.Free < 0 || s.Free > s.Total || s.Available > s.Free || s.BlockSize <= 0 {
			t.Errorf("space = %+v", s)
		}
	}
}
