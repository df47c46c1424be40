package afpwire

import "github.com/dozo-server/dozo/internal/cursor"

// UserBitmap says what GetUserInfo asks for.
type UserBitmap uint16

// The bits of UserBitmap.
const (
	UserBitID      UserBitmap = 0x1
	UserBitGroupID UserBitmap = 0x2
	UserBitUUID    UserBitmap = 0x4

	// UserBits are all there are.
	UserBits = UserBitID | UserBitGroupID | UserBitUUID
)

// GetUserInfoRequest asks for the ids of a user.
type GetUserInfoRequest struct {
	ThisUser bool // who logged in; servers tell of no one else
	UserID   uint32
	Bitmap   UserBitmap
}

const thisUser = 0x01

// Decode reads the message.
func (m *GetUserInfoRequest) Decode(r *cursor.Reader) {
	begin(r, GetUserInfo)
	m.ThisUser = r.U8()&thisUser != 0
	m.UserID = r.BE32()
	m.Bitmap = UserBitmap(r.BE16())
}

// Encode writes the message.
func (m *GetUserInfoRequest) Encode(w *cursor.Writer) {
	w.U8(uint8(GetUserInfo))
	w.U8(flagged(m.ThisUser, thisUser))
	w.BE32(m.UserID)
	w.BE16(uint16(m.Bitmap))
}

// GetUserInfoReply brings those in its Bitmap.
type GetUserInfoReply struct {
	Bitmap  UserBitmap
	UserID  uint32
	GroupID uint32
	UUID    UUID
}

// Decode reads the reply block.
func (m *GetUserInfoReply) Decode(r *cursor.Reader) {
	*m = GetUserInfoReply{Bitmap: UserBitmap(r.BE16())}
	if m.Bitmap&UserBitID != 0 {
		m.UserID = r.BE32()
	}
	if m.Bitmap&UserBitGroupID != 0 {
		m.GroupID = r.BE32()
	}
	if m.Bitmap&UserBitUUID != 0 {
		r.Copy(m.UUID[:])
	}
}

// Encode writes the reply block.
func (m *GetUserInfoReply) Encode(w *cursor.Writer) {
	w.BE16(uint16(m.Bitmap))
	if m.Bitmap&UserBitID != 0 {
		w.BE32(m.UserID)
	}
	if m.Bitmap&UserBitGroupID != 0 {
		w.BE32(m.GroupID)
	}
	if m.Bitmap&UserBitUUID != 0 {
		w.Bytes(m.UUID[:])
	}
}

// MapIDFunction says what MapID maps to what.
type MapIDFunction uint8

// The functions of MapID. Those with UTF-8 came with AFP 3.0, those with UUIDs
// with AFP 3.2.
const (
	UserIDToName        MapIDFunction = 1
	GroupIDToName       MapIDFunction = 2
	UserIDToUTF8Name    MapIDFunction = 3
	GroupIDToUTF8Name   MapIDFunction = 4
	UserUUIDToUTF8Name  MapIDFunction = 5
	GroupUUIDToUTF8Name MapIDFunction = 6
)

func (f MapIDFunction) uuid() bool { return f == UserUUIDToUTF8Name || f == GroupUUIDToUTF8Name }

func (f MapIDFunction) utf8() bool { return f >= UserIDToUTF8Name }

// MapIDRequest asks for the name of a user or a group.
type MapIDRequest struct {
	Function MapIDFunction
	ID       uint32
	UUID     UUID // of the functions with UUIDs
}

// Decode reads the message. A UUID that is cut is taken for one that nobody
// has: netatalk's test suite sends four bytes and wants ResultItemNotFound.
func (m *MapIDRequest) Decode(r *cursor.Reader) {
	begin(r, MapID)
	*m = MapIDRequest{Function: MapIDFunction(r.U8())}
	if m.Function.uuid() {
		r.Copy(m.UUID[:min(len(m.UUID), r.Len())])
	} else {
		m.ID = r.BE32()
	}
}

