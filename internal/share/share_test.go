package share

import (
	"context"
	"net/netip"
	"reflect"
	"slices"
	"testing"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/vfs"
	"github.com/dozo-server/dozo/vfs/memfs"
)

var ctx = context.Background()

const (
	read       = vfs.ReadData | vfs.ReadAttr
	write      = vfs.WriteData
	everything = vfs.AllAccess
	shareAll   = ShareRead | ShareWrite | ShareDelete
)

// tester is a share over memfs with one user attached.
type tester struct {
	*testing.T
	fs    *memfs.FS
	share *Share
	tree  *Tree
}

func newTester(t *testing.T, o Options) *tester {
	t.Helper()
	fs := memfs.New()
	s := New(fs, o)
	return &tester{T: t, fs: fs, share: s, tree: attach(t, s, "alice")}
}

func attach(t *testing.T, s *Share, user string) *Tree {
	t.Helper()
	tree, err := s.Attach(&auth.Identity{User: user}, netip.Addr{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// file makes a file that holds its path.
func (t *tester) file(path string) {
	t.Helper()
	f, err := t.fs.Create(ctx, nil, path, vfs.CreateOptions{
		Access: everything, DOS: vfs.DOSArchive, HasMode: true, Mode: 0o755,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(ctx, []byte(path), 0); err != nil {
		t.Fatal(err)
	}
}

func (t *tester) folder(path string) {
	t.Helper()
	f, err := t.fs.Create(ctx, nil, path, vfs.CreateOptions{Directory: true})
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}

// set changes attributes behind the share's back.
func (t *tester) set(path string, s vfs.SetAttr) {
	t.Helper()
	f, err := t.fs.Open(ctx, nil, path, vfs.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.SetAttr(ctx, nil, s); err != nil {
		t.Fatal(err)
	}
}

// open opens what is there, sharing everything.
func (t *tester) open(path string, a vfs.Access) *Open {
	t.Helper()
	return t.do(OpenRequest{Path: path, Access: a, Share: shareAll, Disposition: OpenExisting})
}

func (t *tester) do(r OpenRequest) *Open {
	t.Helper()
	o, _, err := t.tree.Open(ctx, r)
	if err != nil {
		t.Fatalf("open %s: %v", r.Path, err)
	}
	return o
}

// refused sees that an open fails.
func (t *tester) refused(r OpenRequest, want vfs.Kind) {
	t.Helper()
	o, _, err := t.tree.Open(ctx, r)
	if err == nil {
		o.Close(ctx)
	}
	t.want("open "+r.Path, err, want)
}

func (t *tester) close(opens ...*Open) {
	t.Helper()
	for _, o := range opens {
		if err := o.Close(ctx); err != nil {
			t.Fatalf("close: %v", err)
		}
	}
}

func (t *tester) want(what string, err error, kind vfs.Kind) {
	t.Helper()
	if !vfs.IsKind(err, kind) {
		t.Errorf("%s: got %v, want %v", what, err, kind)
	}
}

func (t *tester) ok(what string, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

func (t *tester) exists(path string) bool {
	t.Helper()
	f, err := t.fs.Open(ctx, nil, path, vfs.OpenOptions{NoFollow: true})
	if err == nil {
		f.Close()
		return true
	}
	t.want("open "+path, err, vfs.KindNotExist)
	return false
}

// content returns what a file holds, as the FS has it.
func (t *tester) content(path string) string {
	t.Helper()
	f, err := t.fs.Open(ctx, nil, path, vfs.OpenOptions{Access: vfs.ReadData})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, 1000)
	n, _ := f.ReadAt(ctx, b, 0)
	return string(b[:n])
}

// empty sees that the table has forgotten everything.
func (t *tester) empty() {
	t.Helper()
	s := t.share
	rows := 0
	for i := range s.table.shards {
		rows += len(s.table.shards[i].rows)
	}
	if rows != 0 || s.table.opens.Load() != 0 || s.folders.Load() != 0 || s.doomed.Load() != 0 || s.doomedFolders.Load() != 0 {
		t.Errorf("left in the table: %d rows, %d opens, %d folders, %d and %d doomed", rows,
			s.table.opens.Load(), s.folders.Load(), s.doomed.Load(), s.doomedFolders.Load())
	}
}

func TestAttach(t *testing.T) {
	alice := &auth.Identity{User: "Alice", GroupNames: []string{"Staff", "users"}}
	guest := &auth.Identity{Guest: true}
	here := []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
	tests := []struct {
		name   string
		o      Options
		id     *auth.Identity
		may    bool
		change bool
	}{
		{"no lists", Options{}, alice, true, true},
		{"named", Options{Users: []string{"bob", "alice"}}, alice, true, true},
		{"others named", Options{Users: []string{"bob"}}, alice, false, false},
		{"in a group", Options{Groups: []string{"staff"}}, alice, true, true},
		{"in another group", Options{Groups: []string{"wheel"}}, alice, false, false},
		{"user or group", Options{Users: []string{"bob"}, Groups: []string{"STAFF"}}, alice, true, true},
		{"may look", Options{Users: []string{"bob"}, ReadOnlyUsers: []string{"ALICE"}}, alice, true, false},
		{"may look, in both lists", Options{Users: []string{"alice"}, ReadOnlyUsers: []string{"alice"}}, alice, true, false},
		{"others may look", Options{ReadOnlyUsers: []string{"bob"}}, alice, true, true},
		{"read-only", Options{ReadOnly: true}, alice, true, false},
		{"guest", Options{}, guest, false, false},
		{"guest may look", Options{Guest: GuestRead}, guest, true, false},
		{"guest may change", Options{Guest: GuestWrite}, guest, true, true},
		{"guest in a read-only share", Options{Guest: GuestWrite, ReadOnly: true}, guest, true, false},
		{"alone", Options{Only: "alice"}, alice, true, true},
		{"alone, and not in the list", Options{Only: "alice", Users: []string{"bob"}}, alice, false, false},
		{"another's", Options{Only: "bob", Users: []string{"alice"}}, alice, false, false},
		{"guest in a user's", Options{Only: "alice", Guest: GuestWrite}, guest, false, false},
		{"from there", Options{Hosts: auth.Hosts{Allow: here}}, alice, true, true},
		{"from elsewhere", Options{Hosts: auth.Hosts{Deny: here}}, alice, false, false},
		{"guest from elsewhere", Options{Guest: GuestWrite, Hosts: auth.Hosts{Deny: here}}, guest, false, false},
		{"guest where users are named", Options{Users: []string{""}}, guest, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tree, err := New(memfs.New(), tt.o).Attach(tt.id, netip.MustParseAddr("192.0.2.1"))
			if !tt.may {
				if !vfs.IsKind(err, vfs.KindAccess) {
					t.Errorf("Attach: %v, want access denied", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := !tree.ReadOnly(); got != tt.change {
				t.Errorf("may change = %v, want %v", got, tt.change)
			}
			if !tree.MaxAccess().Has(read) || tree.Caller().User != tt.id.User {
				t.Errorf("MaxAccess %#x, caller %+v", tree.MaxAccess(), tree.Caller())
			}
		})
	}
}

func TestInfo(tt *testing.T) {
	t := newTester(tt, Options{Name: "files"})
	t.file("f")
	o := t.do(OpenRequest{Path: "f", Access: read | vfs.WriteData | vfs.Delete, Share: ShareRead, Disposition: OpenExisting})
	ranges := []Range{{Offset: 0, Length: 10}, {Offset: 20, Length: 10, Exclusive: true}}
	t.ok("lock", o.Lock(ctx, ranges, false))
	t.ok("delete", o.SetDelete(ctx, true, 0))
	got := o.Info()
	if got.Opened.IsZero() {
		t.Error("no time")
	}
	got.Opened = OpenInfo{}.Opened
	slices.Reverse(ranges)
	want := OpenInfo{Path: "f", User: "alice", Access: read | vfs.WriteData | vfs.Delete, Share: ShareRead, Locks: 2, Ranges: ranges, Delete: true}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Info = %+v, want %+v", got, want)
	}
	if n := t.share.Opens(); n != 1 {
		t.Errorf("%d opens", n)
	}
	t.close(o)
	if n := t.share.Opens(); n != 0 {
		t.Errorf("%d opens after the close", n)
	}
	t.empty()
}

// TestReadOnly tries every way to change something in a share, and in a tree,
// that is read-only.
func TestReadOnly(tt *testing.T) {
	for _, c := range []struct {
		name string
		o    Options
		kind vfs.Kind
	}{
		{"share", Options{ReadOnly: true}, vfs.KindReadOnly},
		{"user", Options{ReadOnlyUsers: []string{"alice"}}, vfs.KindAccess},
	} {
		tt.Run(c.name, func(tt *testing.T) {
			t := newTester(tt, c.o)
			t.file("f")
			t.folder("d")
			for right := vfs.Access(1); right <= vfs.AllAccess; right <<= 1 {
				for _, path := range []string{"f", "d"} {
					if r := (OpenRequest{Path: path, Access: right, Share: shareAll, Disposition: OpenExisting}); right&vfs.Changing != 0 {
						t.refused(r, c.kind)
					} else if right&vfs.AllAccess != 0 {
						t.close(t.do(r))
					}
				}
			}
			for d := range OverwriteIf + 1 {
				for _, path := range []string{"f", "new"} {
					if r := (OpenRequest{Path: path, Access: read, Share: shareAll, Disposition: d}); d.overwrites() || d == Create || d == OpenIf && path == "new" {
						t.refused(r, c.kind)
					}
				}
			}
			t.refused(OpenRequest{Path: "new", Access: read, Directory: true, Disposition: OpenIf}, c.kind)
			t.refused(OpenRequest{Path: "f", Maximum: true, DeleteOnClose: true, Disposition: OpenExisting}, c.kind)

			o := t.do(OpenRequest{Path: "f", Maximum: true, Share: shareAll, Disposition: OpenExisting})
			if got := o.Granted() & vfs.Changing; got != 0 {
				t.Errorf("Maximum grants %#x", got)
			}
			if a, err := o.MaxAccess(ctx); err != nil || a&vfs.Changing != 0 {
				t.Errorf("MaxAccess = %#x, %v", a, err)
			}
			_, err := o.WriteAt(ctx, []byte("x"), 0)
			t.want("write", err, vfs.KindNotGranted)
			t.want("truncate", o.Truncate(ctx, 0), vfs.KindNotGranted)
			t.want("allocate", o.Allocate(ctx, 0), vfs.KindNotGranted)
			t.want("flush", o.Flush(ctx), vfs.KindNotGranted)
			for set := vfs.AttrSet(1); set <= vfs.SetChanged; set <<= 1 {
				t.want("setattr", o.SetAttr(ctx, vfs.SetAttr{Set: set}), vfs.KindNotGranted)
			}
			t.want("freeze", o.Freeze(ctx, vfs.SetModified), vfs.KindNotGranted)
			t.want("rename", o.Rename(ctx, "g", Replace), vfs.KindNotGranted)
			t.want("link", o.Link(ctx, "g", 0), c.kind)
			t.want("delete", o.SetDelete(ctx, true, 0), vfs.KindNotGranted)
			t.want("posix delete", o.SetDelete(ctx, true, DeletePOSIX), vfs.KindNotGranted)
			t.close(o)
			if !t.exists("f") || t.exists("new") || t.exists("g") || t.content("f") != "f" {
				t.Error("something changed")
			}
			t.empty()
		})
	}
}
