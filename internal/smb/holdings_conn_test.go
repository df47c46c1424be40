package smb_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/smb"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
)

func fewDescriptors(c *smb.Config) { c.Descriptors = 40 }

// A user who opens as much as he can leaves others enough, on however many
// connections, and gets back what he closes.
func TestOpensAreSharedOutAmongUsers(t *testing.T) {
	h := newHost(t, fewDescriptors)
	var first *smbclient.File
	opened, refused := 0, false
	for range 3 {
		s, err := h.connect(t, smbclient.Options{}).Login(t.Context(), anna)
		if err != nil {
			if refused = errors.Is(err, smbwire.StatusTooManySessions); !refused {
				t.Fatal(err)
			}
			break
		}
		tr := tree(t, s, "test")
		for i := range 100 {
			f, err := tr.Create(t.Context(), smbclient.Making(fmt.Sprint(i)))
			if errors.Is(err, smbwire.StatusTooManyOpenedFiles) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			opened++
			if first == nil {
				first = f
			}
		}
	}
	if opened != 19 || !refused { // and the session
		t.Errorf("anna opened %d files; refused a session: %v", opened, refused)
	}

	bert, err := h.connect(t, smbclient.Options{}).Login(t.Context(), smbclient.Login{User: "bert", Password: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	if err := tree(t, bert, "test").WriteFile(t.Context(), "of bert", []byte("x")); err != nil {
		t.Error(err)
	}
	if err := bert.Logoff(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Tree().Create(t.Context(), smbclient.Making("again")); err != nil {
		t.Error(err)
	}
}

// What ended holds nothing any more, however it did.
func TestHoldingsAreGivenBack(t *testing.T) {
	h := newHost(t, fewDescriptors)
	for i := range 60 {
		s, err := h.connect(t, smbclient.Options{}).Login(t.Context(), anna)
		if err != nil {
			t.Fatal(i, err)
		}
		tr := tree(t, s, "test")
		makeFile(t, tr, "kept", 0)
		if _, err := tr.Open(t.Context(), "missing", smbwire.GenericRead); err == nil {
			t.Fatal("opened")
		}
		switch i % 3 {
		case 0:
			s.Logoff(t.Context())
		case 1:
			tr.Disconnect(t.Context())
		}
		s.Conn().Close()
		for range 1000 {
			if _, connections := h.Sessions(); connections == 0 {
				break
			}
			time.Sleep(time.Millisecond)
		}
	}
}

// Of too many strangers the one goes that has been there longest, so that they
// keep nobody out.
func TestStrangersAreBounded(t *testing.T) {
	h := newHost(t, fewDescriptors)
	s := h.login(t, smbclient.Options{})
	sockets := make([]net.Conn, 15)
	for i := range sockets {
		sockets[i] = h.socket(t)
	}
	wantAlive(t, h.login(t, smbclient.Options{}))
	wantAlive(t, s)
	for i, nc := range sockets {
		nc.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
		_, err := nc.Read(make([]byte, 1))
		if closed := err == io.EOF; closed != (i < 6) {
			t.Errorf("socket %d: %v", i, err)
		}
	}
}
