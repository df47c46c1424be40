package main

import (
	"cmp"
	"fmt"
	"io"
	"net"
	"os"
	"slices"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/config"
	"github.com/dozo-server/dozo/internal/firewall"
	"github.com/dozo-server/dozo/internal/state"
)

// hint tells what may still keep people from the shares, a sentence each. user is
// who the greeting says to connect as, "" for nobody.
func (p *plan) hint(w io.Writer, home *state.Folder, user string, listeners []net.Listener) {
	list := users(home)
	hints := []string{nobodyHint(home, user)}
	for i, f := range p.folders {
		if h := &p.config.Shares[i]; mayChange(h, user) {
			hints = append(hints, unwritableBy(list, h, user, f.path))
		}
	}
	if _, port := reachable(listeners); port != 0 {
		hints = append(hints, firewall.Hint(os.DirFS("/"), int(port)))
	}
	hints = append(hints, guestHint(p.config.Shares, user))
	told := false
	for _, h := range hints {
		if h != "" {
			fmt.Fprintf(w, "Note: %s\n", h)
			told = true
		}
	}
	if told {
		fmt.Fprintln(w)
	}
}

// nobodyHint says that there is no user to log in as, if there is none.
func nobodyHint(home *state.Folder, user string) string {
	if user != "" {
		return ""
	}
	return "nobody can log in yet; add a user with: dozo user add NAME --state " + shellQuote(home.Path(""))
}

// mayChange reports whether a share is for a user to write in, as far as its own
// rules name them.
func mayChange(h *config.Share, user string) bool {
	named := func(names []string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return auth.SameName(name, user) })
	}
	return !h.ReadOnly && !named(h.ReadOnlyUsers) && (len(h.Users)+len(h.Groups) == 0 || named(h.Users))
}

// unwritableBy is unwritable for a user of a list, or for the account that a share
// has all users act as.
func unwritableBy(list *auth.Store, h *config.Share, user, path string) string {
	if h.ForceUser != "" {
		id, err := auth.Account(h.ForceUser)
		if err != nil {
			return "" // that was told
		}
		return unwritable(path, id)
	}
	r, err := list.Lookup(user)
	if err != nil {
		return ""
	}
	id, err := list.Identity(r)
	if err != nil {
		return err.Error() + "; make that account, or remove the user and add it again without --unix-user"
	}
	return unwritable(path, id)
}

// guestHint says which clients will not be guests of shares, though they may.
func guestHint(shares []config.Share, user string) string {
	for i := range shares {
		if h := &shares[i]; h.Guest != config.GuestNone {
			return fmt.Sprintf("Windows 11 refuses to be a guest of the share %s; log in there as %s, or allow it in a PowerShell of its administrator with: "+
				"Set-SmbClientConfiguration -EnableInsecureGuestLogons $true -RequireSecuritySignature $false", h.Name, cmp.Or(user, "a user"))
		}
	}
	return ""
}
