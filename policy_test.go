package dozo_test

import (
	"context"
	"errors"
	"net"
	"os/user"
	"path/filepath"
	"testing"

	"github.com/dozo-server/dozo"
	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
	"github.com/dozo-server/dozo/vfs/memfs"
)

// TestWhoMayUseAShare asks a running server as two users, of whom one acts as
// an account of this machine and so is in its groups.
func TestWhoMayUseAShare(t *testing.T) {
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	group, err := user.LookupGroupId(me.Gid)
	if err != nil {
		t.Skip("the group of this account has no name: ", err)
	}
	store := auth.NewStore(filepath.Join(t.TempDir(), "users"))
	for _, r := range []struct{ name, account string }{{"member", me.Username}, {"other", ""}} {
		record, err := auth.NewRecord(r.name, "Secret77")
		if err != nil {
			t.Fatal(err)
		}
		record.UnixUser = r.account
		if err := store.Add(record); err != nil {
			t.Fatal(err)
		}
	}
	share := func(name string, policy dozo.Share) dozo.Share {
		policy.Name, policy.FS = name, memfs.New()
		return policy
	}
	addr := serving(t, &dozo.Server{Users: store, Shares: []dozo.Share{
		share("all", dozo.Share{}),
		share("group", dozo.Share{Groups: []string{group.Name}}),
		share("nogroup", dozo.Share{Groups: []string{"no such group"}}),
		share("either", dozo.Share{Users: []string{"OTHER"}, Groups: []string{group.Name}}),
		share("look", dozo.Share{Groups: []string{group.Name}, ReadOnlyUsers: []string{"other", "member"}}),
	}})

	const none, look, change = "refused", "may look", "may change"
	tests := []struct{ share, member, other string }{
		{"all", change, change},
		{"group", change, none},
		{"nogroup", none, none},
		{"either", change, change},
		{"look", look, look},
	}
	sessions := map[string]*smbclient.Session{"member": logIn(t, addr, "member"), "other": logIn(t, addr, "other")}
	for _, tt := range tests {
		for name, want := range map[string]string{"member": tt.member, "other": tt.other} {
			tree, err := sessions[name].Tree(t.Context(), tt.share)
			got := none
			if err == nil {
				got = change
				if err = tree.WriteFile(t.Context(), name, nil); err != nil {
					got = look
				}
			}
			if got != want || err != nil && !errors.Is(err, smbwire.StatusAccessDenied) {
				t.Errorf("%s in the share %q: %s (%v), want %s", name, tt.share, got, err, want)
			}
		}
	}
}

// serving runs a server until the test ends and returns its address.
func serving(t *testing.T, srv *dozo.Server) string {
	t.Helper()
	ready := make(chan struct{})
	srv.Ready = func() { close(ready) }
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { done <- srv.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("Serve = %v", err)
		}
	})
	<-ready
	return l.Addr().String()
}

func logIn(t *testing.T, addr, name string) *smbclient.Session {
	t.Helper()
	s, err := smbclient.Dial(t.Context(), addr, smbclient.Options{Login: smbclient.Login{User: name, Password: "Secret77"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Conn().Close() })
	return s
}
