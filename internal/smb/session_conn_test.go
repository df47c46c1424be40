package smb_test

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/ntlm"
	"github.com/dozo-server/dozo/internal/smb"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
	"github.com/dozo-server/dozo/internal/spnego"
)

func TestLogins(t *testing.T) {
	for _, tt := range []struct {
		name   string
		login  smbclient.Login
		guests bool
		want   smbwire.Status
		guest  bool
		log    string // what the administrator reads
	}{
		{name: "right", login: anna, log: "login"},
		{name: "another spelling", login: smbclient.Login{User: "ANNA", Password: "secret", Domain: "ANY"}, log: "login"},
		{name: "wrong password", login: smbclient.Login{User: "anna", Password: "Secret"}, want: smbwire.StatusLogonFailure, log: "wrong password"},
		{name: "no password", login: smbclient.Login{User: "anna"}, want: smbwire.StatusLogonFailure, log: "wrong password"},
		{name: "unknown", login: smbclient.Login{User: "carl", Password: "secret"}, want: smbwire.StatusLogonFailure, log: "unknown user"},
		{name: "disabled", login: smbclient.Login{User: "disabled", Password: "secret"}, want: smbwire.StatusLogonFailure, log: "disabled"},
		{name: "nobody in particular", guest: true, log: "login"}, // who gets no further, see below
		{name: "a guest", login: smbclient.Login{User: "carl", Password: "any"}, guests: true, guest: true, log: "login"},
		{name: "nobody where guests may", guests: true, guest: true, log: "login"},
		// A user who forgot his password must learn it, not be let in as a
		// guest who does not see his files.
		{name: "no guest by mistake", login: smbclient.Login{User: "anna", Password: "x"}, guests: true, want: smbwire.StatusLogonFailure, log: "wrong password"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHost(t, func(c *smb.Config) { c.Guest = tt.guests })
			c := h.connect(t, smbclient.Options{})
			s, err := c.Login(t.Context(), tt.login)
			if tt.want != smbwire.StatusOK {
				if !errors.Is(err, tt.want) {
					t.Errorf("Login = %v, want %v", err, tt.want)
				}
				// The connection is good for another try.
				wantAlive(t, h.loginOn(t, c))
			} else if err != nil {
				t.Fatal(err)
			} else if s.Guest() != tt.guest {
				t.Errorf("guest: %v, want %v", s.Guest(), tt.guest)
			}
			text := h.log.String()
			if !strings.Contains(text, tt.log) || !strings.Contains(text, "address=127.0.0.1") {
				t.Errorf("the log has no line about %q with an address:\n%s", tt.log, text)
			}
			if strings.Contains(strings.ToLower(text), "secret") {
				t.Errorf("the log shows a password:\n%s", text)
			}
		})
	}
}

// Anonymous logins succeed, as on Windows, but open nothing.
func TestAnonymousLoginsOpenNothing(t *testing.T) {
	h := newHost(t)
	s, err := h.connect(t, smbclient.Options{}).Login(t.Context(), smbclient.Login{})
	if err != nil {
		t.Fatal(err)
	}
	for _, share := range []string{"IPC$", "test"} {
		if _, err := s.Tree(t.Context(), share); !errors.Is(err, smbwire.StatusAccessDenied) {
			t.Errorf("%s: %v", share, err)
		}
	}
	if _, err := newHost(t, guests).connect(t, smbclient.Options{}).Login(t.Context(), smbclient.Login{}); err != nil {
		t.Errorf("where guests may: %v", err)
	}
}

func TestReauthentication(t *testing.T) {
	h := newHost(t, requireSigning)
	s := h.login(t, smbclient.Options{})
	ipc := tree(t, s, "IPC$")
	if err := s.Reauthenticate(t.Context(), anna); err != nil {
		t.Fatal(err)
	}
	// The keys are the old ones, and what was connected still is.
	wantAlive(t, s)
	if err := ipc.Disconnect(t.Context()); err != nil {
		t.Error(err)
	}
	// A login that fails ends the session ([MS-SMB2] 3.3.5.5.3).
	if err := s.Reauthenticate(t.Context(), smbclient.Login{User: "anna", Password: "wrong"}); !errors.Is(err, smbwire.StatusLogonFailure) {
		t.Errorf("wrong password: %v", err)
	}
	if err := s.Logoff(t.Context()); !errors.Is(err, smbwire.StatusUserSessionDeleted) {
		t.Errorf("LOGOFF after a failed login: %v", err)
	}
}

