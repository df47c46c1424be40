package main

import (
	"os"
	"path"
	"strings"
	"syscall"
)

// local does one thing as a local process, with exact names, and returns the
// paths it was about. The system must do it: what it would refuse is not tried.
func (o *ordered) local() (touched []string, err error) {
	kinds := []func(to place) ([]string, error){
		o.localPut, o.localPut, o.localMkdir, o.localRemove, o.localRemove, o.localLink,
		o.localMove, o.localMove, o.localMove, o.localMoveOver, o.localRemoveAll,
	}
	folder := ""
	if all := o.folders(); len(all) > 0 && o.c.IntN(4) > 0 {
		folder = one(o.c, all)
	}
	to := o.exact(path.Join(folder, o.c.name()))
	if to.n != nil || strings.Count(to.path(), "/") > 4 {
		return nil, nil
	}
	return one(o.c, kinds)(to)
}

// exact is what stands at a stored path, or could.
func (o *ordered) exact(stored string) place {
	p := place{dir: o.root}
	parts := strings.Split(stored, "/")
	for _, part := range parts[:len(parts)-1] {
		p.dir, p.folder = p.dir.entries[part], p.folder+part+"/"
	}
	p.name = parts[len(parts)-1]
	p.n = p.dir.entries[p.name]
	return p
}

// some is anything that is there.
func (o *ordered) some() (place, bool) {
	all := o.root.paths("")
	if len(all) == 0 {
		return place{}, false
	}
	return o.exact(strings.TrimSuffix(one(o.c, all), "/")), true
}

// both are the places an operation was about, each in another spelling.
func (o *ordered) both(places ...place) (touched []string) {
	for _, p := range places {
		touched = append(touched, o.c.respelled(p.path()), p.path())
	}
	return touched
}

func (o *ordered) localPut(to place) ([]string, error) {
	n := o.file()
	o.note("local: write %+q", to.path())
	to.dir.put(to.name, n)
	return o.both(to), put(o.on(to.path()), n.text)
}

// put makes a file that was not there.
func put(name, text string) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(text); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

func (o *ordered) localMkdir(to place) ([]string, error) {
	o.note("local: mkdir %+q", to.path())
	to.dir.put(to.name, newFolder())
	return o.both(to), os.Mkdir(o.on(to.path()), 0o755)
}

func (o *ordered) localRemove(place) ([]string, error) {
	p, ok := o.some()
	if !ok || len(p.n.entries) > 0 {
		return nil, nil
	}
	o.note("local: rm %+q", p.path())
	p.dir.take(p.name)
	return o.both(p), os.Remove(o.on(p.path()))
}

// localRemoveAll takes away a folder with all that it holds.
func (o *ordered) localRemoveAll(place) ([]string, error) {
	p, ok := o.some()
	if !ok || !p.n.isFolder() || o.c.IntN(3) > 0 {
		return nil, nil
	}
	o.note("local: rm -r %+q", p.path())
	p.n.empty()
	p.dir.take(p.name)
	return o.both(p), os.RemoveAll(o.on(p.path()))
}

// empty takes all names away that are below n.
func (n *node) empty() {
	for name, e := range n.entries {
		e.empty()
		n.take(name)
	}
}

func (o *ordered) localLink(to place) ([]string, error) {
	p, ok := o.some()
	if !ok || p.n.isFolder() {
		return nil, nil
	}
	o.note("local: ln %+q %+q", p.path(), to.path())
	to.dir.put(to.name, p.n)
	return o.both(p, to), os.Link(o.on(p.path()), o.on(to.path()))
}

func (o *ordered) localMove(to place) ([]string, error) {
	p, ok := o.some()
	if !ok || p.n.isFolder() && p.n.holds(to.dir) {
		return nil, nil
	}
	o.note("local: mv %+q %+q", p.path(), to.path())
	to.dir.put(to.name, p.dir.take(p.name))
	return o.both(p, to), os.Rename(o.on(p.path()), o.on(to.path()))
}

// localMoveOver replaces a file by a file, or an empty folder by a folder, which
// os.Rename would not.
func (o *ordered) localMoveOver(place) ([]string, error) {
	from, ok := o.some()
	if !ok {
		return nil, nil
	}
	to, _ := o.some()
	if from.n == to.n || from.n.isFolder() != to.n.isFolder() || len(to.n.entries) > 0 || from.n.isFolder() && from.n.holds(to.dir) {
		return nil, nil
	}
	o.note("local: mv -f %+q %+q", from.path(), to.path())
	to.dir.take(to.name)
	to.dir.put(to.name, from.dir.take(from.name))
	return o.both(from, to), syscall.Rename(o.on(from.path()), o.on(to.path()))
}
