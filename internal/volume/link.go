package volume

import (
	"context"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/internal/names"
	"github.com/dozo-server/dozo/vfs"
)

// Opening tries the name without following links, which costs no more and tells
// whether it is one. Only then is the path walked again, to the end. So links
// are what takes a second look, and ordinary files pay nothing for them.

// leadsNowhere reports whether err, of following a symbolic link, makes it one
// that clients see as an empty file.
func leadsNowhere(err error) bool {
	switch vfs.KindOf(err) {
	case vfs.KindNotExist, vfs.KindPathNotExist, vfs.KindOutside, vfs.KindLoop, vfs.KindAccess,
		vfs.KindNameTooLong, vfs.KindInvalidName:
		return true
	}
	return false
}

// follow opens what link, which was opened by path, leads to. It takes link: as
// the name of what it returns, or as what it returns if it leads nowhere and no
// data is asked for.
func (v *Volume) follow(ctx context.Context, a *account, path string, o vfs.OpenOptions, link *file) (*file, error) {
	f, err := v.openFile(ctx, a, path, o, 0)
	switch {
	case err == nil:
		f.openedBy(link)
		return f, nil
	case !leadsNowhere(err):
	case o.Access&(reads|writes) == 0:
		return link, nil
	case !vfs.IsKind(err, vfs.KindAccess):
		err = vfs.NewError("open", path, vfs.KindNotExist, err)
	}
	link.Close()
	return nil, err
}

// openedBy makes link, which it takes, the name of f.
func (f *file) openedBy(link *file) {
	if link.place == f.place { // a local process put f there this very moment
		link.Close()
		return
	}
	f.name, f.link = link.place, link.node
	place := f.place
	f.node.AfterClose(func() {
		place.Release()
		link.Close()
	})
}

// named returns the node that the name of f is to stand for.
func (f *file) named() *disk.Node {
	if f.link != nil {
		return f.link
	}
	return f.node
}

// Target implements vfs.File.
func (f *file) Target() (path string, ok bool) {
	if f.link == nil {
		return "", false
	}
	return f.place.Path(), true
}

// lookThrough fills a with the attributes of what the entry e of the folder f, a
// symbolic link, leads who to.
func (f *file) lookThrough(who *account, e *names.Entry, a *vfs.Attr) error {
	path := e.Shown
	if folder := f.place.Path(); folder != "" {
		path = folder + "/" + path
	}
	target, err := f.v.openFile(context.Background(), who, path, vfs.OpenOptions{}, 0)
	if err != nil {
		return err
	}
	defer target.Close()
	st, info, err := target.look()
	if err != nil {
		return err
	}
	f.fill(a, &st, info, e.Name, target.id)
	a.Parent = f.id
	return nil
}
