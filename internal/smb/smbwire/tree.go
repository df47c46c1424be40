package smbwire

import "github.com/dozo-server/dozo/internal/cursor"

// Flags of a TREE_CONNECT request, in SMB 3.1.1.
const (
	TreeConnectClusterReconnect uint16 = 0x0001
	TreeConnectRedirectToOwner  uint16 = 0x0002
	TreeConnectExtensionPresent uint16 = 0x0004 // contexts come before the path; they are not read
)

// TreeConnectRequest opens a share ([MS-SMB2] 2.2.9).
type TreeConnectRequest struct {
	Flags uint16
	Path  string // \\server\share
}

const (
	treeConnectRequestSize  = 9
	treeConnectResponseSize = 16
)

// Decode reads the message body.
func (m *TreeConnectRequest) Decode(r *cursor.Reader) {
	expectSize(r, treeConnectRequestSize)
	m.Flags = r.U16()
	off, n := r.U16(), r.U16()
	m.Path = text(r, uint32(off), uint32(n), treeConnectRequestSize-1)
}

// Encode writes the message body.
func (m *TreeConnectRequest) Encode(w *cursor.Writer) {
	w.U16(treeConnectRequestSize)
	w.U16(m.Flags)
	w.U16(HeaderSize + treeConnectRequestSize - 1)
	w.U16(uint16(UTF16Size(m.Path)))
	WriteUTF16(w, m.Path)
	padding(w, len(m.Path))
}

// ShareType is what a share gives access to.
type ShareType uint8

// The types of shares.
const (
	ShareDisk  ShareType = 1
	SharePipe  ShareType = 2
	SharePrint ShareType = 3
)

// ShareFlags are properties of a share.
type ShareFlags uint32

// The share flags that are used.
const (
	ShareManualCaching         ShareFlags = 0x00000000
	ShareAutoCaching           ShareFlags = 0x00000010
	ShareVDOCaching            ShareFlags = 0x00000020
	ShareNoCaching             ShareFlags = 0x00000030
	ShareAccessBasedDirEnum    ShareFlags = 0x00000800
	ShareForceLevel2Oplock     ShareFlags = 0x00001000
	ShareEncryptData           ShareFlags = 0x00008000
	ShareRestrictExclusiveOpen ShareFlags = 0x00000100
	ShareForceSharedDelete     ShareFlags = 0x00000200
)

// TreeConnectResponse tells what was opened ([MS-SMB2] 2.2.10). Its
// Capabilities belong to clusters and DFS and are not those of NEGOTIATE.
type TreeConnectResponse struct {
	ShareType     ShareType
	ShareFlags    ShareFlags
	Capabilities  uint32
	MaximalAccess AccessMask
}

// Decode reads the message body.
func (m *TreeConnectResponse) Decode(r *cursor.Reader) {
	expectSize(r, treeConnectResponseSize)
	m.ShareType = ShareType(r.U8())
	r.U8() // Reserved
	m.ShareFlags = ShareFlags(r.U32())
	m.Capabilities = r.U32()
	m.MaximalAccess = AccessMask(r.U32())
}

// Encode writes the message body.
func (m *TreeConnectResponse) Encode(w *cursor.Writer) {
	w.U16(treeConnectResponseSize)
	w.U8(uint8(m.ShareType))
	w.U8(0)
	w.U32(uint32(m.ShareFlags))
	w.U32(m.Capabilities)
	w.U32(uint32(m.MaximalAccess))
}

// TreeDisconnectRequest closes a share ([MS-SMB2] 2.2.11).
type TreeDisconnectRequest struct{ empty }

// TreeDisconnectResponse says that it is closed ([MS-SMB2] 2.2.12).
type TreeDisconnectResponse struct{ empty }
