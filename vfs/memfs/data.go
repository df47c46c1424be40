package memfs

import "io"

// pageSize is the unit in which the bytes of a file are found.
const pageSize = 64 << 10

// data are the bytes of a file. Pages that were never written are not there;
// one that is there may be shorter than pageSize, the rest being zeros.
type data struct {
	size     int64
	pages    map[int64][]byte // by offset / pageSize; lengths are multiples of blockSize
	held     int64            // bytes of all pages
	reserved int64            // by Allocate
}

// charge returns how many bytes the file takes.
func (d *data) charge() int64 { return max(d.held, d.reserved) }

// readAt is io.ReaderAt.
func (d *data) readAt(p []byte, off int64) (int, error) {
	if off >= d.size {
		return 0, io.EOF
	}
	short := int64(len(p)) > d.size-off
	if short {
		p = p[:d.size-off]
	}
	for n := 0; n < len(p); {
		page := d.pages[(off+int64(n))/pageSize]
		from := int((off + int64(n)) % pageSize)
		part := p[n:min(len(p), n+pageSize-from)]
		done := 0
		if from < len(page) {
			done = copy(part, page[from:])
		}
		clear(part[done:])
		n += len(part)
	}
	if short {
		return len(p), io.EOF
	}
	return len(p), nil
}

// writeAt writes p, with room for as many bytes more as free, and returns how
// many bytes of p that was enough for.
func (d *data) writeAt(p []byte, off, free int64) int {
	if d.pages == nil {
		d.pages = map[int64][]byte{}
	}
	n := 0
	for n < len(p) {
		at := (off + int64(n)) / pageSize
		from := int((off + int64(n)) % pageSize)
		part := p[n:min(len(p), n+pageSize-from)]
		page, ok := d.grow(at, from+len(part), &free)
		copied := 0
		if from < len(page) {
			copied = copy(page[from:], part)
		}
		n += copied
		if !ok {
			break
		}
	}
	if n > 0 {
		d.size = max(d.size, off+int64(n))
	}
	return n
}

// grow makes page at at least want bytes long, as far as free allows.
func (d *data) grow(at int64, want int, free *int64) (page []byte, ok bool) {
	page = d.pages[at]
	if want <= len(page) {
		return page, true
	}
	want = roundUp(want)
	more := int64(want - len(page))
	// What was reserved is charged already.
	spare := max(0, d.reserved-d.held)
	ok = more-spare <= *free
	if !ok {
		more = (spare + *free) / blockSize * blockSize
		if more == 0 {
			return page, false
		}
	}
	*free -= max(0, more-spare)
	d.held += more
	grown := make([]byte, len(page)+int(more), max(len(page)+int(more), min(2*len(page), pageSize)))
	copy(grown, page)
	d.pages[at] = grown
	return grown, ok
}

// truncate sets the size. What lies behind it reads as zeros from now on.
func (d *data) truncate(size int64) {
	if size < d.size {
		last := size / pageSize
		for at, page := range d.pages {
			keep := 0
			switch {
			case at < last:
				continue
			case at == last:
				keep = min(len(page), roundUp(int(size%pageSize)))
				clear(page[min(len(page), int(size%pageSize)):])
			}
			d.held -= int64(len(page) - keep)
			if keep == 0 {
				delete(d.pages, at)
			} else {
				d.pages[at] = page[:keep:keep]
			}
		}
		d.reserved = 0
	}
	d.size = size
}

func roundUp(n int) int { return (n + blockSize - 1) / blockSize * blockSize }
