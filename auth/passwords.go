package auth

// Passwords are the users of a program that knows them by itself: the password
// of each name. They act as the accounts of this machine with these names, if
// there are such. Nobody may change the map while a server uses it.
type Passwords map[string]string

// Lookup finds a user. One with an empty password can't log in.
func (p Passwords) Lookup(name string) (Record, error) {
	for user, password := range p {
		if !SameName(user, name) {
			continue
		}
		r := Record{Name: user}
		if password != "" {
			r.NTHash = NTHash(password)
		}
		return r, nil
	}
	return Record{}, ErrUnknownUser
}

// Identity finds the account of this machine for a user.
func (p Passwords) Identity(r Record) (*Identity, error) { return identify(r) }
