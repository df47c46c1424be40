package catalog

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// The files of a log are numbered in the order in which they count. A snapshot
// takes the place of all files with lower numbers and of the log with its own.
const (
	logSuffix      = ".log"
	snapshotSuffix = ".snapshot"
	draft          = "draft" // a snapshot that is not done
)

// segment is an open file of the log.
type segment struct {
	file   *disk.Node
	number uint32
	end    int64 // behind its last frame
}

// place is a place between two frames.
type place struct {
	segment uint32
	offset  int64
}

// files are those of a log in a folder.
type files struct {
	snapshot uint32   // 0: none
	logs     []uint32 // ascending, all of them above snapshot
	old      []string // what counts no more
}

// last returns the highest number of all files.
func (f *files) last() uint32 {
	if n := len(f.logs); n > 0 {
		return f.logs[n-1]
	}
	return f.snapshot
}

func fileName(number uint32, suffix string) string { return fmt.Sprintf("%08d%s", number, suffix) }

// openFolder opens the folder at path, or makes it for good.
func openFolder(path string, faults disk.Faults) (*disk.Node, error) {
	root, err := disk.OpenRootWith(path, faults)
	if !vfs.IsKind(err, vfs.KindNotExist) {
		return root, err
	}
	above, err := disk.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer above.Close()
	if err := above.Mkdir(nil, filepath.Base(path), 0o700); err != nil && !vfs.IsKind(err, vfs.KindExist) {
		return nil, err
	}
	// Were the folder lost, all ids would be given once more.
	if err := above.Sync(); err != nil {
		return nil, err
	}
	return disk.OpenRootWith(path, faults)
}

// listFiles tells which files of a log are in folder.
func listFiles(folder *disk.Node) (f files, err error) {
	list, err := folder.OpenList(nil)
	if err != nil {
		return f, err
	}
	defer list.Close()
	var snapshots []uint32
	buf := make([]byte, disk.DirBuffer)
	for done := false; !done; {
		var entries disk.Dirents
		if entries, done, err = list.ReadDir(buf); err != nil {
			return f, err
		}
		for e, ok := entries.Next(); ok; e, ok = entries.Next() {
			name := string(e.Name)
			var number uint32
			if fmt.Sscanf(name, "%d.", &number); number == 0 {
				if name == draft {
					f.old = append(f.old, name)
				}
				continue
			}
			switch name {
			case fileName(number, logSuffix):
				f.logs = append(f.logs, number)
			case fileName(number, snapshotSuffix):
				snapshots = append(snapshots, number)
			}
		}
	}
	for _, number := range snapshots {
		f.snapshot = max(f.snapshot, number)
	}
	for _, number := range snapshots {
		if number < f.snapshot {
			f.old = append(f.old, fileName(number, snapshotSuffix))
		}
	}
	f.logs = slices.DeleteFunc(f.logs, func(number uint32) bool {
		if number > f.snapshot {
			return false
		}
		f.old = append(f.old, fileName(number, logSuffix))
		return true
	})
	slices.Sort(f.logs)
	return f, nil
}

// names returns the files in the order in which they count.
func (f *files) names() []string {
	var all []string
	if f.snapshot > 0 {
		all = append(all, fileName(f.snapshot, snapshotSuffix))
	}
	for _, number := range f.logs {
		all = append(all, fileName(number, logSuffix))
	}
	return all
}

var forWriting = disk.How{Flags: disk.Read | disk.Write | disk.Create, Mode: 0o600}

// newSegment makes the next file of the log, with a frame that promises the ids
// below ceiling.
func (c *Catalog) newSegmentLocked() error {
	number := c.segment.number + 1
	file, err := c.folder.Open(nil, fileName(number, logSuffix), forWriting)
	if err != nil {
		return err
	}
	b := appendFrames(appendHeader(nil, number, c.tag), c.tag, c.promised, nil)
	if _, err := file.WriteAt(b, 0); err != nil {
		file.Close()
		return err
	}
	if c.segment.file != nil {
		c.retired = append(c.retired, c.segment.file)
	}
	c.segment = segment{file, number, int64(len(b))}
	c.fresh, c.broken = true, false
	c.size += int64(len(b))
	c.written++
	return nil
}

// appendLocked writes entries to the log, with one call. What it could not write
// is overwritten by the next, unless it is the disk that has no good place there.
func (c *Catalog) appendLocked(promised CNID, entries []Entry) error {
	if c.segment.file == nil || c.broken {
		if err := c.newSegmentLocked(); err != nil {
			return err
		}
	}
	b := appendFrames(nil, c.tag, promised, entries)
	if _, err := c.segment.file.WriteAt(b, c.segment.end); err != nil {
		c.broken = vfs.IsKind(err, vfs.KindIO)
		return err
	}
	c.segment.end += int64(len(b))
	c.size += int64(len(b))
	c.promised = promised
	c.written++
	ring(c.wake)
	return nil
}
