package share

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/vfs"
	"github.com/dozo-server/dozo/vfs/memfs"
)

func TestDispositions(tt *testing.T) {
	const none = vfs.Kind(255)
	tests := []struct {
		d         Disposition
		there     Action
		thereErr  vfs.Kind
		absent    Action
		absentErr vfs.Kind
		emptied   bool
	}{
		{Supersede, Superseded, none, Created, none, true},
		{OpenExisting, Opened, none, 0, vfs.KindNotExist, false},
		{Create, 0, vfs.KindExist, Created, none, false},
		{OpenIf, Opened, none, Created, none, false},
		{Overwrite, Overwritten, none, 0, vfs.KindNotExist, true},
		{OverwriteIf, Overwritten, none, Created, none, true},
	}
	for _, c := range tests {
		tt.Run(fmt.Sprint(c.d), func(tt *testing.T) {
			t := newTester(tt, Options{})
			t.file("there")
			for _, path := range []string{"there", "absent"} {
				want, wantErr := c.there, c.thereErr
				if path == "absent" {
					want, wantErr = c.absent, c.absentErr
				}
				o, got, err := t.tree.Open(ctx, OpenRequest{Path: path, Access: read, Share: shareAll, Disposition: c.d})
				if wantErr != none {
					t.want(path, err, wantErr)
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if got != want {
					t.Errorf("%s: action %d, want %d", path, got, want)
				}
				emptied := c.emptied || path == "absent"
				if o.AttrAtOpen().Size == 0 != emptied || t.content(path) == "" != emptied {
					t.Errorf("%s holds %q, size at open %d", path, t.content(path), o.AttrAtOpen().Size)
				}
				if dos := o.AttrAtOpen().DOS; dos != vfs.DOSArchive {
					t.Errorf("%s has DOS attributes %#x", path, dos)
				}
				t.close(o)
			}
			t.empty()
		})
	}
}

// TestOpenExistingRules has what [MS-FSA] 2.1.5.1 says of what is there.
func TestOpenRules(tt *testing.T) {
	const (
		success = vfs.Kind(255)
		hidden  = vfs.DOSHidden
		system  = vfs.DOSSystem
		locked  = vfs.DOSReadOnly
	)
	tests := []struct {
		name string
		dos  vfs.DOSAttr // of "f" and "d"
		r    OpenRequest
		want vfs.Kind
	}{
		{"folder wanted", 0, OpenRequest{Path: "f", Access: read, Disposition: OpenExisting, Directory: true}, vfs.KindNotDir},
		{"no folder wanted", 0, OpenRequest{Path: "d", Access: read, Disposition: OpenExisting, NonDirectory: true}, vfs.KindIsDir},
		{"both wanted", 0, OpenRequest{Path: "d", Access: read, Disposition: OpenExisting, NonDirectory: true, Directory: true}, vfs.KindInvalid},
		{"unknown disposition", 0, OpenRequest{Path: "f", Access: read, Disposition: 6}, vfs.KindInvalid},
		{"overwrite of a folder", 0, OpenRequest{Path: "d", Access: read, Disposition: OverwriteIf}, vfs.KindExist},
		{"supersede of a folder", 0, OpenRequest{Path: "d", Access: read, Disposition: Supersede, NonDirectory: true}, vfs.KindIsDir},
		{"folder to overwrite with", 0, OpenRequest{Path: "x", Access: read, Disposition: OverwriteIf, Directory: true}, vfs.KindInvalid},
		{"folder to supersede with", 0, OpenRequest{Path: "x", Access: read, Disposition: Supersede, Directory: true}, vfs.KindInvalid},
		{"temporary folder", 0, OpenRequest{Path: "x", Access: read, Disposition: Create, Directory: true, DOS: vfs.DOSTemporary}, vfs.KindInvalid},
		{"missing folder on the way", 0, OpenRequest{Path: "x/y", Access: read, Disposition: OpenIf}, vfs.KindPathNotExist},

		{"write to a read-only file", locked, OpenRequest{Path: "f", Access: write, Disposition: OpenExisting}, vfs.KindAccess},
		{"append to a read-only file", locked, OpenRequest{Path: "f", Access: vfs.AppendData, Disposition: OpenIf}, vfs.KindAccess},
		{"new file in a read-only folder", locked, OpenRequest{Path: "d", Access: vfs.AddFile, Disposition: OpenExisting}, success},
		{"read of a read-only file", locked, OpenRequest{Path: "f", Access: read, Disposition: OpenExisting}, success},
		{"attributes of a read-only file", locked, OpenRequest{Path: "f", Access: vfs.WriteAttr | vfs.Delete, Disposition: OpenExisting}, success},
		{"overwrite of a read-only file", locked, OpenRequest{Path: "f", Access: read, Disposition: Overwrite, DOS: locked}, vfs.KindAccess},
		{"supersede of a read-only file", locked, OpenRequest{Path: "f", Access: read, Disposition: Supersede, DOS: locked}, vfs.KindAccess},
		{"delete on close of a read-only file", locked, OpenRequest{Path: "f", Access: vfs.Delete, Disposition: OpenExisting, DeleteOnClose: true}, vfs.KindCannotDelete},
		{"delete on close of a new read-only file", 0, OpenRequest{Path: "x", Access: vfs.Delete, Disposition: Create, DeleteOnClose: true, DOS: locked}, vfs.KindCannotDelete},
		{"delete on close without the right", 0, OpenRequest{Path: "f", Access: read, Disposition: OpenExisting, DeleteOnClose: true}, vfs.KindInvalid},
		{"delete on close of the root", 0, OpenRequest{Path: "", Access: vfs.ListDir, Maximum: true, Disposition: OpenExisting, DeleteOnClose: true}, vfs.KindCannotDelete},
		{"writing a new read-only file", 0, OpenRequest{Path: "x", Access: write, Disposition: Create, DOS: locked}, success},

		{"overwrite of a hidden file", hidden, OpenRequest{Path: "f", Access: read, Disposition: Overwrite}, vfs.KindAccess},
		{"overwrite of a hidden file as system", hidden, OpenRequest{Path: "f", Access: read, Disposition: Overwrite, DOS: system}, vfs.KindAccess},
		{"overwrite of a hidden file as hidden", hidden, OpenRequest{Path: "f", Access: read, Disposition: Overwrite, DOS: hidden}, success},
		{"overwrite of a system file", system, OpenRequest{Path: "f", Access: read, Disposition: OverwriteIf}, vfs.KindAccess},
		{"overwrite of a system file as all", system, OpenRequest{Path: "f", Access: read, Disposition: OverwriteIf, DOS: hidden | system}, success},
		{"open of a hidden file", hidden, OpenRequest{Path: "f", Access: write, Disposition: OpenIf}, success},
		{"overwrite as hidden", 0, OpenRequest{Path: "f", Access: read, Disposition: Supersede, DOS: hidden}, success},
	}
	for _, c := range tests {
		tt.Run(c.name, func(tt *testing.T) {
			t := newTester(tt, Options{})
			t.file("f")
			t.folder("d")
			t.set("f", vfs.SetAttr{Set: vfs.SetDOS, DOS: c.dos})
			t.set("d", vfs.SetAttr{Set: vfs.SetDOS, DOS: c.dos})
			o, _, err := t.tree.Open(ctx, c.r)
			if c.want != success {
				t.want("open", err, c.want)
				if t.content("f") != "f" {
					t.Error("the file was emptied")
				}
				if t.exists("x") {
					t.Error("a new one was made")
				}
				t.empty()
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if c.r.Disposition.overwrites() {
				want := c.r.DOS | vfs.DOSArchive
				if got := o.AttrAtOpen().DOS; got != want {
					t.Errorf("DOS attributes %#x, want %#x", got, want)
				}
			}
			t.close(o)
			t.empty()
		})
	}
}

// Who may not write a file may not empty it either, whatever the open is for
// (CVE-2023-4091).
func TestOverwriteNeedsTheRightToWrite(tt *testing.T) {
	for _, d := range []Disposition{Supersede, Overwrite, OverwriteIf} {
		t := newTester(tt, Options{})
		t.file("f")
		t.set("f", vfs.SetAttr{Set: vfs.SetMode, Mode: 0o444})
		t.refused(OpenRequest{Path: "f", Access: read, Share: shareAll, Disposition: d}, vfs.KindAccess)
		if t.content("f") != "f" {
			t.Errorf("disposition %d emptied the file", d)
		}
	}
}

// The right to write is asked for emptying only, and not granted.
func TestOverwriteGrantsNoMoreThanAskedFor(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	o := t.do(OpenRequest{Path: "f", Access: read, Share: shareAll, Disposition: Overwrite})
	if got := o.Granted(); got != read {
		t.Errorf("Granted = %#x", got)
	}
	_, err := o.WriteAt(ctx, []byte("x"), 0)
	t.want("write", err, vfs.KindNotGranted)
	t.close(o)
}

func TestMaximumOfReadOnlyFile(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	t.set("f", vfs.SetAttr{Set: vfs.SetDOS, DOS: vfs.DOSReadOnly})
	o := t.do(OpenRequest{Path: "f", Maximum: true, Share: shareAll, Disposition: OpenExisting})
	if got := o.Granted(); got&(vfs.WriteData|vfs.AppendData) != 0 || !got.Has(read|vfs.Delete|vfs.WriteAttr) {
		t.Errorf("Granted = %#x", got)
	}
	t.close(o)
}

func TestShareModes(tt *testing.T) {
	const look = vfs.ReadAttr | vfs.WriteAttr | vfs.Synchronize | vfs.ReadControl
	tests := []struct {
		name        string
		access1     vfs.Access
		share1      Mode
		access2     vfs.Access
		share2      Mode
		disposition Disposition
		ok          bool
	}{
		{"readers", read, ShareRead, read, ShareRead, OpenExisting, true},
		{"second shares nothing", read, ShareRead, read, 0, OpenExisting, false},
		{"writer beside one who shares reading", read, ShareRead, write, shareAll, OpenExisting, false},
		{"appender", read, ShareRead, vfs.AppendData, shareAll, OpenExisting, false},
		{"executer", read, ShareRead, vfs.Execute, ShareRead, OpenExisting, true},
		{"deleter", read, ShareRead | ShareWrite, vfs.Delete, shareAll, OpenExisting, false},
		{"deleter of what is shared for it", read, shareAll, vfs.Delete, ShareRead, OpenExisting, true},
		{"attributes beside one who shares nothing", everything, 0, look, 0, OpenExisting, true},
		{"extended attributes beside one who shares nothing", everything, 0, vfs.ReadXattr | vfs.WriteXattr, 0, OpenExisting, true},
		{"overwrite by a reader", read, ShareRead, read, shareAll, Overwrite, false},
		{"overwrite for attributes", read, ShareRead, look, shareAll, OverwriteIf, false},
		{"overwrite for attributes of what is shared", read, ShareRead | ShareWrite, look, ShareRead, Supersede, true},
	}
	for _, c := range tests {
		tt.Run(c.name, func(tt *testing.T) {
			t := newTester(tt, Options{})
			t.file("f")
			first := OpenRequest{Path: "f", Access: c.access1, Share: c.share1, Disposition: OpenExisting}
			second := OpenRequest{Path: "f", Access: c.access2, Share: c.share2, Disposition: c.disposition}
			try := func(a, b OpenRequest, ok bool) {
				t.Helper()
				o := t.do(a)
				if !ok {
					t.refused(b, vfs.KindSharing)
					if t.content("f") != "f" {
						t.Error("a refused open emptied the file")
					}
				} else {
					t.close(t.do(b))
				}
				t.close(o)
				t.close(t.do(b))
				t.empty()
			}
			try(first, second, c.ok)
			if c.disposition == OpenExisting {
				try(second, first, c.ok) // the rule is the same the other way round
			}
		})
	}
}

// A new file is shared like any other, from its first moment.
func TestShareModesOfNewFile(tt *testing.T) {
	t := newTester(tt, Options{})
	o := t.do(OpenRequest{Path: "f", Access: write, Share: 0, Disposition: Create})
	t.refused(OpenRequest{Path: "F", Access: read, Share: shareAll, Disposition: OpenIf}, vfs.KindSharing)
	t.refused(OpenRequest{Path: "F", Access: read, Share: shareAll, Disposition: Create}, vfs.KindExist)
	t.close(o)
	t.empty()
}

func TestAllocation(tt *testing.T) {
	t := newTester(tt, Options{})
	o := t.do(OpenRequest{Path: "f", Access: write, Disposition: Create, Allocation: 1 << 20})
	if a := o.AttrAtOpen(); a.Allocated < 1<<20 || a.Size != 0 {
		t.Errorf("attributes %+v", a)
	}
	t.ok("allocate less", o.Truncate(ctx, 100))
	t.ok("allocate less", o.Allocate(ctx, 10))
	if a, _ := o.Attr(ctx); a.Size != 10 {
		t.Errorf("an allocation smaller than the file left %d bytes", a.Size)
	}
	t.close(o)
	// What does not fit is not made.
	t.refused(OpenRequest{Path: "big", Access: write, Disposition: Create, Allocation: 1 << 43}, vfs.KindNoSpace)
	if t.exists("big") {
		t.Error("the file was made")
	}
	t.empty()
}

func TestLinksThatLeadNowhere(tt *testing.T) {
	t := newTester(tt, Options{})
	t.ok("symlink", t.fs.Symlink("l", "nowhere"))
	t.refused(OpenRequest{Path: "l", Access: write, Disposition: OpenIf}, vfs.KindNotExist)
	t.refused(OpenRequest{Path: "l", Access: write, Disposition: OverwriteIf}, vfs.KindNotExist)
	t.close(t.do(OpenRequest{Path: "l", Access: vfs.ReadAttr, Disposition: OpenExisting, NoFollow: true}))
	t.close(t.do(OpenRequest{Path: "l", Access: vfs.ReadAttr, Disposition: OpenIf}))
	t.refused(OpenRequest{Path: "l", Access: vfs.ReadAttr, Disposition: Overwrite}, vfs.KindNotExist)
	t.refused(OpenRequest{Path: "l", Access: vfs.ReadAttr, Disposition: Overwrite, NoFollow: true}, vfs.KindAccess)
	t.empty()
}

// BenchmarkOpenClose opens a file that others have open as often as its name
// says.
func BenchmarkOpenClose(b *testing.B) {
	for _, others := range []int{0, 1, 10_000} {
		b.Run(fmt.Sprint(others), func(b *testing.B) {
			fs := memfs.New()
			f, err := fs.Create(ctx, nil, "f", vfs.CreateOptions{})
			if err != nil {
				b.Fatal(err)
			}
			f.Close()
			tree, err := New(fs, Options{}).Attach(&auth.Identity{User: "alice"}, netip.Addr{})
			if err != nil {
				b.Fatal(err)
			}
			r := OpenRequest{Path: "f", Access: read, Share: ShareRead, Disposition: OpenExisting}
			for range others {
				if _, _, err := tree.Open(ctx, r); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				o, _, err := tree.Open(ctx, r)
				if err != nil {
					b.Fatal(err)
				}
				o.Close(ctx)
			}
		})
	}
}
