package volume

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/lock"
	"github.com/dozo-server/dozo/internal/names"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/vfs"
)

// TestLocalChangesAreTold has a client of a share see what a local process does,
// and what other clients do once only.
func TestLocalChangesAreTold(t *testing.T) {
	dir := tempFolder(t)
	v := open(t, dir, Options{})
	if v.Names().Stats().Coherence != names.Fanotify {
		t.Skip("without fanotify nothing is told")
	}
	tree, err := share.New(v, share.Options{}).Attach(&auth.Identity{User: "alice"}, netip.Addr{})
	if err != nil {
		t.Fatal(err)
	}
	use := func(r share.OpenRequest) *share.Open {
		r.Share = share.ShareRead | share.ShareWrite | share.ShareDelete
		o, _, err := tree.Open(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	folder := use(share.OpenRequest{Path: "folder", Access: vfs.ListDir, Disposition: share.Create, Directory: true})
	defer folder.Close(ctx)
	seen := func(wait time.Duration) []share.Change {
		c, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		changes, missed, err := folder.Watch(c, share.WatchRequest{Changes: lock.ChangeFileName, Room: 1000})
		if missed || err != nil && !vfs.IsKind(err, vfs.KindCanceled) {
			t.Errorf("missed %v, %v", missed, err)
		}
		return changes
	}
	seen(0) // begins the watch

	spawn(t, "mkdir folder/sub; echo > folder/local", dir)
	use(share.OpenRequest{Path: "folder/remote", Access: vfs.WriteData, Disposition: share.Create}).Close(ctx)
	spawn(t, "rm folder/local", dir)
	last := map[string]lock.Action{}
	count := 0
	for end := time.Now().Add(10 * time.Second); last["local"] != lock.Removed && time.Now().Before(end); {
		for _, c := range seen(time.Second) {
			last[c.Name] = c.Action
			if c.Name == "remote" {
				count++
			}
		}
	}
	if last["local"] != lock.Removed || last["remote"] != lock.Added || len(last) != 2 || count != 1 {
		t.Errorf("told %v, and of a client's file %d times", last, count)
	}
}
