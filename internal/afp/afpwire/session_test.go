package afpwire_test

import (
	"testing"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

var sessionTests = []wireTest{
	{name: "a client's", wire: `01 04 00000400`, want: &afpwire.SessionOptions{AttentionQuantum: 1024}},
	{
		name: "a server's",
		wire: `00 04 00100000  02 04 00000080`,
		want: &afpwire.SessionOptions{ServerQuantum: 1 << 20, ReplayCacheSize: 128},
	},
	{name: "none", wire: ``, want: &afpwire.SessionOptions{}},
	{name: "one nobody knows", wire: `09 03 010203  01 04 00000002`, want: &afpwire.SessionOptions{AttentionQuantum: 2}, lenient: true},
	{name: "of no bytes", wire: `00 00`, want: &afpwire.SessionOptions{}, err: "option 0 of 0 bytes"},
	{name: "of one byte", wire: `01 01 02`, want: &afpwire.SessionOptions{}, err: "option 1 of 1 bytes"},
	{name: "of 255 bytes", wire: `01 ff 00000002`, want: &afpwire.SessionOptions{}, err: "option 1 of 255 bytes"},
	{name: "beyond the end", wire: `01 04 000002`, want: &afpwire.SessionOptions{}, err: "too short"},
	{name: "one nobody knows beyond the end", wire: `09 ff 00000002`, want: &afpwire.SessionOptions{}, err: "too short"},
	{name: "without a length", wire: `01`, want: &afpwire.SessionOptions{}, err: "too short"},

	{name: "shutdown in five minutes, with a message", wire: `a005`, want: &afpwire.AttentionRequest{Code: afpwire.AttentionShutDown | afpwire.AttentionMessage | 5}},

	{name: "of AFP 3.0", wire: `40 00 0000`, want: &afpwire.GetSessionTokenRequest{}},
	{name: "with an id", wire: `40 00 0001 00000003 616263`, want: &afpwire.GetSessionTokenRequest{Type: afpwire.LoginWithID, ID: []byte("abc")}},
	{
		name: "with a time and an id",
		wire: `40 00 0003 00000002 5f000001 6162`,
		want: &afpwire.GetSessionTokenRequest{Type: afpwire.LoginWithTimeAndID, Timestamp: 0x5f000001, ID: []byte("ab")},
	},
	{name: "without the id", wire: `40 00 0008`, want: &afpwire.GetSessionTokenRequest{Type: afpwire.GetKerberosSessionKey}, lenient: true},
	{name: "an id beyond the end", wire: `40 00 0001 00000004 616263`, want: &afpwire.GetSessionTokenRequest{}, err: "too short"},
	{wire: `00000004 01020304`, want: &afpwire.GetSessionTokenReply{Token: []byte{1, 2, 3, 4}}},
	{wire: `41 00 0000 00000004 01020304`, want: &afpwire.DisconnectOldSessionRequest{Token: []byte{1, 2, 3, 4}}},
	{name: "another command", wire: `42 00 0000 00000004 01020304`, want: &afpwire.DisconnectOldSessionRequest{}, err: "FPEnumerateExt where FPDisconnectOldSession was expected"},

	{name: "extended sleep", wire: `7a 00 00000001`, want: &afpwire.ZzzzzRequest{Sleep: afpwire.SleepBegins}},
	{name: "of old clients", wire: `7a 00`, want: &afpwire.ZzzzzRequest{}, lenient: true},
	{name: "ten hours", wire: `0000000a`, want: &afpwire.ZzzzzReply{Hours: 10}},
	{name: "nothing", wire: ``, want: &afpwire.ZzzzzReply{}, lenient: true},
}

func TestSession(t *testing.T) { runWireTests(t, sessionTests) }

func TestAttentionMinutes(t *testing.T) {
	for code, want := range map[afpwire.Attention]int{0x8005: 5, 0x8fff: afpwire.AttentionCanceled, 0x3001: 1} {
		if got := code.Minutes(); got != want {
			t.Errorf("%#04x is in %d minutes, want %d", uint16(code), got, want)
		}
	}
	if afpwire.AttentionVolumeChanged != 0x3001 {
		t.Errorf("a changed volume is %#x", uint16(afpwire.AttentionVolumeChanged))
	}
}
