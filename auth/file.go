package auth

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/dozo-server/dozo/internal/private"
	"github.com/dozo-server/dozo/internal/srp"
)

// The file of users is JSON, mode 0600:
//
//	{
//	  "version": 1,
//	  "users": [
//	    {
//	      "name": "ann",
//	      "nt_hash": "32 hexadecimal digits, if there is a password",
//	      "srp_salt": "32 of them, if the password itself was there",
//	      "srp_verifier": "384 of them, likewise",
//	      "unix_user": "an account of the machine, where it is not ann",
//	      "disabled": true
//	    }
//	  ]
//	}
//
// It is replaced in one step, so whoever reads it sees all of a change or
// nothing. Writers take turns by a lock on a file beside it, which stays.
// A program refuses a file with a higher version and fields it does not know,
// lest it lose them.
const (
	fileVersion = 1
	lockSuffix  = ".lock"
	maxFile     = 64 << 20 // bytes; a record has about 600
)

type file struct {
	Version int        `json:"version"`
	Users   []fileUser `json:"users"`
}

type fileUser struct {
	Name        string `json:"name"`
	NTHash      string `json:"nt_hash,omitempty"`
	SRPSalt     string `json:"srp_salt,omitempty"`
	SRPVerifier string `json:"srp_verifier,omitempty"`
	UnixUser    string `json:"unix_user,omitempty"`
	Disabled    bool   `json:"disabled,omitempty"`
}

// load reads the file. There being none is no error: there are no users then.
func (s *Store) load() ([]Record, fs.FileInfo, error) {
	f, err := private.Open(s.path)
	if os.IsNotExist(err) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, s.unreadable(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, s.unreadable(err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, nil, fmt.Errorf("other users of this machine can get at the passwords in %s; close it with: chmod 600 %s", s.path, s.path)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, nil, s.unreadable(err)
	}
	users, err := parse(data)
	if errors.Is(err, errNewer) {
		return nil, nil, fmt.Errorf("the list of users %s was written by a newer dozo; start that one, or name another state folder with --state DIR", s.path)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("the list of users %s is damaged: %w; put it back from a backup, or move it away and add the users again with dozo user add", s.path, err)
	}
	return users, info, nil
}

func (s *Store) unreadable(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return fmt.Errorf("the list of users %s can't be read: %w; let this user in, or start as another", s.path, err)
}

var errNewer = errors.New("written by a newer program")

func parse(data []byte) ([]Record, error) {
	if len(data) > maxFile {
		return nil, errors.New("it is too large")
	}
	var f file
	if err := json.Unmarshal(data, &struct{ Version *int }{&f.Version}); err != nil {
		return nil, err
	}
	if f.Version > fileVersion {
		return nil, errNewer
	}
	if f.Version < 1 {
		return nil, errors.New("it has no version")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, err
	}
	users := make([]Record, len(f.Users))
	for i, u := range f.Users {
		var err error
		if users[i], err = u.record(); err != nil {
			return nil, fmt.Errorf("user %q: %w", u.Name, err)
		}
	}
	slices.SortFunc(users, func(a, b Record) int { return strings.Compare(fold(a.Name), fold(b.Name)) })
	for i := 1; i < len(users); i++ {
		if a, b := users[i-1].Name, users[i].Name; SameName(a, b) {
			return nil, fmt.Errorf("the users %q and %q are one", a, b)
		}
	}
	return users, nil
}

func (u *fileUser) record() (Record, error) {
	if err := checkName(u.Name); err != nil {
		return Record{}, err
	}
	r := Record{Name: u.Name, UnixUser: u.UnixUser, Disabled: u.Disabled}
	if u.NTHash != "" {
		hash, err := unhex("nt_hash", u.NTHash, len(r.NTHash))
		if err != nil {
			return Record{}, err
		}
		r.NTHash = [16]byte(hash)
	}
	if u.SRPSalt == "" && u.SRPVerifier == "" {
		return r, nil
	}
	var err error
	if r.SRPSalt, err = unhex("srp_salt", u.SRPSalt, srp.SaltSize); err != nil {
		return Record{}, err
	}
	r.SRPVerifier, err = unhex("srp_verifier", u.SRPVerifier, srp.VerifierSize)
	return r, err
}

// unhex does not quote what it can't read: it is a secret.
func unhex(field, digits string, size int) ([]byte, error) {
	b, err := hex.DecodeString(digits)
	if err != nil || len(b) != size {
		return nil, fmt.Errorf("%s is not %d hexadecimal digits", field, 2*size)
	}
	return b, nil
}

func format(users []Record) ([]byte, error) {
	f := file{Version: fileVersion, Users: make([]fileUser, len(users))}
	for i, r := range users {
		f.Users[i] = fileUser{
			Name:        r.Name,
			SRPSalt:     hex.EncodeToString(r.SRPSalt),
			SRPVerifier: hex.EncodeToString(r.SRPVerifier),
			UnixUser:    r.UnixUser,
			Disabled:    r.Disabled,
		}
		if r.HasPassword() {
			f.Users[i].NTHash = hex.EncodeToString(r.NTHash[:])
		}
	}
	data, err := json.MarshalIndent(f, "", "  ")
	return append(data, '\n'), err
}

// update replaces the users by what change makes of them. It returns when the
// new file is on the disk. change may work in place.
func (s *Store) update(change func([]Record) ([]Record, error)) error {
	lock, err := private.OpenLock(s.path + lockSuffix)
	if err != nil {
		return s.unwritable(err)
	}
	defer lock.Close() // gives the lock back
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return s.unwritable(err)
	}
	users, _, err := s.load()
	if err != nil {
		return err
	}
	if users, err = change(users); err != nil {
		return err
	}
	data, err := format(users)
	if err != nil {
		return err
	}
	if err := private.Replace(s.path, data); err != nil {
		return s.unwritable(err)
	}
	return nil
}

func (s *Store) unwritable(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return kindError{ErrNoSpace, fmt.Errorf("there is no room to change the list of users %s (%w), which is as it was; make room, and see how much there is with: df -h %s",
			s.path, err, filepath.Dir(s.path))}
	}
	sentence := fmt.Errorf("the list of users %s can't be changed: %w; let this user write there, or start as another", s.path, err)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return kindError{ErrReadOnly, sentence}
	}
	return sentence
}

// kindError is a sentence that is an error of a kind as well.
type kindError struct{ kind, sentence error }

func (e kindError) Error() string   { return e.sentence.Error() }
func (e kindError) Unwrap() []error { return []error{e.kind, e.sentence} }
