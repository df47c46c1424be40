package names

// Place is a name in use: a folder and the spelling stored in it. All who hold
// a Place of one name share it, and it follows renames by this process, of the
// name itself and of the folders above it; those by local processes it follows
// as far as they keep the name in its folder. The Place of the root can be
// neither renamed nor removed.
type Place struct {
	t *Tree

	// Guarded by Tree.shape.
	dir  *dir // nil for the root
	name string
	uses int
	gone bool // removed or replaced by this process
}

// place returns the Place of name in d, with one more use.
func (t *Tree) place(d *dir, name string) *Place {
	t.shape.Lock()
	defer t.shape.Unlock()
	return t.placeIn(d, name)
}

// placeIn is place with shape held.
func (t *Tree) placeIn(d *dir, name string) *Place {
	p := d.places[name]
	if p == nil {
		p = &Place{t: t, dir: d, name: name}
		if d.places == nil {
			d.places = map[string]*Place{}
		}
		d.places[name] = p
	}
	p.uses++
	return p
}

// rootPlace returns the Place of the root.
func (t *Tree) rootPlace() *Place { return &Place{t: t, uses: 1} }

// Path returns the path as it is stored now, "" for the root; of a name that
// is gone, its last.
func (p *Place) Path() string {
	p.t.shape.RLock()
	defer p.t.shape.RUnlock()
	if p.dir == nil {
		return ""
	}
	if dir := p.dir.path(); dir != "" {
		return dir + "/" + p.name
	}
	return p.name
}

// Name returns the last component of Path.
func (p *Place) Name() string {
	p.t.shape.RLock()
	defer p.t.shape.RUnlock()
	return p.name
}

// Retain adds a user to p.
func (p *Place) Retain() {
	p.t.shape.Lock()
	defer p.t.shape.Unlock()
	p.uses++
}

// Release ends one use of p. Every Place returned by a Tree has one use.
func (p *Place) Release() {
	p.t.shape.Lock()
	defer p.t.shape.Unlock()
	p.uses--
	if p.uses == 0 && p.dir != nil && !p.gone {
		delete(p.dir.places, p.name)
	}
}

// locate returns where p is, for r to use; d is nil for the root. ok is false
// when this process took the name away.
func (r *request) locate(p *Place) (d *dir, name string, ok bool) {
	p.t.shape.RLock()
	defer p.t.shape.RUnlock()
	if p.gone {
		return nil, "", false
	}
	if p.dir != nil {
		r.pin(p.dir)
	}
	return p.dir, p.name, true
}

// vanish ends what stands at name in d. It runs with shape held.
func (d *dir) vanish(name string) {
	if p := d.places[name]; p != nil {
		p.gone = true
		delete(d.places, name)
	}
}

// follow moves the Place of name in d to newName in to. It runs with shape
// held.
func (d *dir) follow(name string, to *dir, newName string) {
	to.vanish(newName)
	p := d.places[name]
	if p == nil {
		return
	}
	delete(d.places, name)
	p.dir, p.name = to, newName
	if to.places == nil {
		to.places = map[string]*Place{}
	}
	to.places[newName] = p
}
