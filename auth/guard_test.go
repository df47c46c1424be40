package auth_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dozo-server/dozo/auth"
)

// gate is a Guard with a clock that stands still until it is moved.
type gate struct {
	*auth.Guard
	t   testing.TB
	now time.Time
}

func newGate(t testing.TB) *gate {
	g := &gate{t: t, now: time.Unix(1e9, 0)}
	g.Guard = auth.NewGuard(func() time.Time { return g.now })
	return g
}

// try settles a try of a user who exists and returns how long he has to wait, 0
// if it counted.
func (g *gate) try(user, from string, right bool) time.Duration {
	g.t.Helper()
	return g.settle(user, true, from, right)
}

func (g *gate) settle(user string, exists bool, from string, right bool) time.Duration {
	g.t.Helper()
	err := g.Settle(user, exists, netip.MustParseAddr(from), right)
	if err == nil {
		return 0
	}
	held, ok := errors.AsType[*auth.HeldError](err)
	if !ok || held.Wait <= 0 {
		g.t.Fatalf("Settle = %v", err)
	}
	return held.Wait
}

// guess tries wrong passwords as often as they count and returns how often.
func (g *gate) guess(user, from string) (n int) {
	for g.try(user, from, false) == 0 {
		n++
	}
	return n
}

func TestGuessesWaitLongerAndLonger(t *testing.T) {
	g := newGate(t)
	if n := g.guess("ann", "192.0.2.1"); n != 11 {
		t.Errorf("%d wrong passwords counted before a wait", n)
	}
	for _, want := range []time.Duration{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900} {
		want *= time.Second
		if wait := g.try("ann", "192.0.2.1", false); wait != want {
			t.Fatalf("wait %v, want %v", wait, want)
		}
		g.now = g.now.Add(want - 1)
		if wait := g.try("ANN", "192.0.2.1", true); wait != 1 {
			t.Fatalf("the right password just before the end of the wait: %v", wait)
		}
		g.now = g.now.Add(1)
		if wait := g.try("ann", "192.0.2.1", false); wait != 0 {
			t.Fatalf("a try after %v: wait %v", want, wait)
		}
	}
	g.now = g.now.Add(15 * time.Minute)
	if wait := g.try("ann", "192.0.2.1", true); wait != 0 {
		t.Fatalf("the right password after the wait: %v", wait)
	}
	if n := g.guess("ann", "192.0.2.1"); n != 11 {
		t.Errorf("after the right password %d wrong ones counted before a wait", n)
	}
	g.now = g.now.Add(25 * time.Hour)
	if n := g.guess("ann", "192.0.2.1"); n != 11 {
		t.Errorf("a day later %d wrong ones counted before a wait", n)
	}
}

// The wait is told once, then again after it has changed.
func TestWaitIsToldOnce(t *testing.T) {
	g := newGate(t)
	from := netip.MustParseAddr("192.0.2.1")
	told := func() bool {
		held, ok := errors.AsType[*auth.HeldError](g.Settle("ann", true, from, false))
		if !ok {
			t.Fatal("not held")
		}
		return held.Told
	}
	g.guess("ann", "192.0.2.1") // was told
	for range 2 {
		if !told() {
			t.Error("the same was told as new")
		}
	}
	g.now = g.now.Add(time.Second)
	g.Settle("ann", true, from, false)
	if told() || !told() {
		t.Error("a new wait was not told once")
	}
}

// Whoever guesses elsewhere, and from however many addresses, locks nobody out
// from where he comes from.
func TestNobodyIsLockedOutFromHisOwnAddress(t *testing.T) {
	g := newGate(t)
	if wait := g.try("ann", "192.0.2.1", true); wait != 0 {
		t.Fatal(wait)
	}
	for i := range 100_000 {
		g.try("ann", fmt.Sprintf("198.%d.%d.%d", i>>16, i>>8&255, i&255), false)
		g.now = g.now.Add(time.Second)
	}
	for range 100 {
		if wait := g.try("ann", "192.0.2.1", true); wait != 0 {
			t.Fatalf("ann waits %v", wait)
		}
	}
	if wait := g.try("ann", "192.0.2.2", true); wait > time.Minute {
		t.Errorf("at an address that she never came from ann waits %v", wait)
	}
	// A slip of her own costs nothing either.
	g.try("ann", "192.0.2.1", false)
	if wait := g.try("ann", "192.0.2.1", true); wait != 0 {
		t.Errorf("after a slip ann waits %v", wait)
	}
	// But her address is no way to guess.
	if n := g.guess("ann", "192.0.2.1"); n != 11 {
		t.Errorf("%d guesses count at her own address", n)
	}
}

// The sixteen addresses that a user came from last are known.
func TestKnownAddressesAreTheLast(t *testing.T) {
	g := newGate(t)
	for i := range 17 {
		g.try("ann", fmt.Sprintf("192.0.2.%d", i), true)
	}
	g.try("ann", "192.0.2.1", true) // is now the last
	g.try("ann", "192.0.2.100", true)
	for i := range 1000 {
		g.try("ann", fmt.Sprintf("198.51.%d.%d", i>>8, i&255), false)
	}
	for addr, known := range map[string]bool{"192.0.2.0": false, "192.0.2.2": false, "192.0.2.1": true, "192.0.2.3": true, "192.0.2.100": true} {
		if wait := g.try("ann", addr, true); (wait == 0) != known {
			t.Errorf("%s waits %v", addr, wait)
		}
	}
}

