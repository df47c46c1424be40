package auth

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"
)

// Guard holds back those who guess passwords. It counts wrong ones in three
// ways, and each has a limit from which on the next try has to wait, longer
// after each further wrong one:
//
//   - of a user from one address: this grows quickly;
//   - of users from one address: how many names were tried from there in vain. It
//     holds back names that were not tried there before;
//   - of a user from all addresses: this begins late and grows to a minute.
//
// An address from which a user logged in rightly of late is known for this
// user, and there only the first counts. So nobody can lock a user out from
// where he comes from, but who comes from the same address; and who guesses from
// thousands of addresses still gets one try a minute.
//
// Who is held back is told so at once, whatever the password, which makes two
// things of it: nothing waits, and a guess that was right is not known to be.
//
// What is remembered is bounded, and gone when the program ends. The methods may
// be called by several goroutines at once.
type Guard struct {
	now func() time.Time

	mu        sync.Mutex
	tries     tallies[try]
	addresses tallies[netip.Prefix]
	users     tallies[string]         // those that exist
	known     map[string][]netip.Addr // where each user came from, the latest last
}

// try is a user at an address: a whole one if it is known for him, else its
// neighbourhood.
type try struct {
	user string
	from netip.Prefix
}

// The limits. Windows 11 by default allows as many wrong passwords, too: a client
// tries some by itself before it asks a person.
var (
	tryLimit     = limit{free: 10, most: 15 * time.Minute, forget: 24 * time.Hour}
	addressLimit = limit{free: 30, most: 15 * time.Minute, forget: 24 * time.Hour}
	userLimit    = limit{free: 100, most: time.Minute, forget: 24 * time.Hour}
)

const (
	// maxTallies bounds each of the three counts. Of those that nobody adds to
	// the oldest is forgotten first.
	maxTallies = 4096
	// maxKnown is how many addresses of one user are known.
	maxKnown = 16
)

// NewGuard returns a Guard with a clock, time.Now if that is nil.
func NewGuard(now func() time.Time) *Guard {
	if now == nil {
		now = time.Now
	}
	return &Guard{
		now:       now,
		tries:     tallies[try]{limit: tryLimit},
		addresses: tallies[netip.Prefix]{limit: addressLimit},
		users:     tallies[string]{limit: userLimit},
		known:     map[string][]netip.Addr{},
	}
}

// HeldError is the error of who tried too many wrong passwords.
type HeldError struct {
	Wait time.Duration // until the next try counts
	Told bool          // the same was said before, and nothing has changed
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("too many wrong passwords; the next try counts in %v", e.Wait.Round(time.Second))
}

// Settle has the last word about a login with a password that was looked at and
// found right or wrong. The error is a *HeldError if it must fail in any case;
// such a try is not counted. user is the name of a record where there is one
// (exists), else what the client sent. from is its address.
func (g *Guard) Settle(user string, exists bool, from netip.Addr, right bool) error {
	user = fold(strings.Clone(user[:min(len(user), maxName)])) // not to keep a stranger's long one
	from = from.Unmap().WithZone("")
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	at := slices.Index(g.known[user], from)
	t := try{user, neighbourhood(from)}
	if at >= 0 {
		t.from = netip.PrefixFrom(from, from.BitLen())
	}
	if held := g.held(t, exists, at >= 0, now); held != nil {
		return held
	}
	if right {
		if g.tries.remove(t) && at < 0 {
			g.addresses.lessen(t.from)
		}
		g.know(user, from, at)
		return nil
	}
	again := g.tries.add(t, now)
	if at >= 0 {
		return nil
	}
	if !again {
		g.addresses.add(t.from, now)
	}
	if exists {
		g.users.add(user, now)
	}
	return nil
}

// held returns the longest wait that there is for a try. g.mu is held.
func (g *Guard) held(t try, exists, known bool, now time.Time) error {
	longest, tried := g.tries.get(t, now)
	look := func(other *tally) {
		if other != nil && (longest == nil || other.until.After(longest.until)) {
			longest = other
		}
	}
	if !known && !tried {
		a, _ := g.addresses.get(t.from, now)
		look(a)
	}
	if !known && exists {
		u, _ := g.users.get(t.user, now)
		look(u)
	}
	if longest == nil || !now.Before(longest.until) {
		return nil
	}
	told := longest.told
	longest.told = true
	return &HeldError{longest.until.Sub(now), told}
}

// know remembers that a user came from an address, which is at a place among
// his, below 0 for none. g.mu is held.
func (g *Guard) know(user string, from netip.Addr, at int) {
	list := g.known[user]
	switch {
	case at >= 0:
		list = slices.Delete(list, at, at+1)
	case len(list) == maxKnown:
		list = slices.Delete(list, 0, 1)
	}
	g.known[user] = append(list, from)
}

// neighbourhood is what counts as one address: of IPv6 the half that a network
// has for itself. On the link itself the halves of all are one, so there each
// address counts.
func neighbourhood(from netip.Addr) netip.Prefix {
	bits := from.BitLen()
	if from.Is6() && !from.IsLinkLocalUnicast() {
		bits = 64
	}
	p, _ := from.Prefix(bits) // fails for no address, which is one, too
	return p
}
