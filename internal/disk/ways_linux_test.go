package disk_test

import "github.com/dozo-server/dozo/internal/disk"

// ways are the ways in which a path is opened: by one call, and by a walk
// where the kernel has no such call.
var ways = map[string]func(*disk.Node, *disk.Cred, string, disk.How) (*disk.Node, error){
	"openat2": (*disk.Node).Open,
	"walk":    (*disk.Node).WalkOpen,
}
