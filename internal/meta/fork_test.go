package meta

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/internal/hexdump"
	"github.com/dozo-server/dozo/vfs"
)

// blank is what Macs write for a fork that is not there.
func blank() string {
	return "\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x1e" + blankText + "   " +
		strings.Repeat("\x00", blankSize-blankAt-len(blankText)-3)
}

var forkTests = []struct {
	name   string
	data   []byte
	fork   string
	finder [32]byte
	bare   bool
	fixed  bool // no fork can be put in
}{
	{
		name: "netatalk 4.5.1",
		data: hexdump.Must(`
			00051607 00020000 4e65746174616c6b 2020202020202020 0002
			00000009 00000032 00000020 # Finder info
			00000002 00000052 0000000e # fork
			5445585474747874 4000 010203040005 00000000000000000000000000000000
			7265736f75726365206279746573`),
		fork: "resource bytes", finder: richFinder,
	},
	{
		name: "Samba 4.17.12, fruit:resource=file",
		data: hexdump.Must(`
			00051607 00020000 4e65746174616c6b 2020202020202020 0002
			00000002 00000052 0000000e # fork
			00000009 00000032 00000020 # Finder info
			0000000000000000 0000 000000000000 00000000000000000000000000000000
			7265736f75726365206279746573`),
		fork: "resource bytes", bare: true,
	},
	{
		name: "of a Mac, with attributes behind the Finder info and no fork",
		data: doubleOf([][3]uint32{{9, 50, 3760}, {2, 3810, 286}}, string(richFinder[:])+strings.Repeat("A", 3728)+blank()),
		fork: "", finder: richFinder,
	},
	{
		name: "of a Mac, with a fork that is one byte from none",
		data: doubleOf([][3]uint32{{9, 50, 32}, {2, 82, 286}}, string(richFinder[:])+strings.Replace(blank(), "left", "kept", 1)),
		fork: strings.Replace(blank(), "left", "kept", 1), finder: richFinder,
	},
	{
		name: "a fork in front of other parts",
		data: doubleOf([][3]uint32{{2, 62, 4}, {9, 70, 32}, {4, 102, 3}}, "fork...."+string(richFinder[:])+"abc"),
		fork: "fork", finder: richFinder,
	},
	{
		name: "a fork that is cut off",
		data: doubleOf([][3]uint32{{9, 50, 0}, {2, 50, 400}}, "forks"+strings.Repeat(".", 7)),
		fork: "forks" + strings.Repeat(".", 7), bare: true,
	},
	{
		name: "something behind the fork that nobody knows of",
		data: doubleOf([][3]uint32{{9, 50, 0}, {2, 62, 4}}, strings.Repeat("\x00", 12)+"forkrest"),
		fork: "fork", bare: true,
	},
	{
		name: "room for a fork in the head",
		data: doubleOf([][3]uint32{{9, 50, 32}}, strings.Repeat("\x00", 12)+string(richFinder[:])),
		fork: "", finder: richFinder,
	},
	{
		name: "no room for a fork in the head",
		data: doubleOf([][3]uint32{{9, 38, 32}}, string(richFinder[:])),
		fork: "", finder: richFinder, fixed: true,
	},
	{name: "no parts", data: doubleOf(nil, ""), bare: true},
}

func openFork(t testing.TB, data []byte) (*disk.Node, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "._f")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := disk.OpenRoot(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	n, err := root.Open(nil, "._f", disk.How{Flags: disk.Read | disk.Write})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Close() })
	return n, path
}

// contentOf returns all of a fork.
func contentOf(t testing.TB, f *Fork) string {
	t.Helper()
	b := make([]byte, f.Size()+10)
	n, err := f.ReadAt(b, 0)
	if !errors.Is(err, io.EOF) {
		t.Fatalf("read to the end: %v", err)
	}
	return string(b[:n])
}

func TestFork(t *testing.T) {
	for _, test := range forkTests {
		t.Run(test.name, func(t *testing.T) {
			n, path := openFork(t, test.data)
			f, err := OpenFork(n)
			if err != nil {
				t.Fatal(err)
			}
			if got := contentOf(t, f); got != test.fork {
				t.Errorf("the fork is %q, want %q", got, test.fork)
			}
			if got, err := f.Finder(); err != nil || got != test.finder || f.Bare() != test.bare {
				t.Errorf("Finder info %x, %v; bare: %v", got, err, f.Bare())
			}
			if test.fixed {
				if _, err := f.WriteAt([]byte("x"), 0); !vfs.IsKind(err, vfs.KindUnsupported) {
					t.Errorf("write: %v", err)
				}
				return
			}
			model := forkModel{t, f, []byte(test.fork)}
			model.write("0123456789", len(test.fork)+20)
			model.write("abc", 1)
			model.truncate(7)
			model.truncate(400)
			model.write("end", 399)
			again, err := OpenFork(n)
			if err != nil {
				t.Fatal(err)
			}
			if got := contentOf(t, again); got != string(model.want) {
				t.Errorf("opened again the fork is %q, want %q", got, model.want)
			}
			if got, err := again.Finder(); err != nil || got != test.finder {
				t.Errorf("Finder info became %x, %v", got, err)
			}
			if err := again.ClearFinder(); err != nil {
				t.Error(err)
			}
			if got, err := again.Finder(); err != nil || got != ([32]byte{}) {
				t.Errorf("Finder info cleared is %x, %v", got, err)
			}
			if strings.Contains(test.name, "behind the Finder info") {
				now, err := os.ReadFile(path)
				if err != nil || !bytes.Equal(now[82:3810], test.data[82:3810]) {
					t.Errorf("the attributes changed, %v", err)
				}
			}
		})
	}
}

