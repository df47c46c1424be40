//go:build freebsd || darwin

package disk

import "encoding/binary"

// noHandles stands where other systems remember how to ask for a handle.
const noHandles = -1

func handleFlagsOf(int) int32 { return noHandles }

// handle makes the identity of inode, generation and birth time: the system's
// own handles are for root only.
func (n *Node) handle(name string) (Handle, error) {
	st, err := fstat(n.fd)
	if name != "" {
		st, err = fstatat(n.fd, name)
	}
	if err != nil {
		return Handle{}, err
	}
	var b [20]byte
	binary.LittleEndian.PutUint64(b[0:], st.Ino)
	binary.LittleEndian.PutUint32(b[8:], st.Gen)
	if !st.Birth.IsZero() {
		binary.LittleEndian.PutUint64(b[12:], uint64(st.Birth.UnixNano()))
	}
	return newHandle(handleMade, b[:]), nil
}
