package rpc

import (
	"bytes"
	"testing"

	"github.com/dozo-server/dozo/internal/hexdump"
)

// policy opens a policy and returns its handle.
func (c *client) policy() []byte {
	c.t.Helper()
	return c.must(44, nil)[:20]
}

func (c *client) withHandle(h []byte, stub string) []byte {
	c.t.Helper()
	return append(bytes.Clone(h), hexdump.Bytes(c.t, stub)...)
}

func TestPolicyHandles(t *testing.T) {
	c := open(t, "lsarpc").bind()
	a, b := c.policy(), c.policy()
	if bytes.Equal(a, b) {
		t.Error("two policies have one handle")
	}
	equal(t, "close", c.must(0, a), "0000000000000000000000000000000000000000 00000000")
	for _, h := range [][]byte{a, make([]byte, 20), nil} {
		if _, err := c.do(0, h); err != faultContext {
			t.Errorf("close of %x: %v", h, err)
		}
		if _, err := c.do(57, h); err != faultContext {
			t.Errorf("look-up with %x: %v", h, err)
		}
	}
	other := open(t, "lsarpc").bind()
	if _, err := other.do(0, b); err != faultContext {
		t.Errorf("a handle on another pipe: %v", err)
	}
}

func TestQueryPolicy(t *testing.T) {
	c := open(t, "lsarpc").bind()
	h := c.policy()
	for class, want := range map[string]string{
		"0300": `04000200 0300 0000 1200 1200 08000200 00000000    # name, no SID
			09000000 00000000 09000000 57004f0052004b00470052004f0055005000 0000 00000000`,
		"0500": `04000200 0500 0000 0a00 0a00 08000200 0c000200
			05000000 00000000 05000000 460049004c0045005300 0000
			04000000 01 04 000000000005 15000000 01000000 02000000 03000000 00000000`,
		"0c00": `04000200 0c00 0000 1200 1200 08000200 0000 0000 0c000200 0000 0000 10000200
			00000000000000000000000000000000 00000000
			09000000 00000000 09000000 57004f0052004b00470052004f0055005000 0000
			00000000 00000000 00000000 00000000 00000000 00000000 00000000`,
		"6300": `00000000 0d0000c0`,
	} {
		equal(t, "class "+class, c.must(46, c.withHandle(h, class)), want)
	}
}

func TestGetUserName(t *testing.T) {
	c := open(t, "lsarpc").bind()
	equal(t, "without a domain", c.must(45, hexdump.Bytes(t, "00000000 00000000 00000000")), `
		04000200 0600 0600 08000200 03000000 00000000 03000000 61006e006e00 0000
		00000000 00000000`)
	equal(t, "with one", c.must(45, hexdump.Bytes(t, "00000000 01000000 00000000 00000000 01000000 00000000")), `
		04000200 0600 0600 08000200 03000000 00000000 03000000 61006e006e00 0000
		0c000200 10000200 0a00 0a00 14000200 05000000 00000000 05000000 460049004c0045005300 0000
		00000000`)
}

// sidArguments are those of LsarLookupSids2 for Everyone and a stranger.
const sidArguments = `
	00000000 00000000000000000000000000000000  # handle
	02000000 01000000 02000000                 # two SIDs
	02000000 03000000
	01000000 01 01 000000000001 00000000       # S-1-1-0
	02000000 01 02 000000000009 07000000 08000000  # S-1-9-7-8
	00000000 00000000 0100 0000 00000000       # no names, level, no count
`

func TestLookupSIDsOnTheWire(t *testing.T) {
	c := open(t, "lsarpc").bind()
	c.pipe.handles = []uuid{{}}
	equal(t, "results", c.must(57, hexdump.Bytes(t, sidArguments)), `
		04000200 01000000 08000200 01000000        # one domain
		01000000 0000 0000 0c000200 10000200       # "", S-1-1
		00000000 00000000 00000000 00000000 01 00 000000000001
		02000000 14000200 02000000                 # two names
		0500 0000 1000 1000 18000200 00000000 00000000
		0800 0000 1200 1200 1c000200 ffffffff 00000000
		08000000 00000000 08000000 450076006500720079006f006e006500      # Everyone
		09000000 00000000 09000000 53002d0031002d0039002d0037002d003800 0000
		01000000 07010000                          # one found, some not mapped`)
}

// nameArguments are those of LsarLookupNames2 for "ann".
const nameArguments = `
	00000000 00000000000000000000000000000000
	01000000 01000000 0600 0600 01000000
	03000000 00000000 03000000 61006e006e00 0000
	00000000 00000000 0100 0000 00000000 00000000 01000000
`

func TestLookupNamesOnTheWire(t *testing.T) {
	c := open(t, "lsarpc").bind()
	c.pipe.handles = []uuid{{}}
	const domain = `
		04000200 01000000 08000200 01000000
		01000000 0a00 0a00 0c000200 10000200       # FILES, S-1-5-21-1-2-3
		05000000 00000000 05000000 460049004c0045005300 0000
		04000000 01 04 000000000005 15000000 01000000 02000000 03000000
		01000000 14000200 01000000                 # one SID
	`
	equal(t, "LsarLookupNames", c.must(14, hexdump.Bytes(t, nameArguments)), domain+`
		0100 0000 b80b0000 00000000                # user, 3000, domain
		01000000 00000000`)
	equal(t, "LsarLookupNames2", c.must(58, hexdump.Bytes(t, nameArguments)), domain+`
		0100 0000 b80b0000 00000000 00000000
		01000000 00000000`)
	equal(t, "LsarLookupNames3", c.must(68, hexdump.Bytes(t, nameArguments)), domain+`
		0100 0000 18000200 00000000 00000000
		05000000 01 05 000000000005 15000000 01000000 02000000 03000000 b80b0000
		01000000 00000000`)
}

