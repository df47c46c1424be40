package smb_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/smb"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
)

// changing are people who change while they are asked for.
type changing struct {
	people

	mu    sync.Mutex
	now   map[string]auth.Record // those who are not as people has them
	broke error                  // why nobody can be found
	asked func(name string)      // called after each look, before its answer
}

func (p *changing) Lookup(name string) (auth.Record, error) {
	p.mu.Lock()
	r, changed := p.now[name]
	broke, asked := p.broke, p.asked
	p.mu.Unlock()
	var err error
	switch {
	case broke != nil:
		err = broke
	case !changed:
		r, err = p.people.Lookup(name)
	case r.Name == "":
		err = auth.ErrUnknownUser
	}
	if asked != nil {
		asked(name)
	}
	return r, err
}

func (p *changing) set(name string, r auth.Record) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now[name] = r
}

func newChanging() (*changing, func(*smb.Config)) {
	p := &changing{people: people{"anna", "bert"}, now: map[string]auth.Record{}}
	return p, func(c *smb.Config) { c.Users = p }
}

func annaWith(password string, disabled bool) auth.Record {
	return auth.Record{Name: "anna", NTHash: auth.NTHash(password), Disabled: disabled}
}

// Whoever may log in no more is thrown out, and nobody else is.
func TestCheckUsers(t *testing.T) {
	for _, tt := range []struct {
		name string
		now  auth.Record // of anna
		fail error
		ends bool
	}{
		{"as before", annaWith("secret", false), nil, false},
		{"another password", annaWith("other", false), nil, false},
		{"disabled", annaWith("secret", true), nil, true},
		{"removed", auth.Record{}, nil, true},
		{"another who is found by the name", auth.Record{Name: "ann"}, nil, true},
		{"the list can't be read", auth.Record{}, errors.New("the disk is broken"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			people, with := newChanging()
			h := newHost(t, with)
			anna := h.use(t, smbclient.Options{})
			session, err := smbclient.Dial(t.Context(), h.addr, smbclient.Options{Login: smbclient.Login{User: "bert", Password: "secret"}})
			if err != nil {
				t.Fatal(err)
			}
			defer session.Conn().Close()
			bert, err := session.Tree(t.Context(), "test")
			if err != nil {
				t.Fatal(err)
			}
			file, err := anna.Create(t.Context(), smbclient.Making("file"))
			if err != nil {
				t.Fatal(err)
			}
			people.set("anna", tt.now)
			people.mu.Lock()
			people.broke = tt.fail
			people.mu.Unlock()

			ended := h.CheckUsers()
			if tt.ends != (len(ended) == 1 && ended[0].User == "anna" && ended[0].Opens == 1) || len(ended) > 1 {
				t.Errorf("ended %+v", ended)
			}
			var want error
			if tt.ends {
				want = smbwire.StatusUserSessionDeleted
			}
			if err := file.Close(t.Context()); !errors.Is(err, want) {
				t.Errorf("CLOSE of a file of anna: %v, want %v", err, want)
			}
			if _, err := bert.Create(t.Context(), smbclient.Making("other")); err != nil {
				t.Errorf("bert can't go on: %v", err)
			}
			if said := strings.Contains(h.log.String(), "closed because its user may log in no more"); said != tt.ends {
				t.Errorf("the log tells of it: %v", said)
			}
		})
	}
}

// A login that began before the user was disabled, and ends later, is refused.
func TestCheckUsersMeetsALogin(t *testing.T) {
	people, with := newChanging()
	h := newHost(t, with)
	people.asked = func(string) {
		people.mu.Lock()
		people.asked = nil
		people.mu.Unlock()
		people.set("anna", annaWith("secret", true))
		if ended := h.CheckUsers(); len(ended) != 0 {
			t.Errorf("ended %+v", ended)
		}
	}
	_, err := smbclient.Dial(t.Context(), h.addr, smbclient.Options{Login: smbclient.Login{User: "anna", Password: "secret"}})
	if !errors.Is(err, smbwire.StatusLogonFailure) {
		t.Errorf("the login of a user who was disabled meanwhile: %v", err)
	}
	if sessions, _ := h.Sessions(); len(sessions) != 0 {
		t.Errorf("there are sessions: %+v", sessions)
	}
}
