//go:build !linux

package disk

// CanAct reports whether calls can be made with the ids of other accounts.
// Here ids belong to the process: see guards for what a root process does.
func CanAct() bool { return false }

func (c *Cred) act(call func() error) error { return call() }

func (c *Cred) actAsUser(call func() error) error { return call() }
