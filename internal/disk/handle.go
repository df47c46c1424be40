package disk

import "crypto/sha256"

// Handle is the identity of a node within its file system: the system's file
// handle, which holds the inode and its generation and so is not given to a
// later file. It is comparable. The zero Handle is no node.
type Handle struct {
	Type  int32
	Size  uint8
	Bytes [32]byte
}

// Types of handles that the system has not.
const (
	handleDigest = -1 - iota // the SHA-256 of a handle that was too long
	handleMade               // made of inode, generation and birth time
	handleWatch              // a watch number, only in events
)

// newHandle makes a Handle of what the system gave.
func newHandle(kind int32, b []byte) Handle {
	h := Handle{Type: kind, Size: uint8(len(b))}
	if len(b) > len(h.Bytes) {
		h.Bytes = sha256.Sum256(append([]byte{byte(kind), byte(kind >> 8), byte(kind >> 16), byte(kind >> 24)}, b...))
		h.Type, h.Size = handleDigest, uint8(len(h.Bytes))
		return h
	}
	copy(h.Bytes[:], b)
	return h
}

// IsZero reports whether h is no node.
func (h Handle) IsZero() bool { return h == Handle{} }

// Handle returns the identity of n.
func (n *Node) Handle() (Handle, error) {
	if err := n.begin(OpHandle, ""); err != nil {
		return Handle{}, err
	}
	defer n.end()
	h, err := n.handle("")
	return h, fail(OpHandle, n.name, err)
}

// HandleAt returns the identity of the entry name of n, of a symbolic link
// itself. It acts as the process.
func (n *Node) HandleAt(name string) (h Handle, err error) {
	err = n.at(nil, OpHandle, name, func() (err error) {
		h, err = n.handle(name)
		return err
	})
	return h, err
}
