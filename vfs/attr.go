package vfs

import "time"

// Key is the identity of a node, comparable with ==. The zero Key is no node.
type Key struct {
	FS     uint64 // which file system, never reused within a process
	Hi, Lo uint64 // which node of it
	Stream uint64 // which stream of the node; 0 is the node itself
}

// Node returns the key of the node that k's stream belongs to.
func (k Key) Node() Key {
	k.Stream = 0
	return k
}

// Caller is the one a call is made for.
type Caller struct {
	User   string // name at login; "" for a guest
	Guest  bool
	UID    uint32 // account on this machine; without HasID the FS's owner acts
	GID    uint32
	Groups []uint32 // further groups, ascending
	HasID  bool

	// Cred may hold what an FS made of the caller, to be made once only.
	Cred any
}

// Type is what a node is.
type Type uint8

// The types of nodes.
const (
	TypeFile Type = iota + 1
	TypeDir
	TypeSymlink
	TypeOther // a device, pipe or socket: listed, never opened for data
)

// DOSAttr are the attributes that DOS gave to files, with their bits of
// [MS-FSCC] 2.6. An FS stores those in DOSStored; the others are derived.
type DOSAttr uint32

// The attributes.
const (
	DOSReadOnly   DOSAttr = 0x01
	DOSHidden     DOSAttr = 0x02
	DOSSystem     DOSAttr = 0x04
	DOSDirectory  DOSAttr = 0x10
	DOSArchive    DOSAttr = 0x20
	DOSNormal     DOSAttr = 0x80
	DOSTemporary  DOSAttr = 0x100
	DOSSparse     DOSAttr = 0x200
	DOSReparse    DOSAttr = 0x400
	DOSCompressed DOSAttr = 0x800
	DOSOffline    DOSAttr = 0x1000
	DOSNotIndexed DOSAttr = 0x2000
	DOSEncrypted  DOSAttr = 0x4000

	// DOSStored are the ones a client sets and an FS keeps.
	DOSStored = DOSReadOnly | DOSHidden | DOSSystem | DOSArchive | DOSTemporary | DOSOffline | DOSNotIndexed
)

// Attr are the attributes of a node.
type Attr struct {
	Type      Type
	DOS       DOSAttr // stored ones, with DOSDirectory, DOSReparse and DOSSparse where they hold
	Size      int64
	Allocated int64 // bytes on the disk
	Links     uint32
	Mode      uint32 // permission bits, 07777
	UID, GID  uint32
	Device    uint64 // of the volume, for protocols that show one
	ID        uint64 // 64-bit id: at least 17, the same after a restart and a rename
	Parent    uint64 // the id of the folder it was found in; 0 when not known
	Short     string // 8.3 name by which it is found there, too; "" for none

	Birth, Modified, Changed, Accessed time.Time
}

// AttrSet names attributes.
type AttrSet uint16

// The attributes that SetAttr changes.
const (
	SetDOS AttrSet = 1 << iota
	SetMode
	SetOwner
	SetGroup
	SetBirth
	SetModified
	SetAccessed
	SetChanged // kept only by an FS that can; others ignore it
)

// SetAttr is a change of attributes.
type SetAttr struct {
	Set      AttrSet
	DOS      DOSAttr // of DOSStored
	Mode     uint32
	UID, GID uint32

	Birth, Modified, Accessed, Changed time.Time
}

// Access are rights to a node. The bits are those of NFSv4 (RFC 7530 6.2.1.3.1)
// and, which is the same, of Windows ([MS-DTYP] 2.4.3, [MS-SMB2] 2.2.13.1).
type Access uint32

// The rights. Of a pair the first name is for files, the second for folders.
const (
	ReadData     Access = 0x01
	ListDir      Access = 0x01
	WriteData    Access = 0x02
	AddFile      Access = 0x02
	AppendData   Access = 0x04
	AddDir       Access = 0x04
	ReadXattr    Access = 0x08
	WriteXattr   Access = 0x10
	Execute      Access = 0x20
	Traverse     Access = 0x20
	DeleteChild  Access = 0x40
	ReadAttr     Access = 0x80
	WriteAttr    Access = 0x100
	Delete       Access = 0x10000
	ReadControl  Access = 0x20000
	WriteControl Access = 0x40000
	WriteOwner   Access = 0x80000
	Synchronize  Access = 0x100000

	AllAccess Access = 0x1f01ff
	// Changing are the rights with which something can be changed; a
	// read-only share grants none of them.
	Changing = WriteData | AppendData | WriteXattr | DeleteChild | WriteAttr | Delete | WriteControl | WriteOwner
)

// Has reports whether a includes all of b.
func (a Access) Has(b Access) bool { return a&b == b }
