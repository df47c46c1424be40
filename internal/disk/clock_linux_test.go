package disk

import (
	"fmt"
	"testing"
	"time"
)

// TestClockIsThatOfChanges makes changes after asking for the time.
func TestClockIsThatOfChanges(t *testing.T) {
	r, dir := openRoot(t)
	for i := range 2000 {
		now := Clock()
		if i%2 == 0 {
			n, err := r.Open(nil, fmt.Sprint(i), How{Flags: Create | Exclusive | Write, Mode: 0o600})
			if err != nil {
				t.Fatal(err)
			}
			n.Close()
		} else if err := r.Rename(nil, fmt.Sprint(i-1), r, fmt.Sprint(i), true); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{".", fmt.Sprint(i)} {
			n, err := r.Open(nil, name, How{Flags: PathOnly})
			if err != nil {
				t.Fatal(err)
			}
			changed, err := n.ChangeTime()
			n.Close()
			if err != nil || changed.Before(now) {
				t.Fatalf("%s/%s changed at %v, after %v (%v)", dir, name, changed, now, err)
			}
		}
	}
	if late := time.Since(Clock()); late < 0 || late > time.Minute {
		t.Errorf("the clock is %v late", late)
	}
}
