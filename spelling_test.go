package dozo_test

import (
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dozo-server/dozo"
	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
)

// folder is a folder that is served, and a client that uses it.
type folder struct {
	t    *testing.T
	dir  string
	tree *smbclient.Tree
}

// serveFolder serves a new folder with the options of a share.
func serveFolder(t *testing.T, o dozo.Share) *folder {
	t.Helper()
	o.Name, o.Path = "share", t.TempDir()
	store := auth.NewStore(filepath.Join(t.TempDir(), "users"))
	record, err := auth.NewRecord("user", "Secret77")
	if err == nil {
		err = store.Add(record)
	}
	if err != nil {
		t.Fatal(err)
	}
	session := logIn(t, serving(t, &dozo.Server{Users: store, Shares: []dozo.Share{o}}), "user")
	tree, err := session.Tree(t.Context(), o.Name)
	if err != nil {
		t.Fatal(err)
	}
	return &folder{t, o.Path, tree}
}

// The requests return how the name is stored that they found or made, or the
// error.

func (f *folder) do(m *smbwire.CreateRequest, use func(*smbclient.File) error) string {
	f.t.Helper()
	file, err := f.tree.Create(f.t.Context(), m)
	if err != nil {
		return statusOf(err)
	}
	defer file.Close(f.t.Context())
	if use != nil {
		if err := use(file); err != nil {
			return statusOf(err)
		}
	}
	var name smbwire.NameInformation
	if err := file.Query(f.t.Context(), smbwire.FileNormalizedNameInformation, &name); err != nil {
		f.t.Fatal(err)
	}
	return name.Name
}

func (f *folder) open(name string) string {
	return f.do(smbclient.Existing(name, smbwire.FileReadAttributes), nil)
}

func (f *folder) create(name string) string {
	m := smbclient.Making(name)
	m.Disposition = smbwire.FileCreate
	return f.do(m, nil)
}

func (f *folder) openOrCreate(name string) string {
	m := smbclient.Making(name)
	m.Disposition = smbwire.FileOpenIf
	return f.do(m, nil)
}

func (f *folder) mkdir(name string) string { return f.do(smbclient.MakingFolder(name), nil) }

func (f *folder) rename(name, to string) string {
	return f.do(smbclient.Existing(name, smbwire.Delete|smbwire.FileReadAttributes), func(file *smbclient.File) error {
		return file.Set(f.t.Context(), smbwire.FileRenameInformation, &smbwire.RenameInformation{FileName: to})
	})
}

// list returns the names that match a pattern, sorted, with spaces between
// them.
func (f *folder) list(pattern string) string {
	f.t.Helper()
	var names []string
	for _, e := range f.entries(pattern) {
		names = append(names, e.FileName)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func (f *folder) entries(pattern string) (all []smbwire.DirectoryEntry) {
	f.t.Helper()
	d, err := f.tree.Create(f.t.Context(), smbclient.Folder(""))
	if err != nil {
		f.t.Fatal(err)
	}
	defer d.Close(f.t.Context())
	for e, err := range d.List(f.t.Context(), smbwire.FileIDBothDirectoryInformation, pattern) {
		if err != nil {
			f.t.Fatal(err)
		}
		if e.FileName != "." && e.FileName != ".." {
			all = append(all, *e)
		}
	}
	return all
}

// local has another process change the folder: the server knows what its own
// does.
func (f *folder) local(command string, names ...string) {
	f.t.Helper()
	cmd := exec.Command(command, names...)
	cmd.Dir = f.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		f.t.Fatalf("%s: %v\n%s", command, err, out)
	}
}

// statusOf is the status that a request was refused with.
func statusOf(err error) string {
	if status, ok := errors.AsType[smbwire.Status](err); ok {
		return status.Error()
	}
	return err.Error()
}

// volume tells whether the client is told that the volume is like this.
func (f *folder) volume(want smbwire.FSAttributes) bool {
	f.t.Helper()
	d, err := f.tree.Create(f.t.Context(), smbclient.Folder(""))
	if err != nil {
		f.t.Fatal(err)
	}
	defer d.Close(f.t.Context())
	var a smbwire.AttributeInformation
	if err := d.QueryVolume(f.t.Context(), smbwire.FSAttributeInformation, &a); err != nil {
		f.t.Fatal(err)
	}
	return a.Attributes&want != 0
}

func expect(t *testing.T, what string, got, want any) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %+q, want %+q", what, got, want)
	}
}

