package zipfs

import (
	"archive/zip"
	"context"
	"io"
	"sync"
)

const (
	unpackStep = 64 << 10 // bytes unpacked at a time
	keepBytes  = 4 << 20  // bytes that an open file keeps, at least as far as it goes
)

// unpacker reads a file of an archive at any place, although it can only be
// unpacked from its beginning on. It keeps what it unpacked last, because clients
// ask for several blocks at a time and these come in any order. For what lies
// before that it begins anew.
type unpacker struct {
	entry *zip.File

	mu     sync.Mutex
	r      io.ReadCloser // nil before it begins
	recent []byte        // what was unpacked last
	end    int64         // place in the file behind recent
}

// readAt is io.ReaderAt.
func (u *unpacker) readAt(ctx context.Context, p []byte, off int64) (n int, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	size := int64(u.entry.UncompressedSize64)
	if off >= size {
		return 0, io.EOF
	}
	short := int64(len(p)) > size-off
	if short {
		p = p[:size-off]
	}
	if off < u.end-int64(len(u.recent)) {
		u.rewind()
	}
	for n < len(p) {
		if behind := u.end - (off + int64(n)); behind > 0 {
			n += copy(p[n:], u.recent[int64(len(u.recent))-behind:])
			continue
		}
		if err := ctx.Err(); err != nil {
			return n, err
		}
		if err := u.unpack(); err != nil {
			return n, err
		}
	}
	if short {
		return n, io.EOF
	}
	return n, nil
}

// unpack takes the next step. With the last one the archive says whether all
// before was right.
func (u *unpacker) unpack() (err error) {
	if u.r == nil {
		if u.r, err = u.entry.Open(); err != nil {
			return err
		}
	}
	if len(u.recent) >= 2*keepBytes {
		u.recent = append(u.recent[:0], u.recent[len(u.recent)-keepBytes:]...)
	}
	was := len(u.recent)
	u.recent = append(u.recent, make([]byte, unpackStep)...)
	n, err := u.r.Read(u.recent[was:])
	u.recent = u.recent[:was+n]
	u.end += int64(n)
	whole := u.end == int64(u.entry.UncompressedSize64)
	if whole && err == nil {
		_, err = u.r.Read(make([]byte, 1))
	}
	switch {
	case err == io.EOF && whole:
		return nil
	case err == io.EOF:
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		u.rewind() // or what was kept would be given out as right
	}
	return err
}

// rewind goes back to the beginning, and keeps nothing.
func (u *unpacker) rewind() {
	if u.r != nil {
		u.r.Close()
	}
	u.r, u.recent, u.end = nil, nil, 0
}
