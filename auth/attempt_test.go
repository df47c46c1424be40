package auth_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"testing"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/srp"
)

// people are anna, who has all, bert, whose password came from another server,
// carl, who is disabled, and dora, who has no password.
func people(t *testing.T) *auth.Store {
	t.Helper()
	store := auth.NewStore(filepath.Join(t.TempDir(), "users.json"))
	anna, err := auth.NewRecord("Anna", "Secret77")
	if err != nil {
		t.Fatal(err)
	}
	carl, err := auth.NewRecord("carl", "Secret77")
	if err != nil {
		t.Fatal(err)
	}
	carl.Disabled = true
	for _, r := range []auth.Record{anna, {Name: "bert", NTHash: auth.NTHash("Secret77")}, carl, {Name: "dora"}} {
		if err := store.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	return store
}

var somewhere = netip.MustParseAddr("192.0.2.7")

func TestCheckPassword(t *testing.T) {
	store := people(t)
	for _, tt := range []struct {
		user, password string
		want           error
		found          string
	}{
		{"Anna", "Secret77", nil, "Anna"},
		{"ANNA@files", "Secret77", nil, "Anna"},
		{"Anna", "secret77", auth.ErrWrongPassword, "Anna"},
		{"Anna", "", auth.ErrWrongPassword, "Anna"},
		{"bert", "Secret77", nil, "bert"},
		{"carl", "Secret77", auth.ErrDisabled, "carl"},
		{"carl", "wrong", auth.ErrDisabled, "carl"},
		{"dora", "", auth.ErrNoPassword, "dora"},
		{"emil", "Secret77", auth.ErrUnknownUser, ""},
		{"", "", auth.ErrUnknownUser, ""},
	} {
		a := &auth.Attempt{Users: store, Guard: auth.NewGuard(nil), From: somewhere}
		err := a.CheckPassword(context.Background(), tt.user, tt.password)
		if !errors.Is(err, tt.want) || a.User().Name != tt.found {
			t.Errorf("%q with %q: %v as %q, want %v as %q", tt.user, tt.password, err, a.User().Name, tt.want, tt.found)
		}
	}
	nobody := &auth.Attempt{Guard: auth.NewGuard(nil)}
	if err := nobody.CheckPassword(context.Background(), "anna", ""); !errors.Is(err, auth.ErrUnknownUser) {
		t.Errorf("without users: %v", err)
	}
}

// What NT's hash takes for one character is not one password for all of it.
func TestPasswordThatIsNoText(t *testing.T) {
	store := people(t)
	if err := store.SetPassword("Anna", "Secret\ufffd"); err != nil {
		t.Fatal(err)
	}
	for password, want := range map[string]error{"Secret\ufffd": nil, "Secret\xff": auth.ErrWrongPassword} {
		a := &auth.Attempt{Users: store, Guard: auth.NewGuard(nil)}
		if err := a.CheckPassword(context.Background(), "anna", password); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", password, err, want)
		}
	}
}

// elsewhere are users whose passwords a directory server knows.
type elsewhere struct {
	*auth.Store
	asked *int
}

var errDown = errors.New("the directory server is down")

func (e elsewhere) CheckPassword(_ context.Context, r auth.Record, password string) error {
	*e.asked++
	switch password {
	case "of the directory":
		return nil
	case "anything":
		return errDown
	}
	return fmt.Errorf("%s: %w", r.Name, auth.ErrWrongPassword)
}

func TestPasswordCheckedElsewhere(t *testing.T) {
	asked := 0
	users := elsewhere{people(t), &asked}
	guard := auth.NewGuard(nil)
	for _, tt := range []struct {
		user, password string
		want           error
		asked          int
	}{
		{"dora", "of the directory", nil, 1},
		{"anna", "Secret77", auth.ErrWrongPassword, 1},
		{"anna", "anything", errDown, 1},
		{"carl", "of the directory", auth.ErrDisabled, 0},
		{"emil", "of the directory", auth.ErrUnknownUser, 0},
	} {
		asked = 0
		a := &auth.Attempt{Users: users, Guard: guard, From: somewhere}
		if err := a.CheckPassword(context.Background(), tt.user, tt.password); !errors.Is(err, tt.want) || asked != tt.asked {
			t.Errorf("%q with %q: %v, asked %d times; want %v, %d", tt.user, tt.password, err, asked, tt.want, tt.asked)
		}
	}
	for range 100 { // no guess, whatever it is
		a := &auth.Attempt{Users: users, Guard: guard, From: somewhere}
		if err := a.CheckPassword(context.Background(), "anna", "anything"); !errors.Is(err, errDown) {
			t.Fatal(err)
		}
	}
	a := &auth.Attempt{Users: users, Guard: guard}
	if _, err := a.NTHash("dora"); !errors.Is(err, auth.ErrNoPassword) {
		t.Errorf("a hash that is elsewhere: %v", err)
	}
}

