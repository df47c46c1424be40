package meta

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strings"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// The resource fork of a file called NAME is in the AppleDouble file ._NAME beside
// it, where netatalk, Samba with fruit:resource=file and Macs themselves look for
// it. What dozo makes is netatalk's:
//
//	0   magic 4, version 4, "Netatalk        ", count 2: 2
//	26  9, 50, 32         Finder info, of zeros: it is in the attribute
//	38  2, 82, length     resource fork, the last part of the file
//	50  Finder info 32
//	82  resource fork
//
// Macs write the same with other parts in front, and extended attributes behind
// the Finder info, all of which stay as they are.
const (
	// ForkPrefix stands before the name of a file in that of its fork.
	ForkPrefix = "._"

	forkFiller = "Netatalk        "
	forkData   = doubleHeader + 2*doubleEntry + finderSize // offset of the fork
	finderSize = 32
)

// Macs write this where there is no fork, into a fork of 286 bytes.
const (
	blankText = "This resource fork intentionally left blank"
	blankAt   = 16
	blankSize = 286
)

// errNoDouble is the error for a file that is no AppleDouble.
var errNoDouble = errors.New("no AppleDouble file")

// Fork is an AppleDouble file that holds a resource fork. One call at a time.
type Fork struct {
	n     *disk.Node
	d     double
	at    int   // index of the fork's entry in d; -1 if there is none yet
	size  int64 // of the fork
	blank bool  // what stands there is Macs' word for nothing
	last  bool  // nothing stands behind it
}

// Belongs reports whether a file with the attributes fork can be the fork of one with
// the attributes of. Who has the right to a file has it to the fork, which the process
// opens, moves and removes. So it must be the same account's, or one that the group of
// both may write to: else who can make NAME beside ._NAME would get what isn't theirs.
func Belongs(fork, of disk.Stat) bool {
	const groupMay = 0o060
	return fork.Type == vfs.TypeFile &&
		(fork.UID == of.UID || fork.GID == of.GID && fork.Mode&groupMay == groupMay)
}

// IsFork reports whether the entry name of the folder n is an AppleDouble file, and
// can be the fork of the file it is called after.
func IsFork(n *disk.Node, name string) bool {
	st, err := n.StatAt(name)
	if err != nil || st.Type != vfs.TypeFile || st.Size < doubleHeader {
		return false
	}
	of, err := n.StatAt(strings.TrimPrefix(name, ForkPrefix))
	if err != nil || !Belongs(st, of) {
		return false
	}
	f, err := n.Open(nil, name, disk.How{Flags: disk.Read | disk.NoFollow})
	if err != nil {
		return false
	}
	defer f.Close()
	_, err = OpenFork(f)
	return err == nil
}

// OpenFork reads the head of n. An error of KindInvalid says that it is no
// AppleDouble file.
func OpenFork(n *disk.Node) (*Fork, error) {
	f := &Fork{n: n}
	return f, f.read()
}

// MakeFork makes the empty file n one with an empty fork.
func MakeFork(n *disk.Node) (*Fork, error) {
	if _, err := n.WriteAt(newFork(), 0); err != nil {
		return nil, err
	}
	return OpenFork(n)
}

// newFork returns a file with an empty fork.
func newFork() []byte {
	w := cursor.NewWriter(nil)
	w.BE32(doubleMagic)
	w.BE32(doubleVersion)
	w.Bytes([]byte(forkFiller))
	w.BE16(2)
	for _, field := range [...]uint32{idFinder, forkData - finderSize, finderSize, idResource, forkData, 0} {
		w.BE32(field)
	}
	w.Zero(finderSize)
	return w.Message()
}

