package auth

// Unwritable is the error of a store that could not be written for a reason.
func (s *Store) Unwritable(reason error) error { return s.unwritable(reason) }
