package smb_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/smb"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
)

// opened finds what a file is open as.
func (h *host) opened(t *testing.T, f *smbclient.File) smb.OpenInfo {
	t.Helper()
	opens, _ := h.Opens()
	for _, o := range opens {
		if o.ID.Open == f.ID().Volatile && o.ID.Session == h.number(t, f.Tree().Session()) {
			return o
		}
	}
	t.Fatalf("%v is not among %+v", f.ID(), opens)
	return smb.OpenInfo{}
}

// number finds that of a session: sessions are numbered as they log in.
func (h *host) number(t *testing.T, s *smbclient.Session) uint64 {
	t.Helper()
	sessions, _ := h.Sessions()
	for _, i := range sessions {
		if h.IsNumber(s.ID(), i.Number) {
			return i.Number
		}
	}
	t.Fatalf("no session has the id %d", s.ID())
	return 0
}

// Whom an administrator throws out learns it at once: what waits ends, and what
// he asks for is refused. Who waited for him goes on.
func TestCloseSession(t *testing.T) {
	for name, o := range map[string]smbclient.Options{"plain": {}, "signed": {RequireSigning: true}, "encrypted": {Encrypt: true}} {
		t.Run(name, func(t *testing.T) { testCloseSession(t, o) })
	}
}

func testCloseSession(t *testing.T, options smbclient.Options) {
	h := newHost(t)
	holder, waiter, call := contest(t, h, options)
	queued, err := h.use(t, options).Open(t.Context(), "contested", smbwire.GenericRead|smbwire.GenericWrite)
	if err != nil {
		t.Fatal(err)
	}
	next := waitForLock(t, queued)

	number := h.number(t, waiter.Tree().Session())
	info, ok := h.CloseSession(number)
	if !ok || info.User != "anna" || info.Opens != 1 {
		t.Errorf("closed %+v, %v", info, ok)
	}
	wantEnd(t, call, smbwire.StatusRangeNotLocked)
	if _, err := waiter.Tree().Open(t.Context(), "contested", smbwire.GenericRead); !errors.Is(err, smbwire.StatusUserSessionDeleted) {
		t.Errorf("CREATE afterwards: %v", err)
	}
	again, err := waiter.Tree().Session().Conn().Do(t.Context(), &smbclient.Request{Command: smbwire.SessionSetup, Session: waiter.Tree().Session(),
		Body: &smbwire.SessionSetupRequest{SecurityBuffer: []byte("x")}})
	if err != nil || again.Header.Status != smbwire.StatusUserSessionDeleted {
		t.Errorf("SESSION_SETUP on it: %+v, %v", again, err)
	}
	if err := waiter.Tree().Session().Logoff(t.Context()); !errors.Is(err, smbwire.StatusUserSessionDeleted) {
		t.Errorf("LOGOFF afterwards: %v", err)
	}
	if _, again := h.CloseSession(number); again {
		t.Error("it was closed twice")
	}
	if words := h.log.String(); !strings.Contains(words, "a session was closed by an administrator") || !strings.Contains(words, "user=anna") {
		t.Errorf("the log says %s", words)
	}

	if _, ok := h.CloseSession(h.number(t, holder.Tree().Session())); !ok {
		t.Error("not closed")
	}
	wantEnd(t, next, smbwire.StatusOK)
	opens, waits := h.Opens()
	if len(opens) != 1 || len(waits) != 0 || opens[0].Locks != 1 {
		t.Errorf("left are %+v, %+v", opens, waits)
	}
	// The connection is as good as before.
	s, err := holder.Tree().Session().Conn().Login(t.Context(), anna)
	if err != nil {
		t.Fatal(err)
	}
	if err := tree(t, s, "test").WriteFile(t.Context(), "again", []byte("x")); err != nil {
		t.Error(err)
	}
}