// Somebody on the way, who may have an account of his own, can't make another's
// session his by a login that is not signed.
func TestReauthenticationIsProtected(t *testing.T) {
	for name, change := range map[string]func(*smb.Config){"signed": requireSigning, "encrypted": encryptAll} {
		t.Run(name, func(t *testing.T) {
			s := newHost(t, change).login(t, smbclient.Options{})
			wantStatus(t, s.Conn(), &smbclient.Request{
				Command: smbwire.SessionSetup, Session: s, Plain: true,
				Body: &smbwire.SessionSetupRequest{SecurityBuffer: []byte("NTLMSSP\x00\x01\x00\x00\x00")},
			}, smbwire.StatusAccessDenied)
			wantAlive(t, s)
		})
	}
}

// A guest's session has no key, so no user can go on with it: nothing that he
// sends would be protected.
func TestGuestSessionsStayGuests(t *testing.T) {
	h := newHost(t, requireSigning, guests)
	for _, guest := range []smbclient.Login{{}, {User: "carl", Password: "any"}} {
		s, err := h.connect(t, smbclient.Options{}).Login(t.Context(), guest)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Reauthenticate(t.Context(), guest); err != nil {
			t.Errorf("%q again: %v", guest.User, err)
		}
		if err := s.Reauthenticate(t.Context(), anna); !errors.Is(err, smbwire.StatusAccessDenied) {
			t.Errorf("anna on the session of %q: %v", guest.User, err)
		}
	}
}

