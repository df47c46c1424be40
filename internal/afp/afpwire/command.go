package afpwire

import "fmt"

// Command is the first byte of a request.
type Command uint8

// The commands. Apple never gave away 12, 13, 44 to 47, 50 and 77;
// GetAuthMethods and SpotlightRPC have no messages here.
const (
	ByteRangeLock        Command = 1
	CloseVol             Command = 2
	CloseDir             Command = 3
	CloseFork            Command = 4
	CopyFile             Command = 5
	CreateDir            Command = 6
	CreateFile           Command = 7
	Delete               Command = 8
	Enumerate            Command = 9
	Flush                Command = 10
	FlushFork            Command = 11
	GetForkParms         Command = 14
	GetSrvrInfo          Command = 15
	GetSrvrParms         Command = 16
	GetVolParms          Command = 17
	Login                Command = 18
	LoginCont            Command = 19
	Logout               Command = 20
	MapID                Command = 21
	MapName              Command = 22
	MoveAndRename        Command = 23
	OpenVol              Command = 24
	OpenDir              Command = 25
	OpenFork             Command = 26
	Read                 Command = 27
	Rename               Command = 28
	SetDirParms          Command = 29
	SetFileParms         Command = 30
	SetForkParms         Command = 31
	SetVolParms          Command = 32
	Write                Command = 33
	GetFileDirParms      Command = 34
	SetFileDirParms      Command = 35
	ChangePassword       Command = 36
	GetUserInfo          Command = 37
	GetSrvrMsg           Command = 38
	CreateID             Command = 39
	DeleteID             Command = 40
	ResolveID            Command = 41
	ExchangeFiles        Command = 42
	CatSearch            Command = 43
	OpenDT               Command = 48
	CloseDT              Command = 49
	GetIcon              Command = 51
	GetIconInfo          Command = 52
	AddAPPL              Command = 53
	RemoveAPPL           Command = 54
	GetAPPL              Command = 55
	AddComment           Command = 56
	RemoveComment        Command = 57
	GetComment           Command = 58
	ByteRangeLockExt     Command = 59
	ReadExt              Command = 60
	WriteExt             Command = 61
	GetAuthMethods       Command = 62
	LoginExt             Command = 63
	GetSessionToken      Command = 64
	DisconnectOldSession Command = 65
	EnumerateExt         Command = 66
	CatSearchExt         Command = 67
	EnumerateExt2        Command = 68
	GetExtAttr           Command = 69
	SetExtAttr           Command = 70
	RemoveExtAttr        Command = 71
	ListExtAttrs         Command = 72
	GetACL               Command = 73
	SetACL               Command = 74
	Access               Command = 75
	SpotlightRPC         Command = 76
	SyncDir              Command = 78
	SyncFork             Command = 79
	Zzzzz                Command = 122
	AddIcon              Command = 192
)

var commandNames = [256]string{
	ByteRangeLock: "FPByteRangeLock", CloseVol: "FPCloseVol", CloseDir: "FPCloseDir", CloseFork: "FPCloseFork",
	CopyFile: "FPCopyFile", CreateDir: "FPCreateDir", CreateFile: "FPCreateFile", Delete: "FPDelete",
	Enumerate: "FPEnumerate", Flush: "FPFlush", FlushFork: "FPFlushFork", GetForkParms: "FPGetForkParms",
	GetSrvrInfo: "FPGetSrvrInfo", GetSrvrParms: "FPGetSrvrParms", GetVolParms: "FPGetVolParms", Login: "FPLogin",
	LoginCont: "FPLoginCont", Logout: "FPLogout", MapID: "FPMapID", MapName: "FPMapName",
	MoveAndRename: "FPMoveAndRename", OpenVol: "FPOpenVol", OpenDir: "FPOpenDir", OpenFork: "FPOpenFork",
	Read: "FPRead", Rename: "FPRename", SetDirParms: "FPSetDirParms", SetFileParms: "FPSetFileParms",
	SetForkParms: "FPSetForkParms", SetVolParms: "FPSetVolParms", Write: "FPWrite",
	GetFileDirParms: "FPGetFileDirParms", SetFileDirParms: "FPSetFileDirParms", ChangePassword: "FPChangePassword",
	GetUserInfo: "FPGetUserInfo", GetSrvrMsg: "FPGetSrvrMsg", CreateID: "FPCreateID", DeleteID: "FPDeleteID",
	ResolveID: "FPResolveID", ExchangeFiles: "FPExchangeFiles", CatSearch: "FPCatSearch", OpenDT: "FPOpenDT",
	CloseDT: "FPCloseDT", GetIcon: "FPGetIcon", GetIconInfo: "FPGetIconInfo", AddAPPL: "FPAddAPPL",
	RemoveAPPL: "FPRemoveAPPL", GetAPPL: "FPGetAPPL", AddComment: "FPAddComment", RemoveComment: "FPRemoveComment",
	GetComment: "FPGetComment", ByteRangeLockExt: "FPByteRangeLockExt", ReadExt: "FPReadExt", WriteExt: "FPWriteExt",
	GetAuthMethods: "FPGetAuthMethods", LoginExt: "FPLoginExt", GetSessionToken: "FPGetSessionToken",
	DisconnectOldSession: "FPDisconnectOldSession", EnumerateExt: "FPEnumerateExt", CatSearchExt: "FPCatSearchExt",
	EnumerateExt2: "FPEnumerateExt2", GetExtAttr: "FPGetExtAttr", SetExtAttr: "FPSetExtAttr",
	RemoveExtAttr: "FPRemoveExtAttr", ListExtAttrs: "FPListExtAttrs", GetACL: "FPGetACL", SetACL: "FPSetACL",
	Access: "FPAccess", SpotlightRPC: "FPSpotlightRPC", SyncDir: "FPSyncDir", SyncFork: "FPSyncFork",
	Zzzzz: "FPZzzzz", AddIcon: "FPAddIcon",
}

// String returns the name that the AFP Reference gives the command.
func (c Command) String() string {
	if name := commandNames[c]; name != "" {
		return name
	}
	return fmt.Sprintf("command %d", uint8(c))
}
