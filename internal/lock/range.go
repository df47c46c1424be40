// Package lock knows the rules by which opens of one file get in each other's
// way: byte ranges, share modes and oplocks. It does no I/O, reads no clock and
// takes no lock of its own: package share calls it under the lock of the row.
package lock

// Range is a byte range to be locked or unlocked ([MS-FSA] 2.1.5.8). Offset
// plus Length must not exceed 2^64.
type Range struct {
	Offset, Length uint64
	Exclusive      bool
}
