package auth

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// Store keeps users in a file. Several processes may use one file at once: a
// server sees a change at the next login. Its methods may be called by several
// goroutines at once.
type Store struct {
	path string

	mu     sync.Mutex
	seen   fs.FileInfo // of the file that users were read from, nil if none was there
	valid  bool        // users were read
	users  []Record    // ordered by folded name
	loaded time.Time   // when
}

// NewStore returns the store in the file at path. The file need not exist; the
// first Add makes it.
func NewStore(path string) *Store { return &Store{path: path} }

// Path returns where the file is.
func (s *Store) Path() string { return s.path }

// Lookup finds a user. A client may add "@" and a domain to the name, as
// Windows does when it is typed so.
func (s *Store) Lookup(name string) (Record, error) {
	users, err := s.read()
	if err != nil {
		return Record{}, err
	}
	if i, ok := find(users, name); ok {
		return users[i], nil
	}
	if before, _, ok := strings.Cut(name, "@"); ok {
		if i, ok := find(users, before); ok {
			return users[i], nil
		}
	}
	return Record{}, ErrUnknownUser
}

// Identity finds the account of this machine for a user.
func (s *Store) Identity(r Record) (*Identity, error) { return identify(r) }

// List returns all users, ordered by name.
func (s *Store) List() ([]Record, error) {
	users, err := s.read()
	return slices.Clone(users), err
}

// Add adds a user. The error is ErrExists, wrapped, if the name is taken.
func (s *Store) Add(r Record) error {
	if err := checkName(r.Name); err != nil {
		return err
	}
	return s.update(func(users []Record) ([]Record, error) {
		i, taken := find(users, r.Name)
		if taken {
			return nil, fmt.Errorf("user %s: %w", users[i].Name, ErrExists)
		}
		return slices.Insert(users, i, r), nil
	})
}

// Import adds users who come from elsewhere, all or none. Those whose names are
// taken are left alone; with replace they get the password and state that they
// come with, unless they come without a password. left are the names, as they
// are spelt here, of those who stay as they were.
func (s *Store) Import(users []Record, replace bool) (left []string, err error) {
	for i := range users {
		if err := checkName(users[i].Name); err != nil {
			return nil, err
		}
	}
	err = s.update(func(all []Record) ([]Record, error) {
		for _, r := range users {
			i, taken := find(all, r.Name)
			switch {
			case !taken:
				all = slices.Insert(all, i, r)
			case !replace || !r.HasPassword():
				left = append(left, all[i].Name)
			default:
				if all[i].NTHash != r.NTHash { // else SRP goes on
					all[i].NTHash, all[i].SRPSalt, all[i].SRPVerifier = r.NTHash, r.SRPSalt, r.SRPVerifier
				}
				all[i].Disabled = r.Disabled
			}
		}
		return all, nil
	})
	return left, err
}

// Change changes what is kept about a user, but not the name.
func (s *Store) Change(name string, change func(*Record) error) error {
	return s.update(func(users []Record) ([]Record, error) {
		i, ok := find(users, name)
		if !ok {
			return nil, fmt.Errorf("user %s: %w", name, ErrUnknownUser)
		}
		r := users[i]
		if err := change(&r); err != nil {
			return nil, err
		}
		r.Name = users[i].Name
		users[i] = r
		return users, nil
	})
}

// SetPassword gives a user another password.
func (s *Store) SetPassword(name, password string) error {
	return s.Change(name, func(r *Record) error { return r.SetPassword(password) })
}

// Remove takes a user out of the store.
func (s *Store) Remove(name string) error {
	return s.update(func(users []Record) ([]Record, error) {
		i, ok := find(users, name)
		if !ok {
			return nil, fmt.Errorf("user %s: %w", name, ErrUnknownUser)
		}
		return slices.Delete(users, i, i+1), nil
	})
}

// find returns where a name is among users, or where it would be.
func find(users []Record, name string) (int, bool) {
	return slices.BinarySearchFunc(users, fold(name), func(r Record, key string) int {
		return strings.Compare(fold(r.Name), key)
	})
}

// settled is how long ago a file must have changed for its time to prove that
// it has not changed since: file systems count time in ticks.
const settled = 2 * time.Second

// read returns the users as they are in the file now. Most often one stat
// tells that those in memory are still right. The slice must not be changed.
func (s *Store) read() ([]Record, error) {
	now := time.Now()
	info, err := os.Stat(s.path)
	if err != nil && !os.IsNotExist(err) {
		return nil, s.unreadable(err)
	}
	s.mu.Lock()
	users, fresh := s.users, s.valid && s.unchanged(info)
	s.mu.Unlock()
	if fresh {
		return users, nil
	}

	users, info, err = s.load()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users, s.seen, s.valid, s.loaded = users, info, true, now
	return users, nil
}

// unchanged reports whether info is that of the file in memory. s.mu is held.
func (s *Store) unchanged(info fs.FileInfo) bool {
	if info == nil || s.seen == nil {
		return info == nil && s.seen == nil
	}
	return os.SameFile(info, s.seen) && info.Size() == s.seen.Size() &&
		info.ModTime().Equal(s.seen.ModTime()) && s.loaded.Sub(info.ModTime()) > settled
}
