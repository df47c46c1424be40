package volume

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

func asRoot(t *testing.T) {
	if !disk.CanAct() || disk.Self().UID != 0 {
		t.Skip("acting as other accounts needs root")
	}
}

func attrOf(t testing.TB, f vfs.File) vfs.Attr {
	t.Helper()
	a, err := f.Attr(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// made makes something and returns its attributes, as the disk has them.
func made(t testing.TB, v *Volume, c *vfs.Caller, path string, o vfs.CreateOptions) vfs.Attr {
	t.Helper()
	f, err := v.Create(ctx, c, path, o)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	first := attrOf(t, f)
	if second := attrOf(t, f); second != first {
		t.Errorf("%s: the first look saw %+v, the second %+v", path, first, second)
	}
	return first
}

func TestWhoOwnsWhatIsNew(t *testing.T) {
	asRoot(t)
	ann := &vfs.Caller{User: "ann", HasID: true, UID: 4001, GID: 4001, Groups: []uint32{4100}}
	root := &vfs.Caller{User: "root", HasID: true}
	for _, tt := range []struct {
		name   string
		folder uint32 // its owner
		caller *vfs.Caller
		o      Options
		want   uint32
	}{
		{"a caller's own", 4002, ann, Options{}, 4001},
		{"nobody's, so the folder's owner's", 4002, nil, Options{}, 4002},
		{"a guest's, so the folder's owner's", 4002, &vfs.Caller{Guest: true}, Options{}, 4002},
		{"never root's unless the folder is", 4002, root, Options{}, 4002},
		{"root's where the folder is", 0, root, Options{}, 0},
		{"nobody's where the folder is root's", 0, nil, Options{}, 0},
		{"inherited", 4002, ann, Options{Modes: Modes{InheritOwner: true}}, 4002},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := tempFolder(t)
			if err := os.Chmod(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.Chown(dir, int(tt.folder), int(tt.folder)); err != nil {
				t.Fatal(err)
			}
			v := open(t, dir, tt.o)
			if a := made(t, v, tt.caller, "f", vfs.CreateOptions{DOS: vfs.DOSArchive}); a.UID != tt.want {
				t.Errorf("a file belongs to %d, want %d", a.UID, tt.want)
			}
			if a := made(t, v, tt.caller, "d", vfs.CreateOptions{Directory: true}); a.UID != tt.want {
				t.Errorf("a folder belongs to %d, want %d", a.UID, tt.want)
			}
		})
	}
}

func TestModesOfWhatIsNew(t *testing.T) {
	for _, tt := range []struct {
		name         string
		o            Options
		folder       os.FileMode
		file, subdir uint32
	}{
		{"as Samba's defaults", Options{}, 0o755, 0o644, 0o755},
		{"masks", Options{Modes: Modes{CreateMask: 0o700, DirectoryMask: 0o750}}, 0o755, 0o600, 0o750},
		{"forced bits", Options{Modes: Modes{CreateMask: 0o600, ForceCreateMode: 0o110, ForceDirectoryMode: 0o020}}, 0o755, 0o710, 0o775},
		{"inherited", Options{Modes: Modes{InheritPermissions: true}}, 0o775, 0o664, 0o775},
		{"inherited, private", Options{Modes: Modes{InheritPermissions: true, ForceCreateMode: 0o777}}, 0o700, 0o600, 0o700},
		{"set group id", Options{}, 0o755 | os.ModeSetgid, 0o644, 0o2755},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := tempFolder(t)
			if err := os.Chmod(dir, tt.folder); err != nil {
				t.Fatal(err)
			}
			v := open(t, dir, tt.o)
			if a := made(t, v, nil, "f", vfs.CreateOptions{DOS: vfs.DOSArchive}); a.Mode != tt.file {
				t.Errorf("a file has mode %o, want %o", a.Mode, tt.file)
			}
			if a := made(t, v, nil, "d", vfs.CreateOptions{Directory: true}); a.Mode != tt.subdir {
				t.Errorf("a folder has mode %o, want %o", a.Mode, tt.subdir)
			}
			if a := made(t, v, nil, "g", vfs.CreateOptions{DOS: vfs.DOSArchive, HasMode: true, Mode: 0o640}); a.Mode != 0o640 {
				t.Errorf("a client's own mode became %o", a.Mode)
			}
			if a := made(t, v, nil, "D/f", vfs.CreateOptions{DOS: vfs.DOSArchive}); a.Mode != tt.file {
				t.Errorf("a file in a folder spelt otherwise has mode %o, want %o", a.Mode, tt.file)
			}
		})
	}
}

// TestWritersSetTimes lets somebody who may write to a file, but does not own it,
// change what Windows' programs change: the system leaves that to the owner.
func TestWritersSetTimes(t *testing.T) {
	asRoot(t)
	dir := tempFolder(t)
	path := filepath.Join(dir, "f")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	v := open(t, dir, Options{})
	ann := &vfs.Caller{User: "ann", HasID: true, UID: 4001, GID: 4001}
	f, err := v.Open(ctx, ann, "f", vfs.OpenOptions{Access: vfs.WriteData | vfs.WriteAttr | vfs.ReadAttr})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	when := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	set := vfs.SetAttr{
		Set: vfs.SetModified | vfs.SetBirth | vfs.SetDOS, DOS: vfs.DOSHidden, Modified: when, Birth: when,
	}
	if err := f.SetAttr(ctx, ann, set); err != nil {
		t.Fatal(err)
	}
	if a := attrOf(t, f); !a.Modified.Equal(when) || !a.Birth.Equal(when) || a.DOS != vfs.DOSHidden {
		t.Errorf("attributes %+v", a)
	}
	err = f.SetAttr(ctx, ann, vfs.SetAttr{Set: vfs.SetMode, Mode: 0o777})
	if !vfs.IsKind(err, vfs.KindAccess) {
		t.Errorf("mode of another's file: %v", err)
	}
	if _, err := v.Open(ctx, ann, "f", vfs.OpenOptions{Access: vfs.WriteControl}); !vfs.IsKind(err, vfs.KindAccess) {
		t.Errorf("open to change the mode of another's file: %v", err)
	}
}

func TestAccountsAreMadeOnce(t *testing.T) {
	asRoot(t)
	v := open(t, tempFolder(t), Options{})
	c := vfs.Caller{HasID: true, UID: 4001, GID: 4001, Groups: []uint32{1, 2}}
	same := c
	other := c
	other.Groups = []uint32{1, 3}
	if v.account(&c) != v.account(&same) {
		t.Error("one account was made twice")
	}
	if v.account(&c) == v.account(&other) || len(v.account(&other).Groups) != 2 || v.account(&other).Groups[1] != 3 {
		t.Error("two accounts became one")
	}
	for i := range uint32(maxAccounts + 100) {
		v.account(&vfs.Caller{HasID: true, UID: 10_000 + i})
	}
	if a := v.account(&vfs.Caller{HasID: true, UID: 99_999, GID: 5}); a.UID != 99_999 || a.GID != 5 {
		t.Errorf("an account too many is %+v", a)
	}
}
