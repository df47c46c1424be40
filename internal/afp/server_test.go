package afp_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/afp"
	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/afpclient"
	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/uam"
	"github.com/dozo-server/dozo/vfs/memfs"
)

// shares serves the same to everybody.
type shares []*share.Share

func (s shares) All(*auth.Identity) []*share.Share { return s }

func (s shares) Named(name string, _ *auth.Identity) *share.Share {
	for _, sh := range s {
		if strings.EqualFold(sh.Name(), name) {
			return sh
		}
	}
	return nil
}

// users are a list that can be changed, in memory.
type users struct{ all map[string]auth.Record }

func newUsers(t *testing.T, passwords map[string]string) *users {
	u := &users{map[string]auth.Record{}}
	for name, password := range passwords {
		r, err := auth.NewRecord(name, password)
		if err != nil {
			t.Fatal(err)
		}
		u.all[name] = r
	}
	return u
}

func (u *users) Lookup(name string) (auth.Record, error) {
	for _, r := range u.all {
		if auth.SameName(r.Name, name) {
			return r, nil
		}
	}
	return auth.Record{}, auth.ErrUnknownUser
}

func (u *users) List() (all []auth.Record, err error) {
	for _, r := range u.all {
		all = append(all, r)
	}
	return all, nil
}

func (u *users) Change(name string, change func(*auth.Record) error) error {
	r := u.all[name]
	if err := change(&r); err != nil {
		return err
	}
	u.all[name] = r
	return nil
}

func (u *users) Identity(r auth.Record) (*auth.Identity, error) {
	return &auth.Identity{User: r.Name, HasID: true, UID: 1000, GID: 1000}, nil
}

type accounts struct{}

func (accounts) UserName(uid uint32) (string, bool)  { return "änne", uid == 1000 }
func (accounts) GroupName(gid uint32) (string, bool) { return "staff", gid == 1000 }
func (accounts) UserID(name string) (uint32, bool)   { return 1000, name == "änne" }
func (accounts) GroupID(name string) (uint32, bool)  { return 1000, name == "staff" }

// server is one under test, on a port of loopback.
type server struct {
	*afp.Server
	t    *testing.T
	addr string
}

var all = []string{afpwire.UAMSRP, afpwire.UAMDHX2, afpwire.UAMGuest, afpwire.UAMCleartext}

