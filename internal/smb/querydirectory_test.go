package smb_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
	"github.com/dozo-server/dozo/vfs/memfs"
)

var listingClasses = []smbwire.FileInfoClass{
	smbwire.FileDirectoryInformation, smbwire.FileFullDirectoryInformation, smbwire.FileBothDirectoryInformation,
	smbwire.FileNamesInformation, smbwire.FileIDBothDirectoryInformation, smbwire.FileIDFullDirectoryInformation,
	smbwire.FileIDExtdDirectoryInformation, smbwire.FileIDExtdBothDirectoryInformation,
}

// list asks for entries until there are no more and returns their names.
func list(t *testing.T, f *smbclient.File, m smbwire.QueryDirectoryRequest) (names []string, last smbwire.Status) {
	t.Helper()
	m.FileID = f.ID()
	for {
		data, status := ask(t, f, smbwire.QueryDirectory, &m)
		if status != smbwire.StatusOK {
			return names, status
		}
		if len(data) > int(m.OutputBufferLength) {
			t.Fatalf("%d bytes in a buffer of %d", len(data), m.OutputBufferLength)
		}
		for e, err := range smbwire.DirectoryEntries(m.Class, data) {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, e.FileName)
		}
		m.Flags &^= smbwire.QueryRestartScans | smbwire.QueryReopen
		if len(names) > 100_000 {
			t.Fatal("the listing does not end")
		}
	}
}