// Encode writes the message.
func (m *MapIDRequest) Encode(w *cursor.Writer) {
	w.U8(uint8(MapID))
	w.U8(uint8(m.Function))
	if m.Function.uuid() {
		w.Bytes(m.UUID[:])
	} else {
		w.BE32(m.ID)
	}
}

// What a UUID stands for.
const (
	UUIDOfUser  uint32 = 1
	UUIDOfGroup uint32 = 2
)

// MapIDReply brings it. A UUID may turn out to be a group's when a user was
// asked for, and the reverse.
type MapIDReply struct {
	Function MapIDFunction // that was asked for; set it before Decode

	Kind uint32 // UUIDOfUser or UUIDOfGroup, of the functions with UUIDs
	ID   uint32 // of the functions with UUIDs
	Name string // MacRoman or UTF-8, as the function says
}

// Decode reads the reply block.
func (m *MapIDReply) Decode(r *cursor.Reader) {
	*m = MapIDReply{Function: m.Function}
	if m.Function.uuid() {
		m.Kind = r.BE32()
		m.ID = r.BE32()
	}
	if m.Function.utf8() {
		m.Name = readUTF8(r)
	} else {
		m.Name = readPascal(r)
	}
}

// Encode writes the reply block.
func (m *MapIDReply) Encode(w *cursor.Writer) {
	if m.Function.uuid() {
		w.BE32(m.Kind)
		w.BE32(m.ID)
	}
	if m.Function.utf8() {
		writeUTF8(w, m.Name)
	} else {
		writePascal(w, m.Name)
	}
}

// MapNameFunction says what MapName maps to what.
type MapNameFunction uint8

// The functions of MapName. The table of the AFP Reference has the first two
// pairs exchanged; "AFP Version Differences", and clients, have them so.
const (
	UTF8NameToUserID    MapNameFunction = 1
	UTF8NameToGroupID   MapNameFunction = 2
	NameToUserID        MapNameFunction = 3
	NameToGroupID       MapNameFunction = 4
	UTF8NameToUserUUID  MapNameFunction = 5
	UTF8NameToGroupUUID MapNameFunction = 6
)

func (f MapNameFunction) uuid() bool { return f == UTF8NameToUserUUID || f == UTF8NameToGroupUUID }

func (f MapNameFunction) utf8() bool { return f != NameToUserID && f != NameToGroupID }

// MapNameRequest asks for the id of a user or a group.
type MapNameRequest struct {
	Function MapNameFunction
	Name     string // MacRoman or UTF-8, as the function says
}

// Decode reads the message.
func (m *MapNameRequest) Decode(r *cursor.Reader) {
	begin(r, MapName)
	m.Function = MapNameFunction(r.U8())
	if m.Function.utf8() {
		m.Name = readUTF8(r)
	} else {
		m.Name = readPascal(r)
	}
}

// Encode writes the message.
func (m *MapNameRequest) Encode(w *cursor.Writer) {
	w.U8(uint8(MapName))
	w.U8(uint8(m.Function))
	if m.Function.utf8() {
		writeUTF8(w, m.Name)
	} else {
		writePascal(w, m.Name)
	}
}

// MapNameReply brings it.
type MapNameReply struct {
	Function MapNameFunction // that was asked for; set it before Decode

	ID   uint32
	UUID UUID // of the functions with UUIDs
}

// Decode reads the reply block.
func (m *MapNameReply) Decode(r *cursor.Reader) {
	*m = MapNameReply{Function: m.Function}
	if m.Function.uuid() {
		r.Copy(m.UUID[:])
	} else {
		m.ID = r.BE32()
	}
}

// Encode writes the reply block.
func (m *MapNameReply) Encode(w *cursor.Writer) {
	if m.Function.uuid() {
		w.Bytes(m.UUID[:])
	} else {
		w.BE32(m.ID)
	}
}
