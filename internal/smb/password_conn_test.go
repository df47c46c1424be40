package smb_test

import (
	"bytes"
	"crypto/des"
	"crypto/rc4"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/hexdump"
	"github.com/dozo-server/dozo/internal/ntlm"
	"github.com/dozo-server/dozo/internal/smb"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
	"github.com/dozo-server/dozo/internal/spnego"
)

// halted makes the guard's clock one that stands still until it is moved.
func halted(now *time.Time) func(*smb.Config) {
	*now = time.Unix(1e9, 0)
	return func(c *smb.Config) { c.Guard = auth.NewGuard(func() time.Time { return *now }) }
}

// from connects with another address of this machine.
func (h *host) from(t testing.TB, addr string) *smbclient.Conn {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(addr)}}
	nc, err := d.DialContext(t.Context(), "tcp", h.addr)
	if err != nil {
		t.Skip("this machine has no address ", addr, ": ", err)
	}
	return h.connectOver(t, nc, smbclient.Options{})
}

// login tries a password of anna's.
func login(t testing.TB, c *smbclient.Conn, password string) error {
	t.Helper()
	_, err := c.Login(t.Context(), smbclient.Login{User: "anna", Password: password})
	if err != nil && !errors.Is(err, smbwire.StatusLogonFailure) {
		t.Fatalf("Login = %v", err)
	}
	return err
}

// TestLongNamesFillNoLog: of what a stranger calls himself little is written down.
func TestLongNamesFillNoLog(t *testing.T) {
	h := newHost(t)
	if _, err := h.connect(t, smbclient.Options{}).Login(t.Context(), smbclient.Login{User: strings.Repeat("ä", 5000), Password: "Secret77"}); err == nil {
		t.Error("it is a user's name")
	}
	if text := h.log.String(); !strings.Contains(text, "login refused") || len(text) > 1000 {
		t.Errorf("the log has %d bytes: %.300s", len(text), text)
	}
}

const held = "too many wrong passwords"

func TestGuessesAreHeldBack(t *testing.T) {
	var now time.Time
	h := newHost(t, halted(&now))
	c := h.connect(t, smbclient.Options{})
	for range 20 {
		if login(t, c, "wrong") == nil {
			t.Fatal("a wrong password was right")
		}
	}
	wrong := regexp.MustCompile(`reason="(ntlm: )?wrong password\b`)
	if text := h.log.String(); len(wrong.FindAllString(text, -1)) != 11 || strings.Count(text, held) != 1 {
		t.Errorf("not 11 wrong passwords and a wait:\n%s", text)
	}
	if login(t, c, "secret") == nil {
		t.Error("the right password is told among guesses")
	}
	now = now.Add(time.Second)
	if err := login(t, c, "secret"); err != nil {
		t.Errorf("the right password after the wait: %v", err)
	}
	if err := login(t, c, "wrong"); err == nil {
		t.Error("a wrong password was right")
	}
	if err := login(t, c, "secret"); err != nil {
		t.Errorf("the right password after a slip: %v", err)
	}
}

func TestGuessesElsewhereHoldNobodyBack(t *testing.T) {
	var now time.Time
	h := newHost(t, halted(&now))
	stranger := h.from(t, "127.0.0.2")
	for range 200 {
		login(t, stranger, "wrong")
	}
	wantAlive(t, h.login(t, smbclient.Options{}))
}

// A user who does not exist, is disabled or has no password looks like any
// other: not even a wait tells.
func TestHeldNamesAreAlike(t *testing.T) {
	for _, user := range []string{"anna", "nobody", "disabled", "new"} {
		var now time.Time
		h := newHost(t, halted(&now), func(c *smb.Config) { c.Users = append(c.Users.(people), "new") })
		c := h.connect(t, smbclient.Options{})
		for range 12 {
			if _, err := c.Login(t.Context(), smbclient.Login{User: user, Password: "wrong"}); !errors.Is(err, smbwire.StatusLogonFailure) {
				t.Errorf("%s: %v", user, err)
			}
		}
		if !strings.Contains(h.log.String(), held) {
			t.Errorf("%s may try for ever", user)
		}
	}
}

// keeping gives a host a list of users in a file, with anna.
func keeping(t testing.TB) (*auth.Store, func(*smb.Config)) {
	t.Helper()
	s := auth.NewStore(filepath.Join(t.TempDir(), "users.json"))
	for _, name := range []string{"anna", "bert"} {
		if err := s.Add(auth.Record{Name: name, NTHash: auth.NTHash("secret")}); err != nil {
			t.Fatal(err)
		}
	}
	return s, func(c *smb.Config) { c.Users = s }
}

