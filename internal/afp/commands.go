package afp

import (
	"context"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/cursor"
)

// command is a row of the table of commands.
type command struct {
	needs  state
	alone  bool // runs when all before it are done, and nothing beside it
	handle handler
}

// state is what a request needs to be run at all.
type state int

const (
	aLogin state = iota
	noLogin
	nothing
)

type handler func(r *request, ctx context.Context) (reply, error)

// commands are all that the server knows.
var commands [256]command

// The table names handlers that look into it.
func init() {
	for c, row := range map[afpwire.Command]command{
		afpwire.Login:                {needs: noLogin, alone: true, handle: on((*request).logIn)},
		afpwire.LoginExt:             {needs: noLogin, alone: true, handle: on((*request).logInExt)},
		afpwire.LoginCont:            {needs: noLogin, alone: true, handle: on((*request).logInCont)},
		afpwire.Logout:               {alone: true, handle: on((*request).logOut)},
		afpwire.ChangePassword:       {alone: true, handle: on((*request).changePassword)},
		afpwire.GetSessionToken:      {alone: true, handle: on((*request).getSessionToken)},
		afpwire.DisconnectOldSession: {alone: true, handle: on((*request).disconnectOldSession)},
		afpwire.Zzzzz:                {alone: true, handle: on((*request).zzzzz)},
		afpwire.GetSrvrInfo:          {needs: nothing, handle: on((*request).getSrvrInfo)},
		afpwire.GetSrvrParms:         {handle: on((*request).getSrvrParms)},
		afpwire.GetSrvrMsg:           {handle: on((*request).getSrvrMsg)},
		afpwire.GetUserInfo:          {handle: on((*request).getUserInfo)},
		afpwire.MapID:                {handle: on((*request).mapID)},
		afpwire.MapName:              {handle: on((*request).mapName)},
		afpwire.OpenVol:              {alone: true, handle: on((*request).openVol)},
		afpwire.CloseVol:             {alone: true, handle: on((*request).closeVol)},
		afpwire.GetVolParms:          {handle: on((*request).getVolParms)},
		afpwire.SetVolParms:          {handle: on((*request).setVolParms)},
		afpwire.GetFileDirParms:      {handle: on((*request).getFileDirParms)},
		afpwire.SetFileDirParms:      {handle: on((*request).setParms)},
		afpwire.SetFileParms:         {handle: on((*request).setParms)},
		afpwire.SetDirParms:          {handle: on((*request).setParms)},
		afpwire.CreateFile:           {handle: on((*request).createFile)},
		afpwire.CreateDir:            {handle: on((*request).createDir)},
		afpwire.OpenDir:              {handle: on((*request).openDir)},
		afpwire.CloseDir:             {handle: on((*request).closeDir)},
		afpwire.Delete:               {handle: on((*request).remove)},
		afpwire.Rename:               {handle: on((*request).rename)},
		afpwire.Enumerate:            {handle: on((*request).enumerate)},
		afpwire.EnumerateExt:         {handle: on((*request).enumerate)},
		afpwire.EnumerateExt2:        {handle: on((*request).enumerate)},
		afpwire.CreateID:             {handle: on((*request).createID)},
		afpwire.DeleteID:             {handle: on((*request).deleteID)},
		afpwire.OpenDT:               {handle: on((*request).openDT)},
		afpwire.CloseDT:              {handle: on((*request).closeDT)},
		afpwire.AddComment:           {handle: on((*request).addComment)},
		afpwire.RemoveComment:        {handle: on((*request).removeComment)},
		afpwire.GetComment:           {handle: on((*request).getComment)},
		afpwire.ResolveID:            {handle: on((*request).resolveID)},
		afpwire.MoveAndRename:        {handle: on((*request).moveAndRename)},
	} {
		commands[c] = row
	}
}

// on makes a handler of a function that wants its message decoded. No such
// function ever sees half a message.
func on[M any, P interface {
	*M
	Decode(*cursor.Reader)
}](f func(*request, context.Context, P) (reply, error)) handler {
	return func(r *request, ctx context.Context) (reply, error) {
		m := P(new(M))
		var rd cursor.Reader
		rd.Reset(r.message)
		if m.Decode(&rd); rd.Err() != nil {
			return nil, afpwire.ResultOf(rd.Err())
		}
		return f(r, ctx, m)
	}
}
