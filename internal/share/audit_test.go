package share

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/audit"
	"github.com/dozo-server/dozo/vfs"
)

// audited runs do in a share with an audit log and returns its lines, each as
// "operation path to result" without what is empty.
func audited(tt *testing.T, o Options, do func(t *tester)) string {
	tt.Helper()
	var out bytes.Buffer
	log := audit.New(&out, func(err error) { tt.Error(err) })
	o.Audit = log
	t := newTester(tt, o)
	do(t)
	t.empty()
	log.Close()
	var lines []string
	for text := range strings.Lines(out.String()) {
		var l struct {
			Operation, User, Path, To, Result string
			Replaced                          bool
		}
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			tt.Fatalf("%v in %s", err, text)
		}
		if (l.User != "alice") != (l.Operation == "expire") {
			tt.Errorf("the user of %s", text)
		}
		lines = append(lines, strings.Join(strings.Fields(strings.Join([]string{l.Operation, l.Path, l.To, l.Result}, " ")), " "))
		if l.Replaced {
			lines[len(lines)-1] += " replaced"
		}
	}
	return strings.Join(lines, "\n")
}

// TestAudit: each change of a name has its line, and each file that is written,
// however it was opened.
func TestAudit(tt *testing.T) {
	for _, test := range []struct {
		name string
		o    Options
		do   func(t *tester)
		want string
	}{
		{"all rights, only read", Options{}, func(t *tester) {
			t.file("f")
			o := t.do(OpenRequest{Path: "f", Maximum: true, Share: shareAll, Disposition: OpenExisting})
			o.ReadAt(ctx, make([]byte, 1), 0)
			t.close(o)
		}, ""},
		{"all rights, written", Options{}, func(t *tester) {
			t.file("f")
			o := t.do(OpenRequest{Path: "f", Maximum: true, Share: shareAll, Disposition: OpenExisting})
			for range 2 {
				if _, err := o.WriteAt(ctx, []byte("x"), 0); err != nil {
					t.Error(err)
				}
			}
			t.ok("truncate", o.Truncate(ctx, 0))
			t.close(o)
		}, "write f ok"},
		{"all rights, cut", Options{}, func(t *tester) {
			t.file("f")
			o := t.do(OpenRequest{Path: "f", Maximum: true, Share: shareAll, Disposition: OpenExisting})
			t.ok("truncate", o.Truncate(ctx, 0))
			t.close(o)
		}, "write f ok"},
		{"to be written", Options{}, func(t *tester) {
			t.file("f")
			o := t.open("f", write)
			o.WriteAt(ctx, []byte("x"), 0)
			t.close(o)
		}, "write f ok"},
		{"what nobody sees goes with its folder", Options{Veto: []string{".*"}, DeleteVetoed: true}, func(t *tester) {
			t.folder("d")
			t.folder("d/.y")
			t.file("d/.y/z")
			t.delete("d")
		}, "delete d/.y/z ok\ndelete d/.y ok\ndelete d ok"},
		{"names", Options{}, func(t *tester) {
			for _, path := range []string{"a", "b", "c"} {
				t.file(path)
			}
			a := t.open("a", deleter)
			t.want("rename", a.Rename(ctx, "b", 0), vfs.KindExist)
			t.ok("rename", a.Rename(ctx, "A", Replace))
			t.ok("rename", a.Rename(ctx, "b", Replace))
			t.ok("link", a.Link(ctx, "d", 0))
			t.ok("link", a.Link(ctx, "c", Replace))
			t.close(a)
		}, "rename a A ok\nrename A b ok replaced\nlink b d ok\nlink b c ok replaced"},
		{"read-only", Options{}, func(t *tester) {
			t.file("f")
			t.set("f", vfs.SetAttr{Set: vfs.SetDOS, DOS: vfs.DOSReadOnly})
			o := t.open("f", vfs.Delete)
			t.want("delete", o.SetDelete(ctx, true, 0), vfs.KindCannotDelete)
			t.close(o)
		}, "delete f can't be deleted"},
		{"a local process was faster", Options{}, func(t *tester) {
			t.file("f")
			o := t.open("f", vfs.Delete)
			t.ok("delete", o.SetDelete(ctx, true, 0))
			t.ok("remove", t.fs.Remove(ctx, nil, o.file))
			t.close(o)
		}, ""},
	} {
		if got := audited(tt, test.o, test.do); got != test.want {
			tt.Errorf("%s: the lines are\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

// TestWhatIsDeletedGoesAsWhoDeletedItWasTold: others who have the file open since
// before the bin came have no say in it.
func TestWhatIsDeletedGoesAsWhoDeletedItWasTold(tt *testing.T) {
	t := newTester(tt, Options{})
	t.file("f")
	other := t.open("f", read)
	t.share.SetOptions(Options{Recycle: ".Bin"})
	t.tree = attach(tt, t.share, "alice")
	t.deleteOpen("f")
	t.close(other)
	if got := strings.Join(t.below(".Bin"), " "); got != ".Bin/alice/f" {
		t.Errorf("the bin holds %q", got)
	}
	t.empty()
}

// deleteOpen deletes what others have open.
func (t *tester) deleteOpen(path string) {
	t.Helper()
	o := t.open(path, vfs.Delete)
	t.ok("delete "+path, o.SetDelete(ctx, true, 0))
	t.close(o)
}
