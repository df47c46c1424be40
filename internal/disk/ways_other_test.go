//go:build !linux

package disk_test

import "github.com/dozo-server/dozo/internal/disk"

var ways = map[string]func(*disk.Node, *disk.Cred, string, disk.How) (*disk.Node, error){
	"open": (*disk.Node).Open,
}
