package lock

// Mode says which uses of a file an open leaves to others ([MS-SMB2] 2.2.13,
// ShareAccess).
type Mode uint8

// The uses that can be shared.
const (
	ShareRead Mode = 1 << iota
	ShareWrite
	ShareDelete

	ShareAll = ShareRead | ShareWrite | ShareDelete
)
