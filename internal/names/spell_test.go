package names

import (
	"strings"
	"testing"

	"github.com/dozo-server/dozo/vfs"
)

func TestShown(t *testing.T) {
	for _, tt := range []struct{ name, stored, shown string }{
		{"plain", "Letter to mother.txt", "Letter to mother.txt"},
		{"not ASCII", "Übung\u0301.txt", "Übung\u0301.txt"},
		{"colon, as Macs write dates", "10:30.txt", "10\uf02230.txt"},
		{"all of them", "\"*:<>?\\|", "\uf020\uf021\uf022\uf023\uf024\uf025\uf026\uf027"},
		{"control characters", "Icon\r", "Icon\uf00d"},
		{"trailing dot", "etc.", "etc\uf029"},
		{"trailing space", "draft ", "draft\uf028"},
		{"inner dot and space", "a. b.c", "a. b.c"},
		{"lone surrogate", "\xed\xa0\x80", "\xed\xa0\x80"},
		{"private on disk, as older servers stored it", "10\uf02230", "10\uf02230"},
		{"device", "con", "con~CFB5UK6F"},
		{"device with an extension", "Aux.c", "Aux~DP5AI2VD.c"},
		{"device with a space", "LPT1 .txt", "LPT1_~KGXZDZK2.txt"},
		{"device by superscript", "com¹", "com¹~XXF5Y2K2"},
		{"hardly a device", "COM10", "COM10"},
		{"no text", "caf\xe9.txt", "caf_~TQBVAOKW.txt"},
		{"surrogate pair", "\xed\xa0\xbd\xed\xb8\x80", "___\xed\xb8\x80~5JSFRE5J"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			shown := Shown(tt.stored)
			if shown != tt.shown {
				t.Errorf("Shown(%+q) = %+q, want %+q", tt.stored, shown, tt.shown)
			}
			if needsAlias(shown) {
				t.Errorf("%+q, shown for %+q, needs an alias itself", shown, tt.stored)
			}
			if needsAlias(tt.stored) {
				return
			}
			back, err := onDisk(shown)
			if err != nil || keyOf(normalizing, back) != keyOf(normalizing, tt.stored) {
				t.Errorf("%+q comes back as %+q, %v", shown, back, err)
			}
		})
	}
}

func TestAliasesDiffer(t *testing.T) {
	seen := map[string]string{}
	for c := 0x80; c < 0x100; c++ {
		name := "photo" + string([]byte{byte(c)}) + ".jpg"
		a := Shown(name)
		if other, ok := seen[a]; ok {
			t.Errorf("%+q and %+q are both %q", other, name, a)
		}
		seen[a] = name
	}
	long := Shown(strings.Repeat("x\xff", 120) + "." + strings.Repeat("y", 12))
	if len(long) > aliasStem+9+aliasExt {
		t.Errorf("alias %q is long", long)
	}
}

func TestOnDiskRefusesWhatIsNoName(t *testing.T) {
	for _, name := range []string{"", ".", "..", "\uf029", ".\uf029", "\uf029\uf029", "a/b", "a\x00b"} {
		if got, err := onDisk(name); !vfs.IsKind(err, vfs.KindInvalidName) {
			t.Errorf("onDisk(%+q) = %+q, %v", name, got, err)
		}
	}
}

// Each mark goes before those that are there: to find its place takes the longer
// the more there are. So a name that no disk takes is refused before.
func TestLongNamesTakeNoTime(t *testing.T) {
	marks := strings.Repeat("\u0301", 8000) + strings.Repeat("\u0327", 8000)
	f := newFixture(t, Options{})
	f.list("")
	none := bracket(vfs.KindNotExist)
	expect(t, "open", f.open(marks), none)
	expect(t, "open below", f.open(marks+"/x"), bracket(vfs.KindPathNotExist))
	expect(t, "create", f.create(marks), bracket(vfs.KindNameTooLong))
	if _, err := onDisk(strings.Repeat("x", maxIndexed)); err != nil {
		t.Errorf("a name that may be on a disk: %v", err)
	}
}
