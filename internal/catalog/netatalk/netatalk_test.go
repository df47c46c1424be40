package netatalk

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/catalog"
	"github.com/dozo-server/dozo/vfs"
)

func collect(t *testing.T, records iter.Seq2[Record, error]) []Record {
	t.Helper()
	var all []Record
	for r, err := range records {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// TestDBD reads what Debian's db5.3_load made: three trees, as in netatalk's file,
// of 60 records.
func TestDBD(t *testing.T) {
	data, err := os.ReadFile("testdata/cnid2.db")
	if err != nil {
		t.Fatal(err)
	}
	all := collect(t, DBD(bytes.NewReader(data)))
	slices.SortFunc(all, func(a, b Record) int { return int(a.ID) - int(b.ID) })
	if len(all) != 60 {
		t.Fatalf("%d records", len(all))
	}
	for i, r := range all {
		want := Record{ID: catalog.CNID(17 + i), Parent: catalog.CNID(17 + i%3), Name: fmt.Sprintf("Bild %d ä.jpg", i), Dev: 0xfe00, Ino: uint64(1000 + i)}
		if i < 3 {
			want.Parent, want.Name, want.Folder = 2, fmt.Sprint("Folder ", i), true
		}
		if r != want {
			t.Errorf("%+v, want %+v", r, want)
		}
	}
	for _, bad := range [][]byte{nil, data[:100], bytes.Repeat([]byte{7}, 5000)} {
		for r, err := range DBD(bytes.NewReader(bad)) {
			if err == nil {
				t.Errorf("read %+v from %d bytes", r, len(bad))
			}
		}
	}
}

func FuzzDBD(f *testing.F) {
	data, err := os.ReadFile("testdata/cnid2.db")
	if err != nil {
		f.Fatal(err)
	}
	for off := 512; off < len(data); off += 512 {
		if data[off+25] == leafPage {
			f.Add(slices.Concat(data[:512], data[off:off+512]))
			break
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for r, err := range DBD(bytes.NewReader(data)) {
			if err == nil && (r.ID == 0 || len(r.Name) > len(data)) {
				t.Errorf("%+v", r)
			}
		}
	})
}

// sqliteFile makes a database as netatalk's, with two volumes.
func sqliteFile(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "Photos?#.sqlite")
	db, err := sql.Open("sqlite", "file:"+strings.NewReplacer("?", "%3f", "#", "%23").Replace(name))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	table := `("Id" INTEGER PRIMARY KEY AUTOINCREMENT, "Name" VARCHAR(255) NOT NULL, "Did" INTEGER NOT NULL,
		"DevNo" INTEGER NOT NULL, "InodeNo" INTEGER NOT NULL, UNIQUE("Did", "Name"), UNIQUE("DevNo", "InodeNo"))`
	for _, s := range []string{
		`PRAGMA journal_mode=WAL`,
		`CREATE TABLE volumes (VolUUID CHAR(36) PRIMARY KEY, VolPath TEXT, Stamp BINARY(8), Depleted INT)`,
		`INSERT INTO volumes VALUES ('0123ABCD-0123-4567-89ab-0123456789ab', '/srv', '', 0), ('ffffffff-0123-4567-89ab-0123456789ab', '/b', '', 0)`,
		`CREATE TABLE "0123ABCD0123456789ab0123456789ab" ` + table,
		`CREATE TABLE "ffffffff0123456789ab0123456789ab" ` + table,
		`INSERT INTO "0123ABCD0123456789ab0123456789ab" VALUES (17, 'Photos', 2, 64768, 500), (18, 'ä.jpg', 17, 64768, 501), (4294967290, 'b', 17, 64768, -2)`,
	} {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return name
}

func TestSQLite(t *testing.T) {
	name := sqliteFile(t)
	got := collect(t, SQLite(t.Context(), name, "0123abcd-0123-4567-89AB-0123456789AB"))
	want := []Record{
		{ID: 17, Parent: 2, Name: "Photos", Dev: 64768, Ino: 500},
		{ID: 18, Parent: 17, Name: "ä.jpg", Dev: 64768, Ino: 501},
		{ID: 4294967290, Parent: 17, Name: "b", Dev: 64768, Ino: 1<<64 - 2},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	for _, uuid := range []string{"", "0123abcd", `x" --`} {
		for r, err := range SQLite(t.Context(), name, uuid) {
			if err == nil {
				t.Errorf("of %q: %+v", uuid, r)
			}
		}
	}
}

// metadata makes an attribute as afpd writes it.
func metadata(id uint32, ino uint64) []byte {
	b := make([]byte, 402)
	copy(b, "\x00\x05\x16\x07\x00\x02\x00\x02")
	b[25] = 8
	for i, e := range [][3]uint32{{4, 154, 200}, {8, 354, 16}, {9, 122, 32}, {14, 370, 4},
		{0x80444556, 374, 8}, {0x80494e4f, 382, 8}, {0x8053594e, 390, 8}, {0x8053567e, 398, 4}} {
		for k, v := range e {
			binary.BigEndian.PutUint32(b[26+12*i+4*k:], v)
		}
	}
	binary.LittleEndian.PutUint64(b[374:], 0xfe00)
	binary.LittleEndian.PutUint64(b[382:], ino)
	binary.LittleEndian.PutUint32(b[398:], id)
	return b
}

func TestReadHint(t *testing.T) {
	b := metadata(17, 501)
	if h := ReadHint(b); h != (Hint{17, 0xfe00, 501}) {
		t.Errorf("%+v", h)
	}
	apple := metadata(17, 501)
	apple[7] = 0
	for _, b := range [][]byte{nil, b[:25], b[:60], apple} {
		if h := ReadHint(b); h != (Hint{}) {
			t.Errorf("of %d bytes: %+v", len(b), h)
		}
	}
}

func TestConf(t *testing.T) {
	got, err := Signatures(strings.NewReader("# comment\n\n\"My \"server\"\t 00112233445566778899AABBCCDDEEFF\r\n"))
	if want := [16]byte{0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff}; got[`My "server`] != want || len(got) != 1 || err != nil {
		t.Errorf("%x, %v", got, err)
	}
	uuids, err := VolumeUUIDs(strings.NewReader(`"Time Machine" 0123ABCD-0123-4567-89AB-0123456789AB`))
	if want := [16]byte{1, 0x23, 0xab, 0xcd, 1, 0x23, 0x45, 0x67, 0x89, 0xab, 1, 0x23, 0x45, 0x67, 0x89, 0xab}; uuids["Time Machine"] != want || err != nil {
		t.Errorf("%x, %v", uuids, err)
	}
	for _, bad := range []string{`"x`, `"x" 12`, `"x" ` + strings.Repeat("g", 36)} {
		if got, err := VolumeUUIDs(strings.NewReader(bad)); err == nil {
			t.Errorf("%q: %x", bad, got)
		}
	}
}

// TestMatch moves a volume to a catalog.
func TestMatch(t *testing.T) {
	records := []Record{
		{ID: 17, Parent: 2, Name: "Photos", Ino: 500},
		{ID: 18, Parent: 17, Name: "same.jpg", Ino: 501},
		{ID: 19, Parent: 17, Name: "moved.jpg", Ino: 502},
		{ID: 20, Parent: 17, Name: "replaced.jpg", Ino: 503},
		{ID: 21, Parent: 17, Name: "restored.jpg", Ino: 504},
		{ID: 23, Parent: 17, Name: "deleted.jpg", Ino: 506},
	}
	ident := func(n int) (i catalog.Identity) { i[0] = byte(n); return i }
	see := func(n int, name string, folder int, ino uint64, h Hint) Seen {
		s := Seen{Entry: catalog.Entry{Identity: ident(n), Name: name, Type: vfs.TypeFile}, Ino: ino, Hint: h}
		if folder > 0 {
			s.Folder = ident(folder)
		}
		return s
	}
	walk := []Seen{
		see(1, "Photos", 0, 500, Hint{}),
		see(2, "same.jpg", 1, 501, Hint{}),
		see(3, "elsewhere.jpg", 1, 502, Hint{ID: 19}),
		see(4, "replaced.jpg", 1, 900, Hint{}),                     // another file
		see(5, "restored.jpg", 1, 901, Hint{ID: 21}),               // the same, from a backup
		see(6, "unrecorded.jpg", 1, 505, Hint{ID: 40, Ino: 505}),   // the database was lost in part
		see(7, "copy.jpg", 1, 902, Hint{ID: 41, Ino: 505}),         // brought the attribute of another
		see(8, "copy of same.jpg", 1, 903, Hint{ID: 18, Ino: 501}), // so did this
		see(9, "inode again.jpg", 1, 506, Hint{}),                  // the inode of what was deleted
		see(10, "double.jpg", 1, 505, Hint{ID: 40, Ino: 505}),      // a further name
	}
	seq := func(yield func(Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
	entries, err := Match(seq, func(yield func(Seen, error) bool) {
		for _, s := range walk {
			if !yield(s, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	got := map[int]catalog.CNID{}
	for _, e := range entries {
		got[int(e.Identity[0])] = e.ID
		if parent := catalog.CNID(17); e.ID != 17 && e.Parent != parent || e.ID == 17 && e.Parent != catalog.Root {
			t.Errorf("the parent of %d is %d", e.ID, e.Parent)
		}
	}
	want := map[int]catalog.CNID{1: 17, 2: 18, 3: 19, 5: 21, 6: 40}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}

	c, err := catalog.Open(t.Context(), filepath.Join(t.TempDir(), "c"), catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	taken, err := c.Import(t.Context(), entries, func(e catalog.Entry, why catalog.Refused) { t.Errorf("%+v is refused: %d", e, why) })
	if taken != len(want) || err != nil {
		t.Fatalf("Import = %d, %v", taken, err)
	}
	for _, e := range entries {
		if found, err := c.Find(t.Context(), e.Identity); found != e || err != nil {
			t.Errorf("%+v, %v, want %+v", found, err, e)
		}
	}
}
