package names

import (
	"slices"
	"unicode/utf8"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// Some disks find an entry by more spellings than the one that is stored: in
// another case, composition or width. There the disk is the judge of what is
// one name. The index still tells how names are stored, and folds where the
// disk does not; but that it has no such name is no proof, and neither is an
// event, which bears the spelling that somebody used.

// mayFold reports whether the disk may know an entry of d by other spellings
// than the one that is stored.
func (r *request) mayFold(d *dir) bool {
	if d.folds.Load() == foldsUnasked || d.empty.Load() {
		n, err := r.node(d)
		if err != nil {
			return true
		}
		d.empty.Store(false) // first, or what happens meanwhile would be forgotten
		d.folds.Store(foldsAsTold[n.Folds()])
	}
	return d.folds.Load() != foldsNot
}

var foldsAsTold = [...]int32{disk.FoldsUntold: foldsUntold, disk.FoldsNot: foldsNot, disk.FoldsSome: foldsItself}

// wasEmpty has it asked anew whether the disk folds names in d: an empty folder
// may be told to, or not to.
func (d *dir) wasEmpty() {
	if d.folds.Load() != foldsUntold {
		d.empty.Store(true)
	}
}

// askFolding asks anew while d holds names, which may be others than before. What
// was found out by trying stays.
func (d *dir) askFolding(n *disk.Node) {
	if told := foldsAsTold[n.Folds()]; told != foldsUntold {
		d.folds.Store(told)
	}
}

// tryFolding finds out whether the disk folds names in d, if it does not tell:
// by asking for another spelling of name, which is there. What local processes
// do meanwhile must not count. It runs with content held exclusively.
func (r *request) tryFolding(d *dir, n *disk.Node, name string) {
	other := swapCase(name)
	if d.folds.Load() != foldsUntold || other == name {
		return
	}
	before := d.changesToNow()
	folds, still := int32(foldsNot), name
	switch _, err := n.StatAt(other); {
	case err == nil && !isListed(n, other):
		// It is there and not listed, so it leads to name. The inode does not
		// tell: to some FUSE disks each spelling is a node.
		folds, still = foldsItself, other
	case err != nil && !vfs.IsKind(err, vfs.KindNotExist):
		return
	}
	if _, err := n.StatAt(still); err == nil && d.changesToNow() == before {
		d.folds.Store(folds)
	}
}

// changesToNow counts the changes of d that were made until now.
func (d *dir) changesToNow() uint64 {
	if d.watched() {
		d.q.drain()
	}
	return d.changes.Load()
}

// isListed reports whether name stands in the folder n in just this spelling,
// or that can't be told.
func isListed(n *disk.Node, name string) (listed bool) {
	err := readAll(n, func(e disk.DirEntry) { listed = listed || string(e.Name) == name })
	return listed || err != nil
}

// spelling returns how the entry that opened as name is stored in d. In folders
// that don't fold it costs two system calls, once.
func (r *request) spelling(d *dir, n *disk.Node, name string) (string, error) {
	if !r.mayFold(d) || r.isObvious(d, n, name) {
		return name, nil
	}
	d.content.Lock()
	defer d.content.Unlock()
	f, err := r.findHere(d, name)
	switch {
	case err == nil:
		return f.name, nil
	case vfs.IsKind(err, vfs.KindAccess):
		return name, nil // a folder that can't be read
	}
	return "", err
}

// isObvious reports whether name, which is there, is what is stored although
// the disk may fold it: the other case is not there, and a name of ASCII has no
// other form.
func (r *request) isObvious(d *dir, n *disk.Node, name string) bool {
	if !isASCII(name) {
		return false
	}
	other := swapCase(name)
	if other == name {
		return true
	}
	if _, err := n.StatAt(other); !vfs.IsKind(err, vfs.KindNotExist) {
		return false
	}
	if d.folds.Load() == foldsUntold {
		if _, err := n.StatAt(name); err == nil { // else it went meanwhile
			d.folds.CompareAndSwap(foldsUntold, foldsNot)
		}
	}
	return true
}

// tryFoldingOfAny is tryFolding for one of d's first names. It runs with content
// held exclusively and the index right.
func (r *request) tryFoldingOfAny(d *dir, n *disk.Node) {
	if !r.mayFold(d) || d.folds.Load() != foldsUntold || d.names == nil {
		return
	}
	const enough = 64
	c := d.names.names.cursor()
	for range enough {
		rec, _, ok := c.next()
		if !ok {
			return
		}
		if name := string(rec.name); swapCase(name) != name {
			r.tryFolding(d, n, name)
			return
		}
	}
}

// knows reports whether d's index, with the name that an event bore and that is
// there or not, tells what is stored. Otherwise somebody may have used another
// spelling than the one that is. It runs with content held exclusively.
func (d *dir) knows(name string, there bool) bool {
	if d.names == nil {
		return true // fingerprints don't tell anyway
	}
	listed := d.names.has(name)
	switch alone := d.names.alone(name); {
	case listed && !there:
		return true // it went, whatever it was called
	case listed:
		return alone // it stayed
	default:
		// It is new, or came and went, if it is no spelling of another.
		plain := isASCII(name) || !d.t.o.NoNormalization && !isOdd(name)
		return alone && plain && d.names.odd == 0
	}
}

// isOnly reports whether r was found as name by its key, and nothing else can
// be: a name given to it may be another's own to the disk, and so may an odd one.
func (x *index) isOnly(r record, name string) bool {
	var buf keyBuffer
	return x.odd == 0 && !isOdd(name) && x.hasKey(r.name, appendKey(x.fold, buf[:0], name)) && x.alone(string(r.name))
}

// isOdd reports whether some disk may take name for one that has another key:
// by full case folding, by decompositions that Windows and Macs don't make, or
// since it overlooks characters that can't be seen. What is not odd is in one
// of the ranges where all are known to agree.
func isOdd[T string | []byte](name T) bool {
	for _, r := range string(name) {
		if r >= utf8.RuneSelf && !isAgreed(r) {
			return true
		}
	}
	return false
}

// isAgreed reports whether all disks fold r as the index does, or not at all.
func isAgreed(r rune) bool {
	i, ok := slices.BinarySearchFunc(agreed, r, func(a [2]rune, r rune) int { return int(a[0] - r) })
	return ok || i > 0 && r <= agreed[i-1][1]
}

// agreed are ranges in which nothing folds otherwise. They leave out ß, dotless
// and dotted i, final sigma and long s, what is composed of other characters
// than marks, and what can't be seen.
var agreed = [][2]rune{
	{0xa7, 0xa7}, {0xa9, 0xa9}, {0xab, 0xac}, {0xae, 0xae}, {0xb0, 0xb1}, {0xb6, 0xb7}, {0xbb, 0xbb}, // signs
	{0xc0, 0xde}, {0xe0, 0x12f}, {0x134, 0x13e}, {0x141, 0x148}, {0x14a, 0x17e}, // Latin
	{0x300, 0x33f},                                 // marks
	{0x391, 0x3af}, {0x3b1, 0x3c1}, {0x3c3, 0x3ce}, // Greek
	{0x400, 0x45f},                 // Cyrillic
	{0x5d0, 0x5ea},                 // Hebrew
	{0x621, 0x63a}, {0x641, 0x652}, // Arabic
	{0x904, 0x939},                 // Devanagari
	{0xe01, 0xe32}, {0xe34, 0xe3a}, // Thai
	{0x2010, 0x2010}, {0x2012, 0x2016}, {0x2018, 0x2022}, {0x20ac, 0x20ac}, // dashes, quotes
	{0x3001, 0x3003}, {0x3008, 0x3011}, {0x3041, 0x3096}, {0x30a1, 0x30fe}, // kana
	{0x4e00, 0x9fa5}, // han
	{0xac00, 0xd7a3}, // hangul
	{0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff},
}

func isASCII(name string) bool {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// swapCase returns name with the case of its ASCII letters changed.
func swapCase(name string) string {
	b := []byte(name)
	for i, c := range b {
		if 'a' <= c|0x20 && c|0x20 <= 'z' {
			b[i] ^= 0x20
		}
	}
	return string(b)
}