var (
	taken    = smbwire.StatusObjectNameCollision.Error()
	notThere = smbwire.StatusObjectNameNotFound.Error()
)

const (
	composed   = "caf\u00e9.txt"
	decomposed = "cafe\u0301.txt"
)

// TestSpelling relies, as a client, on what the options about names promise.
func TestSpelling(t *testing.T) {
	for _, tt := range []struct {
		name    string
		options dozo.Share
		rely    func(t *testing.T, f *folder)
	}{
		{"by default any case leads to the one name, which keeps its spelling", dozo.Share{}, func(t *testing.T, f *folder) {
			expect(t, "create", f.create("ReadMe.TXT"), "ReadMe.TXT")
			expect(t, "create again", f.create("README.txt"), taken)
			expect(t, "open", f.open("readme.txt"), "ReadMe.TXT")
			expect(t, "open or create", f.openOrCreate("readme.TXT"), "ReadMe.TXT")
			expect(t, "list", f.list("READ*"), "ReadMe.TXT")
			expect(t, "change the case", f.rename("readme.txt", "readme.TXT"), "readme.TXT")
			expect(t, "names that differ in case are different", f.volume(smbwire.FSCaseSensitiveSearch), false)
			expect(t, "case is preserved", f.volume(smbwire.FSCasePreserved), true)
		}},
		{"by default both forms of a letter are one name", dozo.Share{}, func(t *testing.T, f *folder) {
			expect(t, "create", f.create(decomposed), decomposed)
			expect(t, "create again", f.create(composed), taken)
			expect(t, "open", f.open("CAF\u00c9.txt"), decomposed)
			expect(t, "list that one", f.list(composed), decomposed)
			expect(t, "list by a pattern", f.list("CAF\u00c9*"), decomposed)
			expect(t, "list by a pattern of the letter below", f.list("CAFE*"), "")
		}},
		{"CaseSensitive: names that differ in case are different", dozo.Share{CaseSensitive: true}, func(t *testing.T, f *folder) {
			expect(t, "create", f.create("ReadMe"), "ReadMe")
			expect(t, "open another", f.open("README"), notThere)
			expect(t, "create another", f.create("README"), "README")
			f.local("touch", "readme")
			expect(t, "open the one made locally", f.open("readme"), "readme")
			expect(t, "list", f.list("*"), "README ReadMe readme")
			expect(t, "list some", f.list("RE*"), "README")
			expect(t, "list one", f.list("ReadMe"), "ReadMe")
			expect(t, "rename", f.rename("README", "ReadME"), "ReadME")
			expect(t, "rename to one that is there", f.rename("ReadME", "readme"), taken)
			expect(t, "names that differ in case are different", f.volume(smbwire.FSCaseSensitiveSearch), true)
		}},
		{"KeepComposition: both forms of a letter are two names", dozo.Share{KeepComposition: true}, func(t *testing.T, f *folder) {
			expect(t, "create", f.create(decomposed), decomposed)
			expect(t, "open the other", f.open(composed), notThere)
			expect(t, "create the other", f.create(composed), composed)
			expect(t, "open it in another case", f.open("CAF\u00c9.TXT"), composed)
			expect(t, "list", f.list("*"), decomposed+" "+composed)
			expect(t, "list some", f.list("CAF\u00c9*"), composed)
		}},
		{"ChangeCase: new names are lower-case", dozo.Share{ChangeCase: true}, func(t *testing.T, f *folder) {
			expect(t, "create", f.create("ReadMe.\u00c4.TXT"), "readme.\u00e4.txt")
			expect(t, "open", f.open("READme.\u00c4.txt"), "readme.\u00e4.txt")
			expect(t, "make a folder", f.mkdir("FOLDER"), "folder")
			expect(t, "rename", f.rename("readme.\u00c4.txt", `FOLDER\Other Name`), `folder\other name`)
			f.local("touch", "Local")
			expect(t, "open what is there", f.openOrCreate("LOCAL"), "Local")
			expect(t, "list", f.list("*"), "Local folder")
			expect(t, "case is preserved", f.volume(smbwire.FSCasePreserved), false)
		}},
		{"ChangeCase and DefaultUpper: new names are upper-case", dozo.Share{ChangeCase: true, DefaultUpper: true}, func(t *testing.T, f *folder) {
			expect(t, "create", f.create("ReadMe.\u00e4.txt"), "README.\u00c4.TXT")
			expect(t, "rename", f.rename("readme.\u00e4.txt", "other"), "OTHER")
		}},
		{"ChangeShortCase: names as DOS sends them are lower-case", dozo.Share{ChangeShortCase: true}, func(t *testing.T, f *folder) {
			expect(t, "create", f.create("README.TXT"), "readme.txt")
			expect(t, "create one that DOS could not send", f.create("ReadMe2.TXT"), "ReadMe2.TXT")
			expect(t, "create a long one", f.create("LONG.NAME.TXT"), "LONG.NAME.TXT")
			expect(t, "rename", f.rename("ReadMe2.TXT", "NEW~1.TXT"), "new~1.txt")
			expect(t, "case is preserved", f.volume(smbwire.FSCasePreserved), true)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.rely(t, serveFolder(t, tt.options)) })
	}
}

