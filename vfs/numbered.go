package vfs

import "context"

// Numbered is implemented by an FS that knows its nodes by numbers of 32 bits, too,
// as AFP does: its CNIDs. A node gets one when it is first asked for and keeps it
// for good, over renames and restarts; no other node ever gets it. None is below
// FirstNumber but RootNumber, the root's.
type Numbered interface {
	FS

	// Number returns the numbers of f and of the folder that it was found in.
	// Error: KindNoSpace when there are no numbers left.
	Number(ctx context.Context, c *Caller, f File) (Number, error)

	// NumberEntries fills numbers, which is as long as entries, with those of
	// entries of the folder dir that List or Lookup just gave. What went away
	// meanwhile has 0. To number many entries should cost little more than one.
	NumberEntries(ctx context.Context, c *Caller, dir File, entries []Entry, numbers []uint32) error

	// Find returns the path of the node that has a number, by one of its names.
	// Error: KindNotExist when there is none.
	Find(ctx context.Context, c *Caller, number uint32) (path string, err error)
}

// Number is by what numbers a node is known.
type Number struct {
	Node   uint32
	Parent uint32 // of the folder that it was found in; ParentOfRoot for the root
}

// The numbers that mean something.
const (
	ParentOfRoot uint32 = 1
	RootNumber   uint32 = 2
	FirstNumber  uint32 = 17
)
