package smbwire_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/hexdump"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

var someEntry = smbwire.DirectoryEntry{
	CreationTime: 1, LastAccessTime: 2, LastWriteTime: 3, ChangeTime: 4,
	EndOfFile: 5, AllocationSize: 6, FileAttributes: 0x20, EASize: 7,
	FileID: 17, ShortName: "A~1", FileName: "aä",
}

// The part that all classes but FileNamesInformation begin with.
const someEntryHead = `
	00000000 00000000                    # NextEntryOffset, FileIndex
	0100000000000000 0200000000000000    # CreationTime, LastAccessTime
	0300000000000000 0400000000000000    # LastWriteTime, ChangeTime
	0500000000000000 0600000000000000    # EndOfFile, AllocationSize
	20000000 04000000                    # FileAttributes, FileNameLength
`

const someShortName = `
	06 00 41007e003100 000000000000000000000000000000000000  # ShortNameLength, Reserved, A~1
`

var directoryTests = []struct {
	class smbwire.FileInfoClass
	wire  string
}{
	{smbwire.FileDirectoryInformation, someEntryHead + `6100 e400`},
	{smbwire.FileFullDirectoryInformation, someEntryHead + `07000000 6100 e400`},
	{smbwire.FileBothDirectoryInformation, someEntryHead + `07000000` + someShortName + `6100 e400`},
	{smbwire.FileNamesInformation, `00000000 00000000 04000000 6100 e400`},
	{smbwire.FileIDBothDirectoryInformation, someEntryHead + `
		07000000` + someShortName + `
		0000 1100000000000000   # Reserved2, FileId
		6100 e400`},
	{smbwire.FileIDFullDirectoryInformation, someEntryHead + `07000000 00000000 1100000000000000 6100 e400`},
	{smbwire.FileIDExtdDirectoryInformation, someEntryHead + `
		07000000 00000000                  # EaSize, ReparsePointTag
		1100000000000000 0000000000000000  # FileId
		6100 e400`},
	{smbwire.FileIDExtdBothDirectoryInformation, someEntryHead + `
		07000000 00000000
		1100000000000000 0000000000000000` + someShortName + `6100 e400`},
}

func TestDirectoryEntry(t *testing.T) {
	for _, tt := range directoryTests {
		t.Run(tt.class.String(), func(t *testing.T) {
			wire := hexdump.Bytes(t, tt.wire)
			if got, want := tt.class.DirectoryEntrySize(), len(wire)-4; got != want {
				t.Errorf("DirectoryEntrySize = %d, want %d", got, want)
			}
			b := smbwire.NewDirectoryBatch(tt.class, nil, len(wire))
			if !b.Append(&someEntry) {
				t.Fatal("no room")
			}
			if !bytes.Equal(b.Data(), wire) {
				t.Errorf("Append =\n%x, want\n%x", b.Data(), wire)
			}
			for got, err := range smbwire.DirectoryEntries(tt.class, wire) {
				if err != nil {
					t.Fatal(err)
				}
				if got.FileName != "aä" {
					t.Errorf("FileName = %q", got.FileName)
				}
				again := smbwire.NewDirectoryBatch(tt.class, nil, len(wire))
				again.Append(got)
				if !bytes.Equal(again.Data(), wire) {
					t.Errorf("%+v is not what was read", got)
				}
			}
		})
	}
}

func TestReparseTagStandsForEASize(t *testing.T) {
	link := smbwire.DirectoryEntry{FileAttributes: smbwire.AttributeReparsePoint, ReparseTag: 0xa000000c, FileName: "l"}
	for _, tt := range directoryTests {
		b := smbwire.NewDirectoryBatch(tt.class, nil, 1000)
		b.Append(&link)
		for got, err := range smbwire.DirectoryEntries(tt.class, b.Data()) {
			want := link
			if size := tt.class.DirectoryEntrySize(); size <= 64 { // no field for either
				want.ReparseTag = 0
			}
			if tt.class == smbwire.FileNamesInformation {
				want.FileAttributes = 0
			}
			if err != nil || *got != want {
				t.Errorf("%v: %+v, %v; want %+v", tt.class, got, err, want)
			}
		}
	}
}