// populate makes a folder with files and returns it, and all names in it.
func populate(t *testing.T, tree *smbclient.Tree, files ...string) (*smbclient.File, []string) {
	d := made(t, tree, folder("d"))
	for _, name := range files {
		if err := tree.WriteFile(ctx, `d\`+name, []byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	return d, append([]string{".", ".."}, files...)
}

// Any class with any buffer lists each name once, and "." and ".." first.
func TestListingIsComplete(t *testing.T) {
	var files []string
	for i := range 600 {
		files = append(files, fmt.Sprintf("file %d%s", i, strings.Repeat("x", i%7)))
	}
	d, want := populate(t, mount(t, memfs.New()), files...)
	for _, class := range listingClasses {
		for _, size := range []uint32{160, 1000, 4096, 65536, 1 << 20, 8 << 20} {
			got, status := list(t, d, smbwire.QueryDirectoryRequest{
				Class: class, Flags: smbwire.QueryRestartScans, OutputBufferLength: size, FileName: "*",
			})
			if len(got) > 2 && (got[0] != "." || got[1] != "..") {
				t.Errorf("%v begins with %q", class, got[:2])
			}
			slices.Sort(got)
			slices.Sort(want)
			if status != smbwire.StatusNoMoreFiles || !slices.Equal(got, want) {
				t.Errorf("%v, buffer of %d: %d names and %v, want %d", class, size, len(got), status, len(want))
			}
		}
	}
}

func TestListingEntriesTellWhatOpensTell(t *testing.T) {
	tree := mount(t, memfs.New())
	d, _ := populate(t, tree, "f")
	made(t, tree, folder(`d\sub`))
	for e, err := range d.List(ctx, smbwire.FileIDBothDirectoryInformation, "*") {
		if err != nil {
			t.Fatal(err)
		}
		name := `d\` + e.FileName
		switch e.FileName {
		case ".":
			name = "d"
		case "..":
			name = ""
		}
		f := open(t, tree, smbclient.Existing(name, smbwire.FileReadAttributes))
		var a smbwire.AllInformation
		if err := f.Query(ctx, smbwire.FileAllInformation, &a); err != nil {
			t.Fatal(err)
		}
		if e.FileID != a.FileID || e.FileID < 17 {
			t.Errorf("%s has the id %d in the listing and %d by itself", e.FileName, e.FileID, a.FileID)
		}
		if e.FileName == ".." {
			continue // of which a listing knows no more
		}
		got := smbwire.AllInformation{
			Basic: smbwire.BasicInformation{
				CreationTime: e.CreationTime, LastAccessTime: e.LastAccessTime, LastWriteTime: e.LastWriteTime,
				ChangeTime: e.ChangeTime, FileAttributes: e.FileAttributes,
			},
			Standard: a.Standard, FileID: e.FileID, Access: a.Access, Name: a.Name,
		}
		got.Standard.EndOfFile, got.Standard.AllocationSize = e.EndOfFile, e.AllocationSize
		if got != a {
			t.Errorf("%s is listed as %+v and is %+v", e.FileName, got, a)
		}
	}
}

func TestListingPatterns(t *testing.T) {
	d, _ := populate(t, mount(t, memfs.New()), "a.txt", "b.TXT", "readme", "Ünder")
	for _, tt := range []struct {
		pattern string
		want    []string
	}{
		{"*", []string{".", "..", "a.txt", "b.TXT", "readme", "Ünder"}},
		{"*.txt", []string{"a.txt", "b.TXT"}},
		{"README", []string{"readme"}},
		{"ünDER", []string{"Ünder"}},
		{"?????", []string{"a.txt", "b.TXT", "Ünder"}},
		{`<"`, []string{".", "..", "readme", "Ünder"}},
		{".", []string{"."}},
		{"..", []string{".."}},
		{"none", nil},
		{"*.none", nil},
	} {
		got, status := list(t, d, smbwire.QueryDirectoryRequest{
			Class: smbwire.FileNamesInformation, Flags: smbwire.QueryRestartScans, OutputBufferLength: 4096, FileName: tt.pattern,
		})
		slices.Sort(got)
		want := smbwire.StatusNoMoreFiles
		if tt.want == nil {
			want = smbwire.StatusNoSuchFile
		}
		if !slices.Equal(got, tt.want) || status != want {
			t.Errorf("%q: %q, %v; want %q, %v", tt.pattern, got, status, tt.want, want)
		}
	}
}

func TestListingGoesOn(t *testing.T) {
	d, all := populate(t, mount(t, memfs.New()), "a", "b", "c")
	m := smbwire.QueryDirectoryRequest{Class: smbwire.FileNamesInformation, OutputBufferLength: 4096, FileID: d.ID()}
	next := func(flags smbwire.QueryDirectoryFlags, pattern string) string {
		m.Flags, m.FileName = flags, pattern
		data, status := ask(t, d, smbwire.QueryDirectory, &m)
		if status != smbwire.StatusOK {
			return status.Error()
		}
		var names []string
		for e, err := range smbwire.DirectoryEntries(m.Class, data) {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, e.FileName)
		}
		return strings.Join(names, " ")
	}
	const single, restart, reopen = smbwire.QuerySingleEntry, smbwire.QueryRestartScans, smbwire.QueryReopen
	noMore, none := smbwire.StatusNoMoreFiles.Error(), smbwire.StatusNoSuchFile.Error()
	for i, step := range []struct {
		flags   smbwire.QueryDirectoryFlags
		pattern string
		want    string
	}{
		{single, "", "."}, // no pattern is all
		{single, "zzz", ".."},
		{single | smbwire.QueryIndexSpecified, "*", "a"},
		{0, "*", "b c"},
		{0, "*", noMore},
		{single, "*", noMore},
		{restart | single, "", "."},
		{restart, "b", "b"}, // another pattern from now on
		{0, "*", noMore},
		{restart, "", "b"},
		{restart, "?*", strings.Join(all, " ")},
		{reopen, "x", none},
		{0, "*", none},
		{reopen, "", strings.Join(all, " ")}, // as if it were opened anew
	} {
		if got := next(step.flags, step.pattern); got != step.want {
			t.Errorf("step %d: %q, want %q", i, got, step.want)
		}
	}
}

