package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
)

// lowestID is the lowest that a node may have: smaller ones mean something to
// some protocol.
const lowestID = 17

// testIDs prints the id of everything in the share, which all ways of asking
// agree about.
func testIDs(ctx context.Context, b bench, _ int) error {
	if err := os.Remove(b.folder); err != nil { // which would be among them
		return err
	}
	w := idWalk{bench: b.share(), ctx: ctx, nodes: map[uint64]inode{}}
	return w.folder("")
}

// inode is what the system calls a node: device and inode, of which no two that
// exist are equal.
type inode struct{ dev, ino uint64 }

// idWalk goes through a share.
type idWalk struct {
	bench
	ctx    context.Context
	nodes  map[uint64]inode // by id
	volume uint64           // serial number, which is everybody's
}

// folder prints what is in a folder, and it.
func (w *idWalk) folder(stored string) error {
	own, err := w.idOf(stored)
	if err != nil {
		return fmt.Errorf("%+q: %w", stored, err)
	}
	ids := map[string]uint64{}
	for _, class := range classes {
		listed, err := w.clients[0].list(w.ctx, stored, class, "*")
		if err != nil {
			return fmt.Errorf("%v of %+q: %w", class, stored, err)
		}
		if listed["."].FileID != own {
			return fmt.Errorf(`%v of %+q: "." has the id %d, not %d`, class, stored, listed["."].FileID, own)
		}
		delete(listed, ".")
		delete(listed, "..")
		for name, e := range listed {
			if known, ok := ids[name]; ok && known != e.FileID {
				return fmt.Errorf("%v of %+q: %+q has the id %d, not %d", class, stored, name, e.FileID, known)
			}
			ids[name] = e.FileID
		}
	}
	for _, name := range slices.Sorted(maps.Keys(ids)) {
		child := path.Join(stored, name)
		id, err := w.idOf(child)
		if err == nil && id != ids[name] {
			err = fmt.Errorf("the id is %d, in listings %d", id, ids[name])
		}
		if err == nil {
			err = w.alone(w.clients[0], child, id)
		}
		if err != nil {
			return fmt.Errorf("%+q: %w", child, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(ids)) {
		child := path.Join(stored, name)
		if info, err := os.Stat(w.on(child)); err == nil && info.IsDir() {
			if err := w.folder(child); err != nil {
				return err
			}
		}
	}
	return nil
}

// idOf asks for the id of what is at a path in all ways that an open has.
func (w *idWalk) idOf(stored string) (uint64, error) {
	open := smbclient.Existing(wire(stored), smbwire.FileReadAttributes)
	open.Contexts = smbwire.CreateContexts{{Name: smbwire.ContextDiskID}}
	f, err := w.clients[0].tree.Create(w.ctx, open)
	if err != nil {
		return 0, err
	}
	defer f.Close(w.ctx)
	var internal smbwire.InternalInformation
	var all smbwire.AllInformation
	var id smbwire.IDInformation
	for class, info := range map[smbwire.FileInfoClass]smbclient.Decoder{
		smbwire.FileInternalInformation: &internal, smbwire.FileAllInformation: &all, smbwire.FileIDInformation: &id,
	} {
		if err := f.Query(w.ctx, class, info); err != nil {
			return 0, fmt.Errorf("%v: %w", class, err)
		}
	}
	var disk smbwire.DiskIDResponse
	for _, c := range f.Info().Contexts {
		if c.Name == smbwire.ContextDiskID {
			disk.Decode(cursor.NewReader(c.Data))
		}
	}
	if internal.FileID != all.FileID || id.FileID != all.FileID || disk.DiskFileID != all.FileID {
		return 0, fmt.Errorf("the id is %d, %d, %d or %d", internal.FileID, all.FileID, id.FileID, disk.DiskFileID)
	}
	if w.volume == 0 {
		w.volume = id.VolumeSerial
		fmt.Println(w.volume, "is the volume")
	}
	if id.VolumeSerial != w.volume || disk.VolumeID != w.volume {
		return 0, fmt.Errorf("the volume is %d or %d, and was %d", id.VolumeSerial, disk.VolumeID, w.volume)
	}
	return all.FileID, nil
}

// alone prints the id of a node, which must be no other node's.
func (w *idWalk) alone(c *client, stored string, id uint64) error {
	var st syscall.Stat_t
	if err := syscall.Stat(w.on(stored), &st); err != nil {
		return err
	}
	n := inode{uint64(st.Dev), uint64(st.Ino)}
	if other, ok := w.nodes[id]; id < lowestID || ok && other != n {
		return fmt.Errorf("the id is %d, which is another's", id)
	}
	w.nodes[id] = n
	fmt.Println(id, stored)
	return nil
}

// testReuse makes and removes files, so that inodes are used again.
func testReuse(ctx context.Context, b bench, n int) error {
	c := newChooser(4)
	ids, numbers, again := map[uint64]bool{}, map[uint64]bool{}, 0
	for i := range n {
		name := c.name()
		if i%2 == 0 {
			if err := put(b.on(name), ""); err != nil {
				return err
			}
		} else if err := one(c, b.clients).put(ctx, b.in(name), "x"); err != nil {
			return err
		}
		id, err := b.idBothWays(ctx, c, name)
		if err != nil {
			return fmt.Errorf("%+q: %w", name, err)
		}
		var st syscall.Stat_t
		if err := syscall.Stat(b.on(name), &st); err != nil {
			return err
		}
		if ids[id] {
			return fmt.Errorf("the id %d of inode %d came back", id, st.Ino)
		}
		if numbers[uint64(st.Ino)] {
			again++
		}
		ids[id], numbers[uint64(st.Ino)] = true, true
		if i%4 < 2 {
			err = os.Remove(b.on(name))
		} else {
			err = one(c, b.clients).remove(ctx, b.in(name))
		}
		if err != nil {
			return err
		}
	}
	fmt.Fprintf(os.Stderr, "namemodel: %d of %d files had an inode that another had before\n", again, n)
	return nil
}

// idBothWays returns the id of a file, as listed and as opened.
func (b bench) idBothWays(ctx context.Context, c chooser, name string) (uint64, error) {
	listed, err := one(c, b.clients).list(ctx, b.name, one(c, classes), "*")
	if err != nil {
		return 0, err
	}
	got, err := one(c, b.clients).look(ctx, b.in(c.spelling(name)))
	if err != nil {
		return 0, err
	}
	if id := listed[filepath.Base(got.path)].FileID; id != got.id {
		return 0, fmt.Errorf("the id is %d, in the listing %d", got.id, id)
	}
	return got.id, nil
}
