package smb_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/audit"
	"github.com/dozo-server/dozo/internal/smb"
	"github.com/dozo-server/dozo/internal/smb/smbcrypt"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
)

var encryptions = []struct {
	name   string
	o      smbclient.Options
	cipher smbcrypt.Cipher
}{
	{"CCM of 3.0", smbclient.Options{Dialects: allDialects[:3]}, smbcrypt.AES128CCM},
	{"CCM", smbclient.Options{Ciphers: []smbcrypt.Cipher{smbcrypt.AES128CCM}}, smbcrypt.AES128CCM},
	{"GCM", smbclient.Options{Ciphers: []smbcrypt.Cipher{smbcrypt.AES128GCM}}, smbcrypt.AES128GCM},
	{"CCM with 256 bits", smbclient.Options{Ciphers: []smbcrypt.Cipher{smbcrypt.AES256CCM}}, smbcrypt.AES256CCM},
	{"GCM with 256 bits", smbclient.Options{Ciphers: []smbcrypt.Cipher{smbcrypt.AES256GCM}}, smbcrypt.AES256GCM},
}

func TestEverythingIsEncrypted(t *testing.T) {
	h := newHost(t, encryptAll)
	for _, tt := range encryptions {
		t.Run(tt.name, func(t *testing.T) {
			m := &meddler{Conn: h.socket(t)}
			c := h.connectOver(t, m, tt.o)
			if c.Agreed().Cipher != tt.cipher {
				t.Fatalf("cipher %v", c.Agreed().Cipher)
			}
			s := h.loginOn(t, c)
			if !s.Encrypted() {
				t.Fatal("the server does not ask for encryption")
			}
			m.meddle(func(b []byte) {
				if !bytes.HasPrefix(b[4:], []byte(smbwire.ProtocolTransform)) {
					t.Errorf("the client sent % x", b[4:12])
				}
			}, nil) // of answers, the client checks it
			wantAlive(t, s)
			ipc := tree(t, s, "IPC$")
			plain := &smbclient.Request{Command: smbwire.TreeDisconnect, Tree: ipc, Body: &smbwire.TreeDisconnectRequest{}, Plain: true}
			m.meddle(nil, nil)
			wantStatus(t, c, plain, smbwire.StatusAccessDenied)
			wantAlive(t, s)

			m.meddle(func(b []byte) { b[len(b)-1] ^= 1 }, nil)
			c.Start(t.Context(), &smbclient.Request{Command: smbwire.Echo, Session: s, Body: &smbwire.EchoRequest{}})
			wantClosed(t, c)
		})
	}
}

func TestClientsThatCannotEncryptAreRefused(t *testing.T) {
	h := newHost(t, encryptAll, guests)
	for name, o := range map[string]smbclient.Options{
		"2.1":       {Dialects: allDialects[:2]},
		"no cipher": {Ciphers: []smbcrypt.Cipher{}},
	} {
		if _, err := h.connect(t, o).Login(t.Context(), anna); !errors.Is(err, smbwire.StatusAccessDenied) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := h.connect(t, smbclient.Options{}).Login(t.Context(), smbclient.Login{User: "nobody"}); !errors.Is(err, smbwire.StatusAccessDenied) {
		t.Errorf("a guest: %v", err)
	}
}

func TestClientsMayEncrypt(t *testing.T) {
	h := newHost(t, requireSigning)
	s := h.login(t, smbclient.Options{Encrypt: true})
	wantAlive(t, s)
	wantStatus(t, s.Conn(), &smbclient.Request{Command: smbwire.Logoff, Session: s, Body: &smbwire.LogoffRequest{}}, smbwire.StatusOK)
}

func TestEncryptionOfTheWrongSession(t *testing.T) {
	h := newHost(t)
	t.Run("none", func(t *testing.T) {
		s := h.login(t, smbclient.Options{Encrypt: true})
		m := append([]byte(smbwire.ProtocolTransform), make([]byte, 48+64)...)
		m[36], m[42] = 64, 1 // OriginalMessageSize, Flags
		s.Conn().SendFrame(m)
		wantClosed(t, s.Conn())
	})
	t.Run("before a login", func(t *testing.T) {
		c := h.connect(t, smbclient.Options{})
		m := append([]byte(smbwire.ProtocolTransform), make([]byte, 48+64)...)
		m[36], m[42] = 64, 1
		c.SendFrame(m)
		wantClosed(t, c)
	})
	t.Run("another", func(t *testing.T) {
		// What is encrypted for one session must not speak for another.
		s := h.login(t, smbclient.Options{Encrypt: true})
		other := h.loginOn(t, s.Conn())
		wantStatus(t, s.Conn(), &smbclient.Request{
			Command: smbwire.Logoff, Session: s, Body: &smbwire.LogoffRequest{},
			Edit: func(h *smbwire.Header) { h.SessionID = other.ID() },
		}, smbwire.StatusAccessDenied)
		wantAlive(t, other)
	})
	t.Run("twice", func(t *testing.T) {
		s := h.login(t, smbclient.Options{Encrypt: true})
		s.Conn().SendFrame(make([]byte, 100))
		wantClosed(t, s.Conn())
	})
}

func TestSharesThatMustBeEncrypted(t *testing.T) {
	account := &logged{}
	log := audit.New(account, func(err error) { t.Error(err) })
	h := newHost(t, func(c *smb.Config) { c.Audit = log })
	t.Run("are", func(t *testing.T) {
		tr := tree(t, h.login(t, smbclient.Options{}), "secret")
		if tr.Info().ShareFlags&smbwire.ShareEncryptData == 0 {
			t.Error("the share does not say that it must be encrypted")
		}
		if err := tr.WriteFile(t.Context(), "file", []byte("hello")); err != nil {
			t.Error(err)
		}
		wantStatus(t, tr.Session().Conn(), &smbclient.Request{
			Command: smbwire.Create, Tree: tr, Body: smbclient.Existing("file", smbwire.GenericRead), Plain: true,
		}, smbwire.StatusAccessDenied)
	})
	t.Run("or refused", func(t *testing.T) {
		s := h.login(t, smbclient.Options{Dialects: allDialects[:2]})
		if _, err := s.Tree(t.Context(), "secret"); !errors.Is(err, smbwire.StatusAccessDenied) {
			t.Errorf("Tree = %v", err)
		}
		log.Close()
		if got := account.String(); !strings.Contains(got, `"share":"secret","result":"the session is not encrypted"`) {
			t.Errorf("the audit log has %s", got)
		}
	})
}
