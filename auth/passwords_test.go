package auth_test

import (
	"errors"
	"testing"

	"github.com/dozo-server/dozo/auth"
)

func TestPasswords(t *testing.T) {
	users := auth.Passwords{"Anna": "Secret77", "tv": ""}
	r, err := users.Lookup("ANNA")
	if err != nil || r.Name != "Anna" || r.NTHash != auth.NTHash("Secret77") {
		t.Errorf("Lookup = %+v, %v", r, err)
	}
	if id, err := users.Identity(r); err != nil || id.User != "Anna" || id.Guest {
		t.Errorf("Identity = %+v, %v", id, err)
	}
	if r, err := users.Lookup("tv"); err != nil || r.HasPassword() {
		t.Errorf("a user without a password has one: %+v, %v", r, err)
	}
	if _, err := users.Lookup("carl"); !errors.Is(err, auth.ErrUnknownUser) {
		t.Errorf("a stranger is found: %v", err)
	}
}
