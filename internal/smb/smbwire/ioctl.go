package smbwire

import (
	"fmt"

	"github.com/dozo-server/dozo/internal/cursor"
)

// CtlCode names a control operation of IOCTL.
type CtlCode uint32

// The control codes of [MS-SMB2] 2.2.31 and, of the file systems' own in
// [MS-FSCC] 2.3, those that clients are known to send.
const (
	FsctlDFSGetReferrals           CtlCode = 0x00060194
	FsctlDFSGetReferralsEx         CtlCode = 0x000601b0
	FsctlIsPathnameValid           CtlCode = 0x0009002c
	FsctlGetCompression            CtlCode = 0x0009003c
	FsctlFilesystemGetStatistics   CtlCode = 0x00090060
	FsctlGetNTFSVolumeData         CtlCode = 0x00090064
	FsctlGetRetrievalPointers      CtlCode = 0x00090073
	FsctlSetObjectID               CtlCode = 0x00090098
	FsctlGetObjectID               CtlCode = 0x0009009c
	FsctlDeleteObjectID            CtlCode = 0x000900a0
	FsctlSetReparsePoint           CtlCode = 0x000900a4
	FsctlGetReparsePoint           CtlCode = 0x000900a8
	FsctlDeleteReparsePoint        CtlCode = 0x000900ac
	FsctlCreateOrGetObjectID       CtlCode = 0x000900c0
	FsctlSetSparse                 CtlCode = 0x000900c4
	FsctlReadFileUSNData           CtlCode = 0x000900eb
	FsctlQueryOnDiskVolumeInfo     CtlCode = 0x0009013c
	FsctlGetIntegrityInformation   CtlCode = 0x0009027c
	FsctlQueryFileRegions          CtlCode = 0x00090284
	FsctlQuerySharedVirtualDisk    CtlCode = 0x00090300
	FsctlStorageQoSControl         CtlCode = 0x00090350
	FsctlQueryAllocatedRanges      CtlCode = 0x000940cf
	FsctlOffloadRead               CtlCode = 0x00094264
	FsctlSetZeroData               CtlCode = 0x000980c8
	FsctlFileLevelTrim             CtlCode = 0x00098208
	FsctlOffloadWrite              CtlCode = 0x00098268
	FsctlDuplicateExtentsToFile    CtlCode = 0x00098344
	FsctlSetCompression            CtlCode = 0x0009c040
	FsctlSetIntegrityInformation   CtlCode = 0x0009c280
	FsctlPipeWait                  CtlCode = 0x00110018
	FsctlPipePeek                  CtlCode = 0x0011400c
	FsctlPipeTransceive            CtlCode = 0x0011c017
	FsctlSrvRequestResumeKey       CtlCode = 0x00140078
	FsctlLMRSetLinkTracking        CtlCode = 0x001400ec
	FsctlLMRRequestResiliency      CtlCode = 0x001401d4
	FsctlQueryNetworkInterfaceInfo CtlCode = 0x001401fc
	FsctlValidateNegotiateInfo     CtlCode = 0x00140204
	FsctlSrvEnumerateSnapshots     CtlCode = 0x00144064
	FsctlSrvCopyChunk              CtlCode = 0x001440f2
	FsctlSrvReadHash               CtlCode = 0x001441bb
	FsctlSrvCopyChunkWrite         CtlCode = 0x001480f2
)

func (c CtlCode) String() string { return fmt.Sprintf("control code %#08x", uint32(c)) }

// IoctlIsFsctl in IoctlRequest.Flags is the one kind of IOCTL there is.
const IoctlIsFsctl uint32 = 0x00000001

// IoctlRequest asks for a control operation ([MS-SMB2] 2.2.31). What its
// buffers hold depends on CtlCode; offsets in them count from their own start.
type IoctlRequest struct {
	CtlCode           CtlCode
	FileID            FileID // all ones where the operation is on no file
	Input             []byte
	MaxInputResponse  uint32
	MaxOutputResponse uint32
	Flags             uint32
}

const (
	ioctlRequestSize  = 57
	ioctlResponseSize = 49
)

// IoctlOutputOffset is where the output of an IOCTL response without input
// begins; a server that fills it in place leaves this room.
const IoctlOutputOffset = HeaderSize + ioctlResponseSize - 1

// Decode reads the message body.
func (m *IoctlRequest) Decode(r *cursor.Reader) {
	expectSize(r, ioctlRequestSize)
	r.U16() // Reserved
	m.CtlCode = CtlCode(r.U32())
	m.FileID.decode(r)
	inputOffset, inputCount := r.U32(), r.U32()
	m.MaxInputResponse = r.U32()
	r.U64() // OutputOffset, OutputCount: nothing is output in a request
	m.MaxOutputResponse = r.U32()
	m.Flags = r.U32()
	r.U32() // Reserved2
	m.Input = variable(r, inputOffset, inputCount, ioctlRequestSize-1)
}

