package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net"
	"strings"
	"syscall"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
)

// SMB is a Target on a server.
type SMB struct {
	path    smbclient.Path // with the password
	options smbclient.Options
	tree    *smbclient.Tree
	link    Link
}

// DialSMB connects to a folder of a server. o.Login is taken from path.
func DialSMB(ctx context.Context, path smbclient.Path, o smbclient.Options) (*SMB, error) {
	if path.Share == "" {
		return nil, fmt.Errorf("%s names no share; write %s/SHARE", path, strings.TrimRight(path.String(), "/"))
	}
	o.Login = path.Login
	t := &SMB{path: path, options: o}
	if err := t.dial(ctx); err != nil {
		return nil, t.explain(err)
	}
	return t, nil
}

// attributeDirectory marks a folder ([MS-FSCC] 2.6).
const attributeDirectory smbwire.FileAttributes = 0x10

// dial logs in and makes sure that the folder is there.
func (t *SMB) dial(ctx context.Context) error {
	var d net.Dialer
	nc, err := d.DialContext(ctx, "tcp", t.path.Address())
	if err != nil {
		return err
	}
	conn, err := smbclient.NewConn(ctx, nc, t.options)
	if err != nil {
		return err
	}
	session, err := conn.Login(ctx, t.options.Login)
	if err != nil {
		conn.Close()
		return err
	}
	tree, err := session.Tree(ctx, t.path.Share)
	if err == nil {
		_, err = spaceOf(ctx, tree, t.name(""))
	}
	if err != nil {
		conn.Close()
		return err
	}
	t.tree = tree // after an error the last one stays, which can be closed again
	t.link = Link{Words: words(session), Local: nc.LocalAddr(), Remote: nc.RemoteAddr()}
	return nil
}

// words tells what a session is.
func words(s *smbclient.Session) string {
	a := s.Conn().Agreed()
	how := "not signed"
	switch {
	case s.Encrypted():
		how = "encrypted with " + a.Cipher.String()
	case s.Signed():
		how = "signed with " + a.Signing.String()
	}
	return "SMB " + a.Dialect.String() + ", " + how
}

// name is a path below the target as it is sent.
func (t *SMB) name(path string) string {
	name := smbclient.Name(path)
	switch {
	case name == "":
		return t.path.Name
	case t.path.Name == "":
		return name
	}
	return t.path.Name + `\` + name
}

// Mkdir makes a folder.
func (t *SMB) Mkdir(ctx context.Context, path string) error {
	return known(t.tree.Mkdir(ctx, t.name(path)))
}

// Create makes a file, with one request.
func (t *SMB) Create(ctx context.Context, path string) (File, error) {
	m := smbclient.Making(t.name(path))
	m.Disposition = smbwire.FileCreate
	return t.open(ctx, m)
}

// Open opens a file, with one request.
func (t *SMB) Open(ctx context.Context, path string) (File, error) {
	m := smbclient.Existing(t.name(path), smbwire.GenericRead)
	m.Options = smbwire.NonDirectoryFile
	return t.open(ctx, m)
}

func (t *SMB) open(ctx context.Context, m *smbwire.CreateRequest) (File, error) {
	f, err := t.tree.Create(ctx, m)
	if err != nil {
		return nil, known(err) // not a nil *smbclient.File in a File
	}
	return f, nil
}

// Remove deletes a file or an empty folder, with one message.
func (t *SMB) Remove(ctx context.Context, path string) error {
	return known(t.tree.Remove(ctx, t.name(path)))
}

// List goes through a folder.
func (t *SMB) List(ctx context.Context, path string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		f, err := t.tree.Create(ctx, smbclient.Folder(t.name(path)))
		if err != nil {
			yield(Entry{}, known(err))
			return
		}
		defer f.Close(ctx)
		for e, err := range f.List(ctx, smbwire.FileIDBothDirectoryInformation, "*") {
			if err != nil {
				yield(Entry{}, known(err))
				return
			}
			if e.FileName == "." || e.FileName == ".." {
				continue
			}
			if !yield(Entry{e.FileName, e.FileAttributes&attributeDirectory != 0}, nil) {
				return
			}
		}
	}
}

// Space asks the server for the room that the user may still use.
func (t *SMB) Space(ctx context.Context) (Space, error) { return spaceOf(ctx, t.tree, t.name("")) }

func spaceOf(ctx context.Context, tree *smbclient.Tree, folder string) (Space, error) {
	f, err := tree.Create(ctx, smbclient.Folder(folder))
	if err != nil {
		return Space{}, known(err)
	}
	defer f.Close(ctx)
	var info smbwire.FullSizeInformation
	if err := f.QueryVolume(ctx, smbwire.FSFullSizeInformation, &info); err != nil {
		return Space{}, known(err)
	}
	return Space{Bytes: int64(info.CallerUnits * uint64(info.SectorsPerUnit) * uint64(info.BytesPerSector))}, nil
}

// Renew logs in anew on a new connection.
func (t *SMB) Renew(ctx context.Context) (Renewal, error) {
	t.Close()
	return NewSession, t.dial(ctx)
}

// Link returns the connection.
func (t *SMB) Link() *Link { return &t.link }

// Close closes the connection.
func (t *SMB) Close() error { return t.tree.Session().Conn().Close() }

// explain says what to do about an error of the first connection.
func (t *SMB) explain(err error) error {
	p := t.path
	switch {
	case errors.Is(err, smbwire.StatusLogonFailure), errors.Is(err, smbwire.StatusWrongPassword), errors.Is(err, smbwire.StatusNoSuchUser):
		return fmt.Errorf("%s does not know the user %q with this password; name the user in smb://USER@%s/%s", p.Address(), p.Login.User, p.Host, p.Share)
	case errors.Is(err, smbwire.StatusBadNetworkName):
		return fmt.Errorf("%s has no share %s, or does not serve it now", p.Address(), p.Share)
	case errors.Is(err, smbwire.StatusAccessDenied), errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s does not let %q use %s", p.Address(), p.Login.User, p)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, smbwire.StatusObjectPathNotFound), errors.Is(err, smbwire.StatusNotADirectory):
		return fmt.Errorf("the share %s has no folder %s; make it first", p.Share, strings.ReplaceAll(p.Name, `\`, "/"))
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("nobody listens at %s; start the server, or name its port in smb://%s:PORT/%s", p.Address(), p.Host, p.Share)
	}
	return fmt.Errorf("%s can't be reached: %w", p, err)
}

// meanings are the statuses that matter here, as errors of package fs.
var meanings = map[smbwire.Status]error{
	smbwire.StatusObjectNameNotFound:  fs.ErrNotExist,
	smbwire.StatusObjectNameCollision: fs.ErrExist,
	smbwire.StatusAccessDenied:        fs.ErrPermission,
	smbwire.StatusMediaWriteProtected: fs.ErrPermission,
	smbwire.StatusDiskFull:            syscall.ENOSPC,
}

// known adds to an error what its status means.
func known(err error) error {
	if status, ok := errors.AsType[smbwire.Status](err); ok {
		if meaning := meanings[status]; meaning != nil {
			return fmt.Errorf("%w (%w)", meaning, status)
		}
	}
	return err
}