func (f *Fork) read() error {
	var buf [doubleHead]byte
	k, err := f.n.ReadAt(buf[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	st, err := f.n.Stat()
	if err != nil {
		return err
	}
	d, ok := parseDouble(buf[:k], st.Size)
	if !ok {
		return vfs.NewError("open fork", "", vfs.KindInvalid, errNoDouble)
	}
	f.d, f.at, f.size, f.blank, f.last = d, d.find(idResource), 0, false, false
	if f.at < 0 {
		return nil
	}
	e := d.entries[f.at]
	f.size, f.last = e.size, true
	for _, other := range d.all() {
		f.last = f.last && other.end() <= e.end()
	}
	if f.size == blankSize {
		var text [len(blankText)]byte
		if _, err := f.n.ReadAt(text[:], e.off+blankAt); err == nil && string(text[:]) == blankText {
			f.size, f.blank = 0, true
		}
	}
	return nil
}

// Size returns the length of the fork.
func (f *Fork) Size() int64 { return f.size }

// Bare reports whether the file holds nothing but the fork.
func (f *Fork) Bare() bool {
	for _, e := range f.d.all() {
		switch {
		case e.id == idResource, e.size == 0:
		case e.id != idFinder || e.size != finderSize:
			return false
		default:
			if info, err := f.Finder(); err != nil || info != ([finderSize]byte{}) {
				return false
			}
		}
	}
	return true
}

// Finder returns the Finder info in the file, zeros if there is none.
func (f *Fork) Finder() (info [finderSize]byte, err error) {
	if i := f.d.find(idFinder); i >= 0 && f.d.entries[i].size >= finderSize {
		if _, err = f.n.ReadAt(info[:], f.d.entries[i].off); errors.Is(err, io.EOF) {
			err = nil
		}
	}
	return info, err
}

// ClearFinder takes the Finder info out of the file.
func (f *Fork) ClearFinder() error {
	info, err := f.Finder()
	if err != nil || info == ([finderSize]byte{}) {
		return err
	}
	_, err = f.n.WriteAt(make([]byte, finderSize), f.d.entries[f.d.find(idFinder)].off)
	return err
}

// ReadAt is io.ReaderAt for the fork.
func (f *Fork) ReadAt(p []byte, off int64) (int, error) {
	if off >= f.size {
		return 0, io.EOF
	}
	short := int64(len(p)) > f.size-off
	if short {
		p = p[:f.size-off]
	}
	k, err := f.n.ReadAt(p, f.d.entries[f.at].off+off)
	if err == nil && short {
		err = io.EOF
	}
	return k, err
}

// WriteAt is io.WriterAt for the fork. What was written counts once the length in
// the head says so: a stop in the middle leaves the fork as it was, or longer by
// a part.
func (f *Fork) WriteAt(p []byte, off int64) (int, error) {
	if off > math.MaxUint32 {
		return 0, vfs.NewError("write fork", "", vfs.KindTooLarge, nil)
	}
	end := off + int64(len(p))
	if err := f.prepare(end); err != nil {
		return 0, err
	}
	k, err := f.n.WriteAt(p, f.d.entries[f.at].off+off)
	if end = off + int64(k); k > 0 && end > f.size {
		if sizeErr := f.setSize(end); sizeErr != nil {
			return 0, sizeErr
		}
	}
	return k, err
}

// Truncate sets the length of the fork.
func (f *Fork) Truncate(size int64) error {
	if f.at < 0 && size == 0 {
		return nil // whose head may have no room for a fork
	}
	if err := f.prepare(size); err != nil {
		return err
	}
	end := f.d.entries[f.at].off + size
	if size > f.size {
		if err := f.n.Truncate(end); err != nil {
			return err
		}
		return f.setSize(size)
	}
	if err := f.setSize(size); err != nil {
		return err
	}
	if !f.last {
		return nil
	}
	return f.n.Truncate(end)
}

// prepare makes room for a fork of size bytes: the file ends where the fork does,
// so that what lies behind its end is zeros.
func (f *Fork) prepare(size int64) error {
	if f.at < 0 {
		if err := f.addEntry(); err != nil {
			return err
		}
	}
	if f.blank {
		if err := f.setSize(0); err != nil {
			return err
		}
	}
	if size <= f.size {
		return nil
	}
	if f.d.entries[f.at].off+size > math.MaxUint32 {
		return vfs.NewError("write fork", "", vfs.KindTooLarge, nil)
	}
	if !f.last {
		if err := f.move(); err != nil {
			return err
		}
	}
	st, err := f.n.Stat()
	if end := f.d.entries[f.at].off + f.size; err == nil && st.Size != end {
		err = f.n.Truncate(end)
	}
	return err
}

// move moves the fork to the end of the file, where it can grow.
func (f *Fork) move() error {
	st, err := f.n.Stat()
	if err != nil {
		return err
	}
	if st.Size+f.size > math.MaxUint32 {
		return vfs.NewError("write fork", "", vfs.KindTooLarge, nil)
	}
	e := &f.d.entries[f.at]
	buf := make([]byte, min(f.size, 1<<20))
	for done := int64(0); done < f.size; {
		part := buf[:min(int64(len(buf)), f.size-done)]
		if _, err := f.n.ReadAt(part, e.off+done); err != nil {
			return err
		}
		if _, err := f.n.WriteAt(part, st.Size+done); err != nil {
			return err
		}
		done += int64(len(part))
	}
	if err := f.setEntry(f.at, entry{idResource, st.Size, f.size}); err != nil {
		return err
	}
	f.last = true
	return nil
}

// addEntry enters a fork in a file without one, if its head has room.
func (f *Fork) addEntry() error {
	st, err := f.n.Stat()
	if err != nil {
		return err
	}
	head := int64(doubleHeader + (f.d.n+1)*doubleEntry)
	for _, e := range f.d.all() {
		if e.off < head || f.d.n == maxEntries { // an empty part, too, may not lie in the head
			return vfs.NewError("write fork", "", vfs.KindUnsupported, nil)
		}
	}
	if st.Size < head {
		if err := f.n.Truncate(head); err != nil {
			return err
		}
		st.Size = head
	}
	if err := f.setEntry(f.d.n, entry{idResource, st.Size, 0}); err != nil {
		return err
	}
	count := binary.BigEndian.AppendUint16(nil, uint16(f.d.n+1))
	if _, err := f.n.WriteAt(count, doubleHeader-2); err != nil {
		return err
	}
	f.at, f.last = f.d.n, true
	f.d.n++
	return nil
}

// setSize writes the length of the fork.
func (f *Fork) setSize(size int64) error {
	e := f.d.entries[f.at]
	e.size = size
	if err := f.setEntry(f.at, e); err != nil {
		return err
	}
	f.size, f.blank = size, false
	return nil
}

// setEntry writes the entry i by one call.
func (f *Fork) setEntry(i int, e entry) error {
	var b []byte
	for _, field := range [...]uint32{e.id, uint32(e.off), uint32(e.size)} {
		b = binary.BigEndian.AppendUint32(b, field)
	}
	if _, err := f.n.WriteAt(b, int64(doubleHeader+i*doubleEntry)); err != nil {
		return err
	}
	f.d.entries[i] = e
	return nil
}
