package smbwire

import "github.com/dozo-server/dozo/internal/cursor"

// NotifyWatchTree in a CHANGE_NOTIFY asks for changes in all folders below.
const NotifyWatchTree uint16 = 0x0001

// ChangeNotifyRequest asks to be told of changes in a folder
// ([MS-SMB2] 2.2.35).
type ChangeNotifyRequest struct {
	Flags              uint16
	OutputBufferLength uint32
	FileID             FileID
	CompletionFilter   uint32
}

const (
	changeNotifyRequestSize  = 32
	changeNotifyResponseSize = 9
)

// Decode reads the message body.
func (m *ChangeNotifyRequest) Decode(r *cursor.Reader) {
	expectSize(r, changeNotifyRequestSize)
	m.Flags = r.U16()
	m.OutputBufferLength = r.U32()
	m.FileID.decode(r)
	m.CompletionFilter = r.U32()
	r.U32() // Reserved
}

// Encode writes the message body.
func (m *ChangeNotifyRequest) Encode(w *cursor.Writer) {
	w.U16(changeNotifyRequestSize)
	w.U16(m.Flags)
	w.U32(m.OutputBufferLength)
	m.FileID.encode(w)
	w.U32(m.CompletionFilter)
	w.U32(0)
}

// ChangeNotifyResponse tells what changed ([MS-SMB2] 2.2.36).
type ChangeNotifyResponse struct {
	Buffer []byte // a chain of FILE_NOTIFY_INFORMATION
}

// Decode reads the message body.
func (m *ChangeNotifyResponse) Decode(r *cursor.Reader) {
	expectSize(r, changeNotifyResponseSize)
	off, n := r.U16(), r.U32()
	m.Buffer = variable(r, uint32(off), n, changeNotifyResponseSize-1)
}

// Encode writes the message body.
func (m *ChangeNotifyResponse) Encode(w *cursor.Writer) {
	w.U16(changeNotifyResponseSize)
	w.U16(HeaderSize + changeNotifyResponseSize - 1)
	w.U32(uint32(len(m.Buffer)))
	w.Bytes(m.Buffer)
	padding(w, len(m.Buffer))
}

// NotifyAction says what happened to a name ([MS-FSCC] 2.7.1).
type NotifyAction uint32

// The actions.
const (
	NotifyAdded NotifyAction = 1 + iota
	NotifyRemoved
	NotifyModified
	NotifyRenamedOld
	NotifyRenamedNew
)

// NotifyChange is one change in a folder.
type NotifyChange struct {
	Action NotifyAction
	Name   string // from the folder on, with backslashes
}

// NotifyInformation are changes in a folder, in their order
// (FILE_NOTIFY_INFORMATION, [MS-FSCC] 2.7.1).
type NotifyInformation struct{ Changes []NotifyChange }

// Decode reads a list that extends to the end of r.
func (i *NotifyInformation) Decode(r *cursor.Reader) {
	i.Changes = i.Changes[:0]
	for r.Err() == nil && r.Len() > 0 {
		start := r.Pos()
		next := r.U32()
		c := NotifyChange{Action: NotifyAction(r.U32())}
		c.Name = readName(r)
		i.Changes = append(i.Changes, c)
		if next == 0 {
			return
		}
		if int64(next) < int64(r.Pos()-start) {
			r.Failf("changes are chained backwards")
		}
		r.Skip(int(next) - (r.Pos() - start)) // never backwards, even where an int has 32 bits
	}
}

// Encode writes the list.
func (i *NotifyInformation) Encode(w *cursor.Writer) {
	start, last := w.Len(), -1
	for _, c := range i.Changes {
		w.Zero((4 - (w.Len()-start)%4) % 4)
		if last >= 0 {
			w.PutU32(last, uint32(w.Len()-last))
		}
		last = w.Len()
		w.U32(0) // NextEntryOffset
		w.U32(uint32(c.Action))
		writeName(w, c.Name)
	}
}