// serve starts a server with the user änne and the volumes "Bücher" and "locked".
func serve(t *testing.T, change func(*afp.Config)) *server {
	t.Helper()
	owner := memfs.Owner(1000, 1000)
	config := afp.Config{
		Name:      "dozo",
		Signature: [16]byte{1, 2, 3},
		Users:     newUsers(t, map[string]string{"änne": "geheim88"}),
		Methods:   all,
		Shares: shares{
			share.New(memfs.New(owner), share.Options{Name: "Bücher", Guest: share.GuestRead}),
			share.New(memfs.New(owner), share.Options{Name: "locked", ReadOnly: true}),
			share.New(memfs.New(owner), share.Options{Name: "private", Users: []string{"bert"}}),
		},
		Accounts: accounts{},
	}
	if change != nil {
		change(&config)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{afp.NewServer(config), t, l.Addr().String()}
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.Background(), l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return s
}

// dial opens a session.
func (s *server) dial() *afpclient.Conn {
	s.t.Helper()
	c, err := afpclient.Dial(s.t.Context(), s.addr, afpclient.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { c.Close() })
	return c
}

// login opens a session and logs änne in.
func (s *server) login(version string) *afpclient.Conn {
	s.t.Helper()
	c := s.dial()
	if err := c.Login(s.t.Context(), afpclient.Login{Version: version, User: "änne", UAM: uam.WithDHX2("geheim88")}); err != nil {
		s.t.Fatal(err)
	}
	return c
}

func want(t *testing.T, what string, err, result error) {
	t.Helper()
	if !errors.Is(err, result) {
		t.Errorf("%s: %v, want %v", what, err, result)
	}
}

func TestServerInfo(t *testing.T) {
	s := serve(t, func(c *afp.Config) { c.Name = "Bücherschrank" })
	info, err := afpclient.GetStatus(t.Context(), s.addr)
	if err != nil {
		t.Fatal(err)
	}
	if info.UTF8Name != "Bu\u0308cherschrank" || info.Name != "B\x9fcherschrank" || info.Signature != [16]byte{1, 2, 3} {
		t.Errorf("%+v", info)
	}
	if len(info.Versions) != 6 || len(info.UAMs) != 3 || len(info.Addresses) != 1 {
		t.Errorf("versions %q, methods %q, addresses %v", info.Versions, info.UAMs, info.Addresses)
	}
}

func TestLogin(t *testing.T) {
	s := serve(t, func(c *afp.Config) { c.Guest = true })
	for _, tt := range []struct {
		name, version, user string
		method              afpclient.UAM
		want                error
	}{
		{"SRP", afpwire.Version34, "änne", uam.WithSRP("änne", "geheim88"), nil},
		{"SRP, wrong password", afpwire.Version34, "änne", uam.WithSRP("änne", "geheim89"), afpwire.ResultSRPFailed},
		{"SRP of nobody", afpwire.Version34, "bert", uam.WithSRP("bert", "geheim88"), afpwire.ResultSRPFailed},
		{"DHX2", afpwire.Version34, "ÄNNE", uam.WithDHX2("geheim88"), nil},
		{"DHX2 of AFP 2", afpwire.Version22, "änne", uam.WithDHX2("geheim88"), nil},
		{"DHX2, wrong password", afpwire.Version34, "änne", uam.WithDHX2("x"), afpwire.ResultUserNotAuth},
		{"DHX2 of nobody", afpwire.Version34, "bert", uam.WithDHX2("x"), afpwire.ResultUserNotAuth},
		{"clear text", afpwire.Version30, "änne", uam.WithCleartext("geheim88"), nil},
		{"clear text of AFP 2", afpwire.Version22, "änne", uam.WithCleartext("geheim88"), nil},
		{"clear text, wrong password", afpwire.Version34, "änne", uam.WithCleartext("geheim8"), afpwire.ResultUserNotAuth},
		{"guest", afpwire.Version34, "", uam.Guest(), nil},
		{"guest of AFP 2", afpwire.Version22, "", uam.Guest(), nil},
		{"unknown version", "AFP9.9", "änne", uam.WithDHX2("geheim88"), afpwire.ResultBadVersNum},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := s.dial()
			_, err := c.ServerParms(t.Context())
			want(t, "a command before the login", err, afpwire.ResultUserNotAuth)
			err = c.Login(t.Context(), afpclient.Login{Version: tt.version, User: tt.user, UAM: tt.method})
			want(t, "login", err, tt.want)
			_, err = c.ServerParms(t.Context())
			if tt.want == nil {
				want(t, "a command after the login", err, nil)
			} else {
				want(t, "a command after the login", err, afpwire.ResultUserNotAuth)
			}
		})
	}
}

func TestMethodsThatAreNotOffered(t *testing.T) {
	s := serve(t, func(c *afp.Config) { c.Methods = nil })
	for _, method := range []afpclient.UAM{uam.WithCleartext("geheim88"), uam.Guest()} {
		err := s.dial().Login(t.Context(), afpclient.Login{Version: afpwire.Version34, User: "änne", UAM: method})
		want(t, method.Name(), err, afpwire.ResultBadUAM)
	}
}

func TestChangePassword(t *testing.T) {
	s := serve(t, nil)
	c := s.login(afpwire.Version34)
	for _, tt := range []struct {
		old, fresh string
		want       error
	}{
		{"wrong", "verdeckt", afpwire.ResultUserNotAuth},
		{"geheim88", "geheim88", afpwire.ResultPwdSameErr},
		{"geheim88", "kurz", afpwire.ResultPwdTooShortErr},
		{"geheim88", "verdeckt\x01", afpwire.ResultPwdPolicyErr},
		{"geheim88", "verdeckt", nil},
		{"geheim88", "verdeckt1", afpwire.ResultUserNotAuth},
	} {
		err := c.ChangePassword(t.Context(), "", uam.ChangeByDHX2(tt.old, tt.fresh))
		want(t, tt.old+" to "+tt.fresh, err, tt.want)
	}
	err := s.dial().Login(t.Context(), afpclient.Login{Version: afpwire.Version34, User: "änne", UAM: uam.WithSRP("änne", "verdeckt")})
	want(t, "login with the new one", err, nil)
}

