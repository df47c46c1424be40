package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cloudsoda/go-smb2"

	"github.com/dozo-server/dozo/internal/smb/smbcrypt"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
)

// target is where the load goes. Errors for a name that is missing or taken
// are fs.ErrNotExist and fs.ErrExist.
type target interface {
	Mkdir(name string) error
	Create(name string) (handle, error) // empties what is there
	Open(name string) (handle, error)   // to read and write
	Stat(name string) error
	List(name string) (int, error)
	Remove(name string) error
	Separator() rune
	Close() error
}

// handle is an open file.
type handle interface {
	ReadAt(b []byte, off int64) (int, error)
	WriteAt(b []byte, off int64) (int, error)
	Close() error
}

// localTarget is a folder of this machine.
type localTarget struct{ root string }

func (t localTarget) path(n string) string  { return filepath.Join(t.root, n) }
func (t localTarget) Mkdir(n string) error  { return os.Mkdir(t.path(n), 0o755) }
func (t localTarget) Stat(n string) error   { _, err := os.Stat(t.path(n)); return err }
func (t localTarget) Remove(n string) error { return os.Remove(t.path(n)) }
func (t localTarget) Separator() rune       { return os.PathSeparator }
func (t localTarget) Close() error          { return nil }

func (t localTarget) Create(n string) (handle, error) { return os.Create(t.path(n)) }
func (t localTarget) Open(n string) (handle, error)   { return os.OpenFile(t.path(n), os.O_RDWR, 0) }

func (t localTarget) List(n string) (int, error) {
	l, err := os.ReadDir(t.path(n))
	for _, e := range l { // an SMB listing carries size and times: pay for them here too
		if _, err := e.Info(); err != nil {
			return 0, err
		}
	}
	return len(l), err
}

// goSMB2 is a share through go-smb2.
type goSMB2 struct {
	session *smb2.Session
	share   *smb2.Share
}

func dialGoSMB2(ctx context.Context) (target, error) {
	if *signing == "gmac" {
		return nil, errors.New("go-smb2 has no GMAC; take -client own")
	}
	d := &smb2.Dialer{
		MaxCreditBalance: 512,
		Negotiator:       smb2.Negotiator{RequireMessageSigning: *signing != "none"},
		Initiator:        &smb2.NTLMInitiator{User: *user, Password: *pass},
	}
	session, err := d.Dial(ctx, *addr)
	if err != nil {
		return nil, err
	}
	s, err := session.Mount(*share)
	if err != nil {
		return nil, err
	}
	return goSMB2{session, s}, nil
}

func (t goSMB2) Mkdir(n string) error  { return t.share.Mkdir(n, 0o755) }
func (t goSMB2) Stat(n string) error   { _, err := t.share.Stat(n); return err }
func (t goSMB2) Remove(n string) error { return t.share.Remove(n) }
func (t goSMB2) Separator() rune       { return '\\' }
func (t goSMB2) Close() error          { return errors.Join(t.share.Umount(), t.session.Logoff()) }

func (t goSMB2) List(n string) (int, error) { l, err := t.share.ReadDir(n); return len(l), err }

func (t goSMB2) Create(n string) (handle, error) {
	return t.open(n, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
}

func (t goSMB2) Open(n string) (handle, error) { return t.open(n, os.O_RDWR) }

func (t goSMB2) open(n string, flag int) (handle, error) {
	f, err := t.share.OpenFile(n, flag, 0o644)
	if err != nil {
		return nil, err // not a nil *smb2.File in a handle
	}
	return f, nil
}

// own is a share through the project's client.
type own struct {
	ctx  context.Context
	tree *smbclient.Tree
}

func dialOwn(ctx context.Context) (target, error) {
	o := smbclient.Options{
		Login:          smbclient.Login{User: *user, Password: *pass},
		RequireSigning: *signing != "none",
		Ciphers:        []smbcrypt.Cipher{},
	}
	if *signing == "cmac" {
		o.Signing = []smbcrypt.SigningAlgorithm{smbcrypt.AESCMAC}
	}
	s, err := smbclient.Dial(ctx, *addr, o)
	if err != nil {
		return nil, err
	}
	tree, err := s.Tree(ctx, *share)
	return own{ctx, tree}, err
}

func (t own) Mkdir(n string) error  { return goError(t.tree.Mkdir(t.ctx, n)) }
func (t own) Stat(n string) error   { _, err := t.tree.Stat(t.ctx, n); return goError(err) }
func (t own) Remove(n string) error { return goError(t.tree.Remove(t.ctx, n)) }
func (t own) Separator() rune       { return '\\' }
func (t own) Close() error          { return t.tree.Session().Conn().Close() }

func (t own) Create(n string) (handle, error) { return t.open(smbclient.Making(n)) }

func (t own) Open(n string) (handle, error) {
	return t.open(smbclient.Existing(n, smbwire.GenericRead|smbwire.GenericWrite))
}

func (t own) open(m *smbwire.CreateRequest) (handle, error) {
	f, err := t.tree.Create(t.ctx, m)
	if err != nil {
		return nil, goError(err)
	}
	return ownFile{t.ctx, f}, nil
}

func (t own) List(n string) (count int, err error) {
	f, err := t.tree.Create(t.ctx, smbclient.Folder(n))
	if err != nil {
		return 0, goError(err)
	}
	defer f.Close(t.ctx)
	for e, err := range f.List(t.ctx, smbwire.FileIDBothDirectoryInformation, "*") {
		if err != nil {
			return count, err
		}
		if e.FileName != "." && e.FileName != ".." {
			count++
		}
	}
	return count, nil
}

// ownFile is a smbclient.File with its context.
type ownFile struct {
	ctx  context.Context
	file *smbclient.File
}

func (f ownFile) ReadAt(b []byte, off int64) (int, error)  { return f.file.ReadAt(f.ctx, b, off) }
func (f ownFile) WriteAt(b []byte, off int64) (int, error) { return f.file.WriteAt(f.ctx, b, off) }
func (f ownFile) Close() error                             { return f.file.Close(f.ctx) }

// goError makes the two statuses that matter here the errors of package fs.
func goError(err error) error {
	switch {
	case errors.Is(err, smbwire.StatusObjectNameNotFound):
		return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	case errors.Is(err, smbwire.StatusObjectNameCollision):
		return fmt.Errorf("%w: %w", fs.ErrExist, err)
	}
	return err
}
