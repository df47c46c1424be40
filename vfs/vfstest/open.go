package vfstest

import (
	"strings"

	"github.com/dozo-server/dozo/vfs"
)

func testOpen(t *tree) {
	t.build("d/f")
	f, err := t.fs.Open(ctx, t.caller, "d/f", vfs.OpenOptions{Access: vfs.ReadData | vfs.ReadAttr})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := f.Path(); got != "d/f" {
		t.Errorf("Path = %q", got)
	}
	if got := t.content(f); got != "d/f" {
		t.Errorf("content = %q", got)
	}
	if got := f.Granted(); got != vfs.ReadData|vfs.ReadAttr {
		t.Errorf("Granted = %#x, want what was asked for", got)
	}

	most, err := f.MaxAccess(ctx, t.caller)
	if err != nil {
		t.Fatal(err)
	}
	if !most.Has(everything) {
		t.Errorf("MaxAccess of its maker = %#x, lacks %#x", most, everything&^most)
	}
	// Programs on Windows like to ask for all there is, and who made a file
	// has it.
	all, err := t.fs.Open(ctx, t.caller, "d/f", vfs.OpenOptions{Access: vfs.AllAccess})
	if err != nil {
		t.Errorf("open for everything by its maker: %v", err)
	} else {
		t.close(all)
	}
	g, err := t.fs.Open(ctx, t.caller, "d/f", vfs.OpenOptions{Maximum: true})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if got := g.Granted(); got != most {
		t.Errorf("Granted with Maximum = %#x, MaxAccess = %#x", got, most)
	}

	root := t.openDir("")
	defer root.Close()
	if got := root.Path(); got != "" {
		t.Errorf("Path of the root = %q", got)
	}
	if a := t.attr(root); a.Type != vfs.TypeDir || a.DOS&vfs.DOSDirectory == 0 {
		t.Errorf("the root is no folder: %+v", a)
	}
}

func testCreate(t *tree) {
	f, err := t.fs.Create(ctx, t.caller, "New", vfs.CreateOptions{
		Access:  vfs.ReadData | vfs.WriteData,
		DOS:     vfs.DOSHidden | vfs.DOSArchive,
		HasMode: true, Mode: 0o600,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := f.Path(); got != "New" {
		t.Errorf("Path = %q", got)
	}
	a := t.attr(f)
	if a.Type != vfs.TypeFile || a.Size != 0 || a.Links != 1 {
		t.Errorf("a new file has %+v", a)
	}
	if got := a.DOS & vfs.DOSStored; got != vfs.DOSHidden|vfs.DOSArchive {
		t.Errorf("DOS = %#x, want hidden and archive", got)
	}
	if got := a.Mode & 0o777; got != 0o600 {
		t.Errorf("Mode = %o, want 600", got)
	}

	d, err := t.fs.Create(ctx, t.caller, "Folder", vfs.CreateOptions{
		Access: vfs.ListDir, Directory: true, DOS: vfs.DOSSystem, HasMode: true, Mode: 0o700,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	a = t.attr(d)
	if a.Type != vfs.TypeDir || a.DOS != vfs.DOSDirectory|vfs.DOSSystem || a.Mode&0o777 != 0o700 {
		t.Errorf("a new folder has %+v", a)
	}

	// A file may be made that its maker can't open for writing again.
	g, err := t.fs.Create(ctx, t.caller, "fixed", vfs.CreateOptions{
		Access: vfs.WriteData, HasMode: true, Mode: 0o444,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	t.write(g, "written once", 0)
}

func testCreateExact(t *tree) {
	if t.fs.Features().CaseSensitive {
		t.Skip("the FS is case-sensitive")
	}
	t.build("File")
	_, err := t.fs.Create(ctx, t.caller, "File", vfs.CreateOptions{Access: everything, Exact: true})
	t.want("create of the same spelling", err, vfs.KindExist)
	f, err := t.fs.Create(ctx, t.caller, "FILE", vfs.CreateOptions{Access: everything, Exact: true})
	if vfs.IsKind(err, vfs.KindExist) {
		t.Skip("what is below the FS folds names by itself")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.write(f, "second", 0)
	t.close(f)

	for spelling, want := range map[string]string{"File": "File", "FILE": "second"} {
		f := t.open(spelling)
		if got := t.content(f); got != want {
			t.Errorf("%s holds %q, want %q", spelling, got, want)
		}
		if got := f.Path(); got != spelling {
			t.Errorf("the path of %s is %q", spelling, got)
		}
		t.close(f)
	}
	if !t.exists("fILE") {
		t.Error("neither answers to a third spelling")
	}
	_, err = t.fs.Open(ctx, t.caller, "fILE", vfs.OpenOptions{Exact: true})
	t.want("exact open of a third spelling", err, vfs.KindNotExist)
}

// someNames are names that must be kept as they are.
var someNames = []string{
	"plain", "UPPER and lower", ".hidden", "~$lock", "two  spaces", "comma, semicolon; and [brackets]",
	"umlaut ä", "decomposed a\u0308", "ß", "İ", "ı", "ﬁ", "Ω\u2126", "日本語", "한글",
	"emoji \U0001F5FF", "lone \xed\xa0\xbd surrogate", "zero\u200bwidth", "100%", "a&b=c+d", "'quoted'", "#1 {x}", "^`!@",
	strings.Repeat("x", 255),
}

func testNames(t *tree) {
	for _, name := range someNames {
		f, err := t.fs.Create(ctx, t.caller, name, vfs.CreateOptions{Access: everything})
		if err != nil {
			t.Errorf("create %q: %v", name, err)
			continue
		}
		if got := f.Path(); got != name {
			t.Errorf("%q is stored as %q", name, got)
		}
		t.close(f)
	}
	if t.Failed() {
		return
	}
	found := map[string]bool{}
	for _, name := range t.names("") {
		found[name] = true
	}
	for _, name := range someNames {
		if !found[name] {
			t.Errorf("%q is not listed", name)
		}
		f := t.open(name)
		if got := f.Path(); got != name {
			t.Errorf("%q is opened as %q", name, got)
		}
		t.close(f)
	}
}

func testCaseInsensitive(t *tree) {
	if t.fs.Features().CaseSensitive {
		t.build("file", "FILE")
		if got := t.names(""); len(got) != 2 {
			t.Errorf("names = %q, want two", got)
		}
		return
	}
	same := [][2]string{
		{"File.TXT", "fILE.txt"}, {"Ärger", "äRGER"}, {"Ελλάδα", "ελλάδα"}, {"Привет", "пРИВЕТ"}, {"ﬀ", "ﬀ"},
	}
	for _, pair := range same {
		t.build(pair[0])
		f := t.open(pair[1])
		if got := f.Path(); got != pair[0] {
			t.Errorf("%q opened as %q has path %q", pair[0], pair[1], got)
		}
		t.close(f)
		_, err := t.fs.Open(ctx, t.caller, pair[1], vfs.OpenOptions{Exact: true})
		if pair[0] != pair[1] {
			t.want("exact open of "+pair[1], err, vfs.KindNotExist)
		}
	}
	// These are no one-to-one mappings.
	different := [][2]string{{"straße", "STRASSE"}, {"office", "oﬃce"}}
	for _, pair := range different {
		t.build(pair[0], pair[1])
	}
}
