package cursor_test

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/dozo-server/dozo/internal/cursor"
)

func TestRoundTrip(t *testing.T) {
	w := cursor.NewWriter([]byte("before"))
	w.U8(1)
	w.Align(4)
	w.U16(0x0203)
	w.U32(0x04050607)
	w.U64(0x08090a0b0c0d0e0f)
	w.BE16(0x0203)
	w.BE32(0x04050607)
	w.BE64(0x08090a0b0c0d0e0f)
	w.Bytes([]byte("end"))
	w.PutU16(4, 0x1213)
	w.PutU8(0, 2)
	w.PutBE16(18, 0x1415)
	w.PutBE32(20, 0x16171819)

	r := cursor.NewReader(w.Message())
	if got := r.U8(); got != 2 {
		t.Errorf("U8 = %#x", got)
	}
	r.Align(4)
	if got := r.U16(); got != 0x1213 {
		t.Errorf("U16 = %#x", got)
	}
	if got := r.U32(); got != 0x04050607 {
		t.Errorf("U32 = %#x", got)
	}
	if got := r.U64(); got != 0x08090a0b0c0d0e0f {
		t.Errorf("U64 = %#x", got)
	}
	if got := r.BE16(); got != 0x1415 {
		t.Errorf("BE16 = %#x", got)
	}
	if got := r.BE32(); got != 0x16171819 {
		t.Errorf("BE32 = %#x", got)
	}
	if got := r.BE64(); got != 0x08090a0b0c0d0e0f {
		t.Errorf("BE64 = %#x", got)
	}
	if got := r.Rest(); string(got) != "end" {
		t.Errorf("Rest = %q", got)
	}
	if r.Err() != nil || r.Len() != 0 {
		t.Errorf("Err = %v, Len = %d", r.Err(), r.Len())
	}
}

func TestReaderStopsAtItsFirstError(t *testing.T) {
	r := cursor.NewReader([]byte{1, 2, 3})
	if got := r.U32(); got != 0 {
		t.Errorf("U32 of three bytes = %d, want 0", got)
	}
	if got := r.U8(); got != 0 {
		t.Errorf("U8 after an error = %d, want 0", got)
	}
	if !errors.Is(r.Err(), cursor.ErrShort) {
		t.Errorf("Err = %v", r.Err())
	}
	r.Fail(errors.New("later"))
	if !errors.Is(r.Err(), cursor.ErrShort) {
		t.Errorf("a later error replaced the first: %v", r.Err())
	}
}

func TestSliceChecksBothEnds(t *testing.T) {
	for _, c := range []struct{ off, n int }{{-1, 1}, {0, 5}, {5, 0}, {4, 1}, {1, -1}, {math.MaxInt, math.MaxInt}} {
		r := cursor.NewReader([]byte{1, 2, 3, 4})
		if b := r.Slice(c.off, c.n); b != nil || r.Err() == nil {
			t.Errorf("Slice(%d, %d) = %v, %v; want an error", c.off, c.n, b, r.Err())
		}
	}
	r := cursor.NewReader([]byte{1, 2, 3, 4})
	if b := r.Slice(4, 0); len(b) != 0 || r.Err() != nil {
		t.Errorf("Slice(4, 0) = %v, %v", b, r.Err())
	}
	if b := r.Slice(1, 2); !bytes.Equal(b, []byte{2, 3}) || r.Pos() != 0 {
		t.Errorf("Slice(1, 2) = %v, position %d", b, r.Pos())
	}
}

func TestBytesFilledInPlaceAreNotCopied(t *testing.T) {
	w := cursor.NewWriter(nil)
	w.U32(7)
	data := w.Free(4, 100)
	data = append(data, "from the disk"...)
	w.U32(uint32(len(data)))
	w.Bytes(data)
	if got := w.Message()[8:]; &got[0] != &data[0] || string(got) != "from the disk" {
		t.Errorf("message tail = %q, copied = %v", got, &got[0] != &data[0])
	}
	w.Bytes([]byte("!"))
	if got := string(w.Message()[8:]); got != "from the disk!" {
		t.Errorf("message tail = %q", got)
	}
}
