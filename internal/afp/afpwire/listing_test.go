package afpwire_test

import (
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/cursor"
)

const nameBits = afpwire.BitParent | afpwire.BitLongName

func named(dir bool, name string) afpwire.Parms {
	return afpwire.Parms{Dir: dir, Parent: 2, LongName: name}
}

var listingTests = []wireTest{
	{
		wire: `09 00 0001 00000002 0042 0042 0010 0001 1000 02 00`,
		want: &afpwire.EnumerateRequest{Command: afpwire.Enumerate, Volume: 1, Dir: 2, Files: nameBits, Dirs: nameBits, Count: 16, Start: 1, MaxReply: 4096, Path: afpwire.LongPath()},
	},
	{
		wire: `42 00 0001 00000002 e92b 3302 0010 ffff ffff ` + emptyHex,
		want: &afpwire.EnumerateRequest{Command: afpwire.EnumerateExt, Volume: 1, Dir: 2, Files: fileBits, Dirs: dirBits, Count: 16, Start: 0xffff, MaxReply: 0xffff, Path: emptyPath},
	},
	{
		wire: `44 00 0001 00000002 e92b 3302 07d0 00010000 00100000 ` + emptyHex,
		want: &afpwire.EnumerateRequest{Command: afpwire.EnumerateExt2, Volume: 1, Dir: 2, Files: fileBits, Dirs: dirBits, Count: 2000, Start: 1 << 16, MaxReply: 1 << 20, Path: emptyPath},
	},
	{
		name: "of Enumerate",
		wire: `
			0042 0042 0002
			0a 00 00000002 0006 01 61        # a file, 10 bytes
			0c 80 00000002 0006 02 6262 00   # a folder, padded to 12
		`,
		want: &afpwire.EnumerateReply{Command: afpwire.Enumerate, Files: nameBits, Dirs: nameBits, Entries: []afpwire.Parms{named(false, "a"), named(true, "bb")}},
	},
	{
		name: "of EnumerateExt2",
		wire: `
			e92b 3302 0002
			0064 00 00` + fileHex + `00  # padded to 100
			0022 80 00` + dirHex,
		want: &afpwire.EnumerateReply{Command: afpwire.EnumerateExt2, Files: fileBits, Dirs: dirBits, Entries: []afpwire.Parms{someFile(), someDir()}},
	},
	{name: "of EnumerateExt, none", wire: `0042 0042 0000`, want: &afpwire.EnumerateReply{Command: afpwire.EnumerateExt, Files: nameBits, Dirs: nameBits}},
	{name: "an entry shorter than its head", wire: `0042 0042 0001 01 00 00000002 0006 01 61`, want: &afpwire.EnumerateReply{Command: afpwire.Enumerate}, err: "too short"},
	{name: "a name beyond its entry", wire: `0042 0042 0001 0a 00 00000002 0006 02 6161`, want: &afpwire.EnumerateReply{Command: afpwire.Enumerate}, err: "too short"},
	{name: "an entry beyond the end", wire: `0042 0042 0001 0c 00 00000002 0006 01 61`, want: &afpwire.EnumerateReply{Command: afpwire.Enumerate}, err: "too short"},
	{name: "fewer than it says", wire: `0042 0042 0002 0a 00 00000002 0006 01 61`, want: &afpwire.EnumerateReply{Command: afpwire.Enumerate}, err: "too short"},
}

func TestEnumerate(t *testing.T) { runWireTests(t, listingTests) }

// TestListingStopsWhereTheReplyIsFull fills replies of every size.
func TestListingStopsWhereTheReplyIsFull(t *testing.T) {
	entry := named(false, "abc") // with a head of 4 bytes, 4 for the parent, 2 for the offset and 4 for the name: 14
	for limit := range 100 {
		m := afpwire.EnumerateRequest{Command: afpwire.EnumerateExt2, Files: nameBits, Dirs: nameBits, MaxReply: uint32(limit)}
		w := cursor.NewWriter([]byte("before"))
		l := m.BeginListing(w, 84)
		for l.Add(&entry) {
		}
		want := max(0, (min(limit, 84)-6)/14)
		if l.Count() != want {
			t.Errorf("%d entries in %d bytes, want %d", l.Count(), limit, want)
		}
		reply := afpwire.EnumerateReply{Command: m.Command}
		r := cursor.NewReader(w.Message())
		if reply.Decode(r); r.Err() != nil || len(reply.Entries) != want || r.Len() != 0 {
			t.Errorf("a reply of %d bytes reads as %d entries, %v, %d bytes left", limit, len(reply.Entries), r.Err(), r.Len())
		}
	}
}

func TestEntriesTooLongForAByte(t *testing.T) {
	m := afpwire.EnumerateRequest{Command: afpwire.Enumerate, Files: afpwire.BitLongName, MaxReply: 0xffff}
	w := cursor.NewWriter(nil)
	l := m.BeginListing(w, 1<<20)
	long := afpwire.Parms{LongName: strings.Repeat("x", 251)} // 256 bytes with its head, offset and length
	if l.Add(&long) {
		t.Error("an entry of 256 bytes fits in a byte")
	}
	long.LongName = long.LongName[1:] // padded to 256
	if l.Add(&long) {
		t.Error("an entry padded to 256 bytes fits in a byte")
	}
	long.LongName = long.LongName[1:]
	if !l.Add(&long) || l.Count() != 1 || w.Len() != 6+254 {
		t.Errorf("an entry of 254 bytes: %d entries, %d bytes", l.Count(), w.Len())
	}
}

func TestListingAllocatesNothingPerEntry(t *testing.T) {
	entries := make([]afpwire.Parms, 100)
	for i := range entries {
		entries[i] = someFile()
	}
	reply := afpwire.EnumerateReply{Command: afpwire.EnumerateExt2, Files: fileBits, Dirs: dirBits, Entries: entries}
	m := afpwire.EnumerateRequest{Command: afpwire.EnumerateExt2, Files: fileBits, Dirs: dirBits, MaxReply: 1 << 20}
	var w cursor.Writer
	buf := make([]byte, 0, len(encode(&reply)))
	if n := testing.AllocsPerRun(10, func() {
		w.Reset(buf)
		l := m.BeginListing(&w, 1<<20)
		for i := range entries {
			l.Add(&entries[i])
		}
	}); n > 1 {
		t.Errorf("a listing allocates %v times", n)
	}
}