func TestVolumes(t *testing.T) {
	s := serve(t, nil)
	for version, name := range map[string]string{afpwire.Version34: "Bu\u0308cher", afpwire.Version22: "B\x9fcher"} {
		c := s.login(version)
		parms, err := c.ServerParms(t.Context())
		if err != nil || len(parms.Volumes) != 2 || parms.Volumes[0].Name != name {
			t.Fatalf("%s: %+v, %v", version, parms, err)
		}
		v, p, err := c.OpenVolume(t.Context(), name, afpwire.VolBits)
		if err != nil {
			t.Fatal(err)
		}
		if p.Signature != afpwire.FixedDirIDs || p.ID != v.ID || p.BackedUp != afpwire.NoDate || p.BytesTotal < p.BytesFree || p.Name != "B\x9fcher" {
			t.Errorf("%s: %+v", version, p)
		}
		again, _, err := c.OpenVolume(t.Context(), name, 0)
		if err != nil || again.ID != v.ID {
			t.Errorf("opened again, the volume is %v, %v", again, err)
		}
		want(t, "SetBackupDate", v.SetBackupDate(t.Context(), 1000), nil)
		if p, err = v.Parms(t.Context(), afpwire.VolBitBackedUp); err != nil || p.BackedUp != 1000 {
			t.Errorf("the date of the backup is %v, %v", p, err)
		}
		want(t, "SetBackupDate", v.SetBackupDate(t.Context(), afpwire.NoDate), nil)
		_, err = v.Parms(t.Context(), 0x8000)
		want(t, "parameters that there are not", err, afpwire.ResultBitmapErr)
		_, _, err = c.OpenVolume(t.Context(), "none", 0)
		want(t, "a volume that is not there", err, afpwire.ResultObjectNotFound)
		_, _, err = c.OpenVolume(t.Context(), "private", 0)
		want(t, "a volume of others", err, afpwire.ResultAccessDenied)
		locked, p, err := c.OpenVolume(t.Context(), "locked", afpwire.VolBitAttributes)
		if err != nil || p.Attributes&afpwire.VolReadOnly == 0 {
			t.Errorf("the read-only volume is %+v, %v", p, err)
		}
		want(t, "a change of it", locked.SetBackupDate(t.Context(), 1), afpwire.ResultVolLocked)
		want(t, "Close", v.Close(t.Context()), nil)
		want(t, "Close of a closed one", v.Close(t.Context()), afpwire.ResultParamErr)
		_, err = v.Parms(t.Context(), afpwire.VolBitID)
		want(t, "Parms of a closed one", err, afpwire.ResultParamErr)
	}
}

func TestUsers(t *testing.T) {
	c := serve(t, nil).login(afpwire.Version34)
	ctx := t.Context()
	user, err := c.UserInfo(ctx, afpwire.UserBits)
	if err != nil || user.UserID != 1000 || user.GroupID != 1000 {
		t.Fatalf("%+v, %v", user, err)
	}
	for _, m := range []afpwire.MapIDRequest{
		{Function: afpwire.UserIDToName, ID: 1000},
		{Function: afpwire.UserIDToUTF8Name, ID: 1000},
		{Function: afpwire.UserUUIDToUTF8Name, UUID: user.UUID},
		{Function: afpwire.GroupIDToName, ID: 1000},
	} {
		name, err := c.MapID(ctx, &m)
		if err != nil {
			t.Fatal(err)
		}
		back, err := c.MapName(ctx, &afpwire.MapNameRequest{Function: map[afpwire.MapIDFunction]afpwire.MapNameFunction{
			afpwire.UserIDToName: afpwire.NameToUserID, afpwire.UserIDToUTF8Name: afpwire.UTF8NameToUserID,
			afpwire.UserUUIDToUTF8Name: afpwire.UTF8NameToUserUUID, afpwire.GroupIDToName: afpwire.NameToGroupID,
		}[m.Function], Name: name.Name})
		if err != nil || back.ID != m.ID || m.UUID != back.UUID {
			t.Errorf("%+v is %+v, which is %+v, %v", m, name, back, err)
		}
	}
	_, err = c.MapID(ctx, &afpwire.MapIDRequest{Function: afpwire.UserIDToName, ID: 1})
	want(t, "a number of nobody", err, afpwire.ResultItemNotFound)
	_, err = c.MapName(ctx, &afpwire.MapNameRequest{Function: afpwire.NameToUserID, Name: "bert"})
	want(t, "a name of nobody", err, afpwire.ResultItemNotFound)
	text, err := c.ServerMessage(ctx, afpwire.LoginMessage)
	if err != nil || text != "" {
		t.Errorf("message %q, %v", text, err)
	}
}

func TestUnknownCommand(t *testing.T) {
	c := serve(t, nil).login(afpwire.Version34)
	for _, n := range []byte{0, 12, 77, 200} {
		want(t, "command", c.Ask(t.Context(), message{n, 0}, nil), afpwire.ResultCallNotSupported)
	}
	want(t, "a message that is cut", c.Ask(t.Context(), message{byte(afpwire.CloseVol), 0}, nil), afpwire.ResultParamErr)
}