func TestAccounts(t *testing.T) {
	env := testEnv()
	machine := env.machine()
	for _, tt := range []struct {
		name string
		sid  string // "" when there is none
		use  sidUse
		full string // by that SID
	}{
		{"ann", machine.String() + "-3000", useUser, `FILES\ann`},
		{`files\ann`, machine.String() + "-3000", useUser, `FILES\ann`},
		{"ann@FILES", machine.String() + "-3000", useUser, `FILES\ann`},
		{"root", machine.String() + "-1000", useUser, `FILES\root`},
		{`FILES\users`, machine.String() + "-1201", useGroup, `FILES\users`},
		{"files", machine.String(), useDomain, `FILES\FILES`},
		{"users", "S-1-5-32-545", useAlias, `BUILTIN\Users`},
		{`builtin\administrators`, "S-1-5-32-544", useAlias, `BUILTIN\Administrators`},
		{"BUILTIN", "S-1-5-32", useDomain, `BUILTIN\BUILTIN`},
		{"everyone", "S-1-1-0", useWellKnown, `\Everyone`},
		{`NT AUTHORITY\SYSTEM`, "S-1-5-18", useWellKnown, `NT AUTHORITY\SYSTEM`},
		{`OTHER\ann`, "", 0, ""},
		{"huge", "S-1-22-1-2147483648", useUser, `Unix User\huge`},
		{`Unix User\ann`, machine.String() + "-3000", useUser, `FILES\ann`},
		{`Unix Group\ann`, "", 0, ""},
		{`Unix User\users`, "", 0, ""},
		{"nobody", "", 0, ""},
		{"", "", 0, ""},
		{`\`, "", 0, ""},
	} {
		a, ok := env.byName(tt.name)
		if ok != (tt.sid != "") || ok && (a.sid.String() != tt.sid || a.use != tt.use) {
			t.Errorf("byName(%q) = %v %v, %v", tt.name, a.sid, a.use, ok)
			continue
		}
		if !ok {
			continue
		}
		b, ok := env.bySID(a.sid)
		if full := b.domain + `\` + b.name; !ok || full != tt.full || b.use != tt.use {
			t.Errorf("bySID(%v) = %s %v, %v", a.sid, full, b.use, ok)
		}
	}
	for _, rid := range []uint32{0, 500, 999, 5000, 5001} {
		if a, ok := env.bySID(machine.with(rid)); ok {
			t.Errorf("relative id %d is %+v", rid, a)
		}
	}
}

// Guests learn nothing of the machine's accounts.
func TestAccountsAreHidden(t *testing.T) {
	env := testEnv()
	env.Accounts = nil
	if a, ok := env.byName("ann"); ok {
		t.Errorf("byName = %+v", a)
	}
	if a, ok := env.bySID(env.machine().with(3000)); ok {
		t.Errorf("bySID = %+v", a)
	}
	if _, ok := env.byName("Everyone"); !ok {
		t.Error("Everyone is unknown")
	}
}

func TestLookupLimits(t *testing.T) {
	c := open(t, "lsarpc").bind()
	c.pipe.handles = []uuid{{}}
	handle := make([]byte, 20)
	for _, stub := range []string{
		"01000000 01000000 02000000 02000000",          // two counts
		"ffffffff 01000000 ffffffff",                   // more than there can be
		"01000000 01000000 01000000 00000000",          // a SID that is not there
		"01000000 01000000 01000000 01000000 10000000", // sixteen parts
		"01000000 01000000 01000000 01000000 01000000 01 02 000000000001 00000000 00000000",
		"01000000 01000000 01000000 01000000 01000000 02 01 000000000001 00000000",
	} {
		if _, err := c.do(57, c.withHandle(handle, stub)); err != faultBadStub {
			t.Errorf("SIDs %s: %v", stub, err)
		}
	}
	for _, stub := range []string{
		"02000000 01000000", "ffffffff ffffffff", "01000000 01000000 0600 0600 01000000 ffffffff 00000000 ffffffff",
	} {
		if _, err := c.do(58, c.withHandle(handle, stub)); err != faultBadStub {
			t.Errorf("names %s: %v", stub, err)
		}
	}

	// The largest that is allowed, of many packets.
	names := c.withHandle(handle, "00040000 00040000")
	for range maxLookup {
		names = append(names, hexdump.Bytes(t, "0000 0000 00000000")...)
	}
	equal(t, "1024 names of nobody", c.must(58, names)[:16], "04000200 00000000 00000000 00000000")
	equal(t, "no names", c.must(58, c.withHandle(handle, "00000000 00000000")), `
		04000200 00000000 00000000 00000000 00000000 00000000 00000000 00000000`)
}
