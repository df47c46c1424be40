package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"slices"
	"strconv"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/state"
)

type userImportCmd struct {
	stateFlag
	File    string `arg:"" optional:"" help:"What pdbedit -Lw printed, and net getlocalsid; - is standard input."`
	System  bool   `help:"Take the people among the accounts of this machine, who then need passwords, instead of FILE."`
	SID     string `name:"sid" help:"SID of the machine that this server takes the place of: S-1-5-21 and three numbers." placeholder:"S-1-5-21-..."`
	Replace bool   `help:"Take the passwords from FILE for users who are here already."`
}

// Help is what the help of the command ends with.
func (*userImportCmd) Help() string {
	return "On the machine with Samba, as root: (net getlocalsid; pdbedit -Lw) | dozo user import -"
}

func (c *userImportCmd) Run(ctx context.Context) error {
	switch {
	case c.System && c.File != "":
		return usagef("a file and --system are two lists; name one of them")
	case !c.System && c.File == "" && c.SID == "":
		return usagef("there is nothing to import; name what pdbedit -Lw printed, or - for standard input, or --system")
	case c.Replace && c.File == "":
		return usagef("--replace takes passwords from a file; name one")
	}
	// All that can be wrong is found before anything is made.
	in, err := c.read()
	if err != nil {
		return err
	}
	path, err := c.path()
	if err != nil {
		return err
	}
	folder, err := state.Create(path)
	if err != nil {
		return err
	}
	if err := in.store(folder, c.Replace); err != nil {
		return err
	}
	return c.changed(ctx)
}

// incoming is what is to be imported.
type incoming struct {
	users []auth.Record
	notes []note // for who imports them
	out   int    // accounts that were left out
	sid   state.SID
}

// note is a sentence about a user.
type note struct{ user, words string }

func (c *userImportCmd) read() (in *incoming, err error) {
	in = &incoming{}
	sid := c.SID
	switch {
	case c.System:
		err = in.readSystem()
	case c.File != "":
		var list *auth.SambaList
		if list, err = readSamba(c.File); err == nil {
			in.take(list)
			if sid == "" {
				sid = list.SID
			}
		}
	}
	if err == nil && sid != "" {
		in.sid, err = state.ParseSID(sid)
	}
	return in, err
}

// readSamba reads the list in a file, - for standard input.
func readSamba(name string) (*auth.SambaList, error) {
	f, from := os.Stdin, "standard input"
	if name != "-" {
		var err error
		if f, err = os.Open(name); err != nil {
			return nil, err
		}
		defer f.Close()
		from = name
	}
	list, err := auth.ReadSambaList(f)
	switch {
	case err != nil:
		return nil, fmt.Errorf("nothing was imported from %s: %w; mend that and import again", from, err)
	case len(list.Users) == 0 && list.SID == "":
		return nil, fmt.Errorf("%s holds no users; it should be what pdbedit -Lw printed as root", from)
	}
	return list, nil
}

// take takes the people of a list.
func (in *incoming) take(list *auth.SambaList) {
	for _, u := range list.Users {
		if u.Machine {
			in.out++
			in.note(u.Name, "%s is the account of a computer, and was left out", u.Name)
			continue
		}
		in.users = append(in.users, u.Record)
		switch {
		case u.WasEmpty:
			in.note(u.Name, "%s had an empty password, which is none here; give one with: dozo user password %s", u.Name, u.Name)
		case !u.HasPassword():
			in.note(u.Name, "%s had no password; give one with: dozo user password %s", u.Name, u.Name)
		}
		if u.Disabled {
			in.note(u.Name, "%s is disabled, as there; allow logins with: dozo user enable %s", u.Name, u.Name)
		}
		in.noteAccount(&u)
	}
}

// noteAccount tells when a user will not be at home in the files that came over.
func (in *incoming) noteAccount(u *auth.SambaUser) {
	account, err := user.Lookup(u.Name)
	switch _, unknown := errors.AsType[user.UnknownUserError](err); {
	case unknown:
		in.note(u.Name, "%s is no account of this machine, and so acts as the owner of each share; make one of that name", u.Name)
	case err == nil && u.UID >= 0 && account.Uid != strconv.FormatInt(u.UID, 10):
		in.note(u.Name, "%s had the number %d there and has %s here; files that came over with their numbers may be another's",
			u.Name, u.UID, account.Uid)
	}
}

// readSystem takes the people of this machine.
func (in *incoming) readSystem() error {
	passwd, err := os.Open("/etc/passwd")
	if err != nil {
		return err
	}
	defer passwd.Close()
	var ranges io.Reader // none, unless the machine has some
	if f, err := os.Open("/etc/login.defs"); err == nil {
		defer f.Close()
		ranges = f
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	names, err := auth.People(passwd, ranges)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return errors.New("no account in /etc/passwd is of a person, by its number; add users with: dozo user add NAME")
	}
	for _, name := range names {
		in.users = append(in.users, auth.Record{Name: name})
		in.note(name, "%s needs a password, which can't be taken from the machine; give one with: dozo user password %s", name, name)
	}
	return nil
}

func (in *incoming) note(user, format string, args ...any) {
	in.notes = append(in.notes, note{user, fmt.Sprintf(format, args...)})
}

// store puts all into a state folder and tells what came of it.
func (in *incoming) store(folder *state.Folder, replace bool) error {
	store := users(folder)
	before, err := store.List()
	if err != nil {
		return err
	}
	left, err := store.Import(in.users, replace)
	if err != nil {
		return err
	}
	for _, r := range before {
		if now, err := store.Lookup(r.Name); err == nil && now.NTHash != r.NTHash {
			if err := forgetFirstPassword(folder, r); err != nil {
				return err
			}
		}
	}
	if in.sid != (state.SID{}) {
		if err := folder.SetSID(in.sid); err != nil {
			return err
		}
	}
	in.tell(left, replace)
	return nil
}

// tell prints what came of an import that left some as they were.
func (in *incoming) tell(left []string, replace bool) {
	for _, n := range in.notes {
		if !slices.ContainsFunc(left, func(name string) bool { return auth.SameName(name, n.user) }) {
			fmt.Println(n.words + ".")
		}
	}
	for _, name := range left {
		better := ""
		i := slices.IndexFunc(in.users, func(r auth.Record) bool { return auth.SameName(name, r.Name) })
		if !replace && in.users[i].HasPassword() {
			better = "; --replace takes the password of the file"
		}
		fmt.Printf("%s is here already, and was left alone%s.\n", name, better)
	}
	if len(in.users) > 0 || in.out > 0 {
		fmt.Printf("Users imported: %d. Left alone: %d. Left out: %d.\n", len(in.users)-len(left), len(left), in.out)
	}
	if in.sid != (state.SID{}) {
		fmt.Printf("From the next start of the server on the SIDs of users and groups begin with %s.\n", in.sid)
	}
}
