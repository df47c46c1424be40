package smbclient

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestCreditsAskForWhatIsMissing(t *testing.T) {
	c := newCredits(10)
	// The connection begins with one credit, of message id 0.
	id, ask, err := c.take(t.Context(), 1)
	if id != 0 || ask != 10 || err != nil {
		t.Fatalf("first take = %d, %d, %v; want 0, 10", id, ask, err)
	}
	c.received(10, ask)
	// What is taken is asked for again, so that the client goes on holding 10.
	id, ask, _ = c.take(t.Context(), 4)
	if id != 1 || ask != 4 {
		t.Fatalf("second take = %d, %d; want 1, 4", id, ask)
	}
	id, ask, _ = c.take(t.Context(), 6)
	if id != 5 || ask != 6 {
		t.Fatalf("third take = %d, %d; want 5, 6", id, ask)
	}
	// A server that gives less is asked for the rest.
	c.received(2, 4)
	if _, ask, _ = c.take(t.Context(), 1); ask != 3 {
		t.Fatalf("after a poor grant asks for %d, want 3", ask)
	}
}

func TestCreditsAreServedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCredits(10)
		c.take(t.Context(), 1)
		var served atomic.Int32
		for _, n := range []int{3, 1} {
			go func() {
				c.take(t.Context(), n)
				served.Add(1)
			}()
			synctest.Wait()
		}
		for i, want := range []int32{0, 0, 1, 2} {
			c.received(1, 0) // with more to come
			synctest.Wait()
			if got := served.Load(); got != want {
				t.Fatalf("with %d credits %d of the requests for 3 and for 1 were served, want %d", i+1, got, want)
			}
		}
	})
}

func TestWaitingForCreditsEnds(t *testing.T) {
	c := newCredits(10)
	c.take(t.Context(), 1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, _, err := c.take(ctx, 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("take = %v", err)
	}
	cause := errors.New("gone")
	c.end(cause)
	if _, _, err := c.take(t.Context(), 1); !errors.Is(err, cause) {
		t.Errorf("take after the end = %v", err)
	}
	// The one who gave up took no message id.
	c = newCredits(10)
	c.take(t.Context(), 1)
	c.take(ctx, 1)
	c.received(1, 0)
	if id, _, err := c.take(t.Context(), 1); id != 1 || err != nil {
		t.Errorf("take = %d, %v; want 1", id, err)
	}
}

// A server that grants little is found out, not waited for.
func TestCreditsThatNeverComeAreNotWaitedFor(t *testing.T) {
	c := newCredits(10)
	_, ask, _ := c.take(t.Context(), 1)
	c.received(3, ask)
	if _, _, err := c.take(t.Context(), 4); err == nil {
		t.Error("4 credits were taken of 3")
	}
	if id, _, err := c.take(t.Context(), 3); id != 1 || err != nil {
		t.Errorf("take = %d, %v; want 1", id, err)
	}
}