// forkModel does to a slice of bytes what it does to a fork.
type forkModel struct {
	t    *testing.T
	f    *Fork
	want []byte
}

func (m *forkModel) write(s string, off int) {
	m.t.Helper()
	if n, err := m.f.WriteAt([]byte(s), int64(off)); n != len(s) || err != nil {
		m.t.Fatalf("write %d at %d: %d, %v", len(s), off, n, err)
	}
	m.want = append(m.want, make([]byte, max(0, off+len(s)-len(m.want)))...)
	copy(m.want[off:], s)
	m.check()
}

func (m *forkModel) truncate(size int) {
	m.t.Helper()
	if err := m.f.Truncate(int64(size)); err != nil {
		m.t.Fatal(err)
	}
	kept := m.want[:min(size, len(m.want))]
	m.want = append(kept[:len(kept):len(kept)], make([]byte, size-len(kept))...)
	m.check()
}

func (m *forkModel) check() {
	m.t.Helper()
	if got := contentOf(m.t, m.f); got != string(m.want) {
		m.t.Fatalf("the fork is %q, want %q", got, m.want)
	}
}

func TestMakeFork(t *testing.T) {
	n, path := openFork(t, nil)
	if _, err := OpenFork(n); !vfs.IsKind(err, vfs.KindInvalid) {
		t.Errorf("an empty file is a fork: %v", err)
	}
	f, err := MakeFork(n)
	if err != nil {
		t.Fatal(err)
	}
	if f.Size() != 0 || !f.Bare() {
		t.Errorf("a new fork has %d bytes, bare: %v", f.Size(), f.Bare())
	}
	m := forkModel{t, f, nil}
	m.write("resource bytes", 0)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// netatalk's, but for the Finder info, which it copies.
	want := bytes.Clone(forkTests[0].data)
	clear(want[50:82])
	if !bytes.Equal(b, want) {
		t.Errorf("wrote\n%x, want\n%x", b, want)
	}
	if _, err := f.WriteAt([]byte("x"), 1<<32); !vfs.IsKind(err, vfs.KindTooLarge) {
		t.Errorf("write behind the end of all offsets: %v", err)
	}
}

// A head without room for a fork is no reason not to empty what isn't there: whoever
// overwrites a file does that.
func TestEmptyForkInFullHead(t *testing.T) {
	head := newFork()[:doubleHeader]
	binary.BigEndian.PutUint16(head[doubleHeader-2:], 1)
	for _, field := range [...]uint32{idFinder, doubleHeader + doubleEntry, finderSize} {
		head = binary.BigEndian.AppendUint32(head, field)
	}
	data := append(head, make([]byte, finderSize)...)
	n, path := openFork(t, data)
	f, err := OpenFork(n)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(0); err != nil || !f.Bare() {
		t.Errorf("emptied: %v, bare: %v", err, f.Bare())
	}
	if err := f.Truncate(1); !vfs.IsKind(err, vfs.KindUnsupported) {
		t.Errorf("a fork that has no room: %v", err)
	}
	if b, err := os.ReadFile(path); err != nil || !bytes.Equal(b, data) {
		t.Errorf("left is\n%x, %v", b, err)
	}
}

func FuzzFork(f *testing.F) {
	for _, test := range forkTests {
		f.Add(test.data)
	}
	// An empty part where the entry of a fork would have to go.
	f.Add([]byte("\x00\x05\x16\a\x00\x02000000000000000000\x00\x010000\x00\x00\x00&\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		n, path := openFork(t, data)
		fork, err := OpenFork(n)
		if err != nil {
			return
		}
		want := contentOf(t, fork)
		if len(want) > len(data) {
			t.Fatalf("a fork of %d bytes in a file of %d", len(want), len(data))
		}
		text, off := "written", rand.IntN(2*len(want)+10)
		if _, err := fork.WriteAt([]byte(text), int64(off)); err != nil {
			if !vfs.IsKind(err, vfs.KindUnsupported) {
				t.Fatal(err)
			}
			return
		}
		model := append([]byte(want), make([]byte, max(0, off+len(text)-len(want)))...)
		copy(model[off:], text)
		if again, err := OpenFork(n); err != nil || contentOf(t, again) != string(model) {
			t.Fatalf("after a write of 7 at %d the fork of %q is %v", off, want, err)
		}
		if st, err := os.Stat(path); err != nil || st.Size() > int64(2*len(data)+2*len(model)+300) {
			t.Fatalf("the file of %d bytes became %v, %v", len(data), st.Size(), err)
		}
	})
}
