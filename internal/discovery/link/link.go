// Package link has the words that the machines of discovery share: which link
// of the network a packet came from, what is to be sent, and how much
// strangers may ask for. A machine is a pure function of packets and the time;
// it opens no socket and reads no clock.
package link

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
	"time"
)

// ID is one family of addresses on one interface. IPv4 and IPv6 hosts on one
// wire don't hear each other, so they are two links.
type ID struct {
	Index int // the system's number of the interface
	V6    bool
}

// Sorted are the links of a map in an order that does not change.
func Sorted[V any](m map[ID]V) []ID {
	return slices.SortedFunc(maps.Keys(m), func(a, b ID) int {
		if a.Index == b.Index && a.V6 != b.V6 {
			if a.V6 {
				return 1
			}
			return -1
		}
		return cmp.Compare(a.Index, b.Index)
	})
}

// Packet is something to send.
type Packet struct {
	Link ID
	To   netip.AddrPort // the zero value is the protocol's group
	Data []byte
}

// MaxPacket is the size of the largest packet that is read, in bytes; RFC 6762
// section 17 allows no larger.
const MaxPacket = 9000

// Limit is a bucket of tokens: Rate of them come in each second, and at most
// Burst are kept. It starts full.
type Limit struct {
	Rate, Burst float64

	spent float64
	at    time.Time
}

// Allow takes a token, if there is one.
func (l *Limit) Allow(now time.Time) bool {
	if gone := now.Sub(l.at).Seconds(); gone > 0 {
		l.spent = max(0, l.spent-gone*l.Rate)
		l.at = now
	}
	if l.spent+1 > l.Burst {
		return false
	}
	l.spent++
	return true
}

// Earlier is the earlier of two times, where the zero time is none.
func Earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