// Encode writes the message body.
func (m *IoctlRequest) Encode(w *cursor.Writer) {
	w.U16(ioctlRequestSize)
	w.U16(0)
	w.U32(uint32(m.CtlCode))
	m.FileID.encode(w)
	w.U32(HeaderSize + ioctlRequestSize - 1)
	w.U32(uint32(len(m.Input)))
	w.U32(m.MaxInputResponse)
	w.U64(0)
	w.U32(m.MaxOutputResponse)
	w.U32(m.Flags)
	w.U32(0)
	w.Bytes(m.Input)
	padding(w, len(m.Input))
}

// IoctlResponse brings its result ([MS-SMB2] 2.2.32).
type IoctlResponse struct {
	CtlCode CtlCode
	FileID  FileID
	Output  []byte // copied by Encode only if it stands elsewhere, see cursor.Writer.Free
	Flags   uint32
}

// Decode reads the message body.
func (m *IoctlResponse) Decode(r *cursor.Reader) {
	expectSize(r, ioctlResponseSize)
	r.U16() // Reserved
	m.CtlCode = CtlCode(r.U32())
	m.FileID.decode(r)
	r.U64() // InputOffset, InputCount: some servers return the input, of no use
	off, n := r.U32(), r.U32()
	m.Flags = r.U32()
	r.U32() // Reserved2
	m.Output = variable(r, off, n, ioctlResponseSize-1)
}

// Encode writes the message body.
func (m *IoctlResponse) Encode(w *cursor.Writer) {
	w.U16(ioctlResponseSize)
	w.U16(0)
	w.U32(uint32(m.CtlCode))
	m.FileID.encode(w)
	w.U32(IoctlOutputOffset)
	w.U32(0)
	w.U32(IoctlOutputOffset)
	w.U32(uint32(len(m.Output)))
	w.U32(m.Flags)
	w.U32(0)
	w.Bytes(m.Output)
	padding(w, len(m.Output))
}

// ObjectIDSize is the size of an ObjectID.
const ObjectIDSize = 64

// ObjectID is the output of FsctlGetObjectID and FsctlCreateOrGetObjectID: the
// lasting id of a file ([MS-FSCC] 2.1.3.1).
type ObjectID struct {
	ObjectID      [16]byte // unique in the volume
	BirthVolumeID [16]byte // of the volume on which it was made
	BirthObjectID [16]byte // which it had then
}

// Decode reads the output of the IOCTL.
func (m *ObjectID) Decode(r *cursor.Reader) {
	r.Copy(m.ObjectID[:])
	r.Copy(m.BirthVolumeID[:])
	r.Copy(m.BirthObjectID[:])
	r.Skip(16) // DomainId: always zero
}

// Encode writes the output of the IOCTL.
func (m *ObjectID) Encode(w *cursor.Writer) {
	w.Bytes(m.ObjectID[:])
	w.Bytes(m.BirthVolumeID[:])
	w.Bytes(m.BirthObjectID[:])
	w.Zero(16)
}

// ValidateNegotiateInfoRequest is the input of FsctlValidateNegotiateInfo: what
// the client said when it negotiated ([MS-SMB2] 2.2.31.4).
type ValidateNegotiateInfoRequest struct {
	Capabilities Capabilities
	GUID         [16]byte
	SecurityMode SecurityMode
	Dialects     []Dialect
}

// Decode reads the input of the IOCTL.
func (m *ValidateNegotiateInfoRequest) Decode(r *cursor.Reader) {
	m.Capabilities = Capabilities(r.U32())
	r.Copy(m.GUID[:])
	m.SecurityMode = SecurityMode(r.U16())
	n := int(r.U16())
	m.Dialects = m.Dialects[:0]
	if n > maxDialects {
		r.Failf("%d dialects", n)
		return
	}
	for range n {
		m.Dialects = append(m.Dialects, Dialect(r.U16()))
	}
}

// Encode writes the input of the IOCTL.
func (m *ValidateNegotiateInfoRequest) Encode(w *cursor.Writer) {
	w.U32(uint32(m.Capabilities))
	w.Bytes(m.GUID[:])
	w.U16(uint16(m.SecurityMode))
	w.U16(uint16(len(m.Dialects)))
	for _, d := range m.Dialects {
		w.U16(uint16(d))
	}
}

// ValidateNegotiateInfoSize is the size of a ValidateNegotiateInfoResponse.
const ValidateNegotiateInfoSize = 24

// ValidateNegotiateInfoResponse is what the server said then
// ([MS-SMB2] 2.2.32.6).
type ValidateNegotiateInfoResponse struct {
	Capabilities Capabilities
	GUID         [16]byte
	SecurityMode SecurityMode
	Dialect      Dialect
}

// Decode reads the output of the IOCTL.
func (m *ValidateNegotiateInfoResponse) Decode(r *cursor.Reader) {
	m.Capabilities = Capabilities(r.U32())
	r.Copy(m.GUID[:])
	m.SecurityMode = SecurityMode(r.U16())
	m.Dialect = Dialect(r.U16())
}

// Encode writes the output of the IOCTL.
func (m *ValidateNegotiateInfoResponse) Encode(w *cursor.Writer) {
	w.U32(uint32(m.Capabilities))
	w.Bytes(m.GUID[:])
	w.U16(uint16(m.SecurityMode))
	w.U16(uint16(m.Dialect))
}