func TestTooManySessions(t *testing.T) {
	s := serve(t, func(c *afp.Config) { c.Sessions = 1 })
	first := s.dial()
	_, err := afpclient.Dial(t.Context(), s.addr, afpclient.Options{})
	want(t, "one too many", err, afpwire.ResultNoMoreSessions)
	if _, err := afpclient.GetStatus(t.Context(), s.addr); err != nil {
		t.Errorf("status of a busy server: %v", err)
	}
	first.CloseSession()
	<-first.Done()
}

// A client that lost its connection has its volume again, and nobody else's.
func TestReconnect(t *testing.T) {
	s := serve(t, func(c *afp.Config) {
		c.Users = newUsers(t, map[string]string{"änne": "geheim88", "bert": "geheim88"})
	})
	ctx := t.Context()
	c := s.login(afpwire.Version34)
	v, _, err := c.OpenVolume(ctx, "locked", 0)
	if err != nil {
		t.Fatal(err)
	}
	token, err := c.SessionToken(ctx, &afpwire.GetSessionTokenRequest{Type: afpwire.LoginWithTimeAndID, Timestamp: 1, ID: []byte("mac")})
	if err != nil || len(token) != 16 {
		t.Fatalf("token %x, %v", token, err)
	}
	other := s.dial()
	if err := other.Login(ctx, afpclient.Login{Version: afpwire.Version34, User: "bert", UAM: uam.WithDHX2("geheim88")}); err != nil {
		t.Fatal(err)
	}
	want(t, "the token from another user", other.DisconnectOldSession(ctx, token), afpwire.ResultMiscErr)

	back := s.login(afpwire.Version34)
	want(t, "a token that there is not", back.DisconnectOldSession(ctx, make([]byte, 16)), afpwire.ResultMiscErr)
	want(t, "DisconnectOldSession", back.DisconnectOldSession(ctx, token), nil)
	<-c.Done()
	m := &afpwire.GetVolParmsRequest{Volume: v.ID, Bitmap: afpwire.VolBitID}
	want(t, "the volume", back.Ask(ctx, m, nil), nil)

	// A start of the machine later all is gone.
	anew := s.login(afpwire.Version34)
	if _, err := anew.SessionToken(ctx, &afpwire.GetSessionTokenRequest{Type: afpwire.LoginWithTimeAndID, Timestamp: 2, ID: []byte("mac")}); err != nil {
		t.Fatal(err)
	}
	<-back.Done()
	want(t, "the token of before", anew.DisconnectOldSession(ctx, token), afpwire.ResultMiscErr)
}

func TestFramesThatEndTheConnection(t *testing.T) {
	s := serve(t, nil)
	open := "\x00\x04\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	for name, frames := range map[string]string{
		"unknown function":           "\x00\x07\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
		"flags":                      "\x02\x02\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
		"4 GiB":                      "\x00\x02\x00\x01\x00\x00\x00\x00\xff\xff\xff\xff\x00\x00\x00\x00",
		"much before a login":        "\x00\x02\x00\x01\x00\x00\x00\x00\x00\x00\x20\x00\x00\x00\x00\x00",
		"data beyond the end":        "\x00\x06\x00\x01\x00\x00\x00\x09\x00\x00\x00\x08\x00\x00\x00\x00",
		"command without a session":  "\x00\x02\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x0f",
		"session within a session":   open + open,
		"status within a session":    open + "\x00\x03\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
		"option that is cut":         "\x00\x04\x00\x01\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\x01\xff\x00",
		"reply that was not asked":   open + "\x01\x02\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
		"attention from a client":    open + "\x00\x08\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
		"command without its number": open + "\x00\x02\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
	} {
		t.Run(name, func(t *testing.T) {
			nc, err := net.Dial("tcp", s.addr)
			if err != nil {
				t.Fatal(err)
			}
			defer nc.Close()
			nc.SetDeadline(time.Now().Add(10 * time.Second))
			if _, err := io.WriteString(nc, frames); err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, nc); isTimeout(err) {
				t.Error("the connection goes on")
			}
		})
	}
}

func isTimeout(err error) bool {
	var ne net.Error
	return errors.As(err, &ne) && ne.Timeout()
}

// message is one that is sent as it stands.
type message []byte

func (m message) Encode(w *cursor.Writer) { w.Bytes(m) }
