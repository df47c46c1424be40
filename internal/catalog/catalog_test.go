package catalog

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/dozo-server/dozo/vfs"
)

// ident makes an identity of a number.
func ident(n int) (i Identity) {
	binary.BigEndian.PutUint64(i[:], uint64(n)*0x9e3779b97f4a7c15)
	binary.BigEndian.PutUint64(i[8:], uint64(n))
	return i
}

// node is a file that a listing of the folder parent may find.
func node(n int, parent CNID) Found {
	return Found{Entry: Entry{Identity: ident(n), Parent: parent, Name: fmt.Sprintf("file-%06d.jpg", n), Type: vfs.TypeFile}}
}

func nodes(from, to int, parent CNID) []Found {
	var all []Found
	for n := from; n < to; n++ {
		all = append(all, node(n, parent))
	}
	return all
}

func open(t testing.TB, folder string, o Options) *Catalog {
	t.Helper()
	c, err := Open(t.Context(), folder, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func folder(t testing.TB) string { return filepath.Join(t.TempDir(), "catalog") }

// give gives ids to nodes and returns them.
func give(t testing.TB, c *Catalog, nodes ...Found) []CNID {
	t.Helper()
	if err := c.Give(t.Context(), nodes); err != nil {
		t.Fatal(err)
	}
	ids := make([]CNID, len(nodes))
	for i := range nodes {
		ids[i] = nodes[i].ID
	}
	return ids
}

func TestIDsAreGivenOnceAndStay(t *testing.T) {
	dir := folder(t)
	c := open(t, dir, Options{})
	ids := give(t, c, nodes(0, 100, Root)...)
	for i, id := range ids {
		if id != First+CNID(i) {
			t.Fatalf("the %dth id is %d", i, id)
		}
	}
	check := func(c *Catalog) {
		t.Helper()
		for i, id := range give(t, c, nodes(0, 100, Root)...) {
			if id != ids[i] {
				t.Fatalf("%d became %d", ids[i], id)
			}
		}
		for i, id := range ids {
			want := node(i, Root).Entry
			want.ID = id
			if e, err := c.Entry(t.Context(), id); e != want || err != nil {
				t.Fatalf("Entry(%d) = %+v, %v", id, e, err)
			}
			if e, err := c.Find(t.Context(), want.Identity); e != want || err != nil {
				t.Fatalf("Find = %+v, %v", e, err)
			}
		}
	}
	check(c)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	c = open(t, dir, Options{})
	check(c)
	if next := give(t, c, node(100, Root))[0]; next != First+100 {
		t.Errorf("after a clean stop comes %d", next)
	}
}
