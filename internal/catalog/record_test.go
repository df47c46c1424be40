package catalog

import (
	"bytes"
	"encoding/hex"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/vfs"
)

var testTag = tag{0xa0, 1, 2, 3, 4, 5, 6, 7}

// TestFormat holds the bytes on the disk, which must never change within a version.
func TestFormat(t *testing.T) {
	i := Identity{0xee, 15: 0xff}
	got := appendFrames(appendHeader(nil, 3, testTag), testTag, 0x01020304, []Entry{
		{ID: 17, Identity: i, Parent: 2, Name: "ab", Type: vfs.TypeDir},
		{ID: 18},
	})
	want := strings.Join([]string{
		"646f7a6f69647300 01000000 03000000", // "dozoids", version, number
		"a001020304050607 00000000 8511a9f6", // tag, zero, checksum
		"a001020304050607 23000000",          // tag, size
		"04030201 e7be6782",                  // ceiling, checksum
		"01 11000000 02000000 02",            // an entry: id, parent, type
		"ee0000000000000000000000000000ff",   // identity
		"0200 6162",                          // name
		"02 12000000",                        // an end: id
	}, "")
	if want = strings.ReplaceAll(want, " ", ""); hex.EncodeToString(got) != want {
		t.Errorf("%x\nwant %s", got, want)
	}
}

// scanAll reads all frames of a log and returns the ids in them.
func scanAll(t testing.TB, b []byte) (ids []CNID, s *scan) {
	t.Helper()
	s = newScan(bytes.NewReader(b), testTag, 0)
	for {
		f, err := s.next()
		if err == io.EOF {
			return ids, s
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range f.entries {
			ids = append(ids, e.ID)
		}
	}
}

// TestScanStepsOverDamage changes each byte of a log, or cuts it there: no more
// than the frame of that byte is lost.
func TestScanStepsOverDamage(t *testing.T) {
	var b []byte
	var ends []int
	for n := range 6 {
		e := node(n, Root).Entry
		e.ID = CNID(n + 17)
		b = appendFrames(b, testTag, 99, []Entry{e})
		ends = append(ends, len(b))
	}
	for i := range b {
		hit := slices.IndexFunc(ends, func(end int) bool { return i < end })
		bad := bytes.Clone(b)
		bad[i] ^= 0x40
		ids, s := scanAll(t, bad)
		want := []CNID{17, 18, 19, 20, 21, 22}
		if want = slices.Delete(want, hit, hit+1); !slices.Equal(ids, want) || s.lost != int64(ends[0]) {
			t.Fatalf("byte %d: %d, %d bytes lost", i, ids, s.lost)
		}
		if ids, s := scanAll(t, b[:i]); len(ids) != hit || s.end != int64(hit*ends[0]) {
			t.Fatalf("cut at %d: %d, to %d", i, ids, s.end)
		}
	}
}

func FuzzScan(f *testing.F) {
	f.Add(appendFrames(nil, testTag, 5, []Entry{{ID: 17, Type: 1, Name: "x"}, {ID: 18}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		ids, s := scanAll(t, b)
		if s.lost > int64(len(b)) || s.end > int64(len(b)) || len(ids)*5 > len(b) {
			t.Errorf("%d ids, %d bytes lost, to %d of %d", len(ids), s.lost, s.end, len(b))
		}
		// What follows any bytes is found.
		whole := appendFrames(bytes.Clone(b), testTag, 5, []Entry{{ID: 1234}})
		if ids, _ := scanAll(t, whole); len(ids) == 0 || ids[len(ids)-1] != 1234 {
			if !bytes.Contains(b, testTag[:]) {
				t.Error("the frame behind was not found")
			}
		}
	})
}
