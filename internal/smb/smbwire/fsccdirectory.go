package smbwire

import (
	"encoding/binary"
	"errors"
	"iter"

	"github.com/dozo-server/dozo/internal/cursor"
)

// DirectoryEntry is one entry of a listing. Each class of [MS-FSCC] 2.4 whose
// name has Directory in it, and FileNamesInformation, shows some of its fields.
type DirectoryEntry struct {
	FileIndex      uint32
	CreationTime   FileTime
	LastAccessTime FileTime
	LastWriteTime  FileTime
	ChangeTime     FileTime
	EndOfFile      uint64
	AllocationSize uint64
	FileAttributes FileAttributes
	EASize         uint32
	ReparseTag     uint32 // with AttributeReparsePoint; most classes show it instead of EASize
	FileID         uint64
	ShortName      string // of 8.3, at most 12 UTF-16 units
	FileName       string
}

// AttributeReparsePoint marks what is a reparse point.
const AttributeReparsePoint FileAttributes = 0x400

// directoryLayout says where a class puts what not all classes have. All but
// FileNamesInformation have in common:
//
//	 0 NextEntryOffset, FileIndex
//	 8 CreationTime, LastAccessTime, LastWriteTime, ChangeTime
//	40 EndOfFile, AllocationSize
//	56 Attributes, FileNameLength
type directoryLayout struct {
	namesOnly bool

	// Offsets, 0 for a field the class does not have. A ShortName is its
	// length, a reserved byte and 24 bytes.
	eaSize, reparseTag, fileID, shortName, name uint8
}

// Where FileNameLength stands, in FileNamesInformation and elsewhere.
const (
	namesNameLength     = 8
	directoryNameLength = 60
)

var directoryLayouts = [...]directoryLayout{
	FileDirectoryInformation:           {name: 64},
	FileFullDirectoryInformation:       {eaSize: 64, name: 68},
	FileBothDirectoryInformation:       {eaSize: 64, shortName: 68, name: 94},
	FileNamesInformation:               {namesOnly: true, name: 12},
	FileIDBothDirectoryInformation:     {eaSize: 64, shortName: 68, fileID: 96, name: 104},
	FileIDFullDirectoryInformation:     {eaSize: 64, fileID: 72, name: 80},
	FileIDExtdDirectoryInformation:     {eaSize: 64, reparseTag: 68, fileID: 72, name: 88}, // an id of 16 bytes, the upper half 0
	FileIDExtdBothDirectoryInformation: {eaSize: 64, reparseTag: 68, fileID: 72, shortName: 88, name: 114},
}

// maxDirectoryFixed is the largest fixed part of an entry.
const maxDirectoryFixed = 114

func (c FileInfoClass) directory() *directoryLayout {
	if int(c) < len(directoryLayouts) && directoryLayouts[c].name != 0 {
		return &directoryLayouts[c]
	}
	return nil
}

// DirectoryEntrySize returns the size of the part of an entry before its name,
// the least a buffer must hold. It is 0 when c is no class of listings.
func (c FileInfoClass) DirectoryEntrySize() int {
	if l := c.directory(); l != nil {
		return int(l.name)
	}
	return 0
}

// DirectoryBatch lays out entries of a listing one after the other, aligned to
// 8 bytes and chained by NextEntryOffset, as far as a limit. It allocates only
// to grow its buffer. A batch is not safe for concurrent use.
type DirectoryBatch struct {
	layout *directoryLayout
	limit  int
	buf    []byte
	last   int // where the last entry begins
	count  int
}

// NewDirectoryBatch returns a batch that fills buf, which should be empty, and
// what it grows to, with at most limit bytes. The class is one with a
// DirectoryEntrySize.
func NewDirectoryBatch(c FileInfoClass, buf []byte, limit int) DirectoryBatch {
	return DirectoryBatch{layout: c.directory(), buf: buf[:0], limit: limit}
}

// Count returns how many entries were appended.
func (b *DirectoryBatch) Count() int { return b.count }

// Data returns the entries. After the first of them it is never empty.
func (b *DirectoryBatch) Data() []byte { return b.buf }

// Append adds e and reports whether there was room; without, nothing changed.
func (b *DirectoryBatch) Append(e *DirectoryEntry) bool { return b.append(e, false) }

// AppendCut adds as much of the entry as there is room for, and reports
// whether that is even its fixed part. It is for a first entry, whose client
// is told by StatusBufferOverflow.
func (b *DirectoryBatch) AppendCut(e *DirectoryEntry) bool { return b.append(e, true) }

