package meta

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/hexdump"
	"github.com/dozo-server/dozo/vfs"
)

// richFinder is the Finder info that these files were given.
var richFinder = [32]byte{'T', 'E', 'X', 'T', 't', 't', 'x', 't', 0x40, 0, 1, 2, 3, 4, 0, 5}

var macTests = []struct {
	name  string
	data  string
	want  vfs.Mac
	exact bool // Encode gives it back
}{
	{
		name: "netatalk 4.5.1, a file that a client gave all there is",
		data: `
			0005160700020000 # magic, version
			00000000000000000000000000000000 # filler
			0008 # entries
			00000004 0000009a 00000007 # comment
			00000008 00000162 00000010 # times
			00000009 0000007a 00000020 # Finder info
			0000000e 00000172 00000004 # attributes
			80444556 00000176 00000008 # device
			80494e4f 0000017e 00000008 # inode
			8053594e 00000186 00000008 # stamp
			8053567e 0000018e 00000004 # CNID
			5445585474747874400001020304000500000000000000000000000000000000 # Finder info
			436f6d6d656e7400000000000000000000000000000000000000000000000000000000000000000000000000000000000000 # comment
			0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 # comment
			0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 # comment
			0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 # comment
			000003e832a0f70200000bb832a0f702 # birth, change, backup, access
			00000181 # attributes
			00fe000000000000 # device
			9064a40000000000 # inode
			823a0e6b00000000 # stamp
			12000000 # CNID`,
		want: vfs.Mac{
			Finder: richFinder, Comment: "Comment",
			Attr:    vfs.MacInvisible | vfs.MacRenameInhibit | vfs.MacDeleteInhibit,
			Created: time.Unix(macEpoch+1000, 0), Backup: time.Unix(macEpoch+3000, 0),
		},
		exact: true,
	},
	{
		name: "netatalk 4.5.1, a file that was only made",
		data: `
			0005160700020000 # magic, version
			00000000000000000000000000000000 # filler
			0008 # entries
			00000004 0000009a 000000c8 # comment
			00000008 00000162 00000010 # times
			00000009 0000007a 00000020 # Finder info
			0000000e 00000172 00000004 # attributes
			80444556 00000176 00000008 # device
			80494e4f 0000017e 00000008 # inode
			8053594e 00000186 00000008 # stamp
			8053567e 0000018e 00000004 # CNID
			0000000000000000000000000000000000000000000000000000000000000000 # Finder info
			0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 # comment
			0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 # comment
			0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 # comment
			0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 # comment
			32a0f70232a0f7028000000032a0f702 # birth, change, backup, access
			00000000 # attributes
			00fe000000000000 # device
			8f64a40000000000 # inode
			823a0e6b00000000 # stamp
			11000000 # CNID`,
		want:  vfs.Mac{Created: time.Unix(macEpoch+0x32a0f702, 0)},
		exact: true,
	},
	{
		name: "Samba 4.17.12, fruit:metadata=netatalk",
		data: `
			0005160700020000 # magic, version
			00000000000000000000000000000000 # filler
			0008 # entries
			00000004 0000009a 00000000 # comment
			00000008 00000162 00000010 # times
			00000009 0000007a 00000020 # Finder info
			0000000e 00000172 00000004 # attributes
			80444556 00000176 00000000 # device
			80494e4f 0000017e 00000000 # inode
			8053594e 00000186 00000000 # stamp
			8053567e 0000018e 00000000 # CNID
			5445585474747874400001020304000500000000000000000000000000000000 # Finder info
			0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 # comment
			0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 # comment
			0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 # comment
			0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 # comment
			32a0f71832a0f7188000000032a0f718 # birth, change, backup, access
			00000000 # attributes
			0000000000000000 # device
			0000000000000000 # inode
			0000000000000000 # stamp
			00000000 # CNID`,
		want: vfs.Mac{Finder: richFinder, Created: time.Unix(macEpoch+0x32a0f718, 0)},
	},
}

func TestDecodeMac(t *testing.T) {
	for _, test := range macTests {
		data := hexdump.Bytes(t, test.data)
		m, ok := DecodeMac(data)
		if !ok || m.Mac != test.want {
			t.Errorf("%s: %+v, %v, want %+v", test.name, m.Mac, ok, test.want)
		}
		out := m.Encode(nil, time.Time{}, time.Time{})
		if test.exact && !bytes.Equal(out, data) {
			t.Errorf("%s: encoded as\n%x, was\n%x", test.name, out, data)
		}
		again, ok := DecodeMac(out)
		if !ok || again != m {
			t.Errorf("%s: encoded and decoded is %+v, was %+v", test.name, again, m)
		}
	}
}

func TestEncodeMacAnew(t *testing.T) {
	birth, changed := time.Unix(macEpoch+10, 5e8), time.Unix(macEpoch-10, 0)
	m := Mac{Mac: vfs.Mac{Comment: strings.Repeat("x", vfs.MaxComment)}}
	b := m.Encode(nil, birth, changed)
	if len(b) != netatalkSize {
		t.Fatalf("%d bytes", len(b))
	}
	got, ok := DecodeMac(b)
	if !ok || got.Comment != m.Comment || got.Created.Unix() != birth.Unix() || !got.Backup.IsZero() {
		t.Errorf("decoded as %+v, %v", got, ok)
	}
	if secs := int32(binary.BigEndian.Uint32(b[358:])); secs != -10 {
		t.Errorf("time of change is %d", secs)
	}
	if !got.Remembered() {
		t.Error("a comment is not worth remembering")
	}
	if got.Comment = ""; got.Remembered() {
		t.Error("times alone are worth remembering")
	}
	far := Mac{Mac: vfs.Mac{Created: time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC), Backup: time.Date(1601, 1, 1, 0, 0, 0, 0, time.UTC)}}
	got, _ = DecodeMac(far.Encode(nil, birth, birth))
	if got.Created.Year() != 2068 || got.Backup.Year() != 1931 {
		t.Errorf("far times became %v and %v", got.Created, got.Backup)
	}
}

