package auth

// Lister is what Users may be as well, if they can be listed.
type Lister interface {
	// List returns all users.
	List() ([]Record, error)
}

// AllHaveVerifiers reports whether SRP can let in everybody who may log in with a
// password. Where it can't, it should not be offered: a client chooses a mechanism
// before it asks for the name, and would be told that the password is wrong.
// Users that are no Lister, or whose passwords are kept elsewhere, have none as
// far as anybody knows.
func AllHaveVerifiers(users Users) (bool, error) {
	list, listed := users.(Lister)
	if _, elsewhere := users.(PasswordChecker); !listed || elsewhere {
		return false, nil
	}
	all, err := list.List()
	if err != nil {
		return false, err
	}
	for _, r := range all {
		if r.HasPassword() && !r.Disabled && len(r.SRPVerifier) == 0 {
			return false, nil
		}
	}
	return true, nil
}
