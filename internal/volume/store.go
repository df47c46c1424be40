package volume

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/internal/names"
	"github.com/dozo-server/dozo/vfs"
)

// What the disk refuses to keep with a node, because it is too long or there is no
// such thing as an extended attribute, is in the server's own folder, in a file of
// its own, by the identity of the node:
//
//	.dozo/streams/5f/5f0c…/RANDOM
//	              the identity, 32 digits
//
// Such a file begins with a head, integers little-endian, and holds the bytes of a
// stream, or netatalk's attribute, from storedData on:
//
//	0    magic 8, version 4: 1, kind 4: 0 a stream, 1 netatalk's attribute
//	16   the file system 16
//	32   type of the file handle 4, its length 4, handle 128
//	168  length of the name 4, name of the stream
//
// It is complete when it gets its name: until then it is called new-RANDOM. What is
// here counts more than an attribute, which is taken away afterwards.
const (
	storeFolder  = "streams"
	storeNew     = "new-"
	storeMagic   = "dozostrm"
	storeVersion = 1
	storedData   = 4096
	storedName   = 168
	maxStored    = 1024 // bytes of a name
)

// Kinds of what is stored.
const (
	storedStream = iota
	storedMac
)

// store is the server's own folder of a volume.
type store struct {
	v   *Volume
	own names.Own

	sweeping sync.WaitGroup
	stop     chan struct{}

	mu  sync.RWMutex
	ids map[uint64]struct{} // vfs.Attr.ID of the nodes that have something here
}

// stored is a file in the store.
type stored struct {
	node *disk.Node
	path string
	kind uint32
	name string
}

// open finds out which nodes have something here, and sweeps behind the requests.
func (s *store) open(v *Volume) {
	s.v, s.own, s.ids = v, v.tree.Own(), map[uint64]struct{}{}
	fans, _ := s.own.List(storeFolder)
	for _, fan := range fans {
		nodes, _ := s.own.List(storeFolder + "/" + fan)
		for _, node := range nodes {
			if i, ok := parseIdentity(node); ok {
				s.ids[i.id] = struct{}{}
			}
		}
	}
	s.stop = make(chan struct{})
	if len(s.ids) > 0 {
		s.sweeping.Go(func() { s.sweep(s.stop) })
	}
}

// close ends the sweeping.
func (s *store) close() {
	close(s.stop)
	s.sweeping.Wait()
}

// has reports whether the node with the id may have something here.
func (s *store) has(id uint64) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, ok := s.ids[id]
	return ok
}

// empty reports whether no node has anything here.
func (s *store) empty() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.ids) == 0
}

// folderOf returns the folder of a node.
func folderOf(i identity) string {
	name := fmt.Sprintf("%016x%016x", i.key.Hi, i.key.Lo)
	return storeFolder + "/" + name[:2] + "/" + name
}

