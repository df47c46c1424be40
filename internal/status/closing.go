package status

// Closed is what came of closing a session or an open, in words.
type Closed struct {
	Closed string `json:"closed,omitempty"` // what it was
	Error  string `json:"error,omitempty"`  // why nothing was closed
}
