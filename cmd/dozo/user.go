package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/state"
)

// usersFile is the name of the list of users in the state folder.
const usersFile = "users.json"

type userCmd struct {
	Add      userAddCmd      `cmd:"" help:"Add a user; the password is asked for, or read from standard input or DOZO_PASSWORD."`
	Password userPasswordCmd `cmd:"" help:"Give a user another password; sessions go on."`
	Remove   userRemoveCmd   `cmd:"" help:"Remove a user, and close the sessions."`
	Disable  userDisableCmd  `cmd:"" help:"Let a user log in no more, and close the sessions; the password is kept."`
	Enable   userEnableCmd   `cmd:"" help:"Let a user log in again."`
	List     userListCmd     `cmd:"" help:"List the users."`
	Import   userImportCmd   `cmd:"" help:"Take over the users of a Samba with their passwords, or those of this machine."`
}

type userAddCmd struct {
	stateFlag
	Name     string `arg:"" help:"Name to log in with."`
	UnixUser string `help:"Account of this machine that the user acts as (default: the one of the same name)." placeholder:"ACCOUNT"`
}

func (c *userAddCmd) Run(ctx context.Context) error {
	// All that can be wrong is found before anything is made.
	switch folder, _, err := c.find(c.Name); {
	case err == nil:
		return fmt.Errorf("there is a user %s already; change the password with: dozo user password %s", c.Name, c.Name)
	case !errors.Is(err, auth.ErrUnknownUser) && (folder != nil || !errors.Is(err, fs.ErrNotExist)):
		return err
	}
	password, err := readPassword(c.Name)
	if err != nil {
		return err
	}
	r, err := auth.NewRecord(c.Name, password)
	if err != nil {
		return err
	}
	r.UnixUser = c.UnixUser

	path, err := c.path()
	if err != nil {
		return err
	}
	folder, err := state.Create(path)
	if err != nil {
		return err
	}
	if err := users(folder).Add(r); err != nil {
		return err
	}
	return c.changed(ctx)
}

type userPasswordCmd struct {
	stateFlag
	Name string `arg:"" help:"Name of the user."`
}

func (c *userPasswordCmd) Run(ctx context.Context) error {
	folder, r, err := c.find(c.Name)
	if err != nil {
		return err
	}
	password, err := readPassword(r.Name)
	if err != nil {
		return err
	}
	if err := users(folder).SetPassword(r.Name, password); err != nil {
		return err
	}
	err = forgetFirstPassword(folder, r)
	return cmp.Or(c.changed(ctx), err)
}

type userRemoveCmd struct {
	stateFlag
	Name string `arg:"" help:"Name of the user."`
}

func (c *userRemoveCmd) Run(ctx context.Context) error {
	folder, r, err := c.find(c.Name)
	if err != nil {
		return err
	}
	if err := users(folder).Remove(r.Name); err != nil {
		return err
	}
	err = forgetFirstPassword(folder, r)
	return cmp.Or(c.changed(ctx), err)
}

type userListCmd struct {
	stateFlag
	JSON bool `help:"Print JSON."`
}

func (c *userListCmd) Run() error {
	folder, err := c.open()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// What is shown of a user, and nothing that is as good as the password.
	type shown struct {
		Name       string `json:"name"`
		UnixUser   string `json:"unix_user,omitempty"`
		Disabled   bool   `json:"disabled"`
		NoPassword bool   `json:"no_password,omitempty"`
	}
	list := []shown{}
	if folder != nil {
		records, err := users(folder).List()
		if err != nil {
			return err
		}
		for _, r := range records {
			list = append(list, shown{r.Name, r.UnixUser, r.Disabled, !r.HasPassword()})
		}
	}
	if c.JSON {
		return json.NewEncoder(os.Stdout).Encode(list)
	}
	if len(list) == 0 {
		return c.mentionServer()
	}
	for _, u := range list {
		line := u.Name
		if u.UnixUser != "" {
			line += "  acts as " + u.UnixUser
		}
		if u.Disabled {
			line += "  disabled"
		}
		if u.NoPassword {
			line += "  no password yet"
		}
		fmt.Println(line)
	}
	return nil
}

// find opens the state folder and the record of a user who must be there.
func (c *stateFlag) find(name string) (*state.Folder, auth.Record, error) {
	folder, err := c.open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, auth.Record{}, c.orElsewhere(err, "add the first user with: dozo user add "+shellQuote(name))
	}
	if err != nil {
		return nil, auth.Record{}, err
	}
	r, err := users(folder).Lookup(name)
	if errors.Is(err, auth.ErrUnknownUser) {
		err = c.orElsewhere(fmt.Errorf("%w %s", err, name), "see who there is with: dozo user list")
	}
	return folder, r, err
}

func users(folder *state.Folder) *auth.Store { return auth.NewStore(folder.Path(usersFile)) }

// served are the users of a running server, who change their own passwords: the
// file that told the first user's goes with it.
type served struct {
	*auth.Store
	folder *state.Folder
}

// Change is that of auth.Changer.
func (s served) Change(name string, change func(*auth.Record) error) error {
	before, err := s.Lookup(name)
	if err != nil {
		return err
	}
	if err := s.Store.Change(name, change); err != nil {
		return err
	}
	forgetFirstPassword(s.folder, before) // one that stays tells nothing that counts
	return nil
}

// forgetFirstPassword takes away the file with the first user's password, once
// that is no longer the password of r.
func forgetFirstPassword(folder *state.Folder, r auth.Record) error {
	path := folder.Path(firstPasswordFile)
	data, err := os.ReadFile(path)
	if err != nil || auth.NTHash(strings.TrimRight(string(data), "\n")) != r.NTHash {
		return nil // there is none, or it is another's
	}
	return os.Remove(path)
}
