package disk

// Space is the room of a file system.
type Space struct {
	Block       int64 // unit of allocation, in bytes
	Total, Free int64 // in bytes
	Available   int64 // bytes that others than root may use
	Files       int64 // inodes; 0 when they are made as needed
	FilesFree   int64
	NameMax     int // longest name, in bytes
	ReadOnly    bool
}
