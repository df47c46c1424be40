package meta

import (
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/hexdump"
	"github.com/dozo-server/dozo/vfs"
)

var jan2001 = time.Date(2001, 1, 2, 3, 4, 5, 0, time.UTC)

// What Samba 4.17.12 made of these was looked up with it: the first two are its
// own, the others were given to it.
var dosAttribTests = []struct {
	name string
	data string
	want Info
	bad  bool
}{
	{
		name: "version 5, written by Samba for a file with utimes",
		data: `00 00 0500 0500 0000      # no text, version 5
			11000000 20000000         # attributes and birth count; archive
			80c05caa6874c001          # 2001-01-02 03:04:05`,
		want: Info{Stored: true, DOS: vfs.DOSArchive, Birth: jan2001},
	},
	{
		name: "version 5, written by Samba for a hidden system file",
		data: `00 00 0500 0500 0000 11000000 26000000 80c05caa6874c001`,
		want: Info{Stored: true, DOS: vfs.DOSArchive | vfs.DOSHidden | vfs.DOSSystem, Birth: jan2001},
	},
	{
		name: "version 5, a folder's bit is not stored",
		data: `00 00 0500 0500 0000 11000000 10000000 80c05caa6874c001`,
		want: Info{Stored: true, Birth: jan2001},
	},
	{
		name: "version 5, birth does not count",
		data: `00 00 0500 0500 0000 01000000 26000000 80c05caa6874c001`,
		want: Info{Stored: true, DOS: vfs.DOSArchive | vfs.DOSHidden | vfs.DOSSystem},
	},
	{
		name: "version 5, attributes are not said to count and do",
		data: `00 00 0500 0500 0000 10000000 26000000 80c05caa6874c001`,
		want: Info{Stored: true, DOS: vfs.DOSArchive | vfs.DOSHidden | vfs.DOSSystem, Birth: jan2001},
	},
	{
		name: "version 5 behind a text",
		data: `30783230 00 00 0500 0500 0000 # "0x20", aligned
			11000000 26000000 80c05caa6874c001`,
		want: Info{Stored: true, DOS: vfs.DOSArchive | vfs.DOSHidden | vfs.DOSSystem, Birth: jan2001},
	},
	{
		name: "version 4",
		data: `00 00 0400 0400 0000 51000000 26000000
			0000000000000000          # id time
			80c05caa6874c001          # birth`,
		want: Info{Stored: true, DOS: vfs.DOSArchive | vfs.DOSHidden | vfs.DOSSystem, Birth: jan2001},
	},
	{
		name: "version 3",
		data: `30783236 00 00 0300 0300 0000 11000000 26000000
			00000000 0000000000000000 0000000000000000 # sizes
			80c05caa6874c001 80c05caa6874c001          # birth, change`,
		want: Info{Stored: true, DOS: vfs.DOSArchive | vfs.DOSHidden | vfs.DOSSystem, Birth: jan2001},
	},
	{
		name: "version 2",
		data: `00 00 0200 0200 0000 00000000 26000000
			00000000 0000000000000000 0000000000000000
			80c05caa6874c001 80c05caa6874c001 80c05caa6874c001 6e616d6500`,
		want: Info{Stored: true, DOS: vfs.DOSArchive | vfs.DOSHidden | vfs.DOSSystem},
	},
	{
		name: "version 1",
		data: `00 00 0100 0100 0000 26000000
			00000000 0000000000000000 0000000000000000
			80c05caa6874c001 80c05caa6874c001`,
		want: Info{Stored: true, DOS: vfs.DOSArchive | vfs.DOSHidden | vfs.DOSSystem, Birth: jan2001},
	},
	{name: "text alone", data: `30783232`, want: Info{Stored: true, DOS: vfs.DOSArchive | vfs.DOSHidden}},
	{name: "text with its NUL", data: `30783232 00`, want: Info{Stored: true, DOS: vfs.DOSArchive | vfs.DOSHidden}},
	{name: "text without 0x", data: `3232`, want: Info{Stored: true, DOS: vfs.DOSArchive | vfs.DOSHidden}},
	{
		name: "what Samba keeps beside them is kept",
		data: `00 00 0500 0500 0000 01000000 20020000 0000000000000000`,
		want: Info{Stored: true, DOS: vfs.DOSArchive | vfs.DOSSparse},
	},
	{
		name: "no birth by value",
		data: `00 00 0500 0500 0000 11000000 20000000 0000000000000000`,
		want: Info{Stored: true, DOS: vfs.DOSArchive},
	},
	{name: "empty", data: ``, bad: true},
	{name: "no text that could be read", data: `ffffff`, bad: true},
	{name: "text and a cut union", data: `30783232 000000`, bad: true},
	{name: "version 6", data: `00 00 0600 0600 0000 11000000 26000000 80c05caa6874c001`, bad: true},
	{name: "two versions", data: `00 00 0500 0400 0000 11000000 26000000 80c05caa6874c001`, bad: true},
	{name: "cut in the birth", data: `00 00 0500 0500 0000 11000000 26000000 80c05caa`, bad: true},
	{name: "version 3 of the length of 5", data: `00 00 0300 0300 0000 11000000 26000000 80c05caa6874c001`, bad: true},
}