// samr opens a pipe to change passwords through.
func samr(t testing.TB, s *smbclient.Session) func(stub []byte) (status smbwire.Status) {
	t.Helper()
	ipc := tree(t, s, "IPC$")
	f, err := ipc.Create(t.Context(), smbclient.Existing("samr", smbwire.GenericRead|smbwire.GenericWrite))
	if err != nil {
		t.Fatal(err)
	}
	transact := func(b []byte) []byte {
		var answer smbwire.IoctlResponse
		status := send(t, ipc, smbwire.Ioctl, &smbwire.IoctlRequest{
			CtlCode: smbwire.FsctlPipeTransceive, FileID: f.ID(), Input: b, MaxOutputResponse: 4096, Flags: smbwire.IoctlIsFsctl,
		}, &answer)
		if status != smbwire.StatusOK {
			t.Fatalf("a call of samr: %v", status)
		}
		return answer.Output
	}
	transact(hexdump.Bytes(t, `
		05 00 0b 03 10000000 4800 0000 01000000  b810 b810 00000000  01 000000 0000 01 00
		785734123412cdabef000123456789ac 01000000
		045d888aeb1cc9119fe808002b104860 02000000`))
	return func(stub []byte) smbwire.Status {
		b := hexdump.Bytes(t, "05 00 00 03 10000000 0000 0000 02000000 00000000 0000 3700")
		b = append(b, stub...)
		binary.LittleEndian.PutUint16(b[8:], uint16(len(b)))
		answer := transact(b)
		return smbwire.Status(binary.LittleEndian.Uint32(answer[len(answer)-4:]))
	}
}

// newPassword makes the arguments of SamrUnicodeChangePasswordUser2.
func newPassword(user, old, password string) []byte {
	le := binary.LittleEndian
	text := func(s string) (b []byte) {
		units := utf16.Encode([]rune(s))
		n := uint16(2 * len(units))
		b = le.AppendUint32(le.AppendUint16(le.AppendUint16(b, n), n), 1)
		for _, v := range []int{len(units), 0, len(units)} {
			b = le.AppendUint32(b, uint32(v))
		}
		for _, u := range units {
			b = le.AppendUint16(b, u)
		}
		return append(b, make([]byte, -len(b)&3)...)
	}
	oldHash, newHash := auth.NTHash(old), auth.NTHash(password)
	var plain [516]byte
	at := 512 - 2*len(password)
	for i, c := range []byte(password) {
		plain[at+2*i] = c
	}
	le.PutUint32(plain[512:], uint32(2*len(password)))
	cipher, _ := rc4.NewCipher(oldHash[:])
	cipher.XORKeyStream(plain[:], plain[:])

	b := append(le.AppendUint32(nil, 0), text(user)...)
	b = append(le.AppendUint32(b, 1), plain[:]...)
	b = le.AppendUint32(b, 1)
	for half := range 2 {
		var key [8]byte
		for i := range 56 { // seven bits a byte
			bit := newHash[7*half+i/8] >> (7 - i%8) & 1
			key[i/7] |= bit << (7 - i%7)
		}
		block, _ := des.NewCipher(key[:])
		var out [8]byte
		block.Encrypt(out[:], oldHash[8*half:])
		b = append(b, out[:]...)
	}
	return append(b, make([]byte, 12)...)
}