// A request that waits for the break of an oplock ends with its session, too.
func TestCloseSessionThatWaitsForAnOplock(t *testing.T) {
	h := newHost(t)
	m := smbclient.Making("kept")
	m.OplockLevel = smbwire.OplockBatch
	f, err := h.use(t, smbclient.Options{}).Create(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	tr := h.use(t, smbclient.Options{})
	calls, err := tr.Session().Conn().Start(t.Context(), &smbclient.Request{Command: smbwire.Create, Tree: tr,
		Body: smbclient.Existing("kept", smbwire.GenericRead)})
	if err != nil {
		t.Fatal(err)
	}
	<-calls[0].Interim()
	_, waits := h.Opens()
	if len(waits) != 1 || waits[0].Op != "open" || waits[0].Path != "kept" || waits[0].For != share.ForOplock || waits[0].Open != 0 ||
		waits[0].Share != "test" || len(waits[0].By) != 1 || waits[0].By[0].ID != h.opened(t, f).ID {
		t.Errorf("waits: %+v", waits)
	}
	if o := h.opened(t, f); !o.Breaking {
		t.Errorf("the holder is %+v", o)
	}
	if _, ok := h.CloseSession(h.number(t, tr.Session())); !ok {
		t.Error("not closed")
	}
	wantEnd(t, calls[0], smbwire.StatusUserSessionDeleted)
	if _, waits := h.Opens(); len(waits) != 0 {
		t.Errorf("waits: %+v", waits)
	}
}

// A file that an administrator closes is closed to its client, and free to others.
func TestCloseOpen(t *testing.T) {
	h := newHost(t)
	holder, waiter, call := contest(t, h, smbclient.Options{})
	opens, waits := h.Opens()
	if len(opens) != 2 || len(waits) != 1 {
		t.Fatalf("%+v, %+v", opens, waits)
	}
	w := waits[0]
	if w.Op != "lock" || w.For != share.ForRange || w.Range != (share.Range{Length: 1, Exclusive: true}) || w.User != "anna" || w.Path != "contested" ||
		w.Open != waiter.ID().Volatile || w.Session != h.number(t, waiter.Tree().Session()) || time.Since(w.Since) > time.Minute ||
		len(w.By) != 1 || w.By[0].ID != h.opened(t, holder).ID {
		t.Errorf("waits: %+v", w)
	}
	id := h.opened(t, holder).ID
	info, ok := h.CloseOpen(id)
	if !ok || info.Path != "contested" || info.Share != "test" || info.User != "anna" || info.Locks != 1 {
		t.Errorf("closed %+v, %v", info, ok)
	}
	wantEnd(t, call, smbwire.StatusOK)
	if err := holder.Close(t.Context()); !errors.Is(err, smbwire.StatusFileClosed) {
		t.Errorf("CLOSE afterwards: %v", err)
	}
	if err := holder.Tree().WriteFile(t.Context(), "other", []byte("x")); err != nil {
		t.Errorf("the session goes on: %v", err)
	}
	for _, none := range []smb.OpenID{id, {Session: id.Session, Open: 99}, {Session: 99, Open: 1}} {
		if info, ok := h.CloseOpen(none); ok {
			t.Errorf("%v was closed, as %+v", none, info)
		}
	}
}

// Deleting on close is not forgone.
func TestCloseOpenDeletes(t *testing.T) {
	h := newHost(t)
	tr := h.use(t, smbclient.Options{})
	m := smbclient.Making("going")
	m.Options |= smbwire.DeleteOnClose
	f, err := tr.Create(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	o := h.opened(t, f)
	if !o.Delete {
		t.Errorf("open: %+v", o)
	}
	if _, ok := h.CloseOpen(o.ID); !ok {
		t.Error("not closed")
	}
	if _, err := tr.Open(t.Context(), "going", smbwire.GenericRead); !errors.Is(err, smbwire.StatusObjectNameNotFound) {
		t.Errorf("it is there still: %v", err)
	}
}

// What a session tells of itself, and how it is protected.
func TestSessionInfo(t *testing.T) {
	for name, tt := range map[string]struct {
		o                 smbclient.Options
		signed, encrypted string
	}{
		"plain":     {smbclient.Options{}, "", ""},
		"signed":    {smbclient.Options{RequireSigning: true}, "AES-128-GMAC", ""},
		"encrypted": {smbclient.Options{Encrypt: true}, "", "AES-128-GCM"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			login := anna
			login.Workstation = strings.Repeat("DESK", 20)
			s, err := h.connect(t, tt.o).Login(t.Context(), login)
			if err != nil {
				t.Fatal(err)
			}
			makeFile(t, tree(t, s, "test"), "f", 10)
			sessions, _ := h.Sessions()
			got := sessions[0]
			if got.Number != 1 || got.User != "anna" || got.Client != strings.Repeat("DESK", 16) || got.System != "" || got.Opens != 1 ||
				!strings.Contains(got.Signing, tt.signed) || (got.Signing == "") != (tt.signed == "") || got.Encryption != tt.encrypted ||
				strings.Join(got.Shares, " ") != "test" || time.Since(got.Used) > time.Minute {
				t.Errorf("%+v", got)
			}
		})
	}
}

// Requests are counted where they belong, with what they moved.
func TestRequestsAreCounted(t *testing.T) {
	h := newHost(t)
	tr := h.use(t, smbclient.Options{})
	if err := tr.Mkdir(t.Context(), "folder"); err != nil {
		t.Fatal(err)
	}
	f := makeFile(t, tr, `folder\f`, 1000)
	if _, err := f.ReadAt(t.Context(), make([]byte, 300), 0); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	m := h.share.Meter()
	l := m.Load(time.Now())
	kinds := map[string]uint64{}
	for _, k := range l.Kinds {
		kinds[k.Kind.String()] = k.Requests
		if k.Median <= 0 || k.Most < k.Median {
			t.Errorf("times: %+v", k)
		}
	}
	if l.Written != 1000 || l.Read != 300 || kinds["read"] != 1 || kinds["write"] != 1 || kinds["open"] != 2 || kinds["close"] != 2 || len(kinds) != 4 {
		t.Errorf("%+v", l)
	}
	if got := m.Folders(time.Now(), 5); len(got) != 1 || got[0].Path != "folder" || got[0].Requests != 6 {
		t.Errorf("folders: %+v", got)
	}
}

// TestCloseWhileOthersLogIn: who closes looks at sessions that are just being made,
// which the race detector watches.
func TestCloseWhileOthersLogIn(t *testing.T) {
	h := newHost(t)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				h.CloseSession(1 << 40)
			}
		}
	}()
	for range 20 {
		h.use(t, smbclient.Options{})
	}
	close(stop)
	<-stopped
}
