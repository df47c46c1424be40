package catalog

import (
	"bytes"
	"encoding/binary"
	"io"
)

// scan reads the frames of a segment. What is not one is passed over, to the
// next frame that is whole.
type scan struct {
	src  io.ReaderAt
	tag  tag
	buf  []byte // what was read of src from off on
	off  int64
	done bool  // there is no more in src
	end  int64 // of the last whole frame, or where the scan began
	lost int64 // bytes passed over
}

// frame is what scan found.
type frame struct {
	ceiling CNID
	entries []Entry
}

func newScan(src io.ReaderAt, t tag, off int64) *scan {
	return &scan{src: src, tag: t, off: off, end: off}
}

// next returns the next whole frame, io.EOF behind the last.
func (s *scan) next() (frame, error) {
	for {
		if err := s.fill(frameHead); err != nil {
			return frame{}, err
		}
		if len(s.buf) == 0 {
			return frame{}, io.EOF
		}
		f, size, err := s.parse()
		if err != nil {
			return frame{}, err
		}
		if size > 0 {
			s.pass(size)
			s.end = s.off
			return f, nil
		}
		skip := s.search()
		s.pass(skip)
		s.lost += int64(skip)
	}
}

// fill reads until buf has n bytes, or all that are left.
func (s *scan) fill(n int) error {
	for len(s.buf) < n && !s.done {
		chunk := make([]byte, max(n, maxFrame))
		k, err := s.src.ReadAt(chunk, s.off+int64(len(s.buf)))
		s.buf = append(s.buf[:len(s.buf):len(s.buf)], chunk[:k]...)
		switch {
		case err == io.EOF:
			s.done = true
		case err != nil:
			return err
		}
	}
	return nil
}

// parse reads the frame at the start of buf; the size is 0 if there is none.
func (s *scan) parse() (f frame, size int, err error) {
	if len(s.buf) < frameHead || !bytes.HasPrefix(s.buf, s.tag[:]) {
		return f, 0, nil
	}
	n := int(binary.LittleEndian.Uint32(s.buf[8:]))
	if n > maxFrame {
		return f, 0, nil
	}
	if err := s.fill(frameHead + n); err != nil {
		return f, 0, err
	}
	if len(s.buf) < frameHead+n {
		return f, 0, nil
	}
	head, records := s.buf[:frameHead], s.buf[frameHead:frameHead+n]
	if frameSum(head, records) != binary.LittleEndian.Uint32(head[16:]) {
		return f, 0, nil
	}
	f.ceiling = CNID(binary.LittleEndian.Uint32(head[12:]))
	if f.entries, err = parseRecords(records); err != nil {
		return f, 0, nil
	}
	return f, frameHead + n, nil
}

// search returns how far behind the start of buf the next frame may begin.
func (s *scan) search() int {
	if i := bytes.Index(s.buf[1:], s.tag[:]); i >= 0 {
		return 1 + i
	}
	if s.done {
		return len(s.buf)
	}
	return max(1, len(s.buf)-len(s.tag)+1) // the rest may be the start of a tag
}

func (s *scan) pass(n int) {
	s.buf = s.buf[n:]
	s.off += int64(n)
}
