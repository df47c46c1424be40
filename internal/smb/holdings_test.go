package smb

import "testing"

func TestHoldingsLeaveSomethingForOthers(t *testing.T) {
	h := holdings{limit: 100}
	got := func(user string) (n int) {
		for h.take(user) {
			n++
		}
		return n
	}
	for _, want := range []struct {
		user string
		n    int
	}{{"anna", 50}, {"bert", 25}, {"carl", 13}, {"anna", 0}, {"dora", 6}} {
		if n := got(want.user); n != want.n {
			t.Errorf("%s got %d, not %d", want.user, n, want.n)
		}
	}
	for range 50 {
		h.give("anna")
	}
	if n := got("bert"); n != 16 {
		t.Errorf("bert got %d more, not 16", n)
	}
}

func TestHoldingsWithoutBound(t *testing.T) {
	var h holdings
	for range 1000 {
		if !h.take("anna") {
			t.Fatal("refused")
		}
	}
}