// Names that are tried from one address are bounded, whether or not they exist.
// Nobody who was there before is held back.
func TestNamesFromOneAddress(t *testing.T) {
	g := newGate(t)
	g.try("known", "192.0.2.1", true)
	names := 0
	for g.settle(fmt.Sprint("stranger", names), names%2 == 0, "192.0.2.1", false) == 0 {
		names++
	}
	if names != 31 {
		t.Errorf("%d names counted before a wait", names)
	}
	if wait := g.try("new", "192.0.2.1", true); wait != time.Second {
		t.Errorf("a new name waits %v", wait)
	}
	for _, user := range []string{"known", "stranger0"} {
		if wait := g.try(user, "192.0.2.1", false); wait != 0 {
			t.Errorf("%s waits %v", user, wait)
		}
	}
	if wait := g.try("new", "192.0.2.2", true); wait != 0 {
		t.Errorf("at another address a new name waits %v", wait)
	}
	// A client that tries one old password for ever counts once.
	for range 100 {
		g.now = g.now.Add(time.Hour)
		g.try("stale", "192.0.2.3", false)
	}
	if wait := g.try("new", "192.0.2.3", true); wait != 0 {
		t.Errorf("beside a stale client a new name waits %v", wait)
	}
	// As many who mistype and then get it right hold back nobody.
	for i := range 100 {
		g.try(fmt.Sprint("user", i), "192.0.2.4", false)
		if wait := g.try(fmt.Sprint("user", i), "192.0.2.4", true); wait != 0 {
			t.Fatalf("user %d waits %v", i, wait)
		}
	}
}

func TestWhatCountsAsOneAddress(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		one  bool
	}{
		{"192.0.2.1", "192.0.2.2", false},
		{"192.0.2.1", "::ffff:192.0.2.1", true},
		{"2001:db8::1", "2001:db8::2:3", true},
		{"2001:db8::1", "2001:db8:0:1::1", false},
		{"fe80::1%eth0", "fe80::1%eth1", true},
		{"fe80::1%eth0", "fe80::2%eth0", false},
	} {
		g := newGate(t)
		g.guess("ann", tt.a)
		if wait := g.try("ann", tt.b, false); (wait > 0) != tt.one {
			t.Errorf("%s waits %v because of %s", tt.b, wait, tt.a)
		}
	}
	// A known address is one by itself: a neighbour with an old password does
	// it no harm.
	g := newGate(t)
	g.try("ann", "2001:db8::1", true)
	g.guess("ann", "2001:db8::2")
	if wait := g.try("ann", "2001:db8::1", true); wait != 0 {
		t.Errorf("beside a neighbour who guesses ann waits %v", wait)
	}
	if err := newGate(t).Settle("ann", true, netip.Addr{}, false); err != nil {
		t.Errorf("no address: %v", err)
	}
}

// TestNoWayToGuessFaster lets an attacker with many addresses, who guesses in
// bursts, at the end of waits or at random, do his worst for a day.
func TestNoWayToGuessFaster(t *testing.T) {
	for seed := range uint64(5) {
		g, r := newGate(t), rand.New(rand.NewPCG(seed, 0))
		counted, perAddress, addresses := 0, map[string]int{}, 1<<r.IntN(16)
		for end := g.now.Add(24 * time.Hour); g.now.Before(end); {
			from := fmt.Sprintf("2001:db8:0:%x::1", r.IntN(addresses))
			wait := g.try("ann", from, false)
			if wait == 0 {
				counted++
				perAddress[from]++
				continue
			}
			g.now = g.now.Add([]time.Duration{wait, wait / 2, time.Second, time.Minute}[r.IntN(4)])
		}
		if limit := 100 + 7 + 24*60; counted > limit {
			t.Errorf("%d addresses: %d guesses in a day, more than %d", addresses, counted, limit)
		}
		for from, n := range perAddress {
			if limit := 10 + 10 + 24*4; n > limit {
				t.Errorf("%d of %d guesses from %s", n, counted, from)
			}
		}
	}
}

// Guesses that are under way at the same time are counted one by one.
func TestGuessesAtOnce(t *testing.T) {
	g := newGate(t)
	var wg sync.WaitGroup
	var counted atomic.Int32
	for range 200 {
		wg.Go(func() {
			if g.Settle("ann", true, netip.MustParseAddr("192.0.2.1"), false) == nil {
				counted.Add(1)
			}
		})
	}
	wg.Wait()
	if n := counted.Load(); n != 11 {
		t.Errorf("%d guesses counted", n)
	}
}

// Strangers can make the guard keep some megabytes and no more.
func TestStrangersTakeLittleMemory(t *testing.T) {
	g := newGate(t)
	long := strings.Repeat("N", 8<<10)
	live := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := live()
	for i := range 20_000 {
		from := netip.AddrFrom16([16]byte{0: 0x20, 6: byte(i >> 8), 7: byte(i)})
		g.Settle(fmt.Sprint(i)+long, i%2 == 0, from, false)
	}
	grown := int64(live()) - int64(before)
	if grown > 8<<20 {
		t.Errorf("20,000 strangers take %d bytes", grown)
	}
	runtime.KeepAlive(g)
}
