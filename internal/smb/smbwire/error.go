package smbwire

import "github.com/dozo-server/dozo/internal/cursor"

// ErrorID says what the data of an ErrorContext is ([MS-SMB2] 2.2.2.1).
type ErrorID uint32

// The error ids.
const (
	ErrorIDDefault       ErrorID = 0
	ErrorIDShareRedirect ErrorID = 0x72645253
)

// ErrorContext is the form of error data in SMB 3.1.1 ([MS-SMB2] 2.2.2.1).
type ErrorContext struct {
	ID   ErrorID
	Data []byte
}

// ErrorResponse is the body of every response with an error, or with a warning
// and nothing else ([MS-SMB2] 2.2.2). Before SMB 3.1.1 Data stands alone; there
// it is in Contexts.
type ErrorResponse struct {
	Data     []byte
	Contexts []ErrorContext
}

const (
	errorResponseSize  = 9
	errorContextHeader = 8
)

// Decode reads the message body.
func (m *ErrorResponse) Decode(r *cursor.Reader) {
	expectSize(r, errorResponseSize)
	contexts := int(r.U8())
	r.U8() // Reserved
	data := r.Bytes(int(r.U32()))
	m.Data, m.Contexts = nil, m.Contexts[:0]
	if contexts == 0 {
		m.Data = data
		return
	}
	one := cursor.NewReader(data)
	for i := range contexts {
		if i > 0 {
			one.Align(8)
		}
		n := one.U32()
		c := ErrorContext{ID: ErrorID(one.U32()), Data: one.Bytes(int(n))}
		if one.Err() != nil {
			break
		}
		m.Contexts = append(m.Contexts, c)
	}
	r.Fail(one.Err())
}

// Encode writes the message body.
func (m *ErrorResponse) Encode(w *cursor.Writer) {
	w.U16(errorResponseSize)
	w.U8(uint8(len(m.Contexts)))
	w.U8(0)
	countAt := w.Len()
	w.U32(0)
	w.Bytes(m.Data)
	for i, c := range m.Contexts {
		if i > 0 {
			w.Align(8) // the data begins at 72, so this aligns within it, too
		}
		w.U32(uint32(len(c.Data)))
		w.U32(uint32(c.ID))
		w.Bytes(c.Data)
	}
	n := w.Len() - countAt - 4
	w.PutU32(countAt, uint32(n))
	padding(w, n)
}

// SymlinkError is the error data of StatusStoppedOnSymlink: where the link
// leads, and how much of the path is left behind it ([MS-SMB2] 2.2.2.2.1).
type SymlinkError struct {
	UnparsedPathLength uint16 // in bytes of UTF-16, at the end of the path asked for
	SubstituteName     string
	PrintName          string
	Relative           bool
}

const (
	symlinkErrorTag     = 0x4c4d5953
	symlinkReparseTag   = 0xa000000c
	symlinkErrorFixed   = 28 // bytes before the names
	symlinkReparseFixed = 12 // of these, what ReparseDataLength counts
	symlinkFlagRelative = 0x1
)

// Decode reads the error data.
func (m *SymlinkError) Decode(r *cursor.Reader) {
	r.U32() // SymLinkLength
	tag, reparse := r.U32(), r.U32()
	if r.Err() == nil && (tag != symlinkErrorTag || reparse != symlinkReparseTag) {
		r.Failf("symlink error with tags %#x and %#x", tag, reparse)
	}
	r.U16() // ReparseDataLength
	m.UnparsedPathLength = r.U16()
	substituteOffset, substituteLength := r.U16(), r.U16()
	printOffset, printLength := r.U16(), r.U16()
	m.Relative = r.U32()&symlinkFlagRelative != 0
	m.SubstituteName = DecodeUTF16(r.Slice(symlinkErrorFixed+int(substituteOffset), int(substituteLength)))
	m.PrintName = DecodeUTF16(r.Slice(symlinkErrorFixed+int(printOffset), int(printLength)))
}

// Encode writes the error data.
func (m *SymlinkError) Encode(w *cursor.Writer) {
	substitute, printed := UTF16Size(m.SubstituteName), UTF16Size(m.PrintName)
	w.U32(uint32(symlinkErrorFixed - 4 + substitute + printed))
	w.U32(symlinkErrorTag)
	w.U32(symlinkReparseTag)
	w.U16(uint16(symlinkReparseFixed + substitute + printed))
	w.U16(m.UnparsedPathLength)
	w.U16(0)
	w.U16(uint16(substitute))
	w.U16(uint16(substitute))
	w.U16(uint16(printed))
	var flags uint32
	if m.Relative {
		flags = symlinkFlagRelative
	}
	w.U32(flags)
	WriteUTF16(w, m.SubstituteName)
	WriteUTF16(w, m.PrintName)
}
