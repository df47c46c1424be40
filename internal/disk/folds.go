package disk

// Folding says whether the entries of a folder are found by other spellings
// than those that are stored.
type Folding uint8

// The answers.
const (
	FoldsUntold Folding = iota // the system does not tell
	FoldsNot                   // one sequence of bytes, one name
	FoldsSome                  // in another case, composition or width, perhaps
)

// Folds tells whether the file system folds names in the folder n, which was
// opened for reading. What it says of an empty folder may be changed: ext4 and
// f2fs fold in those folders that were told to while they were empty.
func (n *Node) Folds() Folding {
	if n.begin(OpSpace, "") != nil {
		return FoldsUntold
	}
	defer n.end()
	return folds(n.fd)
}
