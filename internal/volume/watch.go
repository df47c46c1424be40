package volume

import (
	"context"

	"github.com/dozo-server/dozo/vfs"
)

// Watch implements vfs.Watcher: it tells what local processes do.
func (v *Volume) Watch(ctx context.Context, folder vfs.File, below bool, tell func(vfs.Event)) (stop func(), err error) {
	f, err := v.own("watch", folder)
	if err != nil {
		return nil, err
	}
	defer f.node.Drop()
	return v.tree.Watch(ctx, f.place, below, tell)
}

var _ vfs.Watcher = (*Volume)(nil)
