package smb

import (
	"context"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/meter"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// command is a row of the table of commands.
type command struct {
	needs  state
	waits  bool // it may wait for others, or go on for long, so CANCEL may name it
	kind   meter.Kind
	handle handler
}

// state is what a request needs to be run at all.
type state int

const (
	nothing state = iota
	aSession
	aTree
)

type handler func(r *request, ctx context.Context) (reply, error)

// commands are all that the server knows; CANCEL is done by the reader.
var commands = [smbwire.Commands]command{
	smbwire.Negotiate:      {needs: nothing, handle: (*request).negotiate},
	smbwire.SessionSetup:   {needs: nothing, handle: on((*request).sessionSetup)},
	smbwire.Logoff:         {needs: aSession, handle: on((*request).logoff)},
	smbwire.TreeConnect:    {needs: aSession, handle: on((*request).treeConnect)},
	smbwire.TreeDisconnect: {needs: aTree, handle: on((*request).treeDisconnect)},
	smbwire.Create:         {needs: aTree, waits: true, kind: meter.Open, handle: on((*request).create)},
	smbwire.Close:          {needs: aTree, kind: meter.Close, handle: on((*request).close)},
	smbwire.Flush:          {needs: aTree, kind: meter.Flush, handle: on((*request).flush)},
	smbwire.Read:           {needs: aTree, kind: meter.Read, handle: on((*request).read)},
	smbwire.Write:          {needs: aTree, kind: meter.Write, handle: on((*request).write)},
	smbwire.Lock:           {needs: aTree, waits: true, kind: meter.Lock, handle: on((*request).lock)},
	smbwire.Ioctl:          {needs: aTree, kind: meter.Control, handle: on((*request).ioctl)},
	smbwire.Echo:           {needs: nothing, handle: on((*request).echo)},
	smbwire.QueryDirectory: {needs: aTree, waits: true, kind: meter.List, handle: on((*request).queryDirectory)},
	smbwire.ChangeNotify:   {needs: aTree, waits: true, handle: on((*request).changeNotify)},
	smbwire.QueryInfo:      {needs: aTree, kind: meter.Info, handle: on((*request).queryInfo)},
	smbwire.SetInfo:        {needs: aTree, waits: true, kind: meter.Change, handle: on((*request).setInfo)},
	smbwire.OplockBreak:    {needs: aTree, handle: on((*request).oplockBreak)},
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
		rd.Seek(smbwire.HeaderSize)
		m.Decode(&rd)
		if rd.Err() != nil {
			return nil, smbwire.StatusInvalidParameter
		}
		return f(r, ctx, m)
	}
}
