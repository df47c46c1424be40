package volume

import (
	"context"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// Space implements vfs.FS. The quotas of the caller's account, and of its group,
// narrow what the disk has.
func (v *Volume) Space(ctx context.Context, c *vfs.Caller, f vfs.File) (vfs.Space, error) {
	g, err := v.own("space", f)
	if err != nil {
		return vfs.Space{}, err
	}
	defer g.node.Drop()
	s, err := g.node.Space()
	if err != nil {
		return vfs.Space{}, err
	}
	space := vfs.Space{Total: s.Total, Free: s.Free, Available: s.Available, BlockSize: s.Block, Files: s.Files}
	a := v.account(c)
	if a.isRoot() {
		return space, nil // quotas don't bind root
	}
	user, group, err := g.node.Quotas(a.cred, a.UID, a.GID)
	if err != nil {
		return vfs.Space{}, err
	}
	narrow(&space, user)
	narrow(&space, group)
	return space, nil
}

// narrow makes s no larger than q allows.
func narrow(s *vfs.Space, q disk.Quota) {
	if q.Limit == 0 {
		return
	}
	free := max(q.Limit-q.Used, 0)
	s.Total = min(s.Total, max(q.Limit, q.Used))
	s.Free = min(s.Free, free)
	s.Available = min(s.Available, free)
}
