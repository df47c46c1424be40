package rpc

import (
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/hexdump"
)

func results(b []byte) *decoder { return &decoder{*cursor.NewReader(b)} }

func TestShareEnum(t *testing.T) {
	c := open(t, "srvsvc").bind()
	equal(t, "level 1", c.must(15, hexdump.Bytes(t, `
		d9800000 08000000 00000000 08000000    # pointer to the server's name
		5c005c00460049004c00450053000000       # \\FILES
		01000000 01000000 ff850000             # level, again, pointer to a container
		00000000 00000000                      # empty
		ffffffff 00000000                      # any length, no resume handle
	`)), `
		01000000 01000000 04000200             # level, again, pointer to a container
		03000000 08000200 03000000             # of three
		0c000200 00000000 10000200             # a disk, with a comment
		14000200 00000000 18000200
		1c000200 03000080 20000200             # pipes, special
		06000000 00000000 06000000 460069006c006d0073000000              # Films
		09000000 00000000 09000000 74006f00200077006100740063006800 0000 # to watch
		0000
		05000000 00000000 05000000 dc006200650072000000 0000             # Über
		01000000 00000000 01000000 0000 0000                             #
		05000000 00000000 05000000 4900500043002400 0000 0000            # IPC$
		04000000 00000000 04000000 49005000 43000000                     # IPC
		03000000 00000000 00000000             # three in all, no resume handle, success`)

	for level, want := range map[string]struct{ size, status uint32 }{
		"00000000": {3, winOK}, "02000000": {3, winOK}, "f5010000": {3, winOK},
		"f6010000": {0, winInvalidLevel}, "ed030000": {0, winInvalidLevel}, "07000000": {0, winInvalidLevel},
	} {
		b := c.must(15, hexdump.Bytes(t, "00000000"+level+level+"00000000 ffffffff 00000000"))
		end := results(b[len(b)-12:])
		if total, _, status := end.u32(), end.u32(), end.u32(); total != want.size || status != want.status {
			t.Errorf("level %s: %d shares, status %d", level, total, status)
		}
	}
}

// A client that goes on from where it was gets the rest, one beyond the end
// nothing.
func TestShareEnumResumes(t *testing.T) {
	c := open(t, "srvsvc").bind()
	for from, want := range map[string]uint32{"01000000": 2, "03000000": 0, "ffffffff": 0} {
		r := results(c.must(15, hexdump.Bytes(t, "00000000 00000000 00000000 00000000 ffffffff 01000000"+from)))
		r.Skip(12)
		if got := r.u32(); got != want {
			t.Errorf("from %s: %d shares, want %d", from, got, want)
		}
	}
}

func TestShareGetInfo(t *testing.T) {
	c := open(t, "srvsvc").bind()
	films := "00000000 06000000 00000000 06000000 660069006c006d0073000000" // no server, films
	equal(t, "level 1", c.must(16, hexdump.Bytes(t, films+"01000000")), `
		01000000 04000200 08000200 00000000 0c000200
		06000000 00000000 06000000 460069006c006d0073000000
		09000000 00000000 09000000 74006f00200077006100740063006800 0000 0000
		00000000`)
	equal(t, "level 1005", c.must(16, hexdump.Bytes(t, films+"ed030000")), "ed030000 04000200 00000000 00000000")
	equal(t, "level 502", c.must(16, hexdump.Bytes(t, films+"f6010000")), "f6010000 00000000 7c000000")
	equal(t, "unknown share", c.must(16, hexdump.Bytes(t, `
		00000000 02000000 00000000 02000000 78000000 01000000`)), "01000000 00000000 06090000")
}

func TestServerGetInfo(t *testing.T) {
	c := open(t, "srvsvc").bind()
	equal(t, "level 101", c.must(21, hexdump.Bytes(t, "00000000 65000000")), `
		65000000 04000200 f4010000 08000200    # NT, pointer to the name
		06000000 01000000 03900000 0c000200    # 6.1, workstation and server, pointer to the comment
		06000000 00000000 06000000 460049004c00450053000000
		01000000 00000000 01000000 0000 0000
		00000000`)
	equal(t, "level 102", c.must(21, hexdump.Bytes(t, "00000000 66000000")), "66000000 00000000 05000000")
	equal(t, "level 1", c.must(21, hexdump.Bytes(t, "00000000 01000000")), "01000000 00000000 7c000000")
}

func TestRemoteTOD(t *testing.T) {
	before := time.Now()
	r := results(open(t, "srvsvc").bind().must(28, hexdump.Bytes(t, "00000000")))
	if !r.pointer() {
		t.Fatal("no time")
	}
	var v [12]int
	for i := range v {
		v[i] = int(int32(r.u32()))
	}
	if status := r.u32(); status != winOK || r.Err() != nil || r.Len() != 0 {
		t.Errorf("status %d, %v, %d bytes left", status, r.Err(), r.Len())
	}
	got := time.Date(v[10], time.Month(v[9]), v[8], v[2], v[3], v[4], v[5]*1e7, time.UTC)
	if d := got.Sub(before); d < -time.Second || d > time.Minute {
		t.Errorf("time %v, %v from ours", got, d)
	}
	if int64(v[0]) != got.Unix() || v[11] != int(got.Weekday()) {
		t.Errorf("values %v", v)
	}
}

func TestWkstaGetInfo(t *testing.T) {
	c := open(t, "wkssvc").bind()
	equal(t, "level 100", c.must(0, hexdump.Bytes(t, "00000000 64000000")), `
		64000000 04000200 f4010000 08000200 0c000200 06000000 01000000
		06000000 00000000 06000000 460049004c00450053000000
		0a000000 00000000 0a000000 57004f0052004b00470052004f00550050000000
		00000000`)
	equal(t, "level 101", c.must(0, hexdump.Bytes(t, "00000000 65000000")), "65000000 00000000 05000000")
	equal(t, "level 1", c.must(0, hexdump.Bytes(t, "00000000 01000000")), "01000000 00000000 7c000000")
}
