package smbwire

// AccessMask are rights asked for or held ([MS-SMB2] 2.2.13.1).
type AccessMask uint32

// The rights to files, pipes and folders. Of a pair the first name is for
// files, the second for folders.
const (
	FileReadData        AccessMask = 0x00000001
	FileListDirectory   AccessMask = 0x00000001
	FileWriteData       AccessMask = 0x00000002
	FileAddFile         AccessMask = 0x00000002
	FileAppendData      AccessMask = 0x00000004
	FileAddSubdirectory AccessMask = 0x00000004
	FileReadEA          AccessMask = 0x00000008
	FileWriteEA         AccessMask = 0x00000010
	FileExecute         AccessMask = 0x00000020
	FileTraverse        AccessMask = 0x00000020
	FileDeleteChild     AccessMask = 0x00000040
	FileReadAttributes  AccessMask = 0x00000080
	FileWriteAttributes AccessMask = 0x00000100
	Delete              AccessMask = 0x00010000
	ReadControl         AccessMask = 0x00020000
	WriteDAC            AccessMask = 0x00040000
	WriteOwner          AccessMask = 0x00080000
	Synchronize         AccessMask = 0x00100000

	FileAllAccess AccessMask = 0x001f01ff // all of the above
)

// Rights that stand for others when asked for ([MS-DTYP] 2.4.3).
const (
	AccessSystemSecurity AccessMask = 0x01000000 // needs a privilege that no SMB client has here
	MaximumAllowed       AccessMask = 0x02000000
	GenericAll           AccessMask = 0x10000000
	GenericExecute       AccessMask = 0x20000000
	GenericWrite         AccessMask = 0x40000000
	GenericRead          AccessMask = 0x80000000
)
