package smb

import (
	"math/rand"
	"testing"
)

func TestWindowTakesEachIDOnce(t *testing.T) {
	w := newWindow()
	if w.take(1, 1) {
		t.Error("an id that was not granted was taken")
	}
	if !w.take(0, 1) {
		t.Fatal("the first id was refused")
	}
	if w.take(0, 1) {
		t.Error("an id was taken twice")
	}
	if got := w.grant(10, 4); got != 4 {
		t.Errorf("grant(10, 4) = %d, want 4", got)
	}
	if w.take(3, 3) {
		t.Error("a message was charged for more than was granted")
	}
	if !w.take(3, 2) || !w.take(1, 0) || w.take(4, 1) {
		t.Error("ids 1, 3 and 4 do not behave")
	}
	if w.low != 2 || w.high != 5 {
		t.Errorf("window = [%d, %d), want [2, 5)", w.low, w.high)
	}
}

// TestWindowAgainstModel compares the ring of bits with a plain set, far
// enough for it to turn several times.
func TestWindowAgainstModel(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	w, used, high := newWindow(), map[uint64]bool{}, uint64(1)
	for range 200_000 {
		if r.Intn(3) == 0 {
			high += uint64(w.grant(uint16(r.Intn(64)), maxCredits))
		}
		if high-w.low > maxCredits {
			t.Fatalf("window [%d, %d) is wider than %d", w.low, high, maxCredits)
		}
		id, charge := w.low+uint64(r.Intn(80)), uint16(r.Intn(4))
		if r.Intn(2) == 0 {
			id = w.low
		}
		want := true
		for i := id; i < id+uint64(max(charge, 1)); i++ {
			want = want && i < high && !used[i]
		}
		if got := w.take(id, charge); got != want {
			t.Fatalf("take(%d, %d) = %v in [%d, %d)", id, charge, got, w.low, high)
		}
		if want {
			for i := id; i < id+uint64(max(charge, 1)); i++ {
				used[i] = true
			}
		}
	}
	if w.low < 3*maxCredits {
		t.Errorf("the window moved to %d only", w.low)
	}
}
