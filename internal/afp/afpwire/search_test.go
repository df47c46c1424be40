package afpwire_test

import (
	"bytes"
	"testing"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/cursor"
)

var (
	somePosition    = afpwire.CatalogPosition{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	somePositionHex = "000102030405060708090a0b0c0d0e0f"
)

var searchTests = []wireTest{
	{
		name: "by a part of the name",
		wire: `
			43 00 0001 00000014 00000000    # volume 1, at most 20
			00000000000000000000000000000000
			0142 0142 80002000              # what is wanted, and UTF-8 names, a part of them
			000f                            # 15 bytes:
			   0006 00000000                #    the name is at 6
			   08000103 0003 666f6f         #    foo
			0006                            # the second has none
			   0000 00000000
		`,
		want: &afpwire.CatSearchRequest{
			Command: afpwire.CatSearchExt, Volume: 1, Matches: 20, Files: 0x142, Dirs: 0x142,
			Search: afpwire.SearchPartial | afpwire.SearchBitmap(afpwire.BitUTF8Name),
			Spec1:  []byte("\x00\x06\x00\x00\x00\x00\x08\x00\x01\x03\x00\x03foo"), Spec2: make([]byte, 6),
		},
	},
	{
		name: "of AFP 2",
		wire: `2b 00 0001 00000001 00000000 ` + somePositionHex + ` 0042 0000 00000002 04 00 00000002 04 00 00000002`,
		want: &afpwire.CatSearchRequest{
			Command: afpwire.CatSearch, Volume: 1, Matches: 1, Position: somePosition, Files: nameBits,
			Search: afpwire.SearchBitmap(afpwire.BitParent), Spec1: []byte{0, 0, 0, 2}, Spec2: []byte{0, 0, 0, 2},
		},
	},
	{
		name: "without a second specification",
		wire: `2b 00 0001 00000001 00000000 ` + somePositionHex + ` 0042 0000 00000002 04 00 00000002`,
		want: &afpwire.CatSearchRequest{
			Command: afpwire.CatSearch, Volume: 1, Matches: 1, Position: somePosition, Files: nameBits,
			Search: afpwire.SearchBitmap(afpwire.BitParent), Spec1: []byte{0, 0, 0, 2},
		},
		lenient: true,
	},
	{name: "a specification beyond the end", wire: `43 00 0001 00000001 00000000 ` + somePositionHex + ` 0042 0000 00000002 0005 00000002`, want: &afpwire.CatSearchRequest{}, err: "too short"},
	{
		name: "of CatSearch",
		wire: somePositionHex + `
			0042 0042 00000002
			08 00 00000002 0006 01 61        # the length counts the parameters only
			0a 80 00000002 0006 02 6262 00
		`,
		want: &afpwire.CatSearchReply{Command: afpwire.CatSearch, Position: somePosition, Files: nameBits, Dirs: nameBits, Matches: []afpwire.Parms{named(false, "a"), named(true, "bb")}},
	},
	{
		name: "of CatSearchExt",
		wire: somePositionHex + ` 0042 0042 00000001 000a 80 00 00000002 0006 02 6262 00`,
		want: &afpwire.CatSearchReply{Command: afpwire.CatSearchExt, Position: somePosition, Files: nameBits, Dirs: nameBits, Matches: []afpwire.Parms{named(true, "bb")}},
	},
}

func TestCatSearch(t *testing.T) { runWireTests(t, searchTests) }

func TestSearchListing(t *testing.T) {
	m := afpwire.CatSearchRequest{Command: afpwire.CatSearchExt, Files: nameBits, Dirs: nameBits}
	w := cursor.NewWriter([]byte("before"))
	l := m.BeginListing(w, 100)
	match := named(true, "bb")
	if !l.Add(&match) {
		t.Fatal("no room for a match")
	}
	m.SetPosition(w, somePosition)
	want := encode(&afpwire.CatSearchReply{Command: m.Command, Position: somePosition, Files: nameBits, Dirs: nameBits, Matches: []afpwire.Parms{match}})
	if !bytes.Equal(w.Message(), want) {
		t.Errorf("% x, want % x", w.Message(), want)
	}
}

// TestSpecifications reads what a search for a name and a range of dates looks
// for.
func TestSpecifications(t *testing.T) {
	bits := afpwire.BitCreated | afpwire.BitUTF8Name
	w := cursor.NewWriter(nil)
	p := afpwire.Parms{Created: 1000, UTF8Name: "foo"}
	p.Encode(w, bits)
	m := afpwire.CatSearchRequest{Command: afpwire.CatSearchExt, Search: afpwire.SearchBitmap(bits), Spec1: w.Message()}
	var got afpwire.CatSearchRequest
	got.Decode(cursor.NewReader(encode(&m)))
	var spec afpwire.Parms
	r := cursor.NewReader(got.Spec1)
	if spec.Decode(r, afpwire.Bitmap(got.Search)); r.Err() != nil || spec != p {
		t.Errorf("%+v, %v, want %+v", spec, r.Err(), p)
	}
}
