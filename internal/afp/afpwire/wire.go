// Package afpwire reads and writes the messages of the Apple Filing Protocol,
// versions 2.2 and 3.0 to 3.4, and the DSI frames that carry them over TCP.
//
// It knows bytes and nothing else: no connection, no session, no file. Each
// message is a struct whose Decode and Encode are two matching lists of
// fields; requests and replies have both, so that a server and a client can be
// built from the package.
//
// A frame is a Header and a payload. The payload of a request is its message,
// from the command byte on; a DSIWrite has the data to be written behind it
// (see Header.Parts). The payload of a reply is a reply block, which does not
// say what was asked: where its layout depends on that, a field named Command
// or Function is to be set before Decode. A command without a type for its
// reply has an empty one.
//
// Offset 0 of the cursor.Reader or cursor.Writer given to these methods is the
// start of the payload, for messages pad to even offsets in it. Decode
// overwrites every field but those just named. Byte slices it sets alias what
// was decoded, and the storage of other slices is used again, so a message may
// be decoded into many times.
//
// A message that breaks the layout leaves an error in the Reader: a Result, or
// one that stands for ResultParamErr (see ResultOf). What is well-formed but
// makes no sense is left to whoever handles the message. Strings that a field
// can't hold are cut, so that a frame stays one.
//
// Commands, fields and bits have the names of Apple's AFP Reference (of
// December 2012, for AFP 3.4), where a command's section is found by its name.
// Text is as on the wire: MacRoman in names of types 1 and 2 and wherever AFP
// 2 knows no other, decomposed UTF-8 elsewhere; in names ":" is what a Mac
// shows as "/".
package afpwire

import "github.com/dozo-server/dozo/internal/cursor"

// VolumeID names an open volume of a session.
type VolumeID uint16

// NodeID names a file or folder of a volume for as long as the volume exists:
// what AFP calls directory id, file number and file id, and servers a CNID.
type NodeID uint32

// The node ids that have a fixed meaning. Those below FirstNode are reserved.
const (
	RootParent NodeID = 1
	Root       NodeID = 2
	FirstNode  NodeID = 17
)

// ForkID names an open fork of a session. 0 is none.
type ForkID uint16

// DesktopID names an open desktop database of a session.
type DesktopID uint16

// OSType is the four letters by which classic Macs know types and creators.
type OSType [4]byte

// UUID names a user or a group.
type UUID [16]byte

// hasDir are the commands whose messages begin with a volume, or the desktop
// database of one, and a folder.
var hasDir = [256]bool{
	CloseDir: true, CopyFile: true, CreateDir: true, CreateFile: true, Delete: true, Enumerate: true, MoveAndRename: true,
	OpenDir: true, OpenFork: true, Rename: true, SetDirParms: true, SetFileParms: true, GetFileDirParms: true,
	SetFileDirParms: true, CreateID: true, ExchangeFiles: true, AddAPPL: true, RemoveAPPL: true, AddComment: true,
	RemoveComment: true, GetComment: true, EnumerateExt: true, EnumerateExt2: true, GetExtAttr: true, SetExtAttr: true,
	RemoveExtAttr: true, ListExtAttrs: true, GetACL: true, SetACL: true, Access: true, SyncDir: true,
}

// DirOf returns the volume, or the desktop database, and the folder that a
// message begins with, without decoding the rest; ok is false if it has none.
// A server can then say that the folder is not there even if the rest of the
// message is not there either, which netatalk's test suite wants to hear.
func DirOf(message []byte) (volume uint16, dir NodeID, ok bool) {
	if len(message) == 0 || !hasDir[message[0]] {
		return 0, 0, false
	}
	var r cursor.Reader
	r.Reset(message)
	r.BE16() // the command, and a pad or a flag
	volume, dir = r.BE16(), NodeID(r.BE32())
	return volume, dir, r.Err() == nil
}

// begin reads the command byte of a message, which dispatch has read before.
func begin(r *cursor.Reader, want Command) {
	if got := Command(r.U8()); got != want && r.Err() == nil {
		r.Failf("%v where %v was expected", got, want)
	}
}

// beginOne reads the command byte of a message that serves several commands.
func beginOne(r *cursor.Reader, of ...Command) Command {
	got := Command(r.U8())
	for _, c := range of {
		if got == c {
			return got
		}
	}
	if r.Err() == nil {
		r.Failf("%v where %v was expected", got, of[0])
	}
	return got
}

// flagged returns flag if on, for the byte behind the command.
func flagged(on bool, flag uint8) uint8 {
	if on {
		return flag
	}
	return 0
}

// highBit is the flag of several commands that stands beside the command.
const highBit = 0x80

// padded begins a message whose second byte is only padding.
func padded(w *cursor.Writer, c Command) {
	w.U8(uint8(c))
	w.U8(0)
}
