package config_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/config"
)

const full = `# all that there is
state = "/srv/dozo"
bind = ["192.0.2.7", "::1"]
smb = 4450
user = 'anna'
signing = "offered"
discovery = false
memory = "512M"
guest = "read"

[[share]]
name = "films"
path = "/srv/films/"
comment = "Films \"and\" series"
browseable = false
encrypt = true
users = ["anna"]
groups = ["family"]
read-only-users = [
  "tv", # the one in the kitchen
]
guest = "write"
create-mask = "0640"
directory-mask = "750"
force-create-mode = "0060"
force-directory-mode = "0070"
inherit-permissions = true
inherit-owner = true
case = "sensitive"
preserve-case = false
short-preserve-case = false
default-case = "upper"
normalization = false
short-names = true

[[share]]
path = "/srv/music"
read-only = true
`

func TestParse(t *testing.T) {
	c, err := config.Parse("dozo.toml", []byte(full))
	if err != nil {
		t.Fatal(err)
	}
	want := config.New()
	want.Discovery = false
	want.State, want.Bind, want.SMB, want.User = "/srv/dozo", []string{"192.0.2.7", "::1"}, 4450, "anna"
	want.Signing, want.Memory, want.Guest = config.SigningOffered, 512<<20, config.GuestRead
	films := config.Share{
		Name: "films", Path: "/srv/films", Comment: `Films "and" series`, Encrypt: true,
		Users: []string{"anna"}, Groups: []string{"family"}, ReadOnlyUsers: []string{"tv"}, Guest: config.GuestWrite,
		CreateMask: 0o640, DirectoryMask: 0o750, ForceCreateMode: 0o060, ForceDirectoryMode: 0o070,
		InheritPermissions: true, InheritOwner: true, Case: config.CaseSensitive, DefaultCase: config.DefaultUpper, ShortNames: true,
		Origin: config.Origin{Where: "dozo.toml", Line: 11},
	}
	music := config.NewShare(config.Origin{Where: "dozo.toml", Line: 36})
	music.Name, music.Path, music.ReadOnly = "music", "/srv/music", true
	want.Shares = []config.Share{films, music}

	if at := c.Shares[0].From["short-names"].String(); at != "dozo.toml:34" {
		t.Errorf("short-names is from %s", at)
	}
	if at := c.Shares[1].From["comment"].String(); at != "default" {
		t.Errorf("the comment of music is from %s", at)
	}
	forgetOrigins(c)
	want.File = "dozo.toml"
	forgetOrigins(want)
	if !reflect.DeepEqual(c, want) {
		t.Errorf("read\n%+v\nwant\n%+v", c, want)
	}
}

func forgetOrigins(c *config.Config) {
	c.From = nil
	for i := range c.Shares {
		c.Shares[i].From, c.Shares[i].Origin = nil, config.Origin{}
	}
}

