// Package mount tells whether the folder of a share is on the file system it
// was on before. A disk that was not mounted leaves an empty folder in its
// place: served, it would show clients that all is gone, and take what they
// write into the wrong disk. It also tells whether two folders are apart.
package mount

import (
	"fmt"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// Place is what the path of a folder leads to at one moment. Two places that
// are equal are one folder of one mount.
type Place struct {
	// FileSystem names the file system in words that last over a boot.
	FileSystem string

	id   [16]byte // of the file system, of this mount where it lives in memory
	root disk.Handle
}

// AbsentError says that the file system of a folder is not there; the folder may
// be.
type AbsentError struct {
	Path       string
	Want, Have string // file systems, as Place names them; Have is "" without the folder
}

func (e *AbsentError) Error() string {
	if e.Have == "" {
		return fmt.Sprintf("%s is not there, and was on %s before: is that one not mounted?", e.Path, e.Want)
	}
	return fmt.Sprintf("%s is on %s and was on %s before: is that one not mounted?", e.Path, e.Have, e.Want)
}

// Look returns where the folder at path is. It fails with an AbsentError when
// that is not the file system want, which is empty for any, or is nowhere.
func Look(path, want string) (Place, error) {
	n, err := disk.OpenRoot(path)
	return look(n, err, path, want)
}

// LookReal is Look for an absolute path that has no symbolic links; where there is
// one by now it fails.
func LookReal(path, want string) (Place, error) {
	n, err := disk.OpenRealRoot(path, nil)
	return look(n, err, path, want)
}

// look is Look at the folder n, which was opened unless there is an error.
func look(n *disk.Node, err error, path, want string) (Place, error) {
	if want != "" && vfs.IsKind(err, vfs.KindNotExist) {
		return Place{}, &AbsentError{Path: path, Want: want}
	}
	if err != nil {
		return Place{}, err
	}
	defer n.Close()
	fs, err := n.FileSystem()
	if err != nil {
		return Place{}, err
	}
	if want != "" && fs.Label != want {
		return Place{}, &AbsentError{Path: path, Want: want, Have: fs.Label}
	}
	p := Place{FileSystem: fs.Label, id: fs.ID}
	// A file system without handles is told by its id alone.
	if p.root, err = n.Handle(); err != nil && !vfs.IsKind(err, vfs.KindUnsupported) {
		return Place{}, err
	}
	return p, nil
}
