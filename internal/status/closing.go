package status

// Closed is what came of closing a session or an open, in words.
type Closed struct {
	Closed string `json:"closed,omitempty"` // what it was
	Error  string `json:"error,omitempty"`  // why nothing was closed
}

// Users is what came of looking at the users again.
type Users struct {
	Closed []string `json:"closed"` // the sessions of those who may log in no more, in words
}
