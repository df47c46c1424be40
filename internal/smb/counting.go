package smb

import (
	"strings"
	"time"

	"github.com/dozo-server/dozo/internal/meter"
)

// count counts the request, once it has its response, where it was about a
// share. The time before it was begun and that of sending are not the share's.
func (r *request) count() {
	row := r.row()
	if row == nil || row.kind == meter.None || r.tree == nil || r.tree.files == nil {
		return
	}
	var in *meter.Uses
	if o := r.chain.file; o != nil {
		in = o.folder
	}
	r.tree.files.Share().Meter().Count(meter.Request{Kind: row.kind, In: in, Began: r.began, Took: time.Since(r.began),
		Waited: r.asyncID != 0, Bytes: r.moved})
}

// folderOf is the folder that a request about a path is counted for.
func folderOf(path string, isFolder bool) string {
	if isFolder {
		return path
	}
	return path[:max(0, strings.LastIndexByte(path, '/'))]
}