func TestDecodeAfpInfo(t *testing.T) {
	const written = `
		41465000 00010000 00000000 # "AFP", version, nothing
		00000080                   # no backup
		5445585474747874 4000 010203040005 00000000000000000000000000000000
		000000000000000000000000 00` // and Samba's zero
	m, ok := DecodeAfpInfo(hexdump.Bytes(t, written))
	if want := (vfs.Mac{Finder: richFinder}); !ok || m.Mac != want {
		t.Errorf("%+v, %v", m, ok)
	}
	for text, backup := range map[string]time.Time{"80000000": {}, "00000bb8": time.Unix(macEpoch+3000, 0)} {
		m, ok := DecodeAfpInfo(hexdump.Bytes(t, strings.Replace(written, "00000080", text, 1)))
		if !ok || !m.Backup.Equal(backup) {
			t.Errorf("backup %s is read as %v, %v", text, m.Backup, ok)
		}
	}
	for _, bad := range []string{"", "41465000", strings.Replace(written, "4146", "4147", 1)} {
		if m, ok := DecodeAfpInfo(hexdump.Bytes(t, bad)); ok {
			t.Errorf("%q is taken for %+v", bad, m)
		}
	}
}

// doubleOf writes an AppleDouble file down: entries and what follows them.
func doubleOf(entries [][3]uint32, rest string) []byte {
	b := binary.BigEndian.AppendUint32(nil, doubleMagic)
	b = binary.BigEndian.AppendUint32(b, doubleVersion)
	b = append(b, "Mac OS X        "...)
	b = binary.BigEndian.AppendUint16(b, uint16(len(entries)))
	for _, e := range entries {
		for _, field := range e {
			b = binary.BigEndian.AppendUint32(b, field)
		}
	}
	return append(b, rest...)
}

func TestParseDoubleBelievesNothing(t *testing.T) {
	zeros := strings.Repeat("\x00", 100)
	for _, test := range []struct {
		name    string
		entries [][3]uint32
		ok      bool
	}{
		{"none", nil, true},
		{"Finder info and a fork", [][3]uint32{{9, 50, 32}, {2, 82, 50}}, true},
		{"a fork that is cut off", [][3]uint32{{9, 50, 32}, {2, 82, 5000}}, true},
		{"an empty part at the end", [][3]uint32{{9, 50, 32}, {2, 150, 0}}, true},
		{"Finder info behind the end", [][3]uint32{{9, 138, 32}, {2, 50, 5}}, false},
		{"a fork behind the end", [][3]uint32{{9, 50, 32}, {2, 5000, 5}}, false},
		{"an end that wraps around", [][3]uint32{{9, 0xffffffff, 0xffffffff}}, false},
		{"a length that wraps around", [][3]uint32{{9, 50, 0xffffffff}}, false},
		{"a part inside the head", [][3]uint32{{9, 20, 32}}, false},
		{"a part inside another", [][3]uint32{{9, 60, 32}, {2, 70, 50}}, false},
		{"a fork inside another part", [][3]uint32{{2, 70, 50}, {9, 60, 32}}, false},
		{"a part twice", [][3]uint32{{9, 50, 10}, {9, 60, 10}}, false},
		{"too many", make([][3]uint32, maxEntries+1), false},
	} {
		b := doubleOf(test.entries, zeros)
		if d, ok := parseDouble(b, int64(len(b))); ok != test.ok {
			t.Errorf("%s: %+v, %v", test.name, d, ok)
		}
	}
	whole := doubleOf([][3]uint32{{9, 50, 32}, {2, 82, 50}}, zeros)
	for n := range 50 {
		if _, ok := parseDouble(whole[:n], int64(n)); ok {
			t.Errorf("%d bytes are taken for a file", n)
		}
	}
	whole[0] = 1
	if _, ok := parseDouble(whole, int64(len(whole))); ok {
		t.Error("a wrong magic is taken for a file")
	}
}

func FuzzDecodeMac(f *testing.F) {
	for _, test := range macTests {
		f.Add(hexdump.Bytes(f, test.data))
	}
	f.Add(doubleOf([][3]uint32{{9, 50, 32}, {2, 82, 50}}, strings.Repeat("x", 100)))
	f.Fuzz(func(t *testing.T, b []byte) {
		DecodeAfpInfo(b)
		m, ok := DecodeMac(b)
		if !ok {
			return
		}
		if len(m.Comment) > vfs.MaxComment || m.Attr&^vfs.MacStored != 0 {
			t.Errorf("decoded %+v", m)
		}
		again, ok := DecodeMac(m.Encode(nil, m.Created, m.Created))
		if m.Created.IsZero() || strings.HasPrefix(m.Comment, "\x00") || strings.HasSuffix(m.Comment, "\x00") || m.modified == 0 || m.accessed == 0 {
			return // what is not set is written
		}
		if !ok || again != m {
			t.Errorf("%+v is written as %+v", m, again)
		}
	})
}
