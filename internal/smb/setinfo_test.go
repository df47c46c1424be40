package smb_test

import (
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
	"github.com/dozo-server/dozo/vfs/memfs"
)

func basicOf(t testing.TB, f *smbclient.File) smbwire.BasicInformation {
	t.Helper()
	var b smbwire.BasicInformation
	if err := f.Query(ctx, smbwire.FileBasicInformation, &b); err != nil {
		t.Fatal(err)
	}
	return b
}

func standardOf(t testing.TB, f *smbclient.File) smbwire.StandardInformation {
	t.Helper()
	var s smbwire.StandardInformation
	if err := f.Query(ctx, smbwire.FileStandardInformation, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSetBasic(t *testing.T) {
	f := fiveBytes(t, mount(t, memfs.New()))
	day := func(n int) smbwire.FileTime { return smbwire.FileTimeOf(time.Date(2001, 2, n, 3, 4, 5, 600, time.UTC)) }
	want := basicOf(t, f)
	want.CreationTime, want.LastWriteTime = day(1), day(2)
	want.FileAttributes = 0x23 // read-only, hidden, archive
	if status := set(t, f, smbwire.FileBasicInformation, &smbwire.BasicInformation{
		CreationTime: day(1), LastWriteTime: day(2), FileAttributes: 0x23,
	}); status != smbwire.StatusOK {
		t.Fatal(status)
	}
	got := basicOf(t, f)
	got.ChangeTime, got.LastAccessTime = want.ChangeTime, want.LastAccessTime
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	// Normal alone takes all attributes away; zero leaves them.
	set(t, f, smbwire.FileBasicInformation, &smbwire.BasicInformation{FileAttributes: 0x80})
	if got := basicOf(t, f); got.FileAttributes != 0x80 || got.LastWriteTime != day(2) {
		t.Errorf("normal: %+v", got)
	}
	set(t, f, smbwire.FileBasicInformation, &smbwire.BasicInformation{LastWriteTime: day(3)})
	if got := basicOf(t, f); got.FileAttributes != 0x80 || got.LastWriteTime != day(3) {
		t.Errorf("zero: %+v", got)
	}
}

// A time of -1 keeps writes through the open from changing it, -2 ends that.
func TestSetBasicFreezesTimes(t *testing.T) {
	tree := mount(t, memfs.New())
	f := fiveBytes(t, tree)
	before := basicOf(t, f).LastWriteTime
	write := func() smbwire.FileTime {
		time.Sleep(time.Millisecond)
		if _, err := f.WriteAt(ctx, []byte("other"), 0); err != nil {
			t.Fatal(err)
		}
		return basicOf(t, f).LastWriteTime
	}
	if status := set(t, f, smbwire.FileBasicInformation, &smbwire.BasicInformation{LastWriteTime: smbwire.FileTimeFreeze}); status != smbwire.StatusOK {
		t.Fatal(status)
	}
	if got := write(); got != before {
		t.Errorf("a write changed a frozen time from %d to %d", before, got)
	}
	if status := set(t, f, smbwire.FileBasicInformation, &smbwire.BasicInformation{LastWriteTime: smbwire.FileTimeThaw}); status != smbwire.StatusOK {
		t.Fatal(status)
	}
	if got := write(); got == before {
		t.Error("a write did not change the time after the thaw")
	}
}

func TestSetSizes(t *testing.T) {
	tree := mount(t, memfs.New())
	f := fiveBytes(t, tree)
	for _, size := range []uint64{3, 0, 1 << 20} {
		if status := set(t, f, smbwire.FileEndOfFileInformation, &smbwire.EndOfFileInformation{EndOfFile: size}); status != smbwire.StatusOK {
			t.Errorf("size %d: %v", size, status)
		}
		if got := standardOf(t, f).EndOfFile; got != size {
			t.Errorf("size %d, want %d", got, size)
		}
	}
	if status := set(t, f, smbwire.FileAllocationInformation, &smbwire.AllocationInformation{AllocationSize: 4096}); status != smbwire.StatusOK {
		t.Error(status)
	}
	if got := standardOf(t, f).EndOfFile; got != 4096 {
		t.Errorf("less room than the file takes leaves it %d long", got)
	}
}

func TestSetDisposition(t *testing.T) {
	tree := mount(t, memfs.New())
	for _, tt := range []struct {
		name  string
		class smbwire.FileInfoClass
		info  smbclient.Encoder
	}{
		{"delete", smbwire.FileDispositionInformation, &smbwire.DispositionInformation{DeletePending: true}},
		{"delete ex", smbwire.FileDispositionInformationEx, &smbwire.DispositionInformationEx{Flags: smbwire.DispositionDelete}},
		{"delete posix", smbwire.FileDispositionInformationEx, &smbwire.DispositionInformationEx{Flags: smbwire.DispositionDelete | smbwire.DispositionPosix}},
		{"delete as a new Windows does", smbwire.FileDispositionInformationEx, &smbwire.DispositionInformationEx{
			Flags: smbwire.DispositionDelete | smbwire.DispositionPosix | smbwire.DispositionForceImageCheck | smbwire.DispositionIgnoreReadOnly}},
	} {
		f := made(t, tree, everything("f"))
		if status := set(t, f, tt.class, tt.info); status != smbwire.StatusOK {
			t.Errorf("%s: %v", tt.name, status)
		}
		if s := standardOf(t, f); !s.DeletePending || s.NumberOfLinks != 0 {
			t.Errorf("%s: %+v", tt.name, s)
		}
		if err := f.Close(ctx); err != nil {
			t.Error(err)
		}
		if _, err := tree.Stat(ctx, "f"); statusIn(err) != smbwire.StatusObjectNameNotFound {
			t.Errorf("%s: after the close: %v", tt.name, err)
		}
	}
	f := made(t, tree, everything("kept"))
	set(t, f, smbwire.FileDispositionInformation, &smbwire.DispositionInformation{DeletePending: true})
	set(t, f, smbwire.FileDispositionInformation, &smbwire.DispositionInformation{})
	f.Close(ctx)
	if _, err := tree.Stat(ctx, "kept"); err != nil {
		t.Errorf("a file that was not to be deleted after all: %v", err)
	}
	d := made(t, tree, folder("full"))
	made(t, tree, everything(`full\f`))
	if status := set(t, d, smbwire.FileDispositionInformation, &smbwire.DispositionInformation{DeletePending: true}); status != smbwire.StatusDirectoryNotEmpty {
		t.Errorf("a folder that holds something: %v", status)
	}
}

func TestRename(t *testing.T) {
	tree := mount(t, memfs.New())
	made(t, tree, folder("d")).Close(ctx) // an open that might delete it would be in the way
	f := made(t, tree, everything("old"))
	made(t, tree, everything("taken")).Close(ctx)
	to := func(name string, replace bool) smbwire.Status {
		return set(t, f, smbwire.FileRenameInformation, &smbwire.RenameInformation{FileName: name, ReplaceIfExists: replace})
	}
	for _, tt := range []struct {
		name    string
		replace bool
		want    smbwire.Status
	}{
		{`d\New`, false, smbwire.StatusOK},
		{`d\NEW`, false, smbwire.StatusOK},  // case alone
		{`\d\new`, false, smbwire.StatusOK}, // from the root
		{`\\d\new`, false, smbwire.StatusInvalidParameter},
		{"taken", false, smbwire.StatusObjectNameCollision},
		{"taken", true, smbwire.StatusOK},
		{"d", true, smbwire.StatusAccessDenied}, // a folder is never replaced
		{`none\f`, false, smbwire.StatusObjectPathNotFound},
		{"", false, smbwire.StatusObjectNameInvalid},
		{`d\..\..\f`, false, smbwire.StatusObjectPathSyntaxBad},
		{"a*", false, smbwire.StatusObjectNameInvalid},
	} {
		if status := to(tt.name, tt.replace); status != tt.want {
			t.Errorf("to %q, replace %v: %v, want %v", tt.name, tt.replace, status, tt.want)
		}
	}
	var n smbwire.NameInformation
	if err := f.Query(ctx, smbwire.FileNameInformation, &n); err != nil || n.Name != `\taken` {
		t.Errorf("it is called %q, %v", n.Name, err)
	}
	if status := set(t, f, smbwire.FileRenameInformationEx, &smbwire.RenameInformationEx{FileName: `d\ex`, Flags: smbwire.RenameReplace | smbwire.RenamePosix}); status != smbwire.StatusOK {
		t.Errorf("ex: %v", status)
	}
	if status := set(t, f, smbwire.FileRenameInformation, &smbwire.RenameInformation{FileName: "f", RootDirectory: 1}); status != smbwire.StatusInvalidParameter {
		t.Errorf("with a root to count from: %v", status)
	}
}

// TestSetDispositionFlags does what only the flags allow.
func TestSetDispositionFlags(t *testing.T) {
	tree := mount(t, memfs.New())
	ex := func(f *smbclient.File, flags smbwire.DispositionFlags) smbwire.Status {
		t.Helper()
		return set(t, f, smbwire.FileDispositionInformationEx, &smbwire.DispositionInformationEx{Flags: flags})
	}
	mode := func(f *smbclient.File) smbwire.CreateOptions {
		t.Helper()
		var m smbwire.ModeInformation
		if err := f.Query(ctx, smbwire.FileModeInformation, &m); err != nil {
			t.Fatal(err)
		}
		return smbwire.CreateOptions(m.Mode)
	}
	const onClose = smbwire.DispositionOnClose
	f := made(t, tree, everything("f"))
	if status := ex(f, onClose|smbwire.DispositionDelete); status != smbwire.StatusNotSupported {
		t.Errorf("on close of an open without: %v", status)
	}
	f.Close(ctx)
	m := everything("f")
	m.Options |= smbwire.DeleteOnClose
	f = open(t, tree, m)
	if status := ex(f, onClose); status != smbwire.StatusOK || mode(f)&smbwire.DeleteOnClose != 0 {
		t.Errorf("not on close after all: %v, mode %#x", status, mode(f))
	}
	if status := ex(f, onClose|smbwire.DispositionDelete); status != smbwire.StatusOK || mode(f)&smbwire.DeleteOnClose == 0 {
		t.Errorf("on close again: %v, mode %#x", status, mode(f))
	}
	if status := ex(f, onClose); status != smbwire.StatusOK {
		t.Errorf("and not: %v", status)
	}
	f.Close(ctx)
	f = open(t, tree, everything("f"))
	set(t, f, smbwire.FileBasicInformation, &smbwire.BasicInformation{FileAttributes: 0x01})
	if status := ex(f, smbwire.DispositionDelete|smbwire.DispositionPosix); status != smbwire.StatusCannotDelete {
		t.Errorf("read-only: %v", status)
	}
	if status := ex(f, smbwire.DispositionDelete|smbwire.DispositionIgnoreReadOnly); status != smbwire.StatusOK {
		t.Errorf("read-only all the same: %v", status)
	}
}

// TestRenameFlags takes the name of a file that is open and read-only.
func TestRenameFlags(t *testing.T) {
	tree := mount(t, memfs.New())
	f := made(t, tree, everything("f"))
	g := made(t, tree, everything("g"))
	set(t, g, smbwire.FileBasicInformation, &smbwire.BasicInformation{FileAttributes: 0x01})
	const replace = smbwire.RenameReplace
	for _, tt := range []struct {
		flags smbwire.RenameFlags
		want  smbwire.Status
	}{
		{0x10, smbwire.StatusInvalidParameter},
		{smbwire.RenamePosix | smbwire.RenameIgnoreReadOnly, smbwire.StatusObjectNameCollision},
		{replace, smbwire.StatusAccessDenied},
		{replace | smbwire.RenamePosix, smbwire.StatusAccessDenied},
		{replace | smbwire.RenameIgnoreReadOnly, smbwire.StatusAccessDenied},
		{replace | smbwire.RenamePosix | smbwire.RenameIgnoreReadOnly | smbwire.RenameSuppressPin | smbwire.RenameSuppressReserve, smbwire.StatusOK},
	} {
		status := set(t, f, smbwire.FileRenameInformationEx, &smbwire.RenameInformationEx{FileName: "g", Flags: tt.flags})
		if status != tt.want {
			t.Errorf("flags %#x: %v, want %v", uint32(tt.flags), status, tt.want)
		}
	}
}

func TestHardLink(t *testing.T) {
	tree := mount(t, memfs.New())
	f := fiveBytes(t, tree)
	if status := set(t, f, smbwire.FileLinkInformation, &smbwire.RenameInformation{FileName: "second"}); status != smbwire.StatusOK {
		t.Fatal(status)
	}
	if got := standardOf(t, f).NumberOfLinks; got != 2 {
		t.Errorf("%d names", got)
	}
	if data, err := tree.ReadFile(ctx, "second", 100); err != nil || string(data) != "bytes" {
		t.Errorf("by the second name: %q, %v", data, err)
	}
	if status := set(t, f, smbwire.FileLinkInformation, &smbwire.RenameInformation{FileName: "second"}); status != smbwire.StatusObjectNameCollision {
		t.Errorf("a name that is taken: %v", status)
	}
	if status := set(t, open(t, tree, folder("d")), smbwire.FileLinkInformation, &smbwire.RenameInformation{FileName: "third"}); status != smbwire.StatusFileIsADirectory {
		t.Errorf("of a folder: %v", status)
	}
}

func TestSetRefusals(t *testing.T) {
	tree := mount(t, memfs.New())
	f := fiveBytes(t, tree)
	d := open(t, tree, folder("d"))
	reader := open(t, tree, smbclient.Existing(`d\five.txt`, smbwire.FileReadData|smbwire.FileReadAttributes))
	before := basicOf(t, f)
	const negative = 1 << 63
	for _, tt := range []struct {
		name  string
		file  *smbclient.File
		class smbwire.FileInfoClass
		info  smbclient.Encoder
		want  smbwire.Status
	}{
		{"basic without the right", reader, smbwire.FileBasicInformation, &smbwire.BasicInformation{FileAttributes: 1}, smbwire.StatusAccessDenied},
		{"size without the right", reader, smbwire.FileEndOfFileInformation, &smbwire.EndOfFileInformation{}, smbwire.StatusAccessDenied},
		{"room without the right", reader, smbwire.FileAllocationInformation, &smbwire.AllocationInformation{}, smbwire.StatusAccessDenied},
		{"delete without the right", reader, smbwire.FileDispositionInformation, &smbwire.DispositionInformation{DeletePending: true}, smbwire.StatusAccessDenied},
		{"rename without the right", reader, smbwire.FileRenameInformation, &smbwire.RenameInformation{FileName: "x"}, smbwire.StatusAccessDenied},
		{"extended attributes without the right", reader, smbwire.FileFullEAInformation, smbclient.Raw{}, smbwire.StatusAccessDenied},
		{"extended attributes", f, smbwire.FileFullEAInformation, smbclient.Raw{}, smbwire.StatusEAsNotSupported},
		{"a time before all", f, smbwire.FileBasicInformation, &smbwire.BasicInformation{CreationTime: 1<<64 - 3}, smbwire.StatusInvalidParameter},
		{"a file made a folder", f, smbwire.FileBasicInformation, &smbwire.BasicInformation{FileAttributes: 0x10}, smbwire.StatusInvalidParameter},
		{"a temporary folder", d, smbwire.FileBasicInformation, &smbwire.BasicInformation{FileAttributes: 0x100}, smbwire.StatusInvalidParameter},
		{"a negative size", f, smbwire.FileEndOfFileInformation, &smbwire.EndOfFileInformation{EndOfFile: negative}, smbwire.StatusInvalidParameter},
		{"a size for a folder", d, smbwire.FileEndOfFileInformation, &smbwire.EndOfFileInformation{}, smbwire.StatusInvalidParameter},
		{"room for a folder", d, smbwire.FileAllocationInformation, &smbwire.AllocationInformation{}, smbwire.StatusInvalidParameter},
		{"a negative position", f, smbwire.FilePositionInformation, &smbwire.PositionInformation{Position: negative}, smbwire.StatusInvalidParameter},
		{"an option that is none", f, smbwire.FileModeInformation, &smbwire.ModeInformation{Mode: 0x40}, smbwire.StatusInvalidParameter},
		{"both ways to wait", f, smbwire.FileModeInformation, &smbwire.ModeInformation{Mode: 0x30}, smbwire.StatusInvalidParameter},
		{"a way to delete that is none", f, smbwire.FileDispositionInformationEx, &smbwire.DispositionInformationEx{Flags: 0x80}, smbwire.StatusInvalidParameter},
		{"a class that is only asked for", f, smbwire.FileStandardInformation, &smbwire.StandardInformation{}, smbwire.StatusInvalidInfoClass},
		{"short basic", f, smbwire.FileBasicInformation, smbclient.Raw(make([]byte, 39)), smbwire.StatusInfoLengthMismatch},
		{"short size", f, smbwire.FileEndOfFileInformation, smbclient.Raw(make([]byte, 7)), smbwire.StatusInfoLengthMismatch},
		{"short disposition", f, smbwire.FileDispositionInformation, smbclient.Raw{}, smbwire.StatusInfoLengthMismatch},
		{"short rename", f, smbwire.FileRenameInformation, smbclient.Raw(make([]byte, 19)), smbwire.StatusInfoLengthMismatch},
		{"a name longer than the buffer", f, smbwire.FileRenameInformation, smbclient.Raw(append(make([]byte, 16), 4, 0, 0, 0, 'x', 0)), smbwire.StatusInfoLengthMismatch},
	} {
		if status := set(t, tt.file, tt.class, tt.info); status != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, status, tt.want)
		}
	}
	if after := basicOf(t, f); after != before {
		t.Errorf("what was refused changed %+v to %+v", before, after)
	}
	for kind, want := range map[smbwire.InfoType]smbwire.Status{smbwire.InfoQuota: smbwire.StatusNotSupported, 9: smbwire.StatusInvalidParameter} {
		if status := setRaw(t, f, kind, 0, nil); status != want {
			t.Errorf("type %d: %v, want %v", kind, status, want)
		}
	}
}

func TestSetKeepsPositionAndMode(t *testing.T) {
	tree := mount(t, memfs.New())
	fiveBytes(t, tree)
	m := everything(`d\five.txt`)
	m.Options = smbwire.SequentialOnly | smbwire.NonDirectoryFile
	f := open(t, tree, m)
	var mode smbwire.ModeInformation
	if err := f.Query(ctx, smbwire.FileModeInformation, &mode); err != nil || mode.Mode != uint32(smbwire.SequentialOnly) {
		t.Errorf("mode %+v, %v", mode, err)
	}
	if status := set(t, f, smbwire.FileModeInformation, &smbwire.ModeInformation{Mode: uint32(smbwire.WriteThrough)}); status != smbwire.StatusOK {
		t.Error(status)
	}
	if status := set(t, f, smbwire.FilePositionInformation, &smbwire.PositionInformation{Position: 77}); status != smbwire.StatusOK {
		t.Error(status)
	}
	var all smbwire.AllInformation
	if err := f.Query(ctx, smbwire.FileAllInformation, &all); err != nil || all.Position != 77 || all.Mode != uint32(smbwire.WriteThrough) {
		t.Errorf("position %d, mode %#x, %v", all.Position, all.Mode, err)
	}
}
