package meta

import (
	"bytes"
	"encoding/binary"
	"time"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/vfs"
)

// NetatalkName is the extended attribute that holds what Macs know of a node, in
// the form that netatalk writes and Samba, too, with fruit:metadata=netatalk: an
// AppleDouble file of always 402 bytes.
//
//	at  id          what
//	26              8 entries in this order: 4, 8, 9, 14, and the private ones
//	122  9          Finder info 32
//	154  4          comment 200; the entry's length tells how long it is
//	354  8          times of birth, change, backup, access, each 4
//	370 14          attributes 4, of AFP
//	374 0x80444556  device 8
//	382 0x80494e4f  inode 8
//	390 0x8053594e  stamp of the catalog 8
//	398 0x8053567e  CNID 4, little-endian on most machines
//
// Times are seconds since 2000 with a sign, 0x80000000 for none. What is private
// means something to netatalk only and is kept for it; Samba writes the entries
// with no length. A comment of 200 zeros is none.
const NetatalkName = "user.org.netatalk.Metadata"

const (
	netatalkSize = 402
	maxNetatalk  = 1024 // as much as is looked at
	noTime       = 0x80000000
	privateSize  = 28
)

// netatalkEntries are the entries as netatalk has them.
var netatalkEntries = [...]entry{
	{idComment, 154, 200}, {idDates, 354, 16}, {idFinder, 122, 32}, {idAttr, 370, 4},
	{idDevice, 374, 8}, {idInode, 382, 8}, {idStamp, 390, 8}, {idCatalog, 398, 4},
}

// Mac is what is stored about a node for Macs. The zero Mac is nothing.
type Mac struct {
	vfs.Mac // but for Resource; Created is the time of birth stored here

	modified, accessed uint32            // as found; 0 is unset, too, for who writes
	private            [privateSize]byte // netatalk's own
}

// Stored reports whether there is anything to store.
func (m *Mac) Stored() bool { return *m != Mac{} }

// Remembered reports whether there is anything but times that follow from the
// file's own: if not, a node without it is none the poorer.
func (m *Mac) Remembered() bool {
	left := *m
	left.Created, left.modified, left.accessed = time.Time{}, 0, 0
	return left.Stored()
}

// DecodeMac reads the value of the attribute NetatalkName. It reports false when
// nothing can be made of it: then it counts as absent.
func DecodeMac(b []byte) (m Mac, ok bool) {
	d, ok := parseDouble(b, int64(len(b)))
	if !ok {
		return Mac{}, false
	}
	copy(m.Finder[:], d.part(b, idFinder))
	m.Comment = commentOf(d.part(b, idComment))
	if p := d.part(b, idAttr); len(p) >= 4 {
		m.Attr = vfs.MacAttr(binary.BigEndian.Uint32(p)) & vfs.MacStored
	}
	if p := d.part(b, idDates); len(p) >= 16 {
		r := cursor.NewReader(p)
		m.Created = macTime(r.BE32())
		m.modified = r.BE32()
		m.Backup = macTime(r.BE32())
		m.accessed = r.BE32()
	}
	private := m.private[:0]
	for _, e := range netatalkEntries[4:] {
		var field [8]byte
		copy(field[:e.size], d.part(b, e.id))
		private = append(private, field[:e.size]...)
	}
	return m, true
}

// commentOf returns the comment in its field.
func commentOf(b []byte) string {
	if len(b) > vfs.MaxComment {
		// All of the field: what is not used is zero.
		b = bytes.TrimRight(b[:vfs.MaxComment], "\x00")
	}
	return string(b)
}

// Encode appends the value of the attribute. Times that are not set are those of
// the node, as st has them, or netatalk would show 1931.
func (m *Mac) Encode(b []byte, birth, modified time.Time) []byte {
	w := cursor.NewWriter(b)
	w.BE32(doubleMagic)
	w.BE32(doubleVersion)
	w.Zero(16)
	w.BE16(uint16(len(netatalkEntries)))
	for _, e := range netatalkEntries {
		size := e.size
		if e.id == idComment && m.Comment != "" {
			size = int64(len(m.Comment))
		}
		w.BE32(e.id)
		w.BE32(uint32(e.off))
		w.BE32(uint32(size))
	}
	w.Bytes(m.Finder[:])
	w.Bytes([]byte(m.Comment))
	w.Zero(200 - len(m.Comment))
	if !m.Created.IsZero() {
		birth = m.Created
	}
	changed, accessed := m.modified, m.accessed
	if changed == 0 {
		changed = macSeconds(modified)
	}
	if accessed == 0 {
		accessed = changed
	}
	w.BE32(macSeconds(birth))
	w.BE32(changed)
	w.BE32(macSeconds(m.Backup))
	w.BE32(accessed)
	w.BE32(uint32(m.Attr))
	w.Bytes(m.private[:])
	return w.Message()
}

// macEpoch is when Macs' times begin, in seconds since 1970.
const macEpoch = 946684800

// macTime reads a time, zero for none.
func macTime(t uint32) time.Time {
	if t == noTime {
		return time.Time{}
	}
	return time.Unix(macEpoch+int64(int32(t)), 0)
}

// macSeconds is the opposite of macTime; what lies too far away becomes the
// nearest there is.
func macSeconds(t time.Time) uint32 {
	if t.IsZero() {
		return noTime
	}
	return uint32(int32(min(max(t.Unix()-macEpoch, -1<<31+1), 1<<31-1)))
}

// AfpInfoName is the extended attribute that holds a part of it in the form that
// Samba writes with fruit:metadata=stream. It is read, and written no more.
//
//	"AFP\0", version 4: 0x100, 0 4, backup time 4, Finder info 32, and 12 that nobody uses
const AfpInfoName = streamPrefix + vfs.FinderInfo + streamSuffix

const (
	afpInfoSize = 60
	otherNoTime = 0x80 // noTime in the other order, which some clients have
)

// DecodeAfpInfo reads the value of the attribute AfpInfoName.
func DecodeAfpInfo(b []byte) (m Mac, ok bool) {
	if len(b) < afpInfoSize || string(b[:4]) != "AFP\x00" {
		return Mac{}, false
	}
	if t := binary.BigEndian.Uint32(b[12:]); t != otherNoTime {
		m.Backup = macTime(t)
	}
	copy(m.Finder[:], b[16:])
	return m, true
}
