package tests

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
)

// What users of other servers complained of, as far as names are concerned:
// each complaint with its address is a test that a client of this one has no
// such reason. Those about large folders are in reportedlarge_test.go. Some had
// a test before:
//
//	a file copied into a full folder takes longer and longer      bench names (docs/benchmarks.md)
//	  https://lists.samba.org/archive/samba-technical/2005-January/039176.html
//	a ZFS that folds below a server that doesn't                  TestFoldingDisk of internal/names, and in the guest
//	  https://github.com/openzfs/zfs/issues/2634
//	8.3 names: ugly, and a scan to find them                      TestShortNames of the root and of internal/names
//	  https://github.com/home-assistant/addons/pull/2545
//	  https://library.thedatadungeon.com/msdn-1998-06/kb/Source/winnt/q130694.content.htm
//	long paths fail                                               TestDeepAndLongPaths
//	  https://github.com/gboudreau/Greyhole/issues/33

var complaints = []struct {
	name  string
	about func(t *testing.T, s *server, c *share)
}{
	// https://github.com/linuxmint/nemo/issues/2923, https://github.com/pop-os/cosmic-files/issues/1204
	{"a change of case is refused as already existing", func(t *testing.T, s *server, c *share) {
		c.tree.Mkdir(t.Context(), "Folder")
		c.write(`Folder\file`, "data")
		folder, file := c.id("Folder"), c.id(`Folder\file`)
		c.rename("Folder", "folder")
		c.rename(`folder\file`, `folder\FILE`)
		c.lists("", "folder")
		c.lists("folder", "FILE")
		c.is(`FOLDER\file`, "data")
		if c.id("folder") != folder || c.id(`folder\file`) != file {
			t.Error("the ids changed")
		}
		if got := s.names("folder"); got != "FILE" {
			t.Errorf("on the disk is %q", got)
		}
	}},

	// https://github.com/cifsd-team/ksmbd/issues/613, https://github.com/marmos91/dittofs/issues/649
	{"only the last component of a path is found in another case", func(t *testing.T, s *server, c *share) {
		os.MkdirAll(s.path("Apps/Game/Data"), 0o777)
		s.write("Apps/Game/Data/Level.dat", "level")
		c.is(`apps\GAME\data\LEVEL.DAT`, "level")
		c.is(`APPS\game\DATA\level.dat::$DATA`, "level")
		c.write(`apps\game\DATA\New`, "new")
		c.rename(`APPS\GAME\data\new`, `apps\GAME\Newer`)
		c.lists(`aPPS\gAME`, "Data", "Newer")
		f := c.open(smbclient.Existing(`APPS\GAME\NEWER`, smbwire.FileWriteAttributes))
		defer c.close(f)
		if err := f.Set(t.Context(), smbwire.FileLinkInformation, &smbwire.RenameInformation{FileName: `apps\game\data\Second`}); err != nil {
			t.Errorf("link: %v", err)
		}
		c.is(`apps\game\data\SECOND`, "new")
		if got := s.names("Apps/Game/Data"); got != "Level.dat Second" {
			t.Errorf("on the disk are %q", got)
		}
	}},

	// https://github.com/zentyal/zentyal/pull/694, https://github.com/clsid2/mpc-hc/issues/88
	{"of two files that differ in case only one is ever opened", func(t *testing.T, s *server, c *share) {
		s.write("README", "upper")
		s.write("readme", "lower")
		c.lists("", "README", "readme")
		c.is("README", "upper")
		c.is("readme", "lower")
		c.is("ReadMe", "upper") // the first in the order of bytes
		c.refuses("Readme", smbwire.StatusObjectNameCollision)
		if !namesClash(s.log.String(), "README", "readme") {
			t.Errorf("the administrator was not told:\n%s", s.log)
		}
		c.remove("readme")
		c.is("readme", "upper")
		c.remove("readme")
		c.lists("")
	}},

	// https://github.com/gtsteffaniak/filebrowser/issues/2823, https://github.com/owncloud/core/issues/21365,
	// https://github.com/truenas/documentation/blob/master/content/SCALE/SCALETutorials/Shares/SMB/SMBUsingDecomposedUnicode.md
	{"a name made in the other form of Unicode is seen and can't be opened", func(t *testing.T, s *server, c *share) {
		const composed, decomposed = "Caf\u00e9 M\u00fcller.txt", "Cafe\u0301 Mu\u0308ller.txt"
		for _, way := range [][2]string{{composed, decomposed}, {decomposed, composed}} {
			stored, asked := way[0], way[1]
			s.write(stored, "text")
			c.is(asked, "text")
			c.is(strings.ToUpper(asked), "text")
			if got := c.list("", asked); !slices.Equal(got, []string{stored}) {
				t.Errorf("asked for by its name the listing shows %+q", got)
			}
			first, _, _ := strings.Cut(asked, " ")
			if got := c.list("", strings.ToUpper(first)+"*"); !slices.Equal(got, []string{stored}) {
				t.Errorf("asked for by a pattern the listing shows %+q", got)
			}
			c.refuses(asked, smbwire.StatusObjectNameCollision)
			c.rename(asked, "other")
			c.rename("other", stored)
			c.remove(asked)
			c.lists("")
		}
	}},

	// https://github.com/macos-fuse-t/fuse-t/issues/114
	{"names in several encodings hide each other", func(t *testing.T, s *server, c *share) {
		texts := map[string]string{"caf\u00e9.txt": "composed", "cafe\u0301.txt": "decomposed", "caf\xe9.txt": "Latin-1", "caf\xe8.txt": "Latin-1 too"}
		for name, text := range texts {
			s.write(name, text)
		}
		shown := c.list("", "*")
		if len(shown) != len(texts) || len(slices.Compact(shown)) != len(texts) {
			t.Fatalf("listed are %+q", shown)
		}
		found := map[string]bool{}
		for _, name := range shown {
			text, err := c.tree.ReadFile(t.Context(), name, 100)
			if err != nil {
				t.Errorf("%+q is listed: %v", name, err)
			}
			found[string(text)] = true
			if got := c.list("", name); !slices.Contains(got, name) {
				t.Errorf("asked for %+q the listing shows %+q", name, got)
			}
			c.rename(name, name+".old")
			c.remove(name + ".old")
		}
		if len(found) != len(texts) {
			t.Errorf("found %v", found)
		}
		c.lists("")
	}},

	// https://github.com/openmediavault/openmediavault/issues/2263, https://github.com/rmcrackan/Libation/issues/1256
	{"what Windows can't spell is refused, or two clients make two files of it", func(t *testing.T, s *server, c *share) {
		const plain, mac, sfu = `a:b|c?.txt`, "a\uf022b\uf027c\uf025.txt", "a\uf03ab\uf07cc\uf03f.txt"
		c.write(mac, "text") // as Macs and Linux send it
		if got := s.names(""); got != plain {
			t.Errorf("on the disk is %+q", got)
		}
		c.lists("", mac)
		c.is(sfu, "text") // as Services for Unix and its descendants do
		c.refuses(sfu, smbwire.StatusObjectNameCollision)
		c.remove(sfu)
		c.write(sfu, "again")
		c.lists("", mac)
		if got := s.names(""); got != plain {
			t.Errorf("on the disk is %+q", got)
		}
	}},

	// https://github.com/omniosorg/omnios-build/issues/1258, https://github.com/meganz/MEGAsync/issues/308
	{"a dot or space at the end can't be read by Windows", func(t *testing.T, s *server, c *share) {
		os.Mkdir(s.path("Dinosaur Jr."), 0o777)
		s.write("Dinosaur Jr./Bug ", "song")
		const folder, file = "Dinosaur Jr\uf029", "Bug\uf028"
		c.lists("", folder)
		c.lists(folder, file)
		c.is(folder+`\`+file, "song")
		c.rename(folder+`\`+file, folder+"\\Green Mind\uf029")
		if got := s.names("Dinosaur Jr."); got != "Green Mind." {
			t.Errorf("on the disk is %q", got)
		}
		c.remove(folder + "\\green mind\uf029")
		c.remove(folder)
		c.lists("")
	}},

	// https://github.com/microsoft/WSL/issues/4544, https://github.com/felixrieseberg/windows95/pull/354
	{"a file with the name of a device can't be deleted", func(t *testing.T, s *server, c *share) {
		os.Mkdir(s.path("aux"), 0o777)
		for _, name := range []string{"aux.tsx", "NUL", "com1.txt", "aux/con"} {
			s.write(name, name)
		}
		for _, e := range c.entries("", "*") {
			stem, _, _ := strings.Cut(e.FileName, ".")
			if slices.Contains([]string{"AUX", "NUL", "COM1"}, strings.ToUpper(stem)) {
				t.Errorf("%s is listed, which Windows takes for a device", e.FileName)
			}
			if e.FileAttributes&0x10 == 0 {
				c.rename(e.FileName, "x"+e.FileName)
				c.remove("x" + e.FileName)
				continue
			}
			for _, name := range c.list(e.FileName, "*") {
				c.is(e.FileName+`\`+name, "aux/con")
				c.remove(e.FileName + `\` + name)
			}
			c.remove(e.FileName)
		}
		c.lists("")
	}},

	// https://github.com/namjaejeon/ksmbd/issues/177, https://github.com/dperson/samba/issues/240
	{"names that begin with a dot are shown, or can't be", func(t *testing.T, s *server, c *share) {
		s.write(".profile", "x")
		s.write("plain", "x")
		hidden := func(name string) bool {
			t.Helper()
			es := c.entries("", name)
			if len(es) != 1 {
				t.Fatalf("%s is listed %d times", name, len(es))
			}
			return es[0].FileAttributes&0x2 != 0
		}
		set := func(name string, a smbwire.FileAttributes) {
			t.Helper()
			f := c.open(smbclient.Existing(name, smbwire.FileWriteAttributes))
			defer c.close(f)
			if err := f.Set(t.Context(), smbwire.FileBasicInformation, &smbwire.BasicInformation{FileAttributes: a}); err != nil {
				t.Errorf("set the attributes of %s: %v", name, err)
			}
		}
		if !hidden(".profile") || hidden("plain") {
			t.Error("not just the name with a dot is hidden")
		}
		set(".profile", smbclient.AttributeNormal)
		set("plain", 0x2)
		for range 2 {
			if hidden(".profile") || !hidden("plain") {
				t.Error("what was set does not count")
			}
			s.stop()
			s.again()
			*c = *s.connect()
		}
	}},
}

// namesClash reports whether a line of the log tells of the two spellings.
func namesClash(log, a, b string) bool {
	for line := range strings.Lines(log) {
		if strings.Contains(line, "second spelling") && strings.Contains(line, a) && strings.Contains(line, b) {
			return true
		}
	}
	return false
}

func TestComplaints(t *testing.T) {
	ownProgram(t)
	for _, tt := range complaints {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t)
			tt.about(t, s, s.connect())
		})
	}
}
