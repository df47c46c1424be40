package tests

import (
	"errors"
	"fmt"
	"net"

	"github.com/dozo-server/dozo/internal/ntlm"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
	"github.com/dozo-server/dozo/internal/spnego"
)

// waysToBreakOff are what clients have done when their connection ends.
var waysToBreakOff = []struct {
	name string
	do   func(s *server, nc net.Conn, n int) error
}{
	{"nothing", func(*server, net.Conn, int) error { return nil }},
	{"half of the first message", func(_ *server, nc net.Conn, _ int) error {
		_, err := nc.Write(negotiate[:50])
		return err
	}},
	{"the first message", func(_ *server, nc net.Conn, _ int) error {
		_, err := nc.Write(negotiate)
		return err
	}},
	{"the first message, which was answered", func(_ *server, nc net.Conn, _ int) error {
		if _, err := nc.Write(negotiate); err != nil {
			return err
		}
		_, err := readFrame(nc)
		return err
	}},
	{"nonsense", func(_ *server, nc net.Conn, _ int) error {
		_, err := nc.Write([]byte("GET / HTTP/1.0\r\n\r\n"))
		return err
	}},
	{"half of the login", (*server).halfOfTheLogin},
	{"a login with a wrong password", func(s *server, nc net.Conn, n int) error {
		session, err := s.over(nc, smbclient.Login{User: fmt.Sprint("stranger ", n%30), Password: "wrong"}, smbclient.Options{})
		if err == nil {
			return fmt.Errorf("a wrong password was taken: %v", session)
		}
		if !errors.Is(err, smbwire.StatusLogonFailure) {
			return err
		}
		return nil
	}},
	{"a login", func(s *server, nc net.Conn, _ int) error {
		_, err := s.over(nc, s.itself(), smbclient.Options{})
		return err
	}},
	{"open files, locks and requests that wait", (*server).amidWork},
	{"all that is polite", func(s *server, nc net.Conn, _ int) error {
		session, err := s.over(nc, s.itself(), smbclient.Options{})
		if err != nil {
			return err
		}
		tree, err := session.Tree(s.t.Context(), s.share)
		if err != nil {
			return err
		}
		return errors.Join(tree.Disconnect(s.t.Context()), session.Logoff(s.t.Context()))
	}},
}

// breakOff connects, and breaks off in the nth way. Every other connection is
// reset, not closed.
func (s *server) breakOff(n int) error {
	nc, err := net.Dial("tcp", s.addr())
	if err != nil {
		return err
	}
	defer nc.Close()
	way := waysToBreakOff[n%len(waysToBreakOff)]
	if err := way.do(s, nc, n); err != nil {
		return fmt.Errorf("%s: %w", way.name, err)
	}
	if n/len(waysToBreakOff)%2 == 0 {
		nc.(*net.TCPConn).SetLinger(0)
	}
	return nil
}

// itself is the login of the server's user.
func (s *server) itself() smbclient.Login {
	return smbclient.Login{User: s.user, Password: s.password}
}

// over logs in over a connection.
func (s *server) over(nc net.Conn, l smbclient.Login, o smbclient.Options) (*smbclient.Session, error) {
	c, err := smbclient.NewConn(s.t.Context(), nc, o)
	if err != nil {
		return nil, err
	}
	return c.Login(s.t.Context(), l)
}

// halfOfTheLogin asks for a challenge and does not answer it.
func (s *server) halfOfTheLogin(nc net.Conn, _ int) error {
	c, err := smbclient.NewConn(s.t.Context(), nc, smbclient.Options{})
	if err != nil {
		return err
	}
	token, _, err := spnego.NewInitiator(&ntlm.Initiator{User: s.user, Hash: ntlm.Hash(s.password)}).Step(nil)
	if err != nil {
		return err
	}
	r, err := c.Do(s.t.Context(), &smbclient.Request{Command: smbwire.SessionSetup, Body: &smbwire.SessionSetupRequest{SecurityBuffer: token}})
	if err != nil {
		return err
	}
	defer r.Free()
	if r.Header.Status != smbwire.StatusMoreProcessingRequired {
		return r.Err()
	}
	return nil
}

// amidWork leaves a file that is to be deleted when it is closed, an oplock, a
// byte range, a request that waits for that, and one that watches a folder.
func (s *server) amidWork(nc net.Conn, n int) error {
	ctx := s.t.Context()
	session, err := s.over(nc, s.itself(), smbclient.Options{Encrypt: n%3 == 0})
	if err != nil {
		return err
	}
	tree, err := session.Tree(ctx, s.share)
	if err != nil {
		return err
	}
	making := smbclient.Making(fmt.Sprint("broken off ", n))
	making.Options |= smbwire.DeleteOnClose
	making.OplockLevel = smbwire.OplockII
	f, err := tree.Create(ctx, making)
	if err != nil {
		return err
	}
	g, err := tree.Create(ctx, making)
	if err != nil {
		return err
	}
	folder, err := tree.Create(ctx, smbclient.Folder(""))
	if err != nil {
		return err
	}
	lock := smbwire.LockElement{Length: 10, Flags: smbwire.LockExclusive}
	if err := f.Lock(ctx, lock); err != nil {
		return err
	}
	for _, r := range []*smbclient.Request{
		{Command: smbwire.Lock, Tree: tree, Body: g.LockRequest(lock)},
		{Command: smbwire.ChangeNotify, Tree: tree, Body: &smbwire.ChangeNotifyRequest{FileID: folder.ID(), OutputBufferLength: 4096, CompletionFilter: 0x10}},
	} {
		calls, err := session.Conn().Start(ctx, r)
		if err != nil {
			return err
		}
		select {
		case <-calls[0].Interim():
		case <-calls[0].Done():
			return fmt.Errorf("%v did not wait", r.Command)
		}
	}
	return nil
}