func (b *DirectoryBatch) append(e *DirectoryEntry, cut bool) bool {
	old := len(b.buf)
	start := (old + 7) &^ 7
	name := start + int(b.layout.name)
	if name > b.limit {
		return false
	}
	var zero [8 + maxDirectoryFixed]byte
	buf := append(b.buf, zero[:name-old]...)
	buf = AppendUTF16(buf, e.FileName)
	length := len(buf) - name
	if len(buf) > b.limit {
		if !cut {
			b.buf = buf[:old]
			return false
		}
		buf = buf[:name+(b.limit-name)&^1]
	}
	b.layout.put(buf[start:name], e, length)
	if b.count > 0 {
		binary.LittleEndian.PutUint32(buf[b.last:], uint32(start-b.last))
	}
	b.buf, b.last = buf, start
	b.count++
	return true
}

// put fills the fixed part p, which is zero, of an entry.
func (l *directoryLayout) put(p []byte, e *DirectoryEntry, nameLength int) {
	le := binary.LittleEndian
	le.PutUint32(p[4:], e.FileIndex)
	if l.namesOnly {
		le.PutUint32(p[namesNameLength:], uint32(nameLength))
		return
	}
	_ = p[63]
	le.PutUint64(p[8:], uint64(e.CreationTime))
	le.PutUint64(p[16:], uint64(e.LastAccessTime))
	le.PutUint64(p[24:], uint64(e.LastWriteTime))
	le.PutUint64(p[32:], uint64(e.ChangeTime))
	le.PutUint64(p[40:], e.EndOfFile)
	le.PutUint64(p[48:], e.AllocationSize)
	le.PutUint32(p[56:], uint32(e.FileAttributes))
	le.PutUint32(p[directoryNameLength:], uint32(nameLength))
	switch {
	case l.eaSize == 0:
	case l.reparseTag == 0 && e.FileAttributes&AttributeReparsePoint != 0:
		le.PutUint32(p[l.eaSize:], e.ReparseTag)
	default:
		le.PutUint32(p[l.eaSize:], e.EASize)
	}
	if l.reparseTag != 0 {
		le.PutUint32(p[l.reparseTag:], e.ReparseTag)
	}
	if l.fileID != 0 {
		le.PutUint64(p[l.fileID:], e.FileID)
	}
	if at := l.shortName; at != 0 && e.ShortName != "" {
		if short := AppendUTF16(p[at+2:at+2:at+26], e.ShortName); len(short) <= 24 {
			p[at] = uint8(len(short))
		}
	}
}

var (
	errDirectoryClass = errors.New("not a class of listings")
	errDirectoryChain = errors.New("entries of a listing are chained backwards")
)

// DirectoryEntries goes through the entries in the data of a
// QueryDirectoryResponse. The second value is an error of the layout, after
// which it ends.
func DirectoryEntries(c FileInfoClass, data []byte) iter.Seq2[*DirectoryEntry, error] {
	return func(yield func(*DirectoryEntry, error) bool) {
		l := c.directory()
		if l == nil {
			yield(nil, errDirectoryClass)
			return
		}
		var e DirectoryEntry
		for len(data) > 0 {
			r := cursor.NewReader(data)
			next := l.decode(r, &e)
			if r.Err() == nil && next != 0 && (next < uint32(l.name) || int64(next) >= int64(len(data))) {
				r.Fail(errDirectoryChain)
			}
			if err := r.Err(); err != nil {
				yield(nil, err)
				return
			}
			if !yield(&e, nil) || next == 0 {
				return
			}
			data = data[next:]
		}
	}
}

// decode reads one entry and returns the offset of the next one.
func (l *directoryLayout) decode(r *cursor.Reader, e *DirectoryEntry) (next uint32) {
	*e = DirectoryEntry{}
	next = r.U32()
	e.FileIndex = r.U32()
	if l.namesOnly {
		e.FileName = DecodeUTF16(r.Bytes(int(r.U32())))
		return next
	}
	e.CreationTime = FileTime(r.U64())
	e.LastAccessTime = FileTime(r.U64())
	e.LastWriteTime = FileTime(r.U64())
	e.ChangeTime = FileTime(r.U64())
	e.EndOfFile = r.U64()
	e.AllocationSize = r.U64()
	e.FileAttributes = FileAttributes(r.U32())
	nameLength := r.U32()
	if l.eaSize != 0 {
		r.Seek(int(l.eaSize))
		e.EASize = r.U32()
		if l.reparseTag == 0 && e.FileAttributes&AttributeReparsePoint != 0 {
			e.EASize, e.ReparseTag = 0, e.EASize
		}
	}
	if l.reparseTag != 0 {
		r.Seek(int(l.reparseTag))
		e.ReparseTag = r.U32()
	}
	if l.fileID != 0 {
		r.Seek(int(l.fileID))
		e.FileID = r.U64()
	}
	if l.shortName != 0 {
		r.Seek(int(l.shortName))
		n := min(r.U8(), 24)
		r.U8() // Reserved
		e.ShortName = DecodeUTF16(r.Bytes(int(n)))
	}
	r.Seek(int(l.name))
	e.FileName = DecodeUTF16(r.Bytes(int(nameLength)))
	return next
}
