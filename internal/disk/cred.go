package disk

// Cred is an account to act as. A nil *Cred is the process itself.
type Cred struct {
	UID, GID uint32
	Groups   []uint32 // further groups
}
