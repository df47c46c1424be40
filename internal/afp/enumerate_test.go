package afp_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

func TestEnumerate(t *testing.T) {
	c, v := serve(t, nil).volume(afpwire.Version34)
	ctx := t.Context()
	for i := range 150 {
		want(t, "CreateFile", v.CreateFile(ctx, top, c.Path(fmt.Sprint("f", i)), false), nil)
	}
	for i := range 3 {
		if _, err := v.CreateDir(ctx, top, c.Path(fmt.Sprint("d", i))); err != nil {
			t.Fatal(err)
		}
	}
	want(t, "CreateFile", v.CreateFile(ctx, top, c.Path("d0", "in it"), false), nil)
	const bits = afpwire.BitUTF8Name | afpwire.BitNodeID | afpwire.BitParent
	for _, tt := range []struct {
		command     afpwire.Command
		files, dirs afpwire.Bitmap
		count       uint16
		want        int
	}{
		{afpwire.Enumerate, bits, bits, 100, 153},
		{afpwire.EnumerateExt, bits, bits, 1, 153},
		{afpwire.EnumerateExt2, bits, bits, 1000, 153},
		{afpwire.EnumerateExt2, bits, 0, 7, 150},
		{afpwire.EnumerateExt2, 0, bits | afpwire.BitOffspring, 7, 3},
	} {
		seen := map[afpwire.NodeID]bool{}
		m := &afpwire.EnumerateRequest{Command: tt.command, Dir: top, Files: tt.files, Dirs: tt.dirs, Count: tt.count, Start: 1, MaxReply: 3000, Path: c.Path()}
		for {
			entries, err := v.Enumerate(ctx, m)
			if errors.Is(err, afpwire.ResultObjectNotFound) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range entries {
				if seen[p.ID] || p.Parent != top || p.Dir && tt.dirs&afpwire.BitOffspring != 0 && (p.Offspring == 1) != (p.UTF8Name == "d0") {
					t.Errorf("%v: %+v", tt.command, p)
				}
				seen[p.ID] = true
				q, err := v.Stat(ctx, top, c.Path(p.UTF8Name), afpwire.BitNodeID, afpwire.BitNodeID)
				if err != nil || q.ID != p.ID {
					t.Fatalf("%q is listed as %d and found as %+v, %v", p.UTF8Name, p.ID, q, err)
				}
			}
			m.Start += uint32(len(entries))
		}
		if len(seen) != tt.want {
			t.Errorf("%v: %d entries, want %d", tt.command, len(seen), tt.want)
		}
	}
}

// Who deletes what it lists sees all of it.
func TestEnumerateWhileDeleting(t *testing.T) {
	c, v := serve(t, nil).volume(afpwire.Version34)
	ctx := t.Context()
	for i := range 100 {
		want(t, "CreateFile", v.CreateFile(ctx, top, c.Path(fmt.Sprint("f", i)), false), nil)
	}
	m := &afpwire.EnumerateRequest{Command: afpwire.EnumerateExt2, Dir: top, Files: afpwire.BitUTF8Name, Count: 10, Start: 1, MaxReply: 1000, Path: c.Path()}
	var names []string
	for i := 0; ; i++ {
		entries, err := v.Enumerate(ctx, m)
		if errors.Is(err, afpwire.ResultObjectNotFound) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range entries {
			names = append(names, p.UTF8Name)
		}
		m.Start += uint32(len(entries))
		// One that is listed still to come goes, and another one comes.
		want(t, "Delete", v.Delete(ctx, top, c.Path(fmt.Sprint("f", 99-i))), nil)
		want(t, "CreateFile", v.CreateFile(ctx, top, c.Path(fmt.Sprint("new", i)), false), nil)
	}
	slices.Sort(names)
	if len(slices.Compact(names)) != len(names) {
		t.Error("a name was listed twice")
	}
	for i := range 80 {
		if name := fmt.Sprint("f", i); !slices.Contains(names, name) {
			t.Errorf("%s was not listed", name)
		}
	}
}

func TestEnumerateErrors(t *testing.T) {
	c, v := serve(t, nil).volume(afpwire.Version34)
	ctx := t.Context()
	want(t, "CreateFile", v.CreateFile(ctx, top, c.Path("f"), false), nil)
	ok := afpwire.EnumerateRequest{Command: afpwire.EnumerateExt2, Dir: top, Files: afpwire.BitUTF8Name, Count: 1, Start: 1, MaxReply: 1000, Path: c.Path()}
	for name, tt := range map[string]struct {
		change func(*afpwire.EnumerateRequest)
		want   error
	}{
		"as it should be":      {func(m *afpwire.EnumerateRequest) {}, nil},
		"no bits":              {func(m *afpwire.EnumerateRequest) { m.Files = 0 }, afpwire.ResultBitmapErr},
		"bits of files":        {func(m *afpwire.EnumerateRequest) { m.Dirs = afpwire.BitExtResourceLength }, afpwire.ResultBitmapErr},
		"none":                 {func(m *afpwire.EnumerateRequest) { m.Count = 0 }, afpwire.ResultParamErr},
		"no place":             {func(m *afpwire.EnumerateRequest) { m.Start = 0 }, afpwire.ResultParamErr},
		"beyond the end":       {func(m *afpwire.EnumerateRequest) { m.Start = 2 }, afpwire.ResultObjectNotFound},
		"far beyond the end":   {func(m *afpwire.EnumerateRequest) { m.Start = 1<<32 - 1 }, afpwire.ResultObjectNotFound},
		"no room":              {func(m *afpwire.EnumerateRequest) { m.MaxReply = 10 }, afpwire.ResultParamErr},
		"a folder that is not": {func(m *afpwire.EnumerateRequest) { m.Path = c.Path("none") }, afpwire.ResultDirNotFound},
		"a file":               {func(m *afpwire.EnumerateRequest) { m.Path = c.Path("f") }, afpwire.ResultObjectTypeErr},
	} {
		m := ok
		tt.change(&m)
		_, err := v.Enumerate(ctx, &m)
		want(t, name, err, tt.want)
	}
}

func TestFileIDs(t *testing.T) {
	c, v := serve(t, nil).volume(afpwire.Version34)
	ctx := t.Context()
	dir, err := v.CreateDir(ctx, top, c.Path("d"))
	want(t, "CreateDir", err, nil)
	want(t, "CreateFile", v.CreateFile(ctx, dir, c.Path("f"), false), nil)
	id, err := v.CreateID(ctx, dir, c.Path("f"))
	want(t, "CreateID", err, afpwire.ResultIDExists)
	p, err := v.ResolveID(ctx, id, afpwire.BitParent|afpwire.BitUTF8Name)
	if err != nil || p.Parent != dir || p.UTF8Name != "f" {
		t.Errorf("ResolveID(%d) = %+v, %v", id, p, err)
	}
	want(t, "DeleteID", v.DeleteID(ctx, id), nil)
	_, err = v.CreateID(ctx, top, c.Path("d"))
	want(t, "CreateID of a folder", err, afpwire.ResultObjectTypeErr)
	_, err = v.ResolveID(ctx, dir, afpwire.BitParent)
	want(t, "ResolveID of a folder", err, afpwire.ResultObjectTypeErr)
	want(t, "Delete", v.Delete(ctx, dir, c.Path("f")), nil)
	_, err = v.ResolveID(ctx, id, afpwire.BitParent)
	want(t, "ResolveID of what is gone", err, afpwire.ResultIDNotFound)
	want(t, "DeleteID of what is gone", v.DeleteID(ctx, id), afpwire.ResultIDNotFound)
}
