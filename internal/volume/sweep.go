package volume

import (
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// What is stored about a file that a local program removed belongs to nobody. When a
// volume is opened it is looked for, behind the requests: each stored thing holds
// the file's handle, by which the system finds the file wherever it is, or says that
// there is none. Without the right to ask, or where handles are of no use for that,
// nothing is swept.

// staleNew is how old something unfinished is that nobody will finish.
const staleNew = time.Hour

// sweep takes away what belongs to nobody, until stop is closed.
func (s *store) sweep(stop <-chan struct{}) {
	fans, _ := s.own.List(storeFolder)
	for _, fan := range fans {
		nodes, _ := s.own.List(storeFolder + "/" + fan)
		for _, node := range nodes {
			select {
			case <-stop:
				return
			default:
			}
			if i, ok := parseIdentity(node); ok {
				s.sweepNode(i)
			}
		}
	}
}

// parseIdentity reads the name of a node's folder.
func parseIdentity(name string) (i identity, ok bool) {
	_, err := fmt.Sscanf(name, "%016x%016x", &i.key.Hi, &i.key.Lo)
	i.id = idOf(i.key.Lo)
	return i, err == nil && len(name) == 32
}

// sweepNode takes away what is stored about a node that is gone, and what nobody
// will finish.
func (s *store) sweepNode(i identity) {
	folder := folderOf(i)
	found, err := s.own.List(folder)
	if err != nil {
		return
	}
	for _, name := range found {
		n, err := s.own.Open(folder+"/"+name, disk.Read)
		if err != nil {
			continue
		}
		unfinished := strings.HasPrefix(name, storeNew)
		if unfinished {
			if st, err := n.Stat(); err == nil && time.Since(st.Modified) > staleNew {
				s.own.Remove(folder+"/"+name, false)
			}
		}
		gone := !unfinished && s.isGone(n)
		n.Close()
		if gone {
			s.drop(i)
			return
		}
	}
	if s.own.Remove(folder, true) == nil { // it was empty
		s.forget(i.id)
	}
}

// isGone reports whether the node that the stored n is about is certainly no more.
func (s *store) isGone(n *disk.Node) bool {
	var head [storedName]byte
	if _, err := n.ReadAt(head[:], 0); err != nil || string(head[:8]) != storeMagic {
		return false
	}
	var h disk.Handle
	size := binary.LittleEndian.Uint32(head[36:])
	if size > uint32(len(h.Bytes)) {
		return false
	}
	h.Type, h.Size = int32(binary.LittleEndian.Uint32(head[32:])), uint8(size)
	copy(h.Bytes[:], head[40:][:size])
	return [16]byte(head[16:32]) == s.v.features.ID && s.canAsk(h.Type) && s.isStale(h)
}

// canAsk reports whether the system finds nodes of the share's own disk by handles
// of the type: it must find the root.
func (s *store) canAsk(typ int32) bool {
	h, err := s.v.root.Handle()
	if err != nil || h.Type != typ {
		return false
	}
	n, err := s.v.root.OpenHandle(h)
	if err != nil {
		return false
	}
	n.Close()
	return true
}

func (s *store) isStale(h disk.Handle) bool {
	n, err := s.v.root.OpenHandle(h)
	if err == nil {
		n.Close()
	}
	return vfs.IsKind(err, vfs.KindStale)
}
