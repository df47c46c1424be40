package netatalk

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/dozo-server/dozo/internal/catalog"
)

// cnid2.db of netatalk's "dbd" backend is a Berkeley DB file with several B-trees.
// Only their leaves are looked at, one after the other: a record of the main tree
// is known by its key standing at the start of its value, too.
//
//	page   LSN 8 | number 4 | previous 4 | next 4 | items 2 | 2 | level 1 | type 1 | where each item is, 2 each
//	item   size 2 | type 1 | bytes
//	meta   LSN 8 | number 4 | magic 4 | version 4 | page size 4 | cipher 1 | type 1 | flags 1
//
// in the byte order of the machine that made it.
const (
	btreeMagic   = 0x00053162
	pageHead     = 26
	leafPage     = 5
	itemData     = 1
	metaSize     = 64
	metaChecksum = 1
)

// A record is, in the order of the network: CNID 4 | device 8 | inode 8 | type 4 |
// parent 4 | name, then a zero byte.
const recordSize = 28

// DBD reads the records in cnid2.db.
func DBD(file io.ReaderAt) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		order, size, err := readMeta(file)
		if err != nil {
			yield(Record{}, err)
			return
		}
		page := make([]byte, size)
		for off := int64(size); ; off += int64(size) { // the first page is the meta page
			switch n, err := file.ReadAt(page, off); {
			case n < size && err == io.EOF:
				return
			case n < size:
				yield(Record{}, err)
				return
			}
			for r := range leaf(page, order) {
				if !yield(r, nil) {
					return
				}
			}
		}
	}
}

// readMeta reads the first page.
func readMeta(file io.ReaderAt) (order binary.ByteOrder, pageSize int, err error) {
	b := make([]byte, metaSize)
	if _, err := file.ReadAt(b, 0); err != nil && err != io.EOF {
		return nil, 0, err
	}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		if order.Uint32(b[12:]) != btreeMagic {
			continue
		}
		size := int(order.Uint32(b[20:]))
		switch {
		case size < 512 || size > 64<<10 || size&(size-1) != 0:
			return nil, 0, fmt.Errorf("the Berkeley DB file has pages of %d bytes", size)
		case b[24] != 0 || b[26]&metaChecksum != 0:
			return nil, 0, errors.New("the Berkeley DB file is encrypted or has checksums, which netatalk's have not")
		}
		return order, size, nil
	}
	return nil, 0, errors.New("this is no B-tree of Berkeley DB")
}

// leaf returns the records on a page.
func leaf(page []byte, order binary.ByteOrder) iter.Seq[Record] {
	return func(yield func(Record) bool) {
		count := int(order.Uint16(page[20:]))
		if page[25] != leafPage || pageHead+2*count > len(page) {
			return
		}
		for i := 0; i+1 < count; i += 2 { // key, value
			key, value := item(page, order, i), item(page, order, i+1)
			if r, ok := record(key, value); ok && !yield(r) {
				return
			}
		}
	}
}

// item returns the bytes of the ith item, nil if it is deleted or no plain data.
func item(page []byte, order binary.ByteOrder, i int) []byte {
	at := int(order.Uint16(page[pageHead+2*i:]))
	if at < pageHead || at+3 > len(page) || page[at+2] != itemData {
		return nil
	}
	size := int(order.Uint16(page[at:]))
	if at+3+size > len(page) {
		return nil
	}
	return page[at+3 : at+3+size]
}

// record reads one; the one with the id 0 is about the database itself.
func record(key, value []byte) (r Record, ok bool) {
	if len(key) != 4 || len(value) <= recordSize || string(key) != string(value[:4]) {
		return r, false
	}
	r.ID = catalog.CNID(binary.BigEndian.Uint32(value))
	r.Dev = binary.BigEndian.Uint64(value[4:])
	r.Ino = binary.BigEndian.Uint64(value[12:])
	r.Folder = binary.BigEndian.Uint32(value[20:]) == 1
	r.Parent = catalog.CNID(binary.BigEndian.Uint32(value[24:]))
	r.Name, _, _ = strings.Cut(string(value[recordSize:]), "\x00")
	return r, r.ID != 0
}
