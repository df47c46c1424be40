package uam_test

import (
	"errors"
	"testing"

	"github.com/dozo-server/dozo/internal/dhx2"
	"github.com/dozo-server/dozo/internal/srp"
	"github.com/dozo-server/dozo/internal/uam"
)

// server is the other side of a login, in two steps or less: it returns replies
// as long as there is more to come.
type server func(auth []byte) (reply []byte, more bool, err error)

// run logs in and returns what the client makes of it.
func run(t *testing.T, l uam.Login, s server) error {
	t.Helper()
	auth, err := l.Begin()
	if err != nil {
		return err
	}
	for {
		reply, more, err := s(auth)
		if err != nil {
			return err
		}
		if !more {
			return l.Finish(reply)
		}
		if auth, err = l.Answer(reply); err != nil {
			return err
		}
	}
}

func cleartextServer(password *string) server {
	return func(auth []byte) (_ []byte, _ bool, err error) {
		*password, err = uam.Cleartext(auth)
		return nil, false, err
	}
}

func dhx2Server(a *dhx2.Acceptor, password *string) server {
	begun := false
	return func(auth []byte) ([]byte, bool, error) {
		if !begun {
			begun = true
			return a.Offer(), true, nil
		}
		reply, err := a.Accept(a.ID(), auth)
		*password = a.Password() + a.NewPassword()
		return reply, reply != nil, err
	}
}

func srpServer(t *testing.T, user, password string) server {
	salt, verifier := srp.NewVerifier(user, password)
	a, err := srp.NewAcceptor(user, salt, verifier)
	if err != nil {
		t.Fatal(err)
	}
	steps := 0
	return func(auth []byte) ([]byte, bool, error) {
		steps++
		reply, err := a.Accept(auth)
		return reply, steps == 1, err
	}
}

func TestLogins(t *testing.T) {
	var got string
	for _, tt := range []struct {
		name     string
		login    uam.Login
		server   server
		password string // that the server sees
		err      error
	}{
		{"guest", uam.Guest(), func([]byte) ([]byte, bool, error) { return nil, false, nil }, "", nil},
		{"clear text", uam.WithCleartext("s3cret"), cleartextServer(&got), "s3cret", nil},
		{"clear text of eight letters", uam.WithCleartext("Secret77"), cleartextServer(&got), "Secret77", nil},
		{"clear text of nine letters", uam.WithCleartext("Secret777"), cleartextServer(&got), "", uam.ErrLong},
		{"DHX2", uam.WithDHX2("a long s3cret"), dhx2Server(dhx2.NewLogin(), &got), "a long s3cret", nil},
		{"change by DHX2", uam.ChangeByDHX2("old", "new"), dhx2Server(dhx2.NewChange(), &got), "oldnew", nil},
		{"SRP", uam.WithSRP("anna", "s3cret"), srpServer(t, "anna", "s3cret"), "", nil},
		{"SRP, wrong password", uam.WithSRP("anna", "guess"), srpServer(t, "anna", "s3cret"), "", srp.ErrProof},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got = ""
			if err := run(t, tt.login, tt.server); !errors.Is(err, tt.err) || got != tt.password {
				t.Errorf("error %v, password %q", err, got)
			}
		})
	}
}

// A server that lets everybody in at once, or never, is none to believe.
func TestServersThatSkipSteps(t *testing.T) {
	yes := func([]byte) ([]byte, bool, error) { return nil, false, nil }
	for _, l := range []uam.Login{uam.WithDHX2("s3cret"), uam.WithSRP("anna", "s3cret")} {
		if err := run(t, l, yes); err == nil {
			t.Errorf("%s: believes a server that asks nothing", l.Name())
		}
	}
	more := func([]byte) ([]byte, bool, error) { return nil, true, nil }
	for _, l := range []uam.Login{uam.Guest(), uam.WithCleartext("s3cret")} {
		if err := run(t, l, more); !errors.Is(err, uam.ErrSteps) {
			t.Errorf("%s: %v", l.Name(), err)
		}
	}
	l := uam.WithDHX2("s3cret")
	s := dhx2Server(dhx2.NewLogin(), new(string))
	if err := run(t, l, s); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Answer(nil); !errors.Is(err, uam.ErrSteps) {
		t.Errorf("a third message: %v", err)
	}
}

func TestCleartext(t *testing.T) {
	for _, tt := range []struct {
		auth, want string
		err        error
	}{
		{"secret\x00\x00", "secret", nil},
		{"Secret77", "Secret77", nil},
		{"Secret77 and what follows", "Secret77", nil},
		{"\x00ecret77", "", nil},
		{"Secret7", "", uam.ErrMalformed},
		{"", "", uam.ErrMalformed},
	} {
		if got, err := uam.Cleartext([]byte(tt.auth)); got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%q: %q, %v; want %q, %v", tt.auth, got, err, tt.want, tt.err)
		}
	}
}

func TestMethods(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range uam.Methods {
		if seen[m.Name] || seen[m.Word] || m.Name == "" || m.Word == "" {
			t.Errorf("%+v is there twice, or nameless", m)
		}
		seen[m.Name], seen[m.Word] = true, true
	}
	for _, l := range []uam.Login{uam.Guest(), uam.WithCleartext(""), uam.WithDHX2(""), uam.WithSRP("", "")} {
		if !seen[l.Name()] {
			t.Errorf("%s is no method", l.Name())
		}
	}
}
