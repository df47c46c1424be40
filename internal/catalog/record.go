package catalog

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/vfs"
)

// A segment of the log is a header and frames behind one another, all integers
// little-endian:
//
//	header, 32 bytes
//	+--------+---------+--------+-------+------+-------+
//	|"dozoids" 0 (8) |version 4|number 4|tag 8|zero 4|crc 4|
//	+--------+---------+--------+-------+------+-------+
//	frame
//	+-----+------+---------+-----+------------------
//	|tag 8|size 4|ceiling 4|crc 4|size bytes of records
//	+-----+------+---------+-----+------------------
//	record of an entry                                     record of an end
//	+---+----+--------+------+-----------+------+------    +---+----+
//	|1 1|id 4|parent 4|type 1|identity 16|size 2|name      |2 1|id 4|
//	+---+----+--------+------+-----------+------+------    +---+----+
//
// The tag is random, the same in all segments of a catalog, and known to nobody
// outside: so no name that a client invents looks like a frame where one is
// searched behind a damaged place. The ceiling promises that ids below it may be
// given; that of the last frame counts. The checksum, CRC-32C, is over size,
// ceiling and records. A record holds all there is to know of an id, and the last
// one counts, so that it does no harm to read one twice.
const (
	version    = 1
	headerSize = 32
	frameHead  = 20
	maxFrame   = 1 << 20 // bytes of records
	maxName    = 4096

	recordEntry = 1
	recordEnd   = 2
	entrySize   = 28 // without the name
)

const magic = "dozoids\x00"

type tag [8]byte

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendHeader appends the header of the segment number.
func appendHeader(b []byte, number uint32, t tag) []byte {
	start := len(b)
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint32(b, version)
	b = binary.LittleEndian.AppendUint32(b, number)
	b = append(b, t[:]...)
	b = binary.LittleEndian.AppendUint32(b, 0)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

// parseHeader returns the tag in a header; ok is false if it is damaged.
func parseHeader(b []byte) (t tag, v uint32, ok bool) {
	if len(b) < headerSize || string(b[:len(magic)]) != magic ||
		crc32.Checksum(b[:headerSize-4], castagnoli) != binary.LittleEndian.Uint32(b[headerSize-4:]) {
		return t, 0, false
	}
	copy(t[:], b[16:])
	return t, binary.LittleEndian.Uint32(b[8:]), true
}

// appendFrames appends entries in as many frames as they need, at least one.
func appendFrames(b []byte, t tag, ceiling CNID, entries []Entry) []byte {
	for first := true; first || len(entries) > 0; first = false {
		start := len(b)
		b = append(b, t[:]...)
		b = append(b, make([]byte, frameHead-len(t))...)
		for len(entries) > 0 && len(b)-start < maxFrame-entrySize-maxName {
			b = appendRecord(b, &entries[0])
			entries = entries[1:]
		}
		head, records := b[start:start+frameHead], b[start+frameHead:]
		binary.LittleEndian.PutUint32(head[8:], uint32(len(records)))
		binary.LittleEndian.PutUint32(head[12:], uint32(ceiling))
		binary.LittleEndian.PutUint32(head[16:], frameSum(head, records))
	}
	return b
}

func frameSum(head, records []byte) uint32 {
	return crc32.Update(crc32.Checksum(head[8:16], castagnoli), castagnoli, records)
}

func appendRecord(b []byte, e *Entry) []byte {
	if e.gone() {
		return binary.LittleEndian.AppendUint32(append(b, recordEnd), uint32(e.ID))
	}
	b = binary.LittleEndian.AppendUint32(append(b, recordEntry), uint32(e.ID))
	b = binary.LittleEndian.AppendUint32(b, uint32(e.Parent))
	b = append(b, byte(e.Type))
	b = append(b, e.Identity[:]...)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(e.Name)))
	return append(b, e.Name...)
}

// parseRecords reads the records of a frame.
func parseRecords(b []byte) ([]Entry, error) {
	var entries []Entry
	for r := cursor.NewReader(b); r.Len() > 0; {
		var e Entry
		switch kind := r.U8(); kind {
		case recordEntry:
			e.ID, e.Parent, e.Type = CNID(r.U32()), CNID(r.U32()), vfs.Type(r.U8())
			r.Copy(e.Identity[:])
			e.Name = string(r.Bytes(int(r.U16())))
			if e.Type == 0 {
				r.Failf("an entry of no type")
			}
		case recordEnd:
			e.ID = CNID(r.U32())
		default:
			r.Failf("a record of the kind %d", kind)
		}
		if r.Err() != nil {
			return nil, r.Err()
		}
		entries = append(entries, e)
	}
	return entries, nil
}
