package smb

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
)

func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(10)
		if !b.try(20) {
			t.Fatal("one that is larger than the budget never fits")
		}
		if b.try(1) {
			t.Fatal("a spent budget has more")
		}
		var taken atomic.Int32
		for range 4 {
			go func() {
				b.take(4)
				taken.Add(1)
			}()
		}
		synctest.Wait()
		for i, want := range []int32{0, 2, 3, 4} {
			if got := taken.Load(); got != want {
				t.Fatalf("step %d: %d have taken, want %d", i, got, want)
			}
			if i == 0 {
				b.give(20)
			} else {
				b.give(4)
			}
			synctest.Wait()
		}
		go b.take(10)
		go b.take(10)
		b.end() // or the last of them would be stuck
	})
}

func TestBuffersGiveBackWhatTheyTook(t *testing.T) {
	b := newBudget(100)
	buf := newBuffer(10)
	for range 3 {
		b.take(20)
		buf.charged(b, 20)
	}
	buf.free()
	if b.spent != 0 {
		t.Errorf("%d are still spent", b.spent)
	}
	if again := newBuffer(10); again.budget != nil || again.charge != 0 {
		t.Errorf("a new buffer is charged %d", again.charge)
	}
}
