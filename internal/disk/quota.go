package disk

// Quota is how much of a file system an account may use, in bytes.
type Quota struct {
	Limit int64 // 0: there is none
	Used  int64
}
