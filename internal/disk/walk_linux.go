package disk

import "golang.org/x/sys/unix"

// walkFlags open a folder for its entries to be looked up.
const walkFlags = unix.O_PATH