// list opens all that is stored about f.
func (s *store) list(f *file) (all []stored, err error) {
	if !s.has(f.id) {
		return nil, nil
	}
	folder := folderOf(f.identity)
	found, err := s.own.List(folder)
	if vfs.IsKind(err, vfs.KindNotExist) || vfs.IsKind(err, vfs.KindPathNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, name := range found {
		if strings.HasPrefix(name, storeNew) {
			continue
		}
		flags := disk.Read | disk.Write
		if s.v.isReadOnly() {
			flags = disk.Read
		}
		n, err := s.own.Open(folder+"/"+name, flags)
		if err == nil {
			var item stored
			if item, err = readStored(n, folder+"/"+name); err == nil {
				all = append(all, item)
				continue
			}
			n.Close()
		}
		if !vfs.IsKind(err, vfs.KindNotExist) && !vfs.IsKind(err, vfs.KindInvalid) {
			closeAll(all)
			return nil, err
		}
	}
	return all, nil
}

func closeAll(all []stored) {
	for _, item := range all {
		item.node.Close()
	}
}

// find opens what is stored about f of the kind, for a stream by its name.
func (s *store) find(f *file, kind uint32, name string) (*stored, error) {
	all, err := s.list(f)
	if err != nil {
		return nil, err
	}
	var found *stored
	for _, item := range all {
		if found == nil && item.kind == kind && (kind == storedMac || s.v.sameStream(item.name, name)) {
			found = &item
		} else {
			item.node.Close()
		}
	}
	return found, nil
}

// put stores data about f in a new file, in the place of old if that is not nil. It
// is on the disk when put returns: what it replaces may be taken away.
func (s *store) put(f *file, kind uint32, name string, data []byte, old *stored) (*stored, error) {
	h, err := f.node.Handle()
	if err != nil {
		return nil, err
	}
	st, err := f.node.Stat()
	if err != nil {
		return nil, err
	}
	folder := folderOf(f.identity)
	s.mu.Lock()
	s.ids[f.id] = struct{}{}
	s.mu.Unlock()
	if err := s.own.Mkdir(folder, s.give(s.v.owner.UID, s.v.owner.GID)); err != nil {
		return nil, err
	}
	fresh, final := folder+"/"+storeNew+rand.Text(), rand.Text()
	if old != nil {
		final = old.path[len(folder)+1:]
	}
	n, err := s.own.Create(fresh)
	if err != nil {
		return nil, err
	}
	item := &stored{node: n, path: folder + "/" + final, kind: kind, name: name}
	if err = s.fill(item, f, h, st, data); err == nil {
		err = s.own.Rename(fresh, final)
	}
	if err != nil {
		n.Close()
		s.own.Remove(fresh, false)
		s.own.Remove(folder, true) // if it is empty
		return nil, err
	}
	return item, nil
}

// fill writes all of a new item about f, which has the handle h and the attributes
// st. It belongs to whom f does, as what it takes of a quota.
func (s *store) fill(item *stored, f *file, h disk.Handle, st disk.Stat, data []byte) error {
	if err := s.give(st.UID, st.GID)(item.node); err != nil {
		return err
	}
	system, err := s.v.systems.of(f.node, st.Dev)
	if err != nil {
		return err
	}
	head := make([]byte, storedData, storedData+len(data))
	copy(head, storeMagic)
	binary.LittleEndian.PutUint32(head[8:], storeVersion)
	binary.LittleEndian.PutUint32(head[12:], item.kind)
	copy(head[16:], system.id[:])
	binary.LittleEndian.PutUint32(head[32:], uint32(h.Type))
	binary.LittleEndian.PutUint32(head[36:], uint32(h.Size))
	copy(head[40:168], h.Bytes[:h.Size])
	copy(head[storedName:], nameField(item.name))
	if _, err := item.node.WriteAt(append(head, data...), 0); err != nil {
		return err
	}
	return item.node.Sync()
}

// nameField returns the last part of a head.
func nameField(name string) []byte {
	b := make([]byte, 4+maxStored)
	binary.LittleEndian.PutUint32(b, uint32(len(name)))
	copy(b[4:], name)
	return b
}

// give returns what makes a node an account's, where the process can.
func (s *store) give(uid, gid uint32) func(*disk.Node) error {
	return func(n *disk.Node) error {
		if s.v.self != nil {
			return nil
		}
		return n.Chown(nil, int(uid), int(gid))
	}
}

// readStored reads the head of n. KindInvalid when it is none.
func readStored(n *disk.Node, path string) (stored, error) {
	var head [storedName + 4 + maxStored]byte
	_, err := n.ReadAt(head[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return stored{}, err
	}
	size := binary.LittleEndian.Uint32(head[storedName:])
	if err != nil || string(head[:8]) != storeMagic || binary.LittleEndian.Uint32(head[8:]) != storeVersion || size > maxStored {
		return stored{}, vfs.NewError("open", path, vfs.KindInvalid, nil)
	}
	name := head[storedName+4:][:size]
	return stored{n, path, binary.LittleEndian.Uint32(head[12:]), string(name)}, nil
}

// size returns how many bytes the item holds, and takes on the disk.
func (i *stored) size() (size, allocated int64, err error) {
	st, err := i.node.Stat()
	return max(0, st.Size-storedData), max(0, st.Allocated-storedData), err
}

func (i *stored) readAt(p []byte, off int64) (int, error) { return i.node.ReadAt(p, storedData+off) }

// rename writes another name into the head.
func (i *stored) rename(name string) error {
	if _, err := i.node.WriteAt(nameField(name), storedName); err != nil {
		return err
	}
	i.name = name
	return nil
}

// remove takes an item of f away.
func (s *store) remove(f *file, i *stored) error {
	if err := s.own.Remove(i.path, false); err != nil && !vfs.IsKind(err, vfs.KindNotExist) {
		return err
	}
	if s.own.Remove(folderOf(f.identity), true) == nil { // it was the last
		s.forget(f.id)
	}
	return nil
}

func (s *store) forget(id uint64) {
	s.mu.Lock()
	delete(s.ids, id)
	s.mu.Unlock()
}

// drop takes away all that is stored about a node that is gone.
func (s *store) drop(i identity) {
	if !s.has(i.id) {
		return
	}
	folder := folderOf(i)
	found, err := s.own.List(folder)
	if err != nil {
		return
	}
	for _, name := range found {
		s.own.Remove(folder+"/"+name, false)
	}
	if s.own.Remove(folder, true) == nil {
		s.forget(i.id)
	}
}
