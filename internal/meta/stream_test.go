package meta

import (
	"strings"
	"testing"
)

func TestStreamOf(t *testing.T) {
	for _, test := range []struct {
		attr, name string // no name: no stream
		value      string // of "ab\x00"
	}{
		// As Samba 4.17.12 writes them.
		{"user.DosStream.Zone.Identifier:$DATA", "Zone.Identifier", "ab"},
		{"user.DosStream.tag:$DATA", "tag", "ab"},
		{"user.DosStream.AFP_Resource:$DATA", "AFP_Resource", "ab"},
		{"user.DosStream.AFP_AfpInfo:$DATA", "", ""},
		{"user.DOSATTRIB", "", ""},
		// With store_stream_type=no.
		{"user.DosStream.plain", "plain", "ab"},
		{"user.DosStream.AFP_AfpInfo", "", ""},
		// As netatalk 4.5.1 writes them.
		{"user.com.apple.lastuseddate#PS", "com.apple.lastuseddate#PS", "ab\x00"},
		{"user.com.apple.metadata:_kMDItemUserTags", "com.apple.metadata:_kMDItemUserTags", "ab\x00"},
		{"user.org.netatalk.Metadata", "", ""},
		{"user.org.netatalk.ResourceFork", "AFP_Resource", "ab\x00"},
		{"user.org.netatalk.has-Extended-Attributes", "", ""},
		{"user.com.apple.FinderInfo", "", ""},
		// Of local programs.
		{"user.xdg.origin.url", "xdg.origin.url", "ab\x00"},
		{"user.", "", ""},
		{"user.DosStream.", "", ""},
		{"user.DosStream.:$DATA", "", ""},
		{"user.a/b", "", ""},
		{"security.selinux", "", ""},
		{"user.DosStream.x:$DATA:$DATA", "x:$DATA", "ab"},
	} {
		a, ok := StreamOf(test.attr)
		if ok != (test.name != "") || ok && a.Name != test.name {
			t.Errorf("%s holds %q, %v, want %q", test.attr, a.Name, ok, test.name)
			continue
		}
		if got := string(a.Value([]byte("ab\x00"))); ok && got != test.value {
			t.Errorf("%s has the value %q, want %q", test.attr, got, test.value)
		}
		if got := string(a.Value(a.Pack(nil, []byte("x\x00")))); ok && got != "x\x00" {
			t.Errorf("%s packed and read is %q", test.attr, got)
		}
	}
}

func TestNewStreamAttr(t *testing.T) {
	for name, fits := range map[string]bool{"tag": true, strings.Repeat("x", 234): true, strings.Repeat("x", 235): false} {
		a, ok := NewStreamAttr(name)
		if ok != fits {
			t.Errorf("a name of %d bytes fits: %v", len(name), ok)
		}
		if back, found := StreamOf(a.Attr); !found || back != a {
			t.Errorf("%s is read as %+v", a.Attr, back)
		}
	}
}

func TestNamesOfStreamsOnDisk(t *testing.T) {
	for _, test := range []struct{ sent, disk, shown string }{
		{"plain", "plain", "plain"},
		{"a\uf022b", "a:b", "a\uf022b"},
		{"a\uf026b", `a\b`, "a\uf026b"},
		{"star\uf021", "star*", "star*"}, // clients can send that one
		{"end\uf028", "end ", "end "},
		{"lone \xed\xa0\xbd", "lone \xed\xa0\xbd", "lone \xed\xa0\xbd"},
	} {
		if got := PlainStream(test.sent); got != test.disk {
			t.Errorf("%q is %q on disk, want %q", test.sent, got, test.disk)
		}
		if got := ShownStream(test.disk); got != test.shown {
			t.Errorf("%q is shown as %q, want %q", test.disk, got, test.shown)
		}
	}
}