// Guesses by one mechanism hold back all others.
func TestGuessesCountTogether(t *testing.T) {
	store := people(t)
	secret := []byte("secret")
	tries := map[string]func(a *auth.Attempt, right bool) error{
		"NTLM": func(a *auth.Attempt, right bool) error {
			if _, err := a.NTHash("anna"); err != nil {
				t.Fatal(err)
			}
			if right {
				return a.Settle(nil)
			}
			return a.Settle(auth.ErrWrongPassword)
		},
		"SRP": func(a *auth.Attempt, right bool) error {
			a.Verifier("Anna", secret)
			if right {
				return a.Settle(nil)
			}
			return a.Settle(auth.ErrWrongPassword)
		},
		"password": func(a *auth.Attempt, right bool) error {
			password := "Secret77"
			if !right {
				password = "guess"
			}
			return a.CheckPassword(context.Background(), "anna", password)
		},
	}
	for name, guess := range tries {
		for other, login := range tries {
			guard := auth.NewGuard(nil)
			attempt := func() *auth.Attempt { return &auth.Attempt{Users: store, Guard: guard, From: somewhere} }
			if err := login(attempt(), true); err != nil {
				t.Fatalf("%s: %v", other, err)
			}
			for range 11 {
				if err := guess(attempt(), false); !errors.Is(err, auth.ErrWrongPassword) {
					t.Fatalf("%s: %v", name, err)
				}
			}
			if _, held := errors.AsType[*auth.HeldError](login(attempt(), true)); !held {
				t.Errorf("after guesses by %s nobody is held back who comes by %s", name, other)
			}
		}
	}
}

// login runs SRP for what a client types.
func login(a *auth.Attempt, user, password string) error {
	salt, verifier := a.Verifier(user, []byte("secret"))
	server, err := srp.NewAcceptor(user, salt, verifier)
	if err != nil {
		return err
	}
	client := &srp.Initiator{User: user, Password: password}
	offer, err := server.Accept(client.Hello())
	if err != nil {
		return err
	}
	answer, err := client.Answer(offer)
	if err != nil {
		return err
	}
	_, err = server.Accept(answer)
	if errors.Is(err, srp.ErrProof) {
		err = auth.ErrWrongPassword
	}
	return a.Settle(err)
}

func TestVerifier(t *testing.T) {
	store := people(t)
	for _, tt := range []struct {
		user, password string
		want           error
	}{
		{"Anna", "Secret77", nil},
		{"Anna", "secret77", auth.ErrWrongPassword},
		{"anna", "Secret77", auth.ErrSpelling},
		{"Anna@files", "Secret77", auth.ErrSpelling},
		{"bert", "Secret77", auth.ErrNoVerifier},
		{"carl", "Secret77", auth.ErrDisabled},
		{"dora", "Secret77", auth.ErrNoVerifier},
		{"emil", "Secret77", auth.ErrUnknownUser},
	} {
		a := &auth.Attempt{Users: store, Guard: auth.NewGuard(nil), From: somewhere}
		if err := login(a, tt.user, tt.password); !errors.Is(err, tt.want) {
			t.Errorf("%q with %q: %v, want %v", tt.user, tt.password, err, tt.want)
		}
	}
	salt := func(user, secret string) string {
		a := &auth.Attempt{Users: store, Guard: auth.NewGuard(nil)}
		s, _ := a.Verifier(user, []byte(secret))
		return string(s)
	}
	for _, name := range []string{"anna", "bert", "emil"} { // whoever exists
		upper := string(bytes.ToUpper([]byte(name)))
		if s := salt(name, "x"); s != salt(upper, "x") || s != salt(name+"@files", "x") {
			t.Errorf("%s has several salts", name)
		}
	}
	if salt("emil", "x") == salt("emil", "y") || salt("emil", "x") == salt("fritz", "x") {
		t.Error("decoys do not depend on secret and name")
	}
}

