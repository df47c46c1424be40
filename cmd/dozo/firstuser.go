package main

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/user"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/state"
)

// firstPasswordFile holds the password of the first user where no terminal
// could show it.
const firstPasswordFile = "first-password"

// firstUser makes a user if there is none yet and returns the name to log in
// with: that of the login, or the one asked for.
func firstUser(folder *state.Folder, asked string, out io.Writer, terminal bool) (string, error) {
	store := users(folder)
	list, err := store.List()
	if err != nil {
		return "", err
	}
	if len(list) > 0 {
		if asked == "" {
			return someUser(folder)
		}
		r, err := store.Lookup(asked)
		if err != nil {
			return "", fmt.Errorf("there is no user %s, and not none at all, so it is not made; add it with: dozo user add %s", asked, asked)
		}
		return r.Name, nil
	}

	name := asked
	if name == "" {
		if name, err = loginName(); err != nil {
			return "", err
		}
	}
	password, given := os.LookupEnv(passwordVariable)
	if !given {
		password = randomPassword()
	}
	r, err := auth.NewRecord(name, password)
	if err != nil {
		return "", err
	}
	// The password is where it can be found before the user is there.
	if !given && !terminal {
		if err := folder.Write(firstPasswordFile, []byte(password+"\n")); err != nil {
			return "", err
		}
	}
	if err := store.Add(r); err != nil {
		return "", err
	}
	switch {
	case given:
		fmt.Fprintf(out, "Made the user %s with the password in %s.\n", name, passwordVariable)
	case terminal:
		fmt.Fprintf(out, "Made the user %s. The password, shown this once:\n\n    %s\n\nChange it with: dozo user password %s\n", name, password, name)
	default:
		fmt.Fprintf(out, "Made the user %s. The password is in %s\n", name, folder.Path(firstPasswordFile))
	}
	return name, nil
}

// someUser is one who can log in, "" if nobody can.
func someUser(folder *state.Folder) (string, error) {
	list, err := users(folder).List()
	for i := range list {
		if r := &list[i]; r.HasPassword() && !r.Disabled {
			return r.Name, nil
		}
	}
	return "", err
}

// loginName is who sits at the machine: under sudo the one who called it.
func loginName() (string, error) {
	if name := os.Getenv("SUDO_USER"); name != "" && os.Geteuid() == 0 {
		return name, nil
	}
	u, err := user.Current()
	if err != nil {
		return "", fmt.Errorf("the name of this login is not known: %w; say whom to make with --user NAME", err)
	}
	return u.Username, nil
}

// Passwords are made of letters and digits that are not taken for each other:
// 12 of 56 are 69 bits.
const (
	passwordLetters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
	passwordLength  = 12
)

func randomPassword() string {
	password := make([]byte, 0, passwordLength)
	var b [1]byte
	for len(password) < passwordLength {
		rand.Read(b[:])
		// Only values that leave each letter the same chance.
		if n := int(b[0]); n < 256/len(passwordLetters)*len(passwordLetters) {
			password = append(password, passwordLetters[n%len(passwordLetters)])
		}
	}
	return string(password)
}