// For every class and all lengths of names a batch is exactly as long as its
// limit allows, and reads back as what was put into it.
func TestDirectoryBatchFillsItsLimit(t *testing.T) {
	for _, tt := range directoryTests {
		for limit := range 700 {
			b := smbwire.NewDirectoryBatch(tt.class, nil, limit)
			var want []string
			for i := 0; ; i++ {
				e := smbwire.DirectoryEntry{FileName: fmt.Sprint(i) + strings.Repeat("x", i%5)}
				before := len(b.Data())
				if !b.Append(&e) {
					need := (before+7)&^7 + tt.class.DirectoryEntrySize() + 2*len(e.FileName)
					if need <= limit || len(b.Data()) != before {
						t.Fatalf("%v: %d bytes do not fit into %d, have %d", tt.class, need, limit, len(b.Data()))
					}
					break
				}
				want = append(want, e.FileName)
			}
			var got []string
			for e, err := range smbwire.DirectoryEntries(tt.class, b.Data()) {
				if err != nil {
					t.Fatalf("%v, limit %d: %v", tt.class, limit, err)
				}
				got = append(got, e.FileName)
			}
			if len(b.Data()) > limit || b.Count() != len(want) || strings.Join(got, "/") != strings.Join(want, "/") {
				t.Fatalf("%v, limit %d: %q, want %q", tt.class, limit, got, want)
			}
		}
	}
}

func TestDirectoryBatchCutsAFirstEntry(t *testing.T) {
	e := smbwire.DirectoryEntry{FileName: "abc"}
	b := smbwire.NewDirectoryBatch(smbwire.FileNamesInformation, nil, 15)
	if b.Append(&e) || !b.AppendCut(&e) {
		t.Fatal("the name fits, or not even its length does")
	}
	want := hexdump.Bytes(t, `
		00000000 00000000  # NextEntryOffset, FileIndex
		06000000 6100      # FileNameLength: of the whole name
	`)
	if !bytes.Equal(b.Data(), want) {
		t.Errorf("AppendCut = %x, want %x", b.Data(), want)
	}
	b = smbwire.NewDirectoryBatch(smbwire.FileNamesInformation, nil, 11)
	if b.AppendCut(&e) {
		t.Error("the fixed part fits into less than its size")
	}
}

func TestDirectoryBatchAllocatesNothingInItsBuffer(t *testing.T) {
	buf := make([]byte, 0, 64<<10)
	e := someEntry
	e.FileName = strings.Repeat("name ä ", 4)
	allocations := testing.AllocsPerRun(10, func() {
		b := smbwire.NewDirectoryBatch(smbwire.FileIDBothDirectoryInformation, buf, cap(buf))
		for b.Append(&e) {
		}
	})
	if allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}

func TestDirectoryEntriesRefuses(t *testing.T) {
	for _, tt := range []struct {
		name  string
		class smbwire.FileInfoClass
		wire  string
	}{
		{"no class of listings", smbwire.FileBasicInformation, `00`},
		{"a class beyond all", 255, `00`},
		{"a cut entry", smbwire.FileNamesInformation, `00000000 00000000`},
		{"a name out of bounds", smbwire.FileNamesInformation, `00000000 00000000 04000000 6100`},
		{"a name of 4 GiB", smbwire.FileNamesInformation, `00000000 00000000 feffffff 6100`},
		{"an entry chained into itself", smbwire.FileNamesInformation, `08000000 00000000 00000000`},
		{"an entry chained to the end", smbwire.FileNamesInformation, `0c000000 00000000 00000000`},
	} {
		var last error
		for _, err := range smbwire.DirectoryEntries(tt.class, hexdump.Bytes(t, tt.wire)) {
			last = err
		}
		if last == nil {
			t.Errorf("%s is accepted", tt.name)
		}
	}
}

func FuzzDirectoryEntries(f *testing.F) {
	for _, tt := range directoryTests {
		f.Add(uint8(tt.class), hexdump.Bytes(f, tt.wire))
	}
	f.Fuzz(func(t *testing.T, class uint8, data []byte) {
		c := smbwire.FileInfoClass(class)
		var want []smbwire.DirectoryEntry
		for e, err := range smbwire.DirectoryEntries(c, data) {
			if err != nil {
				return
			}
			want = append(want, *e)
		}
		if len(want) == 0 {
			return
		}
		b := smbwire.NewDirectoryBatch(c, nil, 1<<30)
		for i := range want {
			b.Append(&want[i])
		}
		for e, err := range smbwire.DirectoryEntries(c, b.Data()) {
			if err != nil || *e != want[0] {
				t.Fatalf("%+v became %+v, %v", want[0], e, err)
			}
			want = want[1:]
		}
	})
}

func BenchmarkDirectoryBatch(b *testing.B) {
	buf := make([]byte, 0, 1<<20)
	e := someEntry
	e.ShortName, e.FileName = "", "file-0000001.txt"
	batch := smbwire.NewDirectoryBatch(smbwire.FileIDBothDirectoryInformation, buf, cap(buf))
	for b.Loop() {
		if !batch.Append(&e) {
			batch = smbwire.NewDirectoryBatch(smbwire.FileIDBothDirectoryInformation, buf, cap(buf))
		}
	}
}