func TestUsersChangeTheirPasswords(t *testing.T) {
	store, kept := keeping(t)
	h := newHost(t, kept, requireSigning)
	c := h.connect(t, smbclient.Options{})
	change := samr(t, h.loginOn(t, c))
	for _, tt := range []struct {
		name, user, old, password string
		want                      smbwire.Status
	}{
		{"too short", "anna", "secret", "seven77", smbwire.StatusPasswordRestriction},
		{"not readable", "anna", "secret", "with a\ttab", smbwire.StatusPasswordRestriction},
		{"wrong old one", "anna", "Secret", "long enough", smbwire.StatusWrongPassword},
		{"another user's", "bert", "secret", "long enough", smbwire.StatusAccessDenied},
		{"nobody's", "carl", "secret", "long enough", smbwire.StatusAccessDenied},
		{"right", "ANNA", "secret", "long enough", smbwire.StatusOK},
		{"again with the first", "anna", "secret", "long enough", smbwire.StatusWrongPassword},
		{"again with the second", "anna", "long enough", "even longer", smbwire.StatusOK},
	} {
		if got := change(newPassword(tt.user, tt.old, tt.password)); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	if login(t, c, "even longer") != nil || login(t, c, "secret") == nil {
		t.Error("the password is not the new one")
	}
	if r, err := store.Lookup("anna"); err != nil || r.Name != "anna" || len(r.SRPVerifier) == 0 {
		t.Errorf("the record is %+v, %v", r, err)
	}
	if r, _ := store.Lookup("bert"); r.NTHash != auth.NTHash("secret") {
		t.Error("another record was changed")
	}
	text := h.log.String()
	if strings.Count(text, "password changed") != 2 || strings.Count(text, "password not changed") != 6 {
		t.Errorf("the log says\n%s", text)
	}
	for _, secret := range []string{"long enough", "even longer", "seven77", "with a"} {
		if strings.Contains(text, secret) {
			t.Errorf("the log tells %q", secret)
		}
	}
}

// Who has stolen a session can't find out the password by changing it, which is
// as good as a login.
func TestChangesAreNoWayToGuess(t *testing.T) {
	_, kept := keeping(t)
	var now time.Time
	h := newHost(t, kept, halted(&now))
	c := h.connect(t, smbclient.Options{})
	change := samr(t, h.loginOn(t, c))
	for range 11 {
		change(newPassword("anna", "wrong", "long enough"))
	}
	for _, old := range []string{"wrong", "secret"} {
		if got := change(newPassword("anna", old, "long enough")); got != smbwire.StatusWrongPassword {
			t.Errorf("from %q: %v", old, got)
		}
	}
	if login(t, c, "secret") == nil {
		t.Error("a login counts apart from changes")
	}
	if text := h.log.String(); strings.Count(text, held) != 1 {
		t.Errorf("the log does not tell once of a wait:\n%s", text)
	}
	now = now.Add(time.Second)
	if got := change(newPassword("anna", "secret", "long enough")); got != smbwire.StatusOK {
		t.Errorf("after the wait: %v", got)
	}
}

// stuck is a list of users that can't be changed for a reason.
type stuck struct {
	people
	reason error
}

func (s stuck) Change(string, func(*auth.Record) error) error {
	return fmt.Errorf("the list of users: %w", s.reason)
}

func TestChangesThatFail(t *testing.T) {
	for _, tt := range []struct {
		name  string
		users auth.Users
		want  smbwire.Status
	}{
		{"fixed", people{"anna"}, smbwire.StatusNotSupported},
		{"read-only disk", stuck{people{"anna"}, auth.ErrReadOnly}, smbwire.StatusMediaWriteProtected},
		{"full disk", stuck{people{"anna"}, auth.ErrNoSpace}, smbwire.StatusDiskFull},
		{"broken disk", stuck{people{"anna"}, errors.New("input/output error")}, smbwire.StatusInternalError},
	} {
		h := newHost(t, func(c *smb.Config) { c.Users = tt.users })
		change := samr(t, h.login(t, smbclient.Options{}))
		if got := change(newPassword("anna", "secret", "long enough")); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
		if !strings.Contains(h.log.String(), "password not changed") {
			t.Errorf("%s: the log says nothing", tt.name)
		}
	}
}

// slow is a list of users that a change takes long of.
type slow struct {
	people
	begun chan<- string
	end   <-chan struct{}
}

func (s slow) Change(name string, _ func(*auth.Record) error) error {
	s.begun <- name
	<-s.end
	return nil
}

// Who changes his password all the time keeps nobody else from it.
func TestChangesTakeTurns(t *testing.T) {
	begun, end := make(chan string, 3), make(chan struct{})
	h := newHost(t, func(c *smb.Config) { c.Users = slow{people{"anna", "bert"}, begun, end} })
	log := func(user string) *smbclient.Session {
		s, err := h.connect(t, smbclient.Options{}).Login(t.Context(), smbclient.Login{User: user, Password: "secret"})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	begin := func(user string) <-chan smbwire.Status {
		change, got := samr(t, log(user)), make(chan smbwire.Status, 1)
		go func() { got <- change(newPassword(user, "secret", "long enough")) }()
		return got
	}
	first := begin("bert")
	<-begun
	if got := <-begin("bert"); got != smbwire.StatusInsufficientResources {
		t.Errorf("a second one of bert: %v", got)
	}
	other := begin("anna")
	select {
	case got := <-other:
		t.Errorf("one of anna did not wait: %v", got)
	case <-time.After(50 * time.Millisecond):
	}
	close(end)
	for _, c := range []<-chan smbwire.Status{first, other} {
		if got := <-c; got != smbwire.StatusOK {
			t.Errorf("in turn: %v", got)
		}
	}
}

func TestGuestsChangeNoPassword(t *testing.T) {
	store, kept := keeping(t)
	h := newHost(t, kept, guests)
	for _, guest := range []smbclient.Login{{}, {User: "carl", Password: "any"}} {
		s, err := h.connect(t, smbclient.Options{}).Login(t.Context(), guest)
		if err != nil {
			t.Fatal(err)
		}
		if got := samr(t, s)(newPassword("anna", "secret", "long enough")); got != smbwire.StatusAccessDenied {
			t.Errorf("%q: %v", guest.User, got)
		}
	}
	if r, _ := store.Lookup("anna"); r.NTHash != auth.NTHash("secret") {
		t.Error("the password was changed")
	}
}

// A pipe's own login must be that of the session's user, and is no way to guess
// another's password.
func TestLoginsOfPipes(t *testing.T) {
	var now time.Time
	h := newHost(t, halted(&now))
	ipc := tree(t, h.login(t, smbclient.Options{}), "IPC$")
	// prove makes such a login and reports whether the pipe can be used then.
	prove := func(user, password string) bool {
		f, err := ipc.Create(t.Context(), smbclient.Existing("samr", smbwire.GenericRead|smbwire.GenericWrite))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close(t.Context())
		write := func(b, token []byte) {
			b = append(append(b, hexdump.Bytes(t, "0a 06 00 00 00000000")...), token...)
			binary.LittleEndian.PutUint16(b[8:], uint16(len(b)))
			binary.LittleEndian.PutUint16(b[10:], uint16(len(token)))
			if status := send(t, ipc, smbwire.Write, &smbwire.WriteRequest{FileID: f.ID(), Data: b}, nil); status != smbwire.StatusOK && status != smbwire.StatusInvalidParameter {
				t.Fatal(status)
			}
		}
		read := func() []byte {
			var answer smbwire.ReadResponse
			send(t, ipc, smbwire.Read, &smbwire.ReadRequest{FileID: f.ID(), Length: 4096}, &answer)
			return answer.Data
		}
		i := ntlm.Initiator{User: user, Hash: ntlm.Hash(password)}
		write(hexdump.Bytes(t, `05 00 0b 07 10000000 0000 0000 01000000  b810 b810 00000000  01 000000 0000 01 00
			785734123412cdabef000123456789ac 01000000  045d888aeb1cc9119fe808002b104860 02000000`), i.Negotiate())
		ack := read()
		token, err := i.Authenticate(ack[bytes.LastIndex(ack, []byte("NTLMSSP")):])
		if err != nil {
			t.Fatal(err)
		}
		write(hexdump.Bytes(t, "05 00 10 03 10000000 0000 0000 01000000 00000000"), token)

		request := hexdump.Bytes(t, "05 00 00 03 10000000 0000 0000 02000000 00000000 0000 3800 00000000 000000000000000000000000")
		b := append(request, hexdump.Bytes(t, "0a 06 0c 00 00000000")...)
		binary.LittleEndian.PutUint16(b[8:], uint16(len(b)+16))
		b[10] = 16
		sig := i.Session().Seal(b, b[24:40])
		b = append(b, sig...)
		send(t, ipc, smbwire.Write, &smbwire.WriteRequest{FileID: f.ID(), Data: b}, nil)
		return read()[2] == 2 // a response, no fault
	}
	if !prove("anna", "secret") {
		t.Error("anna can't prove that she is anna")
	}
	if prove("bert", "secret") {
		t.Error("bert is let into anna's session")
	}
	for range 20 {
		if prove("bert", "wrong") {
			t.Fatal("a wrong password is right")
		}
	}
	text := h.log.String()
	if strings.Count(text, held) != 1 || !strings.Contains(text, "another user's") {
		t.Errorf("the log says\n%s", text)
	}
}

// The hash of no password is no password.
func TestNoPasswordIsNoWayIn(t *testing.T) {
	h := newHost(t, func(c *smb.Config) { c.Users = people{"new"} })
	c := h.connect(t, smbclient.Options{})
	mechanism := spnego.NewInitiator(&ntlm.Initiator{User: "new"})
	var id uint64
	var answer smbwire.SessionSetupResponse
	for _, want := range []smbwire.Status{smbwire.StatusMoreProcessingRequired, smbwire.StatusLogonFailure} {
		token, _, err := mechanism.Step(answer.SecurityBuffer)
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.Do(t.Context(), &smbclient.Request{
			Command: smbwire.SessionSetup, Body: &smbwire.SessionSetupRequest{SecurityBuffer: token},
			Edit: func(h *smbwire.Header) { h.SessionID = id }})
		if err != nil || r.Header.Status != want {
			t.Fatalf("SESSION_SETUP: %v, %v", r.Header.Status, err)
		}
		if want == smbwire.StatusMoreProcessingRequired {
			if err := r.Decode(&answer); err != nil {
				t.Fatal(err)
			}
			id = r.Header.SessionID
		}
	}
	if text := h.log.String(); !strings.Contains(text, "has no password yet") {
		t.Errorf("the log says\n%s", text)
	}
}
