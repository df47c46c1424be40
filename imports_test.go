package dozo_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/dozo-server/dozo"

// rooms is the import table, a row a package, from the door down. A package
// may import the standard library, the packages of its row, which stand below
// it, and what its row takes from outside. A package without a row fails: to
// add one is to say where it belongs.
var rooms = []struct {
	name    string
	imports string // packages of this module
	outside string // modules of others
}{
	// Programs that stand outside: what tests and benchmarks run.
	{"tests", "", ""},
	{"tests/peers/foldcheck", "internal/smbclient internal/smb/smbwire", ""},
	{"tests/peers/fsx", "", ""},
	{"tests/peers/namemodel", "internal/smbclient internal/smb/smbwire internal/cursor", ""},
	{"tests/peers/smbgen", "internal/smbclient internal/smb/smbwire internal/smb/smbcrypt", "github.com/cloudsoda/go-smb2"},
	{"tests/bench", "internal/status", ""},
	{"packaging/units", "internal/service", ""},

	// The program, and the door for programs that embed the server.
	{"cmd/dozo", ". auth internal/bench internal/report internal/smbclient internal/config internal/state internal/status internal/discovery internal/service internal/disk internal/mount internal/machine internal/firewall", "github.com/alecthomas/kong github.com/vbauerster/mpb golang.org/x/sys"},
	{".", "auth vfs internal/audit internal/smb internal/share internal/meter internal/status internal/mount internal/volume internal/names internal/budget internal/machine", ""},
	{"internal/bench", "internal/report internal/smbclient internal/smb/smbwire internal/disk", ""},
	{"internal/report", "", ""},
	{"internal/discovery", "internal/discovery/mdns internal/discovery/wsd internal/discovery/llmnr internal/discovery/link internal/status", "github.com/godbus/dbus golang.org/x/net golang.org/x/sys"},
	{"internal/discovery/mdns", "internal/discovery/link", "golang.org/x/net"},
	{"internal/discovery/wsd", "internal/discovery/link", ""},
	{"internal/discovery/llmnr", "internal/discovery/link", "golang.org/x/net"},
	{"internal/discovery/link", "", ""},
	{"internal/service", "", "golang.org/x/sys"},
	{"internal/firewall", "", ""},
	{"internal/config", "", "github.com/pelletier/go-toml"},
	{"internal/status", "", ""},
	{"internal/mount", "vfs internal/disk", ""},
	{"internal/state", "internal/private", ""},

	// Protocols: what they mean by a message. They know no disk.
	{"internal/smb", "auth vfs internal/audit internal/share internal/meter internal/lock internal/wildcard internal/smb/smbwire internal/smb/smbcrypt internal/smb/rpc internal/spnego internal/ntlm internal/cursor", ""},
	{"internal/afp", "auth vfs internal/audit internal/share internal/afp/afpwire internal/uam internal/dhx2 internal/srp internal/fold internal/cursor", "golang.org/x/text"},
	{"internal/smb/rpc", "auth vfs internal/share internal/ntlm internal/cursor", ""},
	{"internal/smbclient", "internal/smb/smbwire internal/smb/smbcrypt internal/spnego internal/ntlm internal/cursor", ""},
	{"internal/afpclient", "internal/afp/afpwire internal/cursor", "golang.org/x/text"},

	// What all protocols share: one open table over any tree of files.
	{"internal/share", "auth vfs internal/audit internal/meter internal/lock internal/wildcard internal/fold", ""},
	{"internal/meter", "", ""},
	{"internal/lock", "vfs", ""},

	// The tree of files on a disk. It knows no protocol.
	{"internal/volume", "vfs internal/names internal/meta internal/disk internal/budget", ""},
	{"internal/names", "vfs internal/fold internal/disk internal/budget", ""},
	{"internal/meta", "vfs internal/fold internal/disk internal/cursor", ""},
	{"internal/catalog/netatalk", "internal/catalog", "modernc.org/sqlite"},
	{"internal/catalog", "vfs internal/budget internal/cursor internal/disk", "modernc.org/sqlite"},
	{"internal/disk/faultdisk", "vfs internal/disk", "golang.org/x/sys"},
	{"internal/disk/crashdisk", "internal/disk", "golang.org/x/sys"},
	{"internal/disk", "vfs", "golang.org/x/sys"},
	{"internal/budget", "", ""},
	{"internal/machine", "", ""},

	// Logging in.
	{"internal/spnego", "auth internal/ntlm internal/cursor", "golang.org/x/crypto"},
	{"internal/ntlm", "auth internal/cursor", "golang.org/x/crypto"},
	{"internal/uam", "internal/dhx2 internal/srp internal/afp/afpwire", ""},
	{"auth", "internal/private internal/srp", "golang.org/x/crypto"},
	{"internal/private", "", ""},
	{"internal/srp", "internal/cursor", ""},
	{"internal/dhx2", "internal/cursor", "golang.org/x/crypto"},

	// Who did what.
	{"internal/audit", "internal/fold", ""},

	// Names: which spellings are one, and which a pattern means.
	{"internal/wildcard", "vfs internal/fold", ""},
	{"internal/fold", "", ""},

	// Bytes: layouts and nothing else.
	{"internal/smb/smbwire", "internal/cursor", ""},
	{"internal/smb/smbcrypt", "", "golang.org/x/crypto"},
	{"internal/afp/afpwire", "internal/cursor", "golang.org/x/text"},
	{"internal/cursor", "", ""},

	// What tests write bytes down in.
	{"internal/hexdump", "", ""},

	// An example of the contract for who embeds the server, and the contract.
	{"examples/zipfs", "vfs", ""},
	{"vfs/memfs", "vfs", ""},
	{"vfs/vfstest", "vfs", ""},
	{"vfs", "", ""},
}

func TestImportsGoDownOnly(t *testing.T) {
	place := map[string]int{}
	for i, room := range rooms {
		place[room.name] = i
	}
	for dir, files := range packages(t) {
		i, ok := place[dir]
		if !ok {
			t.Errorf("package %s has no row in the import table", dir)
			continue
		}
		mine, theirs := strings.Fields(rooms[i].imports), strings.Fields(rooms[i].outside)
		for _, name := range mine {
			if below, ok := place[name]; !ok || below <= i {
				t.Errorf("row %s names %s, which is not below it", dir, name)
			}
		}
		for _, file := range files {
			for _, spec := range file.Imports {
				name, _ := strconv.Unquote(spec.Path.Value)
				if rest, ok := strings.CutPrefix(name, module); ok {
					rest = path.Clean("." + rest)
					if !slices.Contains(mine, rest) {
						t.Errorf("%s imports %s, which its row does not name", dir, rest)
					}
				} else if strings.Contains(strings.Split(name, "/")[0], ".") &&
					!slices.ContainsFunc(theirs, func(m string) bool { return name == m || strings.HasPrefix(name, m+"/") }) {
					t.Errorf("%s imports %s, which its row does not name", dir, name)
				}
			}
		}
	}
}

// packages parses the files of every package, for all systems, without tests.
func packages(t *testing.T) map[string][]*ast.File {
	t.Helper()
	found := map[string][]*ast.File{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(name))
		found[dir] = append(found[dir], file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