// What one try has shown does not count in the next.
func TestAttemptBeginsAnew(t *testing.T) {
	a := &auth.Attempt{Users: people(t), Guard: auth.NewGuard(nil), From: somewhere}
	if err := a.CheckPassword(context.Background(), "emil", "Secret77"); !errors.Is(err, auth.ErrUnknownUser) {
		t.Fatal(err)
	}
	if err := a.CheckPassword(context.Background(), "anna", "Secret77"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.NTHash("bert"); err != nil {
		t.Fatal(err)
	}
	if err := a.ChangePassword("NewSecret88"); !errors.Is(err, auth.ErrWrongPassword) {
		t.Errorf("bert's password is changed, since anna's was right: %v", err)
	}
}

func TestChangePassword(t *testing.T) {
	store := people(t)
	attempt := func(user, password string) *auth.Attempt {
		a := &auth.Attempt{Users: store, Guard: auth.NewGuard(nil), From: somewhere}
		a.CheckPassword(context.Background(), user, password)
		return a
	}
	for _, tt := range []struct {
		name            string
		user, old, next string
		want            string
	}{
		{"wrong old one", "anna", "guess", "NewSecret88", "wrong password"},
		{"disabled", "carl", "Secret77", "NewSecret88", "wrong password"},
		{"unknown", "emil", "Secret77", "NewSecret88", "wrong password"},
		{"too short", "anna", "Secret77", "Secre78", "the new one has less than 8 characters"},
		{"no text", "anna", "Secret77", "Secret\x0078", "the password is not readable text"},
	} {
		if err := attempt(tt.user, tt.old).ChangePassword(tt.next); err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	if _, fit := errors.AsType[auth.PasswordError](attempt("anna", "Secret77").ChangePassword("short")); !fit {
		t.Error("a short password is no PasswordError")
	}

	two := attempt("anna", "Secret77")
	if err := attempt("bert", "Secret77").ChangePassword("NewSecret88"); err != nil {
		t.Fatal(err)
	}
	if err := login(&auth.Attempt{Users: store, Guard: auth.NewGuard(nil)}, "bert", "NewSecret88"); err != nil {
		t.Errorf("SRP with the new password: %v", err)
	}
	if err := attempt("anna", "Secret77").ChangePassword("NewSecret88"); err != nil {
		t.Fatal(err)
	}
	if err := two.ChangePassword("NewSecret99"); !errors.Is(err, auth.ErrChangedMeanwhile) {
		t.Errorf("a second change: %v", err)
	}

	fixed := &auth.Attempt{Users: auth.Passwords{"anna": "Secret77"}, Guard: auth.NewGuard(nil)}
	if err := fixed.CheckPassword(context.Background(), "anna", "Secret77"); err != nil {
		t.Fatal(err)
	}
	if err := fixed.ChangePassword("NewSecret88"); !errors.Is(err, auth.ErrFixed) {
		t.Errorf("a fixed list: %v", err)
	}
}

func TestAllHaveVerifiers(t *testing.T) {
	store := people(t)
	check := func(when string, users auth.Users, want bool) {
		t.Helper()
		if got, err := auth.AllHaveVerifiers(users); err != nil || got != want {
			t.Errorf("%s: %v, %v", when, got, err)
		}
	}
	check("with bert's hash", store, false)
	if err := store.SetPassword("bert", "Secret77"); err != nil {
		t.Fatal(err)
	}
	check("with bert's password", store, true)
	imported := auth.Record{Name: "fritz", NTHash: auth.NTHash("Secret77"), Disabled: true}
	if err := store.Add(imported); err != nil {
		t.Fatal(err)
	}
	check("with one who is disabled", store, true)
	check("kept elsewhere", elsewhere{store, new(int)}, false)
	check("in a map", auth.Passwords{"anna": "Secret77"}, false)
	check("without users", auth.NewStore(filepath.Join(t.TempDir(), "none")), true)
	check("nil", nil, false)
}
