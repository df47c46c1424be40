package lock

// Mode says which uses of a file an open makes, or leaves to others
// ([MS-SMB2] 2.2.13, ShareAccess).
type Mode uint8

// The uses that can be shared.
const (
	ShareRead Mode = 1 << iota
	ShareWrite
	ShareDelete

	ShareAll = ShareRead | ShareWrite | ShareDelete
)

// Sharing counts the uses that the opens of one file make and deny, so that
// the check of [MS-FSA] 2.1.5.1.2.2 costs the same beside one open and beside
// thousands. The zero Sharing is that of a file nobody has open.
type Sharing struct {
	used   [3]int // opens that make the use
	denied [3]int // opens that do not leave it to others
}

// Allows reports whether an open may join that makes the given uses and leaves
// share to others. One that uses nothing, such as an open for attributes only,
// is in nobody's way.
func (s *Sharing) Allows(uses, share Mode) bool {
	if uses == 0 {
		return true
	}
	for i := range s.used {
		use := Mode(1) << i
		if uses&use != 0 && s.denied[i] > 0 || share&use == 0 && s.used[i] > 0 {
			return false
		}
	}
	return true
}

// Add counts an open in.
func (s *Sharing) Add(uses, share Mode) { s.count(uses, share, 1) }

// Remove counts an open out, with just what it was added with.
func (s *Sharing) Remove(uses, share Mode) { s.count(uses, share, -1) }

func (s *Sharing) count(uses, share Mode, n int) {
	if uses == 0 {
		return
	}
	for i := range s.used {
		use := Mode(1) << i
		if uses&use != 0 {
			s.used[i] += n
		}
		if share&use == 0 {
			s.denied[i] += n
		}
	}
}
