package tests

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
	"github.com/dozo-server/dozo/internal/status"
)

// shell is an smbclient that stays.
type shell struct {
	in  io.Writer
	out *bufio.Reader
}

// shell starts an smbclient, with further options, which ends with the test.
func (s *server) shell(options ...string) *shell {
	s.t.Helper()
	need(s.t, "smbclient")
	cmd := exec.Command("smbclient", append([]string{"//127.0.0.1/" + s.share, "-p", fmt.Sprint(s.port), "-s", emptyConf(s.t),
		"-U", s.user + "%" + s.password, "-E"}, options...)...) // -E: what it says goes out at once
	in, err := cmd.StdinPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	out, err := cmd.StderrPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	kill := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	s.t.Cleanup(func() {
		in.Close()
		cmd.Wait()
		kill.Stop()
	})
	return &shell{in, bufio.NewReader(out)}
}

// list has the smbclient list the folder and returns what it says, to the last
// line of the listing or the first error.
func (c *shell) list() string {
	io.WriteString(c.in, "ls\n")
	var said strings.Builder
	for {
		line, err := c.out.ReadString('\n')
		said.WriteString(line)
		if err != nil || strings.Contains(line, "blocks available") || strings.Contains(line, "NT_STATUS_") {
			return said.String()
		}
	}
}

// snapshot is what dozo status --json tells.
func (s *server) snapshot() *status.Snapshot {
	s.t.Helper()
	var snap status.Snapshot
	if err := json.Unmarshal([]byte(s.command("", "status", "--json")), &snap); err != nil {
		s.t.Fatal(err)
	}
	return &snap
}

// client is a session of the project's own client that calls itself by a name.
func (s *server) client(name string) *smbclient.Tree {
	s.t.Helper()
	return s.tree(smbclient.Options{Login: smbclient.Login{Workstation: name}})
}

// One has a range locked, another waits for it, and two smbclients are there:
// status tells all of that, and closing what it names helps at once.
func TestStatusWithSeveralClients(t *testing.T) {
	ownProgram(t)
	s := serve(t)
	s.write("book.xls", "0123456789")
	plain, sealed := s.shell(), s.shell("--client-protection=encrypt")
	for _, c := range []*shell{plain, sealed} {
		if said := c.list(); !strings.Contains(said, "book.xls") {
			t.Fatalf("smbclient says %s", said)
		}
	}
	const both = smbwire.GenericRead | smbwire.GenericWrite
	range10 := smbwire.LockElement{Length: 10, Flags: smbwire.LockExclusive}
	holder, err := s.client("DESK").Open(t.Context(), "book.xls", both)
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Lock(t.Context(), range10); err != nil {
		t.Fatal(err)
	}
	laptop := s.client("LAPTOP")
	waiter, err := laptop.Open(t.Context(), "book.xls", both)
	if err != nil {
		t.Fatal(err)
	}
	calls, err := laptop.Session().Conn().Start(t.Context(), &smbclient.Request{Command: smbwire.Lock, Tree: laptop, Body: waiter.LockRequest(range10)})
	if err != nil {
		t.Fatal(err)
	}
	<-calls[0].Interim()

	snap := s.snapshot()
	if len(snap.Sessions) != 4 || len(snap.Opens) != 2 || len(snap.Waits) != 1 {
		t.Fatalf("%d sessions, %d opens, %d waits: %+v", len(snap.Sessions), len(snap.Opens), len(snap.Waits), snap)
	}
	encrypted, by := 0, map[string]status.Session{}
	for _, l := range snap.Sessions {
		by[l.Client] = l
		if l.Encrypted != "" {
			encrypted++
		} else if l.Signing == "" {
			t.Errorf("neither signed nor encrypted: %+v", l)
		}
		if l.User != s.user || l.Address != "127.0.0.1" || l.Dialect != "3.1.1" || len(l.Shares) != 1 {
			t.Errorf("session: %+v", l)
		}
	}
	if encrypted != 1 {
		t.Errorf("%d are encrypted", encrypted)
	}
	w := snap.Waits[0]
	if w.Session != by["LAPTOP"].ID || w.Path != "book.xls" || w.Wants != "lock" || w.For != "lock" || *w.Range != (status.Range{Length: 10, Exclusive: true}) ||
		len(w.By) != 1 || !strings.HasPrefix(w.By[0].Open, by["DESK"].ID+".") {
		t.Errorf("waits: %+v", w)
	}
	if said := s.command("", "status"); !strings.Contains(said, "lock of tester ("+w.By[0].Open+")") {
		t.Errorf("status says\n%s", said)
	} else {
		t.Log("\n" + said)
	}

	// The waiting one gets what the other had.
	if said := s.command("", "status", "close", w.By[0].Open); !strings.Contains(said, "Closed the open "+w.By[0].Open+" of tester from 127.0.0.1: book.xls in the share share.") {
		t.Errorf("close says %s", said)
	}
	r, err := calls[0].Wait(t.Context())
	if err != nil || r.Header.Status != smbwire.StatusOK {
		t.Fatalf("the lock that waited: %+v, %v", r, err)
	}
	r.Free()
	if err := holder.Close(t.Context()); !errors.Is(err, smbwire.StatusFileClosed) {
		t.Errorf("CLOSE of what was closed: %v", err)
	}

	// Who is thrown out learns it at his next request; the others do not.
	if said := s.command("", "status", "close", by["LAPTOP"].ID); !strings.Contains(said, "Closed the session "+by["LAPTOP"].ID+" of tester from 127.0.0.1, with 1 files open.") {
		t.Errorf("close says %s", said)
	}
	if err := waiter.Close(t.Context()); !errors.Is(err, smbwire.StatusUserSessionDeleted) {
		t.Errorf("CLOSE in a session that was closed: %v", err)
	}
	for _, l := range snap.Sessions {
		if l.Client != "DESK" && l.Client != "LAPTOP" && l.Encrypted == "" {
			s.command("", "status", "close", l.ID)
		}
	}
	if said := plain.list(); !strings.Contains(said, "NT_STATUS_USER_SESSION_DELETED") {
		t.Errorf("an smbclient whose session was closed says %s", said)
	}
	if said := sealed.list(); !strings.Contains(said, "book.xls") {
		t.Errorf("the other one says %s", said)
	}
	if snap := s.snapshot(); len(snap.Sessions) != 2 || len(snap.Opens) != 0 || len(snap.Waits) != 0 {
		t.Errorf("left are %+v, %+v, %+v", snap.Sessions, snap.Opens, snap.Waits)
	}
	if words := s.log.String(); strings.Count(words, "was closed by an administrator") != 3 {
		t.Errorf("the log says\n%s", words)
	}
}

// Only the user that the server runs as, and root, may ask and close.
func TestStatusIsNobodyElses(t *testing.T) {
	ownProgram(t)
	needRoot(t)
	s := serve(t)
	for _, args := range [][]string{{"status"}, {"status", "close", "1"}} {
		cmd := exec.Command(s.cmd.Path, append(args, "--state", s.state)...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "another user") {
			t.Errorf("dozo %v as nobody: %v\n%s", args, err, out)
		}
	}
}