// TestShortNames relies, as a client, on the 8.3 names of a share that gives
// them.
func TestShortNames(t *testing.T) {
	const long, short = "the long summer.jpeg", "T8SIAD~B.JPE"
	t.Run("none by default", func(t *testing.T) {
		f := serveFolder(t, dozo.Share{})
		f.local("touch", long, "SHORT.TXT")
		expect(t, "open by it", f.open(short), notThere)
		expect(t, "list by it", f.list(short), "")
		expect(t, "ask for it", f.alternate(long), notThere)
		expect(t, "ask for one that is", f.alternate("short.txt"), "SHORT.TXT")
		for _, e := range f.entries("*") {
			expect(t, "in the listing", e.ShortName, "")
		}
	})

	f := serveFolder(t, dozo.Share{ShortNames: true})
	f.local("touch", long, "SHORT.TXT", "small.txt")
	for _, e := range f.entries("*") {
		want := map[string]string{long: short}[e.FileName] // the others are 8.3 names themselves
		expect(t, "in the listing beside "+e.FileName, e.ShortName, want)
	}
	expect(t, "ask for it", f.alternate(long), short)
	expect(t, "ask for one that is", f.alternate("short.txt"), "SHORT.TXT")
	expect(t, "ask for one in small letters", f.alternate("SMALL.TXT"), "small.txt")
	expect(t, "open by it", f.open("t8siad~b.jpe"), long)
	expect(t, "list by it", f.list(short), long)
	expect(t, "list by a pattern of it", f.list("T*.JPE"), long)
	expect(t, "list by a pattern of DOS", f.list(`T8SIAD~<"JPE`), long)
	expect(t, "create by it", f.create(short), taken)
	expect(t, "open or create by it", f.openOrCreate(short), long)

	folder := "A long name of a folder"
	expect(t, "make a folder", f.mkdir(folder), folder)
	below := f.alternate(folder)
	expect(t, "create below by its short name", f.create(below+`\new`), folder+`\new`)
	expect(t, "rename below", f.rename(below+`\new`, below+`\other.text`), folder+`\other.text`)

	// A file of just this name is what it says, and hides nothing but the way.
	f.local("touch", short)
	expect(t, "open the real one", f.open(short), short)
	expect(t, "open the other by its name", f.open(long), long)

	// A program that knows but short names saves a file in its own way.
	f.local("rm", short)
	expect(t, "create the new one", f.create("new.tmp"), "new.tmp")
	expect(t, "move the old away", f.rename(short, "old.bak"), "old.bak")
	expect(t, "move the new one in its place", f.rename("new.tmp", short), long)
}

// alternate returns a file's alternate name.
func (f *folder) alternate(name string) string {
	f.t.Helper()
	file, err := f.tree.Open(f.t.Context(), name, smbwire.FileReadAttributes)
	if err != nil {
		return statusOf(err)
	}
	defer file.Close(f.t.Context())
	var short smbwire.NameInformation
	if err := file.Query(f.t.Context(), smbwire.FileAlternateNameInformation, &short); err != nil {
		return statusOf(err)
	}
	return short.Name
}