// Requests that name a session whose login is in progress are refused, whatever
// that login does at the same moment.
func TestRequestsDuringALogin(t *testing.T) {
	h := newHost(t)
	for range 20 {
		c := h.connect(t, smbclient.Options{Dialects: allDialects[:4]})
		mechanism := spnego.NewInitiator(&ntlm.Initiator{User: anna.User, Hash: ntlm.Hash(anna.Password)})
		step := func(id uint64, token []byte) (uint64, []byte) {
			token, _, err := mechanism.Step(token)
			if err != nil {
				t.Fatal(err)
			}
			calls, err := c.Start(t.Context(), &smbclient.Request{
				Command: smbwire.SessionSetup, Body: &smbwire.SessionSetupRequest{SecurityBuffer: token},
				Edit: func(h *smbwire.Header) { h.SessionID = id }})
			if err != nil {
				t.Fatal(err)
			}
			if id != 0 {
				return id, nil
			}
			r, err := calls[0].Wait(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer r.Free()
			var m smbwire.SessionSetupResponse
			if err := r.Decode(&m); err != nil {
				t.Fatal(err)
			}
			return r.Header.SessionID, bytes.Clone(m.SecurityBuffer)
		}
		id, challenge := step(0, nil)
		var calls []*smbclient.Call
		for i := range 24 {
			if i == 12 {
				step(id, challenge)
			}
			more, err := c.Start(t.Context(), &smbclient.Request{
				Command: smbwire.TreeConnect, Body: &smbwire.TreeConnectRequest{Path: `\\h\nothing`},
				Edit: func(h *smbwire.Header) { h.SessionID = id }})
			if err != nil {
				t.Fatal(err)
			}
			calls = append(calls, more...)
		}
		for i, call := range calls {
			select {
			case <-call.Done():
			case <-time.After(10 * time.Second):
				t.Fatalf("request %d has no answer", i)
			}
		}
	}
}

func TestLogoff(t *testing.T) {
	h := newHost(t)
	s := h.login(t, smbclient.Options{})
	ipc := tree(t, s, "IPC$")
	if err := s.Logoff(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := s.Conn()
	wantStatus(t, c, &smbclient.Request{Command: smbwire.Logoff, Session: s, Body: &smbwire.LogoffRequest{}}, smbwire.StatusUserSessionDeleted)
	wantStatus(t, c, &smbclient.Request{Command: smbwire.TreeDisconnect, Tree: ipc, Body: &smbwire.TreeDisconnectRequest{}}, smbwire.StatusUserSessionDeleted)
	wantAlive(t, h.loginOn(t, c))
}

func TestSessionsOfOneConnectionAreApart(t *testing.T) {
	h := newHost(t)
	one := h.login(t, smbclient.Options{})
	two := h.loginOn(t, one.Conn())
	if one.ID() == two.ID() {
		t.Fatal("two sessions have one id")
	}
	ipc := tree(t, one, "IPC$")
	wantStatus(t, one.Conn(), &smbclient.Request{
		Command: smbwire.TreeDisconnect, Tree: ipc, Body: &smbwire.TreeDisconnectRequest{},
		Edit: func(h *smbwire.Header) { h.SessionID = two.ID() },
	}, smbwire.StatusNetworkNameDeleted)
	if err := two.Logoff(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := ipc.Disconnect(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestSessionsOfOtherConnectionsAreOutOfReach(t *testing.T) {
	h := newHost(t)
	victim := h.login(t, smbclient.Options{})
	other := h.login(t, smbclient.Options{})
	for _, signed := range []bool{false, true} {
		wantStatus(t, other.Conn(), &smbclient.Request{
			Command: smbwire.Logoff, Body: &smbwire.LogoffRequest{}, Session: other, Sign: signed,
			Edit: func(h *smbwire.Header) { h.SessionID = victim.ID() },
		}, smbwire.StatusUserSessionDeleted)
	}
	wantAlive(t, victim)
}

func TestPreviousSession(t *testing.T) {
	h := newHost(t)
	for _, tt := range []struct {
		name string
		by   smbclient.Login
		ends bool
	}{
		{"of the same user", anna, true},
		{"of another", smbclient.Login{User: "bert", Password: "secret"}, false},
		{"of nobody who proved anything", smbclient.Login{User: "anna", Password: "wrong"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			old := h.login(t, smbclient.Options{})
			tt.by.Previous = old.ID()
			h.connect(t, smbclient.Options{}).Login(t.Context(), tt.by)
			want := smbwire.StatusOK
			if tt.ends {
				want = smbwire.StatusUserSessionDeleted
			}
			wantStatus(t, old.Conn(), &smbclient.Request{
				Command: smbwire.TreeConnect, Body: &smbwire.TreeConnectRequest{Path: `\\h\IPC$`}, Session: old, Plain: true,
			}, want)
		})
	}
}

// A client that tries to add its connection to a session gets a refusal, and
// the session's owner notices nothing (CVE-2026-31476 is about one who did).
func TestBindingIsRefused(t *testing.T) {
	h := newHost(t, requireSigning)
	victim := h.login(t, smbclient.Options{})
	for _, tt := range []struct {
		name string
		o    smbclient.Options
		id   uint64
		want smbwire.Status
	}{
		{"of a session", smbclient.Options{}, victim.ID(), smbwire.StatusRequestNotAccepted},
		{"of none", smbclient.Options{}, 12345, smbwire.StatusUserSessionDeleted},
		{"with 2.1", smbclient.Options{Dialects: allDialects[:2]}, victim.ID(), smbwire.StatusRequestNotAccepted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wantStatus(t, h.connect(t, tt.o), &smbclient.Request{
				Command: smbwire.SessionSetup,
				Body:    &smbwire.SessionSetupRequest{Flags: smbwire.SessionBinding, SecurityBuffer: []byte("any")},
				Edit:    func(h *smbwire.Header) { h.SessionID = tt.id; h.Flags |= smbwire.FlagSigned },
			}, tt.want)
			wantAlive(t, victim)
		})
	}
}

func TestLoginTokensThatAreNone(t *testing.T) {
	h := newHost(t)
	for name, token := range map[string][]byte{
		"empty": nil, "zeros": make([]byte, 100), "short NTLM": []byte("NTLMSSP\x00\x01"), "a tag alone": {0x60},
		"NTLM out of order": append([]byte("NTLMSSP\x00\x03\x00\x00\x00"), make([]byte, 80)...),
		"a length too far":  {0x60, 0x84, 0xff, 0xff, 0xff, 0xff}, "nothing but nests": []byte(strings.Repeat("\x60\x80", 2000)),
	} {
		t.Run(name, func(t *testing.T) {
			c := h.connect(t, smbclient.Options{})
			r, err := c.Do(t.Context(), &smbclient.Request{Command: smbwire.SessionSetup, Body: &smbwire.SessionSetupRequest{SecurityBuffer: token}})
			if err != nil {
				t.Fatal(err)
			}
			if s := r.Header.Status; s != smbwire.StatusInvalidParameter && s != smbwire.StatusLogonFailure {
				t.Errorf("status %v", s)
			}
			wantAlive(t, h.loginOn(t, c))
		})
	}
}

// Failed logins leave nothing behind: a connection has room for some sessions
// only, and would be full soon.
func TestFailedLoginsAreForgotten(t *testing.T) {
	h := newHost(t, patient)
	c := h.connect(t, smbclient.Options{})
	for range 300 {
		if _, err := c.Login(t.Context(), smbclient.Login{User: "anna", Password: "wrong"}); !errors.Is(err, smbwire.StatusLogonFailure) {
			t.Fatal(err)
		}
	}
	wantAlive(t, h.loginOn(t, c))
}

// A connection can't hold any number of sessions, begun or complete.
func TestSessionsAreBounded(t *testing.T) {
	h := newHost(t)
	c := h.connect(t, smbclient.Options{})
	begun := 0
	for ; begun < 1000; begun++ {
		r, err := c.Do(t.Context(), &smbclient.Request{Command: smbwire.SessionSetup, Body: &smbwire.SessionSetupRequest{
			SecurityBuffer: []byte("NTLMSSP\x00\x01\x00\x00\x00\x01\x02\x08\x60" + strings.Repeat("\x00", 24)),
		}})
		if err != nil {
			t.Fatal(err)
		}
		status := r.Header.Status
		r.Free()
		if status == smbwire.StatusMoreProcessingRequired {
			continue
		}
		if status != smbwire.StatusInsufficientResources {
			t.Fatalf("session %d: %v", begun, status)
		}
		break
	}
	if begun != 16 {
		t.Errorf("a stranger could begin %d sessions", begun)
	}
	known := h.login(t, smbclient.Options{}).Conn()
	sessions := 1
	for ; sessions < 1000; sessions++ {
		if _, err := known.Login(t.Context(), anna); err != nil {
			if !errors.Is(err, smbwire.StatusInsufficientResources) {
				t.Fatal(err)
			}
			break
		}
	}
	if sessions != 256 {
		t.Errorf("a user had %d sessions", sessions)
	}
	wantAlive(t, h.login(t, smbclient.Options{}))
}

// The id of a session that is being logged in on one connection means nothing
// on others, whatever they do at the same moment.
func TestRacingLogins(t *testing.T) {
	h := newHost(t)
	first := h.connect(t, smbclient.Options{})
	hello := []byte("NTLMSSP\x00\x01\x00\x00\x00\x01\x02\x08\x60" + strings.Repeat("\x00", 24))
	r, err := first.Do(t.Context(), &smbclient.Request{Command: smbwire.SessionSetup, Body: &smbwire.SessionSetupRequest{SecurityBuffer: hello}})
	if err != nil {
		t.Fatal(err)
	}
	id := r.Header.SessionID
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			c := h.connect(t, smbclient.Options{})
			for range 50 {
				r, err := c.Do(t.Context(), &smbclient.Request{
					Command: smbwire.SessionSetup, Body: &smbwire.SessionSetupRequest{SecurityBuffer: hello},
					Edit: func(h *smbwire.Header) { h.SessionID = id },
				})
				if err != nil {
					t.Error(err)
					return
				}
				if r.Header.Status != smbwire.StatusUserSessionDeleted {
					t.Errorf("status %v", r.Header.Status)
				}
				r.Free()
			}
		})
	}
	all.Wait()
}

// A client that opens thousands of connections in a row and loses them at all
// stages finds the server as it was.
func TestLostConnectionsAreForgotten(t *testing.T) {
	h := newHost(t)
	for i := range 600 {
		nc := h.socket(t)
		if i%3 > 0 {
			c, err := smbclient.NewConn(t.Context(), nc, smbclient.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if i%3 == 2 {
				h.loginOn(t, c)
			}
			c.Close()
		}
		nc.Close()
	}
	deadline := time.Now().Add(10 * time.Second)
	for {
		sessions, connections := h.Sessions()
		if len(sessions) == 0 && connections == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the server still knows %d sessions on %d connections", len(sessions), connections)
		}
		time.Sleep(10 * time.Millisecond)
	}
	wantAlive(t, h.login(t, smbclient.Options{}))
}

// A SESSION_SETUP must come alone in its frame: behind a request that waits it
// would run at the same time as the next one.
func TestLoginsAreNotCompounded(t *testing.T) {
	h := newHost(t)
	_, waiter, _ := contest(t, h, smbclient.Options{})
	s := waiter.Tree().Session()
	setup := &smbclient.Request{Command: smbwire.SessionSetup, Session: s,
		Body: &smbwire.SessionSetupRequest{SecurityBuffer: spnego.Hint()}}
	calls, err := s.Conn().Start(t.Context(),
		&smbclient.Request{Command: smbwire.Lock, Tree: waiter.Tree(), Body: waiter.LockRequest(firstByte)}, setup)
	if err != nil {
		t.Fatal(err)
	}
	<-calls[0].Interim()
	calls[0].Cancel()
	r, err := calls[1].Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Header.Status != smbwire.StatusInvalidParameter {
		t.Errorf("SESSION_SETUP behind a LOCK: %v", r.Header.Status)
	}
	wantAlive(t, s)
}
