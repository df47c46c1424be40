package lock

import "testing"

func TestNotices(t *testing.T) {
	added := func(name string) Change { return Change{Action: Added, Name: name} }
	written := Change{Action: Modified, Name: "f"}
	for _, tt := range []struct {
		name    string
		changes []Change
		size    int // of the smallest room
		want    int // changes
	}{
		{"none", nil, 0, 0},
		{"one, not padded", []Change{added("a")}, 14, 1},
		{"two, the first padded", []Change{added("a"), added("bc")}, 16 + 16, 2},
		{"writes in a row", []Change{written, written, written}, 14, 1},
		{"writes with something between", []Change{written, added("f"), written}, 16 + 16 + 14, 3},
		{"characters of two, three and four bytes", []Change{added("äあ😀")}, 12 + 2 + 2 + 4, 1},
		{"half a surrogate", []Change{added("\xed\xa0\x80")}, 12 + 2, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var n Notices
			fill := func(room int) {
				n.Make(room)
				for _, c := range tt.changes {
					n.Add(c)
				}
			}
			fill(tt.size)
			if n.Size() != tt.size || n.Empty() != (tt.want == 0) {
				t.Errorf("size %d, want %d", n.Size(), tt.size)
			}
			if changes, missed := n.Take(tt.size); len(changes) != tt.want || missed {
				t.Errorf("took %v, missed %v", changes, missed)
			}
			if !n.Empty() || n.Size() != 0 {
				t.Error("something is left")
			}
			if tt.want == 0 {
				return
			}
			fill(tt.size)
			if changes, missed := n.Take(tt.size - 1); changes != nil || !missed {
				t.Errorf("took %v with too little room, missed %v", changes, missed)
			}
			fill(tt.size - 1)
			n.Add(added("x"))
			if changes, missed := n.Take(1000); changes != nil || !missed {
				t.Errorf("kept %v in too little room, missed %v", changes, missed)
			}
		})
	}
}
