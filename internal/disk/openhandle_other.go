//go:build !linux

package disk

import "github.com/dozo-server/dozo/vfs"

// OpenHandle is KindUnsupported here.
func (n *Node) OpenHandle(h Handle) (*Node, error) {
	return nil, vfs.NewError(string(OpOpen), n.name, vfs.KindUnsupported, nil)
}
