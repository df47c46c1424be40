// Package smbwire reads and writes the messages of SMB 2 and 3 ([MS-SMB2]).
//
// It knows bytes and nothing else: no connection, no session, no file. Each
// message is a struct whose Decode and Encode are two matching lists of
// fields; requests and responses have both, so that a server and a client can
// be built from the package.
//
// Offset 0 of the cursor.Reader or cursor.Writer given to these methods is the
// start of the SMB2 header, because that is where the protocol counts from;
// the body of a message begins at HeaderSize. Decode overwrites every field of
// its message. Byte slices it sets alias what was decoded, and the storage of
// other slices is used again, so a message may be decoded into many times.
//
// A message that breaks the layout leaves an error in the Reader, which stands
// for StatusInvalidParameter. What is well-formed but makes no sense is left
// to whoever handles the message.
package smbwire

import "github.com/dozo-server/dozo/internal/cursor"

// FileID names an open file of a session ([MS-SMB2] 2.2.14.1).
type FileID struct {
	Persistent uint64 // survives a reconnect, for durable opens
	Volatile   uint64
}

// RelatedFileID is the FileID by which a request of a related compound names
// the open of the request before it.
var RelatedFileID = FileID{Persistent: 1<<64 - 1, Volatile: 1<<64 - 1}

func (f *FileID) decode(r *cursor.Reader) {
	f.Persistent = r.U64()
	f.Volatile = r.U64()
}

func (f *FileID) encode(w *cursor.Writer) {
	w.U64(f.Persistent)
	w.U64(f.Volatile)
}

// fileIDOffsets are where in its body a request names its open, 0 for those
// that name none.
var fileIDOffsets = [Commands]int{
	Close: 8, Flush: 8, Read: 16, Write: 16, Lock: 8, Ioctl: 8, QueryDirectory: 8, ChangeNotify: 8,
	QueryInfo: 24, SetInfo: 16, OplockBreak: 8,
}

// FileIDOf returns the FileID in a request, from its header on, without
// decoding the rest.
func FileIDOf(c Command, request []byte) (FileID, bool) {
	if c >= Commands || fileIDOffsets[c] == 0 {
		return FileID{}, false
	}
	var r cursor.Reader
	r.Reset(request)
	r.Seek(HeaderSize + fileIDOffsets[c])
	var f FileID
	f.decode(&r)
	return f, r.Err() == nil
}

// expectSize reads the StructureSize that begins each body and refuses all
// but the one that the protocol prescribes.
func expectSize(r *cursor.Reader, want uint16) {
	if got := r.U16(); got != want {
		r.Failf("structure size %d, want %d", got, want)
	}
}

// variable returns the n bytes at offset off of the message, which must not
// reach into the header or the fixed part of the body, whose length is fixed.
// The offset of an empty part is meaningless and often zero.
func variable(r *cursor.Reader, off, n uint32, fixed int) []byte {
	if n == 0 || r.Err() != nil {
		return nil
	}
	if uint64(off) < uint64(HeaderSize+fixed) || uint64(off)+uint64(n) > uint64(r.Pos()+r.Len()) {
		r.Failf("variable part of %d bytes at %d is out of bounds", n, off)
		return nil
	}
	return r.Slice(int(off), int(n))
}

// padding is the byte that stands for an empty variable part: bodies with an
// odd StructureSize count one byte of it.
func padding(w *cursor.Writer, variable int) {
	if variable == 0 {
		w.U8(0)
	}
}

// empty is the body of a message that has nothing to say.
type empty struct{}

const emptySize = 4

// Decode reads the message body.
func (*empty) Decode(r *cursor.Reader) {
	expectSize(r, emptySize)
	r.U16() // Reserved
}

// Encode writes the message body.
func (*empty) Encode(w *cursor.Writer) {
	w.U16(emptySize)
	w.U16(0)
}
