package names

// creation watches the queue while this process makes a name, to tell whether
// a local process made another spelling of it at the same moment, and who came
// first.
type creation struct {
	name   string
	key    []byte
	made   bool   // our own event was seen
	before string // another spelling, whose event came before ours
	after  string // one whose event came after
}

// begin watches out for other spellings of name. It runs with content held.
func (d *dir) begin(fold folding, name string) *creation {
	c := &creation{name: name, key: appendKey(fold, nil, name)}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.creating = c
	return c
}

// end drains d's queue, so that c knows all that happened until then.
func (d *dir) end(c *creation) {
	if d.watched() {
		d.q.drain()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.creating = nil
}

// sawOwn is told of our events.
func (d *dir) sawOwn(name []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c := d.creating; c != nil && string(name) == c.name {
		c.made = true
	}
}

// sawForeign is told of others' events, and of ours by a queue that doesn't
// tell whose they are: one of our name is taken for ours then, since ours was
// made by nobody else.
func (c *creation) sawForeign(fold folding, name []byte) {
	if string(name) == c.name {
		c.made = true
		return
	}
	var buf keyBuffer
	if string(appendKey(fold, buf[:0], name)) != string(c.key) {
		return
	}
	if c.made {
		c.after = string(name)
	} else {
		c.before = string(name)
	}
}
