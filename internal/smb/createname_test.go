package smb

import (
	"testing"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

var nameTests = []struct {
	name string
	path string
	what named
	err  error
}{
	{"", "", anything, nil},
	{"a", "a", anything, nil},
	{`a\b\c.txt`, "a/b/c.txt", anything, nil},
	{`a b\ü土😀`, "a b/ü土😀", anything, nil},
	{"trailing. ", "trailing. ", anything, nil},
	{"...", "...", anything, nil},
	{"\xed\xa0\xbdlone", "\xed\xa0\xbdlone", anything, nil},
	{"private\uf022", "private\uf022", anything, nil},

	{`\`, "", anything, smbwire.StatusInvalidParameter},
	{`\a`, "", anything, smbwire.StatusInvalidParameter},
	{`a\\b`, "", anything, smbwire.StatusObjectNameInvalid},
	{`a\.\b`, "", anything, smbwire.StatusObjectNameInvalid},
	{`.`, "", anything, smbwire.StatusObjectNameInvalid},
	{`..`, "", anything, smbwire.StatusObjectPathSyntaxBad},
	{`a\..`, "", anything, nil},
	{`a\b\..\..\c\..\d`, "d", anything, nil},
	{`a\..\..\b`, "", anything, smbwire.StatusObjectPathSyntaxBad},
	{`a/b`, "", anything, smbwire.StatusObjectNameInvalid},
	{`a*`, "", anything, smbwire.StatusObjectNameInvalid},
	{`a?\b`, "", anything, smbwire.StatusObjectNameInvalid},
	{`"`, "", anything, smbwire.StatusObjectNameInvalid},
	{`<`, "", anything, smbwire.StatusObjectNameInvalid},
	{`>`, "", anything, smbwire.StatusObjectNameInvalid},
	{`|`, "", anything, smbwire.StatusObjectNameInvalid},
	{"a\x00b", "", anything, smbwire.StatusObjectNameInvalid},
	{"a\nb", "", anything, smbwire.StatusObjectNameInvalid},

	{`a\`, "a", aFolder, nil},
	{`a\b\`, "a/b", aFolder, nil},
	{`a\\`, "", anything, smbwire.StatusObjectNameInvalid},
	{`a\b::$DATA`, "a/b", aFile, nil},
	{`b::$data`, "b", aFile, nil},
	{`b::$INDEX_ALLOCATION`, "b", aFolder, nil},
	{`b:$I30:$INDEX_ALLOCATION`, "b", aFolder, nil},
	{`::$INDEX_ALLOCATION`, "", aFolder, nil},
	{`::$DATA`, "", anything, smbwire.StatusObjectNameInvalid},
	{`b:`, "", anything, smbwire.StatusObjectNameInvalid},
	{`b::`, "", anything, smbwire.StatusObjectNameInvalid},
	{`b:stream`, "", anything, smbwire.StatusObjectNameInvalid},
	{`b:stream:$DATA`, "", anything, smbwire.StatusObjectNameInvalid},
	{`b:Zone.Identifier:$DATA`, "", anything, smbwire.StatusObjectNameInvalid},
	{`a:b\c`, "", anything, smbwire.StatusObjectNameInvalid},
}

func TestParseName(t *testing.T) {
	for _, tt := range nameTests {
		path, what, err := parseName(tt.name)
		if path != tt.path || what != tt.what || err != tt.err {
			t.Errorf("parseName(%q) = %q, %v, %v; want %q, %v, %v", tt.name, path, what, err, tt.path, tt.what, tt.err)
		}
	}
}

func TestPathOfRefusesWhatSaysMore(t *testing.T) {
	for _, name := range []string{`a\`, `a::$DATA`} {
		if path, err := pathOf(name); err != smbwire.StatusObjectNameInvalid {
			t.Errorf("pathOf(%q) = %q, %v", name, path, err)
		}
	}
	if path, err := pathOf(`a\b`); path != "a/b" || err != nil {
		t.Errorf(`pathOf(a\b) = %q, %v`, path, err)
	}
}
