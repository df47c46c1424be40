package smb_test

import (
	"testing"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
)

// echoWith is an ECHO whose header was changed.
func echoWith(s *smbclient.Session, edit func(*smbwire.Header)) *smbclient.Request {
	return &smbclient.Request{Command: smbwire.Echo, Session: s, Body: &smbwire.EchoRequest{}, Edit: edit}
}

func TestMessageIDsOutsideOfTheWindowEndTheConnection(t *testing.T) {
	h := newHost(t)
	for name, edit := range map[string]func(*smbwire.Header){
		"used":             func(h *smbwire.Header) { h.MessageID = 1 },
		"far ahead":        func(h *smbwire.Header) { h.MessageID += 1 << 20 },
		"the last":         func(h *smbwire.Header) { h.MessageID = 1<<64 - 1 },
		"a charge too big": func(h *smbwire.Header) { h.CreditCharge = 1<<16 - 1 },
	} {
		t.Run(name, func(t *testing.T) {
			s := h.login(t, smbclient.Options{})
			if _, err := s.Conn().Start(t.Context(), echoWith(s, edit)); err != nil {
				t.Fatal(err)
			}
			wantClosed(t, s.Conn())
		})
	}
}

func TestCreditsGranted(t *testing.T) {
	h := newHost(t)
	const afterLogin, beforeLogin = 8192, 32
	s := h.login(t, smbclient.Options{Credits: 1})
	c := s.Conn()
	held := 1 // credits: the client asks for one, unless the test asks for more
	for _, tt := range []struct{ ask, want uint16 }{
		{0, 1}, // a client with none left could never speak again
		{1, 1},
		{100, 100},
		{1<<16 - 1, afterLogin - 99}, // the request has used one of the hundred
		{500, 1},
	} {
		r, err := c.Do(t.Context(), echoWith(s, func(h *smbwire.Header) { h.Credits = tt.ask }))
		if err != nil {
			t.Fatal(err)
		}
		got := r.Header.Credits
		r.Free()
		if got != tt.want {
			t.Errorf("asked for %d with %d in hand, got %d, want %d", tt.ask, held, got, tt.want)
		}
		held += int(got) - 1
	}

	stranger := h.connect(t, smbclient.Options{Credits: 1})
	r, err := stranger.Do(t.Context(), &smbclient.Request{
		Command: smbwire.Echo, Body: &smbwire.EchoRequest{}, Edit: func(h *smbwire.Header) { h.Credits = 1000 }})
	if err != nil {
		t.Fatal(err)
	}
	if r.Header.Credits > beforeLogin {
		t.Errorf("a stranger got %d credits", r.Header.Credits)
	}
}

func TestIOIsPaidFor(t *testing.T) {
	h := newHost(t)
	tr := h.use(t, smbclient.Options{})
	f := makeFile(t, tr, "file", 8<<20)
	c := tr.Session().Conn()
	read := func(n uint32, charge uint16) *smbclient.Request {
		return &smbclient.Request{Command: smbwire.Read, Tree: tr, Charge: charge, Body: &smbwire.ReadRequest{Length: n, FileID: f.ID()}}
	}
	wantStatus(t, c, read(64<<10, 1), smbwire.StatusOK)
	wantStatus(t, c, read(64<<10+1, 1), smbwire.StatusInvalidParameter)
	wantStatus(t, c, read(64<<10+1, 2), smbwire.StatusOK)
	wantStatus(t, c, read(8<<20, 127), smbwire.StatusInvalidParameter)
	wantStatus(t, c, read(8<<20, 128), smbwire.StatusOK)
	wantStatus(t, c, read(8<<20+1, 129), smbwire.StatusInvalidParameter) // more than was agreed on
	wantStatus(t, c, &smbclient.Request{Command: smbwire.Write, Tree: tr, Charge: 1, Body: &smbwire.WriteRequest{
		FileID: f.ID(), Data: make([]byte, 64<<10+1)}}, smbwire.StatusInvalidParameter)
	wantStatus(t, c, &smbclient.Request{Command: smbwire.QueryInfo, Tree: tr, Charge: 1, Body: &smbwire.QueryInfoRequest{
		Type: smbwire.InfoFile, Class: uint8(smbwire.FileStandardInformation), OutputBufferLength: 64<<10 + 1, FileID: f.ID()}}, smbwire.StatusInvalidParameter)
}

// With 2.0.2 there are no charges: the field is reserved and a message costs
// one credit whatever stands there.
func TestChargesOf202AreIgnored(t *testing.T) {
	h := newHost(t)
	s := h.login(t, smbclient.Options{Dialects: allDialects[:1]})
	for range 5 {
		wantStatus(t, s.Conn(), echoWith(s, func(h *smbwire.Header) { h.CreditCharge = 77 }), smbwire.StatusOK)
	}
}

// Many requests at once, of different sizes, never lack credits for ever.
func TestCreditsSuffice(t *testing.T) {
	h := newHost(t)
	tr := h.use(t, smbclient.Options{Credits: 40})
	f := makeFile(t, tr, "file", 4<<20)
	done := make(chan error)
	const workers = 16
	for w := range workers {
		go func() {
			var err error
			for i := range 100 {
				var b *smbclient.Block
				if b, err = f.ReadBlock(t.Context(), 1<<(uint(i+w)%21), 0); err != nil {
					break
				}
				b.Free()
			}
			done <- err
		}()
	}
	for range workers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
