// Package rpc answers the remote procedure calls that clients make through
// named pipes: which shares a server has, what it is called, who the owner of a
// file is, and that a user wants another password.
//
// A Pipe is a connection of DCE/RPC (pipe.go, pdu.go, security.go). Its calls are
// rows in the table of an interface (srvsvc.go, wkssvc.go, lsarpc.go, dssetup.go,
// samr.go) and read and write their arguments as NDR (ndr.go). Nothing here waits
// or touches a disk, but for the accounts of the machine and the list of users.
// Only the four pipes of the table exist: a name that a client sends never becomes
// a path.
package rpc

import (
	"strings"

	"github.com/dozo-server/dozo/vfs"
)

// Env is what the calls of one client can see. It is not changed while pipes
// are open.
type Env struct {
	Name string // of the server, as in its logins
	User string // who calls; empty for a guest

	// Machine is the machine's SID, S-1-5-21 with these three behind it.
	Machine [3]uint32

	// Shares returns what this client may see in a list of shares.
	Shares func() []Share

	// Accounts knows the machine's users and groups. Nil, as for guests:
	// none of them is told.
	Accounts Accounts

	// Login begins a login of the pipe's own, by which the caller proves once
	// more who he is. Nil: there are none.
	Login func() Login

	// ChangePassword gives a user, as a client spelt it, another password, if
	// that is who calls. It returns the status for the client ([MS-ERREF] 2.3).
	// Nil: nobody's is changed.
	ChangePassword func(user string, n NewPassword) (status uint32)
}

// workgroup is that of servers that are in no domain.
const workgroup = "WORKGROUP"

// Share is a share in a list.
type Share struct {
	Name, Comment string
}

// Accounts knows users and groups by number and by name. Its methods may be
// called by several goroutines at once.
type Accounts interface {
	UserName(uid uint32) (name string, ok bool)
	GroupName(gid uint32) (name string, ok bool)
	UserID(name string) (uid uint32, ok bool)
	GroupID(name string) (gid uint32, ok bool)
}

// pipes are all pipes there are, by their names in lower case, and the
// interfaces that can be reached through each.
var pipes = map[string][]*iface{
	"srvsvc": {&srvsvc},
	"wkssvc": {&wkssvc},
	"lsarpc": {&lsarpc, &dssetup},
	"samr":   {&samr},
}

// Open opens a pipe by the name a client gave, whatever its case. For all
// names but those of the table the error is of vfs.KindNotExist.
func Open(name string, env Env) (*Pipe, error) {
	lower := strings.ToLower(name)
	ifaces := pipes[lower]
	if ifaces == nil {
		return nil, vfs.NewError("open pipe", name, vfs.KindNotExist, nil)
	}
	return &Pipe{name: lower, ifaces: ifaces, env: env, maxFragment: smallestFragment}, nil
}

// iface is an interface that a client can bind to.
type iface struct {
	id      syntax
	methods map[uint16]method // by operation number
}

// method carries out a call: it reads the arguments from c.in and writes the
// results to c.out. An error that is a fault goes to the client as it is; any
// other means that the arguments were bad.
type method func(c *call) error

// call is one call on its way.
type call struct {
	pipe *Pipe
	in   *decoder
	out  *encoder
}

// fault is a status that takes the place of results ([C706] appendix E).
type fault uint32

func (f fault) Error() string { return faultNames[f] }

const (
	faultAccessDenied fault = 0x00000005
	faultBadStub      fault = 0x000006f7
	faultContext      fault = 0x1c00001a // the handle is not one of ours
	faultNoMemory     fault = 0x1c00001b
	faultOperation    fault = 0x1c010002
	faultInterface    fault = 0x1c010003
	faultProtocol     fault = 0x1c01000b
)

var faultNames = map[fault]string{
	faultAccessDenied: "access denied",
	faultBadStub:      "malformed arguments",
	faultContext:      "no such handle",
	faultNoMemory:     "call too large",
	faultOperation:    "no such operation",
	faultInterface:    "not bound",
	faultProtocol:     "protocol error",
}

// denied is the method of operations that exist and that nobody may use here.
func denied(*call) error { return faultAccessDenied }
