package ntlm

import (
	"encoding/binary"
	"time"

	"github.com/dozo-server/dozo/internal/cursor"
)

// avID names an attribute of the server, or one the client adds ([MS-NLMP]
// 2.2.2.1).
type avID uint16

const (
	avEnd             avID = 0
	avNetBIOSComputer avID = 1
	avNetBIOSDomain   avID = 2
	avDNSComputer     avID = 3
	avDNSDomain       avID = 4
	avFlags           avID = 6
	avTimestamp       avID = 7
)

// avFlagMIC in avFlags says that the client sends a MIC.
const avFlagMIC = 0x00000002

// avPair is one attribute.
type avPair struct {
	id    avID
	value []byte
}

// encodePairs writes pairs and their end.
func encodePairs(pairs []avPair) []byte {
	w := cursor.NewWriter(nil)
	for _, p := range pairs {
		w.U16(uint16(p.id))
		w.U16(uint16(len(p.value)))
		w.Bytes(p.value)
	}
	w.U32(uint32(avEnd))
	return w.Message()
}

// decodePairs reads pairs up to their end, which must be there. Bytes behind
// it are ignored: clients pad.
func decodePairs(b []byte) ([]avPair, error) {
	r := cursor.NewReader(b)
	var pairs []avPair
	for {
		id := avID(r.U16())
		value := r.Bytes(int(r.U16()))
		if err := malformed(r); err != nil {
			return nil, err
		}
		if id == avEnd {
			return pairs, nil
		}
		pairs = append(pairs, avPair{id, value})
	}
}

// find returns the value of the first pair with an id, nil if there is none.
func find(pairs []avPair, id avID) []byte {
	for _, p := range pairs {
		if p.id == id {
			return p.value
		}
	}
	return nil
}

// sendsMIC tells whether a client's pairs announce a MIC.
func sendsMIC(pairs []avPair) bool {
	v := find(pairs, avFlags)
	return len(v) == 4 && binary.LittleEndian.Uint32(v)&avFlagMIC != 0
}

// fileTime encodes t as Windows does: 100 ns since 1601.
func fileTime(t time.Time) []byte {
	const unixEpoch = 116444736000000000
	return binary.LittleEndian.AppendUint64(nil, uint64(t.UnixNano()/100+unixEpoch))
}
