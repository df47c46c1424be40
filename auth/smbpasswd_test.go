package auth_test

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/auth"
)

const (
	noHash = "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX"
	hash1  = "8846F7EAEE8FB117AD06BDD830B7586C" // of "password"
)

// sambaList is one as pdbedit -Lw prints it, with all that may be in it.
const sambaList = `SID for domain FILES is: S-1-5-21-1-2-3
# a comment of the file smbpasswd
anna:1000:` + noHash + `:` + hash1 + `:[U          ]:LCT-692CBE4E:
Änne:4294967295:` + noHash + `:8846f7eaee8fb117ad06bdd830b7586c:[UX         ]:LCT-692CBE4E:

bert:1001:` + noHash + `:` + hash1 + `:[DU         ]:LCT-692CBE4E:
carl:-1:` + noHash + `:` + noHash + `:[NDU        ]:LCT-00000000:
dora:1003:NO PASSWORDXXXXXXXXXXXXXXXXXXXXX:NO PASSWORDXXXXXXXXXXXXXXXXXXXXX:[NU         ]:LCT-00000000:
emil:1004:` + noHash + `:31D6CFE0D16AE931B73C59D7E0C089C0:[U          ]:LCT-692CBE4E:
fred:1005:` + noHash + `:` + hash1 + `:[NU         ]:LCT-692CBE4E:
pc1$:1006:` + noHash + `:` + hash1 + `:[W          ]:LCT-692CBE4E:
`

func TestReadSambaList(t *testing.T) {
	for name, text := range map[string]string{"as it is": sambaList, "through Windows": strings.ReplaceAll(sambaList, "\n", "\r\n")} {
		list, err := auth.ReadSambaList(strings.NewReader(text))
		if err != nil {
			t.Fatal(name, err)
		}
		var got strings.Builder
		for _, u := range list.Users {
			fmt.Fprintf(&got, "%d %s %d %s disabled=%v machine=%v empty=%v\n",
				u.Line, u.Name, u.UID, hex.EncodeToString(u.NTHash[:4]), u.Disabled, u.Machine, u.WasEmpty)
			if len(u.SRPSalt)+len(u.SRPVerifier) > 0 {
				t.Errorf("%s: %s has a verifier that nobody can make", name, u.Name)
			}
		}
		const want = `3 anna 1000 8846f7ea disabled=false machine=false empty=false
4 Änne -1 8846f7ea disabled=false machine=false empty=false
6 bert 1001 8846f7ea disabled=true machine=false empty=false
7 carl -1 00000000 disabled=true machine=false empty=false
8 dora 1003 00000000 disabled=false machine=false empty=false
9 emil 1004 00000000 disabled=false machine=false empty=true
10 fred 1005 00000000 disabled=false machine=false empty=false
11 pc1$ 1006 8846f7ea disabled=false machine=true empty=false
`
		if got.String() != want || list.SID != "S-1-5-21-1-2-3" {
			t.Errorf("%s: SID %s\n%s, want\n%s", name, list.SID, got.String(), want)
		}
	}
}

func TestDamagedSambaLists(t *testing.T) {
	good := "anna:1000:" + noHash + ":" + hash1 + ":[U          ]:LCT-692CBE4E:\n"
	for _, tt := range []struct{ line, err string }{
		{"anna", "not of the form"},
		{"bert:1001:" + noHash + ":" + hash1, "not of the form"},
		{":1001:" + noHash + ":" + hash1 + ":[U]:", "needs a name"},
		{"b/t:1001:" + noHash + ":" + hash1 + ":[U]:", "b/t"},
		{"bert:x:" + noHash + ":" + hash1 + ":[U]:", "number of the account"},
		{"bert:-2:" + noHash + ":" + hash1 + ":[U]:", "number of the account"},
		{"bert:1001:X:" + hash1 + ":[U]:", "LM hash"},
		{"bert:1001:" + noHash + ":" + hash1[1:] + ":[U]:", "NT hash"},
		{"bert:1001:" + noHash + ":" + hash1 + "0:[U]:", "NT hash"},
		{"bert:1001:" + noHash + ":" + hash1[1:] + "Z:[U]:", "NT hash"},
		{"bert:1001:" + noHash + "::[U]:", "NT hash"},
		{"bert:1001:" + noHash + ":XXXX:[U]:", "NT hash"},
		{"bert:1001:" + noHash + ":" + hash1 + ":U:", "flags"},
		{"bert:1001:" + noHash + ":" + hash1 + ":[U:", "flags"},
		{"bert:1001:" + noHash + ":" + hash1 + ":[U?]:", "flags"},
		{"ANNA:1001:" + noHash + ":" + hash1 + ":[U]:", "the user ANNA was in line 1"},
		{strings.Repeat("n", 5000), "longer than 4096 bytes"},
	} {
		list, err := auth.ReadSambaList(strings.NewReader(good + tt.line + "\n" + good))
		if err == nil || !strings.HasPrefix(err.Error(), "line 2 is damaged") || !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%.50s: %+v, %v; want line 2 and %q", tt.line, list, err, tt.err)
		}
		if err != nil && strings.Contains(strings.ToUpper(err.Error()), hash1[1:9]) {
			t.Errorf("the secret is told: %v", err)
		}
	}
}

// FuzzReadSambaList reads what somebody made up: all that is taken could be
// stored.
func FuzzReadSambaList(f *testing.F) {
	f.Add(sambaList)
	f.Fuzz(func(t *testing.T, text string) {
		list, err := auth.ReadSambaList(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, u := range list.Users {
			if _, err := auth.NewRecord(u.Name, "password"); err != nil || u.Line < 1 {
				t.Errorf("line %d: %v", u.Line, err)
			}
			if u.HasPassword() && u.WasEmpty {
				t.Errorf("line %d: a password that is empty", u.Line)
			}
		}
	})
}

func TestPeople(t *testing.T) {
	const passwd = `root:x:0:0:root:/root:/bin/bash
daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin
# a comment: of: many: fields: as: it: were
+::::::
anna:x:1000:1000:Anna:/home/anna:/bin/bash
files:x:1001:1001::/nonexistent:/usr/sbin/nologin
old:x:500:500::/home/old:/bin/sh
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
cut:x:1002
`
	for _, tt := range []struct{ defs, want string }{
		{"", "anna files"},
		{"# UID_MIN 1\nUID_MIN\t\t 500\nUID_MAX 1000\nGID_MIN 100\n", "anna old"},
		{"UID_MIN\nUID_MAX many\n", "anna files"},
		{"UID_MIN 0x3e9\n", "files"},
	} {
		got, err := auth.People(strings.NewReader(passwd), strings.NewReader(tt.defs))
		if err != nil || strings.Join(got, " ") != tt.want {
			t.Errorf("with %q: %q, %v; want %q", tt.defs, got, err, tt.want)
		}
	}
	if got, err := auth.People(strings.NewReader(passwd), nil); err != nil || len(got) != 2 {
		t.Errorf("without ranges: %q, %v", got, err)
	}
}