// TestWriteIsRead: what Write shows is the same configuration, and says where
// each value is from.
func TestWriteIsRead(t *testing.T) {
	for _, text := range []string{full, "", "share = [{path = \"/a\"}, {path = \"/b\", name = \"c d\"}]\n"} {
		c, err := config.Parse("dozo.toml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		c.From["memory"] = config.Flag("memory")
		var shown strings.Builder
		if err := c.Write(&shown); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(shown.String(), "# flag --memory\n") {
			t.Errorf("the origin of memory is not told:\n%s", shown.String())
		}
		again, err := config.Parse("dozo.toml", []byte(shown.String()))
		if err != nil {
			t.Fatalf("%v in\n%s", err, shown.String())
		}
		forgetOrigins(c)
		forgetOrigins(again)
		for i := range c.Shares { // an empty list is written as one
			if c.Shares[i].Users == nil && len(again.Shares[i].Users) == 0 {
				again.Shares[i].Users = nil
			}
		}
		if !reflect.DeepEqual(c, again) {
			t.Errorf("shown\n%s\nread\n%+v\nwant\n%+v", shown.String(), again, c)
		}
	}
}

func TestJSONTellsOrigins(t *testing.T) {
	c, err := config.Parse("dozo.toml", []byte(full))
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"memory":{"value":"512M","from":"dozo.toml:8"}`,
		`"create-mask":{"value":"0640","from":"dozo.toml:23"}`,
		`"read-only":{"value":true,"from":"dozo.toml:38"}`,
		`"comment":{"value":null,"default":"none","from":"default"}`,
	} {
		if !strings.Contains(string(data), want) {
			t.Errorf("%s is not in %s", want, data)
		}
	}
}

func TestErrors(t *testing.T) {
	const share = "[[share]]\npath = \"/a\"\n"
	tests := []struct {
		name, text string
		want       []string // all that is told, in order; a part of each
	}{
		{"no TOML", "memory = \n", []string{"f:1: "}},
		{"no TOML further down", share + "read only = true\n", []string{"f:3: "}},
		{"twice", "user = \"a\"\nuser = \"b\"\n", []string{"f:2: "}},
		{"letters swapped", "\nmemroy = \"1G\"\n", []string{"f:2: a configuration has no key memroy; the nearest is memory"}},
		{"an underscore", share + "read_only = true\n", []string{"f:3: a share has no key read_only; the nearest is read-only"}},
		{"in capitals", share + "ReadOnly = true\n", []string{"the nearest is read-only"}},
		{"Samba's word", share + "\"valid users\" = [\"a\"]\n", []string{"the nearest is users"}},
		{"American spelling", share + "browsable = true\n", []string{"the nearest is browseable"}},
		{"of a share", "comment = \"a\"\n" + share, []string{"f:1: comment is a key of shares; put it under a [[share]]"}},
		{"of the server", share + "memory = \"1G\"\n", []string{"f:3: memory is a key of the server; put it above the first [[share]]"}},
		{"like nothing", share + "xylophone = true\n", []string{"f:3: a share has no key xylophone, but name, path, comment, "}},
		{"with a dot", "memory.limit = \"1G\"\n", []string{"a configuration has no key memory.limit"}},
		{"a table", "[server]\nmemory = \"1G\"\n", []string{"f:1: there is no table [server]; keys of the server stand at the top"}},
		{"one bracket", "[share]\npath = \"/a\"\n", []string{"f:1: a share begins with [[share]], with two brackets"}},
		{"share as a key", "share = 1\n", []string{"f:1: a share begins with [[share]]"}},
		{"inside a share", "[[share]]\npath = \"/a\"\n[[share.sub]]\n", []string{"f:3: there is no table [share.sub]"}},
		{"no size", "memory = \"lots\"\n", []string{`f:1: memory: "lots" is no size; write it like 512M or 2G; it takes a size in quotes`}},
		{"size without quotes", "memory = 512\n", []string{`memory: 512 is not right; it takes a size in quotes, such as "512M"`}},
		{"port", "smb = 0\n", []string{"smb: 0 is not right; it takes a port from 1 to 65535"}},
		{"large port", "smb = 65536\n", []string{"smb: 65536 is not right"}},
		{"port in quotes", "smb = \"445\"\n", []string{`smb: "445" is not right; it takes a port`}},
		{"no days", share + "recycle-days = 0\n", []string{"recycle-days: 0 is not right; it takes a number of days from 1 to 36500"}},
		{"days in quotes", share + "recycle-days = \"30\"\n", []string{`recycle-days: "30" is not right`}},
		{"choice", "signing = \"maybe\"\n", []string{`signing: "maybe" is none of "required" or "offered"`}},
		{"truth in quotes", share + "read-only = \"yes\"\n", []string{`read-only: "yes" is not right; it takes true or false`}},
		{"guest as truth", "guest = true\n", []string{`guest: true is not right; it takes "none", "read" or "write"`}},
		{"one for a list", share + "users = \"anna\"\n", []string{`users: "anna" is no list; it takes a list of texts in quotes`}},
		{"numbers in a list", share + "users = [\"anna\", 7]\n", []string{"users: 7 is no text"}},
		{"decimal mask", share + "create-mask = 640\n", []string{"create-mask: 640 is not right; it takes permission bits in octal, in quotes"}},
		{"no octal", share + "create-mask = \"0680\"\n", []string{`create-mask: "0680" is no permission bits`}},
		{"more bits", share + "force-directory-mode = \"2775\"\n", []string{`from "0000" to "0777"`}},
		{"empty mask", share + "create-mask = \"0000\"\n", []string{`with "0000" nobody could open what is new`}},
		{"Samba's group", share + "users = [\"anna\", \"@family\"]\n", []string{`f:3: users: "@family" is how Samba names a group; write it without the sign, into the list of groups: groups = ["family"]`}},
		{"Samba's group among groups", share + "groups = [\"+family\"]\n", []string{`f:3: groups: "+family" is how Samba names a group`}},
		{"every name", share + "veto = [\"?*\"]\n", []string{`f:3: veto: "?*" would be every name`}},
		{"no path", "[[share]]\nname = \"a\"\n", []string{"f:1: a share has no path"}},
		{"relative path", "[[share]]\npath = \"films\"\n", []string{`f:2: path: "films" does not begin with /; it takes the whole path`}},
		{"empty path", "[[share]]\npath = \"\"\n", []string{"f:2: path: \"\" does not begin with /"}},
		{"name", "[[share]]\npath = \"/a\"\nname = \"a/b\"\n", []string{`f:3: name: "a/b" has letters that clients don't take`}},
		{"root without a name", "[[share]]\npath = \"/\"\n", []string{`f:2: "/" has no name of its own; give the share one: name = "films"`}},
		{"relative state", "state = \"here\"\n", []string{`f:1: state: "here" does not begin with /`}},
		{"all at once", "smb = -1\nmemroy = \"1G\"\n[[share]]\ncase = \"mixed\"\npath = \"/a\"\n",
			[]string{"f:1: smb", "f:2: a configuration has no key memroy", "f:4: case: \"mixed\" is not right; it takes \"insensitive\" or \"sensitive\""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := config.Parse("f", []byte(tt.text))
			errs, ok := err.(config.Errors)
			if !ok || len(errs) != len(tt.want) {
				t.Fatalf("Parse = %v, want %d errors", err, len(tt.want))
			}
			for i, want := range tt.want {
				if !strings.Contains(errs[i].Error(), want) {
					t.Errorf("error %q, want %q", errs[i], want)
				}
			}
		})
	}
}

