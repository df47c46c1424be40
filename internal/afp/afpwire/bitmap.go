package afpwire

// Bitmap names parameters of a file or folder ("File and Directory Bitmap").
// Bits 9 to 12 mean one thing for files and another for folders.
type Bitmap uint16

// The bits for both. Bit 13 changed its meaning with AFP 3.0.
const (
	BitAttributes Bitmap = 0x0001
	BitParent     Bitmap = 0x0002
	BitCreated    Bitmap = 0x0004
	BitModified   Bitmap = 0x0008
	BitBackedUp   Bitmap = 0x0010
	BitFinderInfo Bitmap = 0x0020
	BitLongName   Bitmap = 0x0040
	BitShortName  Bitmap = 0x0080
	BitNodeID     Bitmap = 0x0100
	BitUTF8Name   Bitmap = 0x2000
	BitProDOSInfo Bitmap = 0x2000 // before AFP 3.0
	BitUnixPrivs  Bitmap = 0x8000
)

// The bits for files.
const (
	BitDataLength        Bitmap = 0x0200
	BitResourceLength    Bitmap = 0x0400
	BitExtDataLength     Bitmap = 0x0800
	BitLaunchLimit       Bitmap = 0x1000
	BitExtResourceLength Bitmap = 0x4000
)

// The bits for folders.
const (
	BitOffspring Bitmap = 0x0200
	BitOwner     Bitmap = 0x0400
	BitGroup     Bitmap = 0x0800
	BitAccess    Bitmap = 0x1000

	// DirBits are all that folders have.
	DirBits = ^BitExtResourceLength
)

// Attributes of a file or folder ("File and Directory Attributes Bitmap").
type Attributes uint16

// The attributes.
const (
	AttrInvisible     Attributes = 0x0001
	AttrMultiUser     Attributes = 0x0002 // of files
	AttrIsShared      Attributes = 0x0002 // of folders: a share point
	AttrSystem        Attributes = 0x0004
	AttrDataOpen      Attributes = 0x0008 // of files: the data fork is open
	AttrMounted       Attributes = 0x0008 // of folders
	AttrResourceOpen  Attributes = 0x0010 // of files: the resource fork is open
	AttrInShared      Attributes = 0x0010 // of folders: within a share point
	AttrWriteInhibit  Attributes = 0x0020
	AttrBackupNeeded  Attributes = 0x0040
	AttrRenameInhibit Attributes = 0x0080
	AttrDeleteInhibit Attributes = 0x0100
	AttrCopyProtect   Attributes = 0x0400
	AttrSet           Attributes = 0x8000 // in requests: set the others rather than clear them

	// AttrInhibit are what protects a file or folder.
	AttrInhibit = AttrWriteInhibit | AttrRenameInhibit | AttrDeleteInhibit
	// AttrFixed are what no request changes of a file.
	AttrFixed = AttrDataOpen | AttrResourceOpen | AttrCopyProtect
)

// AccessRights are what owner, group, everyone and the user who asks may do to
// a folder ("Access Rights Bitmap").
type AccessRights uint32

// The rights of one of the four.
const (
	MaySearch AccessRights = 1
	MayRead   AccessRights = 2
	MayWrite  AccessRights = 4
	MayAll                 = MaySearch | MayRead | MayWrite
)

// How far to shift the rights of each.
const (
	OwnersRights   = 0
	GroupsRights   = 8
	EveryonesRight = 16
	UsersRights    = 24
)

// The bits of AccessRights that stand alone.
const (
	BlankAccess AccessRights = 0x10000000 // as the parent, in AFP 2
	UserIsOwner AccessRights = 0x80000000
)

// FinderInfo is what the Finder keeps with a file or folder.
type FinderInfo [32]byte

// UnixPrivs are the owner, group and mode of a file or folder (FPUnixPrivs).
type UnixPrivs struct {
	UserID  uint32
	GroupID uint32
	Mode    uint32 // with the type: a symbolic link is S_IFLNK
	Access  AccessRights
}
