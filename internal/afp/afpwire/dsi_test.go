package afpwire_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

var dsiTests = []wireTest{
	{
		name: "a client opens a session",
		wire: `
			00 04 0001           # request, DSIOpenSession, id 1
			00000000 00000006    # no data offset, 6 bytes follow
			00000000             # reserved
		`,
		want: &afpwire.Header{Function: afpwire.DSIOpenSession, RequestID: 1, Length: 6},
	},
	{
		name: "a write with its data behind 20 bytes",
		wire: `00 06 ffff 00000014 00001014 00000000`,
		want: &afpwire.Header{Function: afpwire.DSIWrite, RequestID: 0xffff, DataOffset: 20, Length: 0x1014},
	},
	{
		name: "an error",
		wire: `01 02 0002 ffffec78 00000000 00000000`,
		want: &afpwire.Header{Reply: true, Function: afpwire.DSICommand, RequestID: 2, Result: afpwire.ResultAccessDenied},
	},
	{name: "what is reserved is ignored", wire: `00 05 0003 00000000 00000000 12345678`, want: &afpwire.Header{Function: afpwire.DSITickle, RequestID: 3}, lenient: true},
	{name: "neither request nor reply", wire: `02 02 0002 00000000 00000000 00000000`, want: &afpwire.Header{}, err: "flags 0x02"},
	{name: "cut", wire: `00 02 0002 00000000 00000000 000000`, want: &afpwire.Header{}, err: "too short"},
}

func TestHeader(t *testing.T) { runWireTests(t, dsiTests) }

func TestCheckRefusesFramesThatLie(t *testing.T) {
	const quantum = 1 << 20
	request := func(f afpwire.DSIFunction, offset, length uint32) afpwire.Header {
		return afpwire.Header{Function: f, DataOffset: offset, Length: length}
	}
	for _, tt := range []struct {
		name   string
		header afpwire.Header
		err    string // "" when it is accepted
	}{
		{"tickle", request(afpwire.DSITickle, 0, 0), ""},
		{"write of the whole quantum", request(afpwire.DSIWrite, 20, quantum+20), ""},
		{"write of nothing", request(afpwire.DSIWrite, 12, 12), ""},
		{"the offset of another function means nothing", request(afpwire.DSICommand, 99, 2), ""},
		{"more than the quantum", request(afpwire.DSICommand, 0, quantum+afpwire.CommandRoom+1), "quantum"},
		{"the largest length", request(afpwire.DSIWrite, 20, math.MaxUint32), "quantum"},
		{"data beyond the end", request(afpwire.DSIWrite, 13, 12), "data at 13"},
		{"data far beyond the end", request(afpwire.DSIWrite, math.MaxUint32, 12), "data at 4294967295"},
		{"function 0", request(0, 0, 0), "DSI command 0"},
		{"function 7", request(7, 0, 0), "DSI command 7"},
		{"function 9", request(9, 0, 0), "DSI command 9"},
		{"function 255", request(255, 0, 0), "DSI command 255"},
		{"a long reply", afpwire.Header{Reply: true, Function: afpwire.DSICommand, Length: quantum + afpwire.CommandRoom + 1}, "quantum"},
	} {
		err := tt.header.Check(quantum)
		if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.err)
		}
	}
	if err := (&afpwire.Header{Function: afpwire.DSICommand, Length: math.MaxUint32}).Check(math.MaxUint32); err != nil {
		t.Errorf("with the largest quantum: %v", err)
	}
}

func TestParts(t *testing.T) {
	payload := []byte("commanddata")
	for _, tt := range []struct {
		name          string
		header        afpwire.Header
		message, data string
	}{
		{"a write", afpwire.Header{Function: afpwire.DSIWrite, DataOffset: 7}, "command", "data"},
		{"a write without data", afpwire.Header{Function: afpwire.DSIWrite, DataOffset: 11}, "commanddata", ""},
		{"a write that forgets its offset", afpwire.Header{Function: afpwire.DSIWrite}, "commanddata", ""},
		{"an offset beyond the end", afpwire.Header{Function: afpwire.DSIWrite, DataOffset: 12}, "commanddata", ""},
		{"another function", afpwire.Header{Function: afpwire.DSICommand, DataOffset: 7}, "commanddata", ""},
		{"a reply", afpwire.Header{Reply: true, Function: afpwire.DSIWrite, DataOffset: 7}, "commanddata", ""},
	} {
		message, data := tt.header.Parts(payload)
		if string(message) != tt.message || string(data) != tt.data {
			t.Errorf("%s: %q and %q", tt.name, message, data)
		}
	}
	// What is appended to the message must not fall into the data.
	h := afpwire.Header{Function: afpwire.DSIWrite, DataOffset: 7}
	message, data := h.Parts(payload)
	_ = append(message, "XXXX"...)
	if !bytes.Equal(data, []byte("data")) {
		t.Errorf("data has become %q", data)
	}
}

func TestNames(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{afpwire.DSIWrite.String(), "DSIWrite"},
		{afpwire.DSIFunction(7).String(), "DSI command 7"},
		{afpwire.EnumerateExt2.String(), "FPEnumerateExt2"},
		{afpwire.AddIcon.String(), "FPAddIcon"},
		{afpwire.Command(77).String(), "command 77"},
		{afpwire.ResultNoErr.Error(), "kFPNoErr"},
		{afpwire.ResultDiskQuotaExceeded.Error(), "kFPDiskQuotaExceeded"},
		{afpwire.Result(-1).Error(), "AFP result -1"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}