func TestResolve(t *testing.T) {
	c, err := config.Parse("f", []byte("guest = \"read\"\n[[share]]\npath = \"/a\"\n[[share]]\npath = \"/b\"\nguest = \"none\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	c.ReadOnly, c.From["read-only"] = true, config.Flag("read-only")
	c.Resolve()
	a, b := c.Shares[0], c.Shares[1]
	if a.Guest != config.GuestRead || a.From["guest"].Line != 1 || b.Guest != config.GuestNone || b.From["guest"].Line != 6 {
		t.Errorf("guests: %s from %v, %s from %v", a.Guest, a.From["guest"], b.Guest, b.From["guest"])
	}
	if !a.ReadOnly || !b.ReadOnly || b.From["read-only"] != config.Flag("read-only") {
		t.Errorf("read-only: %v, %v from %v", a.ReadOnly, b.ReadOnly, b.From["read-only"])
	}
}

func TestChanges(t *testing.T) {
	const then = "memory = \"1G\"\n[[share]]\npath = \"/a\"\n[[share]]\npath = \"/b\"\n"
	tests := []struct{ now, want string }{
		{then, ""},
		{strings.Replace(then, "1G", "512M", 1), `memory is "512M"`},
		{strings.Replace(then, `memory = "1G"`, "", 1), "memory is an eighth of the machine's or the container's, at most 1G"},
		{"signing = \"offered\"\n" + then, `signing is "offered"`},
		{"guest = \"write\"\n" + then, `share a: guest is "write"; share b: guest is "write"`},
		{then + "read-only = true\nusers = [\"anna\"]\n", `share b: read-only is true; share b: users is ["anna"]`},
		{then + "case = \"sensitive\"\n", `share b: case is "sensitive"; its clients have to connect anew`},
		{strings.Replace(then, "/b", "/c", 1), "share b: removed; share c: added"},
	}
	for _, tt := range tests {
		a, err := config.Parse("f", []byte(then))
		if err != nil {
			t.Fatal(err)
		}
		b, err := config.Parse("f", []byte(tt.now))
		if err != nil {
			t.Fatal(err)
		}
		a.Resolve()
		b.Resolve()
		var words []string
		for _, c := range config.Changes(a, b) {
			words = append(words, c.String())
		}
		if got := strings.Join(words, "; "); got != tt.want {
			t.Errorf("changes to\n%s\nare %s, want %s", tt.now, got, tt.want)
		}
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	file := filepath.Join(dir, "dozo.toml")
	if _, err := config.Read(file); err == nil || !strings.Contains(err.Error(), "can't be read") {
		t.Errorf("a file that is named and not there: %v", err)
	}
	if err := os.WriteFile(file, []byte("memory = \"1G\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if c, err := config.Read(file); err != nil || c.Memory != 1<<30 || c.File != file {
		t.Errorf("Read = %+v, %v", c, err)
	}
	if err := os.Chmod(file, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := config.Read(file); err == nil || !strings.Contains(err.Error(), "chmod go-w") {
		t.Errorf("a file that anybody may write: %v", err)
	}
	if c, err := config.Read("/dev/null"); err != nil || len(c.Shares) != 0 {
		t.Errorf("nothing = %+v, %v", c, err)
	}
}

func TestSize(t *testing.T) {
	tests := []struct {
		text string
		want config.Size // 0: refused
		back string
	}{
		{"1000000", 1000000, "1000000"}, {"64K", 64 << 10, "64K"}, {"512M", 512 << 20, "512M"}, {"512m", 512 << 20, "512M"},
		{"2G", 2 << 30, "2G"}, {"2GiB", 2 << 30, "2G"}, {"2gb", 2 << 30, "2G"}, {"1T", 1 << 40, "1T"}, {"1536M", 1536 << 20, "1536M"}, {"1024T", 1024 << 40, "1024T"},
		{"", 0, ""}, {"M", 0, ""}, {"-1M", 0, ""}, {"0", 0, ""}, {"1.5G", 0, ""}, {"12MM", 0, ""}, {"9999999T", 0, ""}, {"1KM", 0, ""},
	}
	for _, tt := range tests {
		var got config.Size
		if err := got.UnmarshalText([]byte(tt.text)); (err != nil) != (tt.want == 0) || got != tt.want {
			t.Errorf("size %q = %d, %v; want %d", tt.text, got, err, tt.want)
		} else if tt.want != 0 && got.String() != tt.back {
			t.Errorf("size %q is written %s", tt.text, got)
		}
	}
}

// FuzzParse: whatever stands in a file, there is a Config or errors, and what is
// read can be written and read again.
func FuzzParse(f *testing.F) {
	// Short ones: a long one is made shorter for a minute whenever it finds
	// something.
	for line := range strings.Lines(full) {
		f.Add([]byte(line))
		f.Add([]byte("[[share]]\n" + line))
	}
	f.Add([]byte("share = [{path = \"/a\"}, 7]\nbind = [1, {a = 2}]\n"))
	f.Add([]byte("[share]\n[[share.x]]\n\"\" = 1\na.b.c = 1979-05-27T07:32:00Z\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := config.Parse("f", text)
		if err != nil {
			return
		}
		var shown strings.Builder
		c.Write(&shown)
		again, err := config.Parse("f", []byte(shown.String()))
		if err != nil {
			t.Fatalf("%v in\n%s", err, shown.String())
		}
		if changes := config.Changes(c, again); len(changes) > 0 {
			t.Errorf("%v in\n%s", changes, shown.String())
		}
	})
}
