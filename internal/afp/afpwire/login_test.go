package afpwire_test

import (
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/cursor"
)

var loginTests = []wireTest{
	{
		name: "as the suite of netatalk logs in",
		wire: `
			12 06 414650332e34                      # AFP3.4
			10 436c6561727478742050617373777264     # Cleartxt Passwrd
			05 616c696365 00                        # alice; the password is at an even offset
			7365637265743800                        # secret8
		`,
		want: &afpwire.LoginRequest{Version: afpwire.Version34, UAM: afpwire.UAMCleartext, Auth: []byte("\x05alice\x00secret8\x00")},
	},
	{
		name: "a guest",
		wire: `12 06 414650322e32 0f 4e6f20557365722041757468656e74`,
		want: &afpwire.LoginRequest{Version: afpwire.Version22, UAM: afpwire.UAMGuest},
	},
	{name: "a version beyond the end", wire: `12 ff 414650`, want: &afpwire.LoginRequest{}, err: "too short"},
	{name: "a method beyond the end", wire: `12 01 41 ff 41`, want: &afpwire.LoginRequest{}, err: "too short"},

	{
		name: "with DHX2",
		wire: `
			3f 00 0000
			06 414650332e34 04 44485832  # AFP3.4, DHX2
			03 0005 616c696365           # alice
			03 0000 00                   # no directory; pad
		`,
		want: &afpwire.LoginExtRequest{Version: afpwire.Version34, UAM: afpwire.UAMDHX2, User: "alice", PathType: afpwire.UTF8Names},
	},
	{
		name: "with SRP, padded",
		wire: `
			3f 00 0000
			06 414650332e34 03 535250    # AFP3.4, SRP
			03 0005 616c696365
			02 00 00                     # no directory, as a long name; pad
			0001                         # what the method says
		`,
		want: &afpwire.LoginExtRequest{Version: afpwire.Version34, UAM: afpwire.UAMSRP, User: "alice", PathType: afpwire.LongNames, Auth: []byte{0, 1}},
	},
	{name: "a user in MacRoman", wire: `3f 00 0000 00 00 02 05 616c696365 03 0000`, want: &afpwire.LoginExtRequest{}, err: "user name of type 2"},
	{name: "a directory of no type", wire: `3f 00 0000 00 00 03 0000 09 0000`, want: &afpwire.LoginExtRequest{}, err: "path of type 9"},

	{wire: `13 00 1234 aabbcc`, want: &afpwire.LoginContRequest{ID: 0x1234, Auth: []byte{0xaa, 0xbb, 0xcc}}},
	{wire: `1234 aabbcc`, want: &afpwire.AuthContinueReply{ID: 0x1234, Auth: []byte{0xaa, 0xbb, 0xcc}}},
	{wire: `14 00`, want: &afpwire.LogoutRequest{}},

	{
		name: "of AFP 3",
		wire: `24 00 04 44485832 00  # DHX2, padded
			00 00                    # no user, padded
			1234`,
		want: &afpwire.ChangePasswordRequest{UAM: afpwire.UAMDHX2, Auth: []byte{0x12, 0x34}},
	},
	{
		name: "of AFP 2",
		wire: `24 00 09 444843415354313238 05 616c696365 0000`,
		want: &afpwire.ChangePasswordRequest{UAM: afpwire.UAMDHCAST128, User: "alice", Auth: []byte{0, 0}},
	},
}

func TestLogin(t *testing.T) { runWireTests(t, loginTests) }

func TestUserOfLogin(t *testing.T) {
	for _, version := range []string{afpwire.Version22, afpwire.Version21} {
		for _, user := range []string{"alice", "bob", ""} {
			m := afpwire.LoginRequest{Version: version, UAM: afpwire.UAMCleartext}
			m.SetUser(user, []byte("password"))
			if at := len(encode(&m)) - 8; at%2 != 0 {
				t.Errorf("%s, user %q: the password is at %d", version, user, at)
			}
			if name, rest, err := m.User(); name != user || string(rest) != "password" || err != nil {
				t.Errorf("%s, user %q: %q, %q, %v", version, user, name, rest, err)
			}
			m.SetUser(user, nil)
			if name, rest, err := m.User(); name != user || len(rest) != 0 || err != nil {
				t.Errorf("%s, user %q without more: %q, %q, %v", version, user, name, rest, err)
			}
		}
	}
	m := afpwire.LoginRequest{Auth: []byte("\x05ali")}
	if _, _, err := m.User(); err == nil {
		t.Error("a user's name beyond the end is accepted")
	}
}

// TestLongestLogins has names of the most bytes that their lengths can say, and
// none of them may be read beyond its end.
func TestLongestLogins(t *testing.T) {
	for _, n := range []int{0, 1, 254, 255} {
		long := strings.Repeat("x", n)
		withUser := afpwire.LoginRequest{Version: long, UAM: long}
		withUser.SetUser(long, []byte("password"))
		for _, m := range []message{
			&withUser,
			&afpwire.LoginExtRequest{Version: long, UAM: long, User: long, PathType: afpwire.LongNames, Directory: long},
			&afpwire.LoginExtRequest{User: strings.Repeat("x", n<<8|n), PathType: afpwire.UTF8Names, Directory: strings.Repeat("x", n<<8)},
			&afpwire.ChangePasswordRequest{UAM: long, User: long, Auth: []byte("passwords")},
		} {
			wire := encode(m)
			got := fresh(m)
			r := cursor.NewReader(wire)
			if got.Decode(r); r.Err() != nil || !equal(got, m) {
				t.Errorf("%T with names of %d bytes: %v", m, n, r.Err())
			}
			for cut := max(0, len(wire)-600); cut < len(wire); cut++ {
				r.Reset(wire[:cut:cut])
				got.Decode(r)
			}
		}
		if user, rest, err := withUser.User(); user != long || string(rest) != "password" || err != nil {
			t.Errorf("a user of %d bytes: %d bytes, %q, %v", n, len(user), rest, err)
		}
	}
}
