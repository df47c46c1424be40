package lock

// Oplock is the level of an opportunistic lock, in rising order ([MS-FSA]
// 2.1.5.17, [MS-SMB2] 2.2.13).
type Oplock uint8

// The levels.
const (
	None      Oplock = iota
	LevelII          // reads may be cached; several opens may hold one
	Exclusive        // reads, writes and byte ranges may be cached
	Batch            // and the open may be kept after the program closed it
)

var oplockNames = [...]string{None: "none", LevelII: "level II", Exclusive: "exclusive", Batch: "batch"}

func (o Oplock) String() string {
	if int(o) < len(oplockNames) {
		return oplockNames[o]
	}
	return "unknown"
}
