package vfstest

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/dozo-server/dozo/vfs"
)

func testList(t *tree) {
	t.build("empty/", "d/sub/", "d/f")
	empty := t.openDir("empty")
	defer empty.Close()
	if got := t.list(empty, 5); len(got) != 0 {
		t.Errorf("an empty folder lists %v", got)
	}

	var want []string
	for i := range 150 {
		name := fmt.Sprintf("File %03d", i)
		t.close(t.create("d/" + name))
		want = append(want, name)
	}
	want = append(want, "sub", "f")
	slices.Sort(want)
	d := t.openDir("d")
	defer d.Close()
	for _, n := range []int{1, 2, 7, 64, 1000} {
		entries := t.list(d, n)
		var got []string
		for _, e := range entries {
			got = append(got, e.Name)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%d at a time: listed %q, want %q", n, got, want)
		}
		for _, e := range entries[:min(20, len(entries))] {
			f := t.openFor("d/"+e.Name, vfs.ReadAttr)
			a := t.attr(f)
			t.close(f)
			// The folder that holds it need not be known everywhere.
			a.Parent, e.Attr.Parent = 0, 0
			if a != e.Attr {
				t.Errorf("%s is listed with %+v, has %+v", e.Name, e.Attr, a)
			}
		}
	}

	// Names alone come with their types.
	l, err := d.List(ctx, t.caller)
	if err != nil {
		t.Fatal(err)
	}
	entries := make([]vfs.Entry, len(want))
	for n := 0; n < len(want); {
		m, err := l.Next(ctx, entries[n:], true)
		if err != nil {
			t.Fatalf("after %d names: %v", n, err)
		}
		n += m
	}
	for _, e := range entries {
		if got := e.Attr.Type == vfs.TypeDir; got != (e.Name == "sub") {
			t.Errorf("%s is listed as type %d", e.Name, e.Attr.Type)
		}
	}
	for range 2 {
		if n, err := l.Next(ctx, make([]vfs.Entry, 1), true); n != 0 || !errors.Is(err, io.EOF) {
			t.Errorf("Next at the end = %d, %v", n, err)
		}
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}

	f := t.open("d/f")
	defer f.Close()
	_, err = f.List(ctx, t.caller)
	t.want("list of a file", err, vfs.KindNotDir)
}

// testListChanging changes a folder between the steps of an enumeration: what
// stays must come exactly once.
func testListChanging(t *tree) {
	t.build("d/")
	stays := map[string]int{}
	for i := range 100 {
		name := fmt.Sprintf("stays %d", i)
		t.close(t.create("d/" + name))
		stays[name] = 0
		t.close(t.create(fmt.Sprintf("d/goes %d", i)))
	}
	d := t.openDir("d")
	defer d.Close()
	l, err := d.List(ctx, t.caller)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	buf := make([]vfs.Entry, 3)
	for step := 0; ; step++ {
		n, err := l.Next(ctx, buf, step%2 == 0)
		for _, e := range buf[:n] {
			if _, ok := stays[e.Name]; ok {
				stays[e.Name]++
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if step < 100 {
			goes := t.open(fmt.Sprintf("d/goes %d", step))
			if err := t.fs.Remove(ctx, t.caller, goes); err != nil {
				t.Fatal(err)
			}
			t.close(goes)
			t.close(t.create(fmt.Sprintf("d/comes %d", step)))
		}
		if step > 10_000 {
			t.Fatal("the enumeration does not end")
		}
	}
	for name, times := range stays {
		if times != 1 {
			t.Errorf("%s was listed %d times", name, times)
		}
	}
}

func testLookup(t *tree) {
	t.build("d/File", "d/sub/")
	d := t.openDir("d")
	defer d.Close()
	f := t.open("d/File")
	defer f.Close()

	e, err := d.Lookup(ctx, t.caller, "File", true)
	if err != nil {
		t.Fatal(err)
	}
	a := t.attr(f)
	a.Parent, e.Attr.Parent = 0, 0
	if e.Name != "File" || e.Attr != a {
		t.Errorf("Lookup = %+v, want %+v", e, a)
	}
	if e, err := d.Lookup(ctx, t.caller, "sub", false); err != nil || e.Attr.Type != vfs.TypeDir {
		t.Errorf("Lookup of a folder = %+v, %v", e, err)
	}
	if !t.fs.Features().CaseSensitive {
		if e, err := d.Lookup(ctx, t.caller, "fILE", false); err != nil || e.Name != "File" {
			t.Errorf("Lookup of another spelling = %q, %v", e.Name, err)
		}
	}
	_, err = d.Lookup(ctx, t.caller, "fILE", true)
	t.want("exact lookup of another spelling", err, vfs.KindNotExist)
	_, err = d.Lookup(ctx, t.caller, "missing", false)
	t.want("lookup of what is not there", err, vfs.KindNotExist)
	_, err = f.Lookup(ctx, t.caller, "x", false)
	t.want("lookup in a file", err, vfs.KindNotDir)
}
