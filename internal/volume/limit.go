package volume

import "github.com/dozo-server/dozo/internal/disk"

// OpenLimit returns how many descriptors the process may have open. Each open
// file takes one, and names take up to a quarter for folders.
func OpenLimit() int { return disk.OpenLimit() }
