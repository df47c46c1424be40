package disk

// Flags say how a node is opened.
type Flags uint32

// The flags. Without Read and Write the node is opened for reading, unless it
// is PathOnly.
const (
	Read       Flags = 1 << iota
	Write            // together with Read: both
	Create           // make a file if there is none
	Exclusive        // with Create: fail if something is there, a dangling link included
	Truncate         // make the file empty
	Directory        // fail unless it is a folder
	PathOnly         // a place: for attributes, not for data; needs no right to the file
	NoFollow         // a symbolic link at the end is not followed; with PathOnly it is opened itself
	NoSymlinks       // nor is one on the way
)

// Has reports whether f includes all of g.
func (f Flags) Has(g Flags) bool { return f&g == g }

// How says how Open opens.
type How struct {
	Flags Flags
	Mode  uint32 // permission bits of a file that is made
}
