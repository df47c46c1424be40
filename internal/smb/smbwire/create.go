package smbwire

import "github.com/dozo-server/dozo/internal/cursor"

// OplockLevel is a promise to a client about who else uses a file.
type OplockLevel uint8

// The oplock levels.
const (
	OplockNone      OplockLevel = 0x00
	OplockII        OplockLevel = 0x01
	OplockExclusive OplockLevel = 0x08
	OplockBatch     OplockLevel = 0x09
	OplockLease     OplockLevel = 0xff // a lease context says more
)

// ImpersonationLevel says how far a server may act as the client.
type ImpersonationLevel uint32

// The impersonation levels.
const (
	ImpersonationAnonymous ImpersonationLevel = iota
	ImpersonationIdentification
	ImpersonationImpersonation
	ImpersonationDelegate
)

// ShareAccess says which uses of a file by others an open allows.
type ShareAccess uint32

// The bits of ShareAccess.
const (
	ShareRead   ShareAccess = 0x1
	ShareWrite  ShareAccess = 0x2
	ShareDelete ShareAccess = 0x4
)

// Disposition says what CREATE does where a file is, and where none is.
type Disposition uint32

// The dispositions.
const (
	FileSupersede   Disposition = iota // replace, or create
	FileOpen                           // open, or fail
	FileCreate                         // fail, or create
	FileOpenIf                         // open, or create
	FileOverwrite                      // open and empty, or fail
	FileOverwriteIf                    // open and empty, or create
)

// CreateOptions are the options of a CREATE.
type CreateOptions uint32

// The create options.
const (
	DirectoryFile           CreateOptions = 0x00000001
	WriteThrough            CreateOptions = 0x00000002
	SequentialOnly          CreateOptions = 0x00000004
	NoIntermediateBuffering CreateOptions = 0x00000008
	SynchronousIOAlert      CreateOptions = 0x00000010
	SynchronousIONonAlert   CreateOptions = 0x00000020
	NonDirectoryFile        CreateOptions = 0x00000040
	CompleteIfOplocked      CreateOptions = 0x00000100
	NoEAKnowledge           CreateOptions = 0x00000200
	OpenRemoteInstance      CreateOptions = 0x00000400
	RandomAccess            CreateOptions = 0x00000800
	DeleteOnClose           CreateOptions = 0x00001000
	OpenByFileID            CreateOptions = 0x00002000
	OpenForBackupIntent     CreateOptions = 0x00004000
	NoCompression           CreateOptions = 0x00008000
	OpenRequiringOplock     CreateOptions = 0x00010000
	DisallowExclusive       CreateOptions = 0x00020000
	ReserveOpfilter         CreateOptions = 0x00100000
	OpenReparsePoint        CreateOptions = 0x00200000
	OpenNoRecall            CreateOptions = 0x00400000
	OpenForFreeSpaceQuery   CreateOptions = 0x00800000
)

// FileAttributes are the attributes of [MS-FSCC] 2.6.
type FileAttributes uint32

// CreateRequest opens a file, folder or pipe, or makes one ([MS-SMB2] 2.2.13).
type CreateRequest struct {
	OplockLevel        OplockLevel
	ImpersonationLevel ImpersonationLevel
	DesiredAccess      AccessMask
	FileAttributes     FileAttributes
	ShareAccess        ShareAccess
	Disposition        Disposition
	Options            CreateOptions
	Name               string // with backslashes, relative to the share
	Contexts           CreateContexts
}

const (
	createRequestSize  = 57
	createResponseSize = 89
)

// Decode reads the message body.
func (m *CreateRequest) Decode(r *cursor.Reader) {
	expectSize(r, createRequestSize)
	r.U8() // SecurityFlags: reserved
	m.OplockLevel = OplockLevel(r.U8())
	m.ImpersonationLevel = ImpersonationLevel(r.U32())
	r.U64() // SmbCreateFlags: reserved
	r.U64() // Reserved
	m.DesiredAccess = AccessMask(r.U32())
	m.FileAttributes = FileAttributes(r.U32())
	m.ShareAccess = ShareAccess(r.U32())
	m.Disposition = Disposition(r.U32())
	m.Options = CreateOptions(r.U32())
	nameOffset, nameLength := r.U16(), r.U16()
	contextsOffset, contextsLength := r.U32(), r.U32()
	m.Name = text(r, uint32(nameOffset), uint32(nameLength), createRequestSize-1)
	m.Contexts.decode(r, variable(r, contextsOffset, contextsLength, createRequestSize-1))
}

// Encode writes the message body.
func (m *CreateRequest) Encode(w *cursor.Writer) {
	w.U16(createRequestSize)
	w.U8(0)
	w.U8(uint8(m.OplockLevel))
	w.U32(uint32(m.ImpersonationLevel))
	w.U64(0)
	w.U64(0)
	w.U32(uint32(m.DesiredAccess))
	w.U32(uint32(m.FileAttributes))
	w.U32(uint32(m.ShareAccess))
	w.U32(uint32(m.Disposition))
	w.U32(uint32(m.Options))
	w.U16(HeaderSize + createRequestSize - 1)
	w.U16(uint16(UTF16Size(m.Name)))
	contextsAt := w.Len()
	w.U64(0)
	WriteUTF16(w, m.Name)
	m.Contexts.encode(w, contextsAt)
	padding(w, len(m.Name)+len(m.Contexts))
}

// CreateAction says what a CREATE did.
type CreateAction uint32

// The create actions.
const (
	FileSuperseded CreateAction = iota
	FileOpened
	FileCreated
	FileOverwritten
)

// CreateResponse tells what was opened ([MS-SMB2] 2.2.14).
type CreateResponse struct {
	OplockLevel    OplockLevel
	Flags          uint8
	CreateAction   CreateAction
	CreationTime   FileTime
	LastAccessTime FileTime
	LastWriteTime  FileTime
	ChangeTime     FileTime
	AllocationSize uint64
	EndOfFile      uint64
	FileAttributes FileAttributes
	FileID         FileID
	Contexts       CreateContexts
}

// Decode reads the message body.
func (m *CreateResponse) Decode(r *cursor.Reader) {
	expectSize(r, createResponseSize)
	m.OplockLevel = OplockLevel(r.U8())
	m.Flags = r.U8()
	m.CreateAction = CreateAction(r.U32())
	m.CreationTime = FileTime(r.U64())
	m.LastAccessTime = FileTime(r.U64())
	m.LastWriteTime = FileTime(r.U64())
	m.ChangeTime = FileTime(r.U64())
	m.AllocationSize = r.U64()
	m.EndOfFile = r.U64()
	m.FileAttributes = FileAttributes(r.U32())
	r.U32() // Reserved2
	m.FileID.decode(r)
	off, n := r.U32(), r.U32()
	m.Contexts.decode(r, variable(r, off, n, createResponseSize-1))
}

// Encode writes the message body.
func (m *CreateResponse) Encode(w *cursor.Writer) {
	w.U16(createResponseSize)
	w.U8(uint8(m.OplockLevel))
	w.U8(m.Flags)
	w.U32(uint32(m.CreateAction))
	w.U64(uint64(m.CreationTime))
	w.U64(uint64(m.LastAccessTime))
	w.U64(uint64(m.LastWriteTime))
	w.U64(uint64(m.ChangeTime))
	w.U64(m.AllocationSize)
	w.U64(m.EndOfFile)
	w.U32(uint32(m.FileAttributes))
	w.U32(0)
	m.FileID.encode(w)
	contextsAt := w.Len()
	w.U64(0)
	m.Contexts.encode(w, contextsAt)
	padding(w, len(m.Contexts))
}