func TestListingBuffers(t *testing.T) {
	tree := mount(t, memfs.New())
	d, _ := populate(t, tree, strings.Repeat("n", 200))
	for _, class := range listingClasses {
		fixed := uint32(class.DirectoryEntrySize())
		m := smbwire.QueryDirectoryRequest{Class: class, Flags: smbwire.QueryRestartScans, FileID: d.ID(), FileName: "n*", OutputBufferLength: fixed - 1}
		if _, status := ask(t, d, smbwire.QueryDirectory, &m); status != smbwire.StatusInfoLengthMismatch {
			t.Errorf("%v, buffer smaller than an entry: %v", class, status)
		}
		m.OutputBufferLength = fixed + 11
		data, status := ask(t, d, smbwire.QueryDirectory, &m)
		if status != smbwire.StatusBufferOverflow || len(data) != int(fixed)+10 {
			t.Errorf("%v, name longer than the buffer: %d bytes, %v", class, len(data), status)
		}
		m.OutputBufferLength = fixed + 400
		if data, status := ask(t, d, smbwire.QueryDirectory, &m); status != smbwire.StatusOK || len(data) != int(fixed)+400 {
			t.Errorf("%v, buffer that just fits: %d bytes, %v", class, len(data), status)
		}
	}
}

func TestListingRefusals(t *testing.T) {
	tree := mount(t, memfs.New())
	d, _ := populate(t, tree, "f")
	f := open(t, tree, smbclient.Existing(`d\f`, smbwire.FileReadData))
	blind := open(t, tree, smbclient.Existing("d", smbwire.FileReadAttributes))
	good := smbwire.QueryDirectoryRequest{Class: smbwire.FileNamesInformation, OutputBufferLength: 4096, FileName: "*"}
	for _, tt := range []struct {
		name   string
		file   *smbclient.File
		change func(*smbwire.QueryDirectoryRequest)
		want   smbwire.Status
	}{
		{"a file", f, func(m *smbwire.QueryDirectoryRequest) {}, smbwire.StatusInvalidParameter},
		{"no right to list", blind, func(m *smbwire.QueryDirectoryRequest) {}, smbwire.StatusAccessDenied},
		{"no right to look up", blind, func(m *smbwire.QueryDirectoryRequest) { m.FileName = "f" }, smbwire.StatusAccessDenied},
		{"no class of listings", d, func(m *smbwire.QueryDirectoryRequest) { m.Class = smbwire.FileBasicInformation }, smbwire.StatusInvalidInfoClass},
		{"a buffer beyond the limit", d, func(m *smbwire.QueryDirectoryRequest) { m.OutputBufferLength = 8<<20 + 1 }, smbwire.StatusInvalidParameter},
		{"a path for a pattern", d, func(m *smbwire.QueryDirectoryRequest) { m.FileName = `x\*` }, smbwire.StatusObjectNameInvalid},
		{"a file that is not open", d, func(m *smbwire.QueryDirectoryRequest) { m.FileID.Volatile++ }, smbwire.StatusFileClosed},
	} {
		m := good
		m.Flags, m.FileID = smbwire.QueryRestartScans, tt.file.ID()
		tt.change(&m)
		if _, status := ask(t, tt.file, smbwire.QueryDirectory, &m); status != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, status, tt.want)
		}
	}
}

// Entries that come and go meanwhile do not disturb those that stay.
func TestListingWhileNamesChange(t *testing.T) {
	tree := mount(t, memfs.New())
	var files []string
	for i := range 1000 {
		files = append(files, fmt.Sprintf("stays %03d", i))
	}
	d, want := populate(t, tree, files...)
	seen := map[string]int{}
	n := 0
	for e, err := range d.List(ctx, smbwire.FileFullDirectoryInformation, "*") {
		if err != nil {
			t.Fatal(err)
		}
		seen[e.FileName]++
		if n++; n%10 == 0 {
			passing := fmt.Sprintf(`d\passing %d`, n)
			if err := tree.WriteFile(ctx, passing, nil); err != nil {
				t.Fatal(err)
			}
			if err := tree.Remove(ctx, passing); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range want {
		if seen[name] != 1 {
			t.Errorf("%s was listed %d times", name, seen[name])
		}
	}
}

func BenchmarkListing(b *testing.B) {
	tree := mount(b, memfs.New())
	d := made(b, tree, folder("d"))
	const files = 10_000
	for i := range files {
		if err := tree.WriteFile(ctx, fmt.Sprintf(`d\some file %05d.txt`, i), nil); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		n := 0
		for _, err := range d.List(ctx, smbwire.FileIDBothDirectoryInformation, "*") {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != files+2 {
			b.Fatalf("%d entries", n)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*files), "ns/entry")
}
