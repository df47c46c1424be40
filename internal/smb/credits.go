package smb

import "sync"

// maxCredits bounds how many messages one client may have outstanding, as
// Windows and Samba do by default.
const maxCredits = 8192

// unauthenticatedCredits bounds them before a login.
const unauthenticatedCredits = 32

// window is the command sequence window of a connection ([MS-SMB2] 3.3.1.1):
// the message ids that the client may use, each once.
//
//	      low                    high
//	.......|u u . u . . . . . . .|........
//	 used    granted, some used    not yet
type window struct {
	mu   sync.Mutex
	low  uint64 // all ids below were used
	high uint64 // ids from here on were not granted
	used [maxCredits / 64]uint64
}

// newWindow returns the window of a new connection: id 0 may be used.
func newWindow() *window { return &window{high: 1} }

// take uses the ids of one message and reports whether the client had them.
func (w *window) take(id uint64, charge uint16) bool {
	n := uint64(max(charge, 1))
	w.mu.Lock()
	defer w.mu.Unlock()
	if id < w.low || id >= w.high || n > w.high-id {
		return false
	}
	for i := id; i < id+n; i++ {
		if w.bit(i) {
			return false
		}
	}
	for i := id; i < id+n; i++ {
		w.flip(i)
	}
	for w.low < w.high && w.bit(w.low) {
		w.flip(w.low)
		w.low++
	}
	return true
}

// grant widens the window by up to want ids, but never beyond limit
// outstanding ones, and returns by how many. A client without any credit left
// gets one, or it could never speak again.
func (w *window) grant(want, limit uint16) uint16 {
	w.mu.Lock()
	defer w.mu.Unlock()
	room := uint64(limit) - min(w.high-w.low, uint64(limit))
	n := min(uint64(max(want, 1)), room)
	w.high += n
	return uint16(n)
}

func (w *window) bit(id uint64) bool {
	return w.used[id/64%uint64(len(w.used))]>>(id%64)&1 != 0
}

func (w *window) flip(id uint64) {
	w.used[id/64%uint64(len(w.used))] ^= 1 << (id % 64)
}
