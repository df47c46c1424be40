package share

import (
	"context"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dozo-server/dozo/internal/wildcard"
	"github.com/dozo-server/dozo/vfs"
)

// A share may have a bin: a folder in its root that takes what clients delete.
//
//	.recycle/                0755  the bin; Options.Recycle
//	  anna/                  0700  what anna deleted; it is hers
//	    letters/draft.txt          it was letters/draft.txt
//	    letters/draft (2026-11-30 18.04.11.312).txt   deleted later, by the same name

const (
	binMode    = 0o755 // nobody makes a folder in it that takes what others delete
	folderMode = 0o700 // in it may be what only its owner could see where it was

	maxVersions = 100 // tries to find a name that nothing in the bin has
	maxNameSize = 255 // bytes of a name on most disks
)

// recycles reports whether o's name goes into the bin of t. Folders do not, which are
// empty when they go, nor symbolic links, which would lead elsewhere from there;
// nor what is in the bin, nor what was made to go when it is closed.
func (o *Open) recycles(t *Tree) bool {
	bin := t.options.bin
	if bin == nil || o.opened.Type != vfs.TypeFile || o.linked || o.temporary {
		return false
	}
	top, _, _ := strings.Cut(o.Path(), "/")
	return !bin.Match(top)
}

// reserved reports whether a path is that of the bin, or of the folder of a user in
// it. Clients make none of them, lest what others delete come into their hands.
func (t *Tree) reserved(path string) bool {
	_, rest, _ := strings.Cut(path, "/")
	return !strings.Contains(rest, "/") && t.inBin(path)
}

// inBin reports whether a path is that of the bin, or leads into it.
func (t *Tree) inBin(path string) bool {
	top, _, _ := strings.Cut(path, "/")
	return t.options.bin != nil && t.options.bin.Match(spelled(top))
}

// newBin returns what the name of the bin is recognised by, nil without one.
func newBin(o *Options, f vfs.Features) *wildcard.Pattern {
	if o.Recycle == "" {
		return nil
	}
	p, err := wildcard.Compile(shown(o.Recycle), wildcard.TableOf(f))
	if err != nil {
		return nil
	}
	return &p
}

// beyond reports whether an error says that the bin can't take a file, whatever
// rights there are. It is deleted for good then: to free a full disk may be all
// that is wanted.
func beyond(err error) bool {
	switch vfs.KindOf(err) {
	case vfs.KindNoSpace, vfs.KindQuota, vfs.KindCrossDevice, vfs.KindNameTooLong, vfs.KindInvalidName, vfs.KindUnsupported:
		return true
	}
	return false
}

// recycle moves what o's name stands for into the bin, for who attached t.
func (o *Open) recycle(ctx context.Context, t *Tree) error {
	c, from := t.caller, o.Path()
	mine := t.options.Recycle + "/" + folderOf(c)
	to, made := mine+"/"+from, false
	err := o.tree.share.owns(ctx, c, mine)
	if err != nil {
		return err
	}
	for range maxVersions {
		if _, err = t.share.fs.Rename(ctx, c, o.file, to, false); err == nil {
			o.touch(ctx, t)
			return nil
		}
		if vfs.IsKind(err, vfs.KindPathNotExist) && !made {
			made = true
			if err = t.makeBin(ctx, mine, parent(to)); err == nil {
				continue
			}
		}
		switch vfs.KindOf(err) {
		case vfs.KindPathNotExist, vfs.KindNotDir, // a file has the name of a folder on the way
			vfs.KindNameTooLong:
			to = mine + "/" + version(path.Base(from), time.Now())
		case vfs.KindExist:
			to = parent(to) + "/" + version(path.Base(from), time.Now())
		default:
			return err
		}
	}
	return err
}

// touch notes in o when it came into the bin, where that is asked for. Most disks
// have that as the time of change; the others should not lose it early.
func (o *Open) touch(ctx context.Context, t *Tree) {
	if t.options.RecycleFor > 0 {
		o.file.SetAttr(ctx, t.caller, vfs.SetAttr{Set: vfs.SetAccessed, Accessed: time.Now()})
	}
}

// owns returns nil if a folder of the bin is c's, or not there yet. One that
// somebody else has made, or made a link, is not to have what c deletes.
func (s *Share) owns(ctx context.Context, c *vfs.Caller, folder string) error {
	f, err := s.fs.Open(ctx, c, folder, vfs.OpenOptions{Access: vfs.WriteControl, NoFollow: true})
	if vfs.IsKind(err, vfs.KindNotExist) || vfs.IsKind(err, vfs.KindPathNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if _, linked := f.Target(); linked {
		return vfs.NewError("recycle", folder, vfs.KindAccess, nil)
	}
	return nil
}

// folderOf is the name of the folder in the bin that takes what c deletes. Users
// have none with a + in it.
func folderOf(c *vfs.Caller) string {
	switch {
	case c == nil, c.User == "":
		return "+guest"
	case strings.ContainsAny(c.User, "/\\\x00"), strings.Trim(c.User, ".") == "":
		return "+other"
	}
	return c.User
}

// makeBin makes the folders of a path in the bin that are not there. The caller's
// own, mine, and the bin are made by the FS's owner; the former is given away.
func (t *Tree) makeBin(ctx context.Context, mine, folder string) error {
	whole := folder + "/"
	for i := range whole {
		if whole[i] != '/' {
			continue
		}
		path, who, mode := whole[:i], t.caller, uint32(folderMode)
		switch path {
		case t.options.Recycle:
			who, mode = nil, binMode
		case mine:
			who = nil
		}
		f, err := t.share.fs.Create(ctx, who, path, vfs.CreateOptions{Access: vfs.WriteControl, Directory: true, HasMode: true, Mode: mode})
		if vfs.IsKind(err, vfs.KindExist) {
			continue
		}
		if err != nil {
			return err
		}
		switch {
		case who != nil:
		case path != mine: // the process may have a umask
			err = f.SetAttr(ctx, nil, vfs.SetAttr{Set: vfs.SetMode, Mode: binMode})
		case t.caller.HasID: // where the process is not root, one account acts for all
			f.SetAttr(ctx, &vfs.Caller{HasID: true}, vfs.SetAttr{Set: vfs.SetOwner | vfs.SetGroup, UID: t.caller.UID, GID: t.caller.GID})
		}
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// version is name with the time at which it was deleted.
func version(name string, at time.Time) string {
	ext := path.Ext(name)
	base := strings.TrimSuffix(name, ext)
	if base == "" { // .profile
		base, ext = ext, ""
	}
	stamp := at.Format(" (2006-01-02 15.04.05.000)")
	for len(base)+len(stamp)+len(ext) > maxNameSize && base != "" {
		_, size := utf8.DecodeLastRuneInString(base)
		base = base[:len(base)-size]
	}
	return base + stamp + ext
}
