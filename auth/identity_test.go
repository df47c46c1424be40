package auth_test

import (
	"os/user"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/auth"
)

func TestIdentity(t *testing.T) {
	s := newStore(t)
	me, err := user.Current()
	if err != nil {
		t.Skip("no account for this process: ", err)
	}
	id, err := s.Identity(auth.Record{Name: "Ann", UnixUser: me.Username})
	if err != nil {
		t.Fatal(err)
	}
	if id.User != "Ann" || id.Guest || !id.HasID ||
		strconv.Itoa(int(id.UID)) != me.Uid || strconv.Itoa(int(id.GID)) != me.Gid {
		t.Errorf("identity = %+v of %+v", id, me)
	}
	if slices.Contains(id.Groups, id.GID) || !slices.IsSorted(id.Groups) {
		t.Errorf("groups = %v beside %d", id.Groups, id.GID)
	}
	if g, err := user.LookupGroupId(me.Gid); err == nil && !slices.Contains(id.GroupNames, g.Name) {
		t.Errorf("group names %v lack %s", id.GroupNames, g.Name)
	}

	id, err = s.Identity(auth.Record{Name: "nobody has this name"})
	if err != nil || id.HasID || id.User != "nobody has this name" {
		t.Errorf("without an account: %+v, %v", id, err)
	}
	_, err = s.Identity(auth.Record{Name: "ann", UnixUser: "nobody has this name"})
	if err == nil || !strings.Contains(err.Error(), "user ann acts as the account nobody has this name") {
		t.Errorf("with an account that is gone: %v", err)
	}
}

func TestIdentityOfTheSameName(t *testing.T) {
	account, err := user.Lookup("daemon")
	if err != nil || account.Uid == "0" {
		t.Skip("no account daemon here")
	}
	for _, name := range []string{"daemon", "Daemon"} {
		id, err := newStore(t).Identity(auth.Record{Name: name})
		if err != nil || !id.HasID || strconv.Itoa(int(id.UID)) != account.Uid || id.User != name {
			t.Errorf("%s = %+v, %v", name, id, err)
		}
	}
}

// The superuser is nobody's account by chance.
func TestRootMustBeNamed(t *testing.T) {
	s := newStore(t)
	if id, err := s.Identity(auth.Record{Name: "root"}); err != nil || id.HasID {
		t.Errorf("a user called root = %+v, %v", id, err)
	}
	if _, err := user.Lookup("root"); err != nil {
		t.Skip("no account root here")
	}
	if id, err := s.Identity(auth.Record{Name: "ann", UnixUser: "root"}); err != nil || !id.HasID || id.UID != 0 {
		t.Errorf("a user who acts as root = %+v, %v", id, err)
	}
}

func TestMachine(t *testing.T) {
	account, err := user.Lookup("daemon")
	if err != nil {
		t.Skip("no account daemon here")
	}
	var m auth.Machine
	uid, ok := m.UserID("daemon")
	if name, known := m.UserName(uid); !ok || !known || name != "daemon" || strconv.Itoa(int(uid)) != account.Uid {
		t.Errorf("daemon has number %d, which is %q", uid, name)
	}
	if gid, ok := m.GroupID("daemon"); ok {
		if name, known := m.GroupName(gid); !known || name != "daemon" {
			t.Errorf("group daemon has number %d, which is %q", gid, name)
		}
	}
	if _, ok := m.UserID("nobody has this name"); ok {
		t.Error("an unknown user has a number")
	}
	if _, ok := m.GroupID("nobody has this name"); ok {
		t.Error("an unknown group has a number")
	}
	if name, ok := m.UserName(4294967294); ok {
		t.Errorf("an unknown number is %q", name)
	}
	if name, ok := m.GroupName(4294967294); ok {
		t.Errorf("an unknown number is %q", name)
	}
}

func TestMachineKnowsUsersAsTheirAccounts(t *testing.T) {
	account, err := user.Lookup("daemon")
	if err != nil {
		t.Skip("no account daemon here")
	}
	s := newStore(t)
	for _, r := range []auth.Record{{Name: "Ann", UnixUser: "daemon"}, {Name: "bob"}} {
		if err := s.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	m := auth.Machine{Users: s}
	if uid, ok := m.UserID("ann"); !ok || strconv.Itoa(int(uid)) != account.Uid {
		t.Errorf("ann has number %d, %v", uid, ok)
	}
	if uid, ok := m.UserID("bob"); ok {
		t.Errorf("bob, who has no account, has number %d", uid)
	}
	if _, ok := m.UserID("daemon"); !ok {
		t.Error("an account that is no user's has no number")
	}
}