func TestDecode(t *testing.T) {
	for _, tt := range dosAttribTests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := Decode(hexdump.Bytes(t, tt.data))
			if ok == tt.bad {
				t.Fatalf("Decode = %+v, %v", got, ok)
			}
			if ok && (got.DOS != tt.want.DOS || got.Stored != tt.want.Stored || !got.Birth.Equal(tt.want.Birth)) {
				t.Errorf("Decode = %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestEncode(t *testing.T) {
	for _, tt := range []struct {
		name string
		info Info
		typ  vfs.Type
		want string
	}{
		{
			"file", Info{Stored: true, DOS: vfs.DOSArchive | vfs.DOSHidden | vfs.DOSSystem, Birth: jan2001}, vfs.TypeFile,
			`00 00 0500 0500 0000 11000000 26000000 80c05caa6874c001`,
		},
		{
			"folder without birth", Info{Stored: true, DOS: vfs.DOSReadOnly}, vfs.TypeDir,
			`00 00 0500 0500 0000 01000000 11000000 0000000000000000`,
		},
		{
			"shown against its name", Info{Stored: true, DOS: vfs.DOSArchive, shown: true}, vfs.TypeFile,
			`00 00 0500 0500 0000 01000080 20000000 0000000000000000`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.info.Encode(nil, tt.typ)
			if want := hexdump.Bytes(t, tt.want); string(got) != string(want) {
				t.Errorf("Encode = % x\nwant     % x", got, want)
			}
			if back, ok := Decode(got); !ok || back.DOS != tt.info.DOS || !back.Birth.Equal(tt.info.Birth) || back.shown != tt.info.shown {
				t.Errorf("Decode = %+v", back)
			}
		})
	}
}

func TestTimes(t *testing.T) {
	for _, when := range []time.Time{
		time.Date(1601, 1, 1, 0, 0, 0, 100, time.UTC),
		time.Date(1969, 12, 31, 23, 59, 59, 999_999_900, time.UTC),
		time.Unix(0, 0),
		jan2001,
		time.Date(2106, 2, 7, 6, 28, 16, 123_456_700, time.UTC),
	} {
		if got := fileTime(ntTime(when)); !got.Equal(when) {
			t.Errorf("%v came back as %v", when, got)
		}
	}
	if got := ntTime(time.Date(1500, 1, 1, 0, 0, 0, 0, time.UTC)); got != 1 {
		t.Errorf("1500 is %d", got)
	}
}

func FuzzDecode(f *testing.F) {
	for _, tt := range dosAttribTests {
		f.Add(hexdump.Bytes(f, tt.data))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		info, ok := Decode(b)
		if !ok {
			return
		}
		again, ok := Decode(info.Encode(nil, vfs.TypeFile))
		if !ok || again.DOS != info.DOS || !again.Birth.Equal(info.Birth) || again.shown != info.shown {
			t.Errorf("%+v was written and read as %+v, %v", info, again, ok)
		}
	})
}
