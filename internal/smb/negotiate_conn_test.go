package smb_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net"
	"testing"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/smb/smbcrypt"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
)

var allDialects = []smbwire.Dialect{
	smbwire.Dialect202, smbwire.Dialect210, smbwire.Dialect300, smbwire.Dialect302, smbwire.Dialect311,
}

func TestNegotiateEveryDialect(t *testing.T) {
	h := newHost(t)
	for _, tt := range []struct {
		dialect smbwire.Dialect
		signing smbcrypt.SigningAlgorithm
		cipher  smbcrypt.Cipher
		maxIO   uint32
	}{
		{smbwire.Dialect202, smbcrypt.HMACSHA256, 0, 64 << 10},
		{smbwire.Dialect210, smbcrypt.HMACSHA256, 0, 8 << 20},
		{smbwire.Dialect300, smbcrypt.AESCMAC, smbcrypt.AES128CCM, 8 << 20},
		{smbwire.Dialect302, smbcrypt.AESCMAC, smbcrypt.AES128CCM, 8 << 20},
		{smbwire.Dialect311, smbcrypt.AESGMAC, smbcrypt.AES128GCM, 8 << 20},
	} {
		t.Run(tt.dialect.String(), func(t *testing.T) {
			c := h.connect(t, smbclient.Options{Dialects: []smbwire.Dialect{tt.dialect}, RequireSigning: true})
			a := c.Agreed()
			if a.Dialect != tt.dialect || a.Signing != tt.signing || a.Cipher != tt.cipher {
				t.Errorf("agreed on %v, %v, %v; want %v, %v, %v", a.Dialect, a.Signing, a.Cipher, tt.dialect, tt.signing, tt.cipher)
			}
			if a.MaxRead != tt.maxIO || a.MaxWrite != tt.maxIO || a.MaxTransact != tt.maxIO {
				t.Errorf("sizes of %d, %d and %d, want %d", a.MaxRead, a.MaxWrite, a.MaxTransact, tt.maxIO)
			}
			if multi := a.Capabilities&smbwire.CapLargeMTU != 0; multi != (tt.dialect > smbwire.Dialect202) {
				t.Errorf("multi-credit messages: %v", multi)
			}
			// The client checks the keys, and asks below 3.1.1 whether what was
			// negotiated was changed.
			s := h.loginOn(t, c)
			tree(t, s, "IPC$")
			wantAlive(t, s)
		})
	}
}

func TestNegotiatePrefersTheNewest(t *testing.T) {
	h := newHost(t)
	for i := range allDialects {
		if a := h.connect(t, smbclient.Options{Dialects: allDialects[:i+1]}).Agreed(); a.Dialect != allDialects[i] {
			t.Errorf("of %v the server chose %v", allDialects[:i+1], a.Dialect)
		}
	}
	_, err := smbclient.Connect(t.Context(), h.addr, smbclient.Options{Dialects: []smbwire.Dialect{0x0310, 0x0222}})
	if !errors.Is(err, smbwire.StatusNotSupported) {
		t.Errorf("unknown dialects: %v", err)
	}
}

func TestNegotiateFromSMB1(t *testing.T) {
	h := newHost(t)
	t.Run("any", func(t *testing.T) {
		c := h.connect(t, smbclient.Options{MultiProtocol: true})
		if a := c.Agreed(); a.Dialect != smbwire.Dialect311 {
			t.Errorf("agreed on %v", a.Dialect)
		}
		wantAlive(t, h.loginOn(t, c))
	})
	for name, tt := range map[string]struct {
		offer []string
		want  smbwire.Dialect // 0: the connection is closed
	}{
		"2.0.2 alone": {[]string{"NT LM 0.12", "SMB 2.002"}, smbwire.Dialect202},
		"no SMB2":     {[]string{"PC NETWORK PROGRAM 1.0", "NT LM 0.12"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			nc := h.socket(t)
			w := cursor.NewWriter([]byte{0, 0, 0, 0})
			(&smbwire.SMB1Negotiate{Dialects: tt.offer}).Encode(w)
			binary.BigEndian.PutUint32(w.Buffer(), uint32(w.Len()))
			nc.Write(w.Buffer())
			if tt.want == 0 {
				wantSocketClosed(t, nc)
				return
			}
			answer := make([]byte, 4+smbwire.HeaderSize+64)
			if _, err := nc.Read(answer); err != nil {
				t.Fatal(err)
			}
			var m smbwire.NegotiateResponse
			r := cursor.NewReader(answer[4:])
			r.Seek(smbwire.HeaderSize)
			m.SecurityBuffer = nil
			m.Decode(r)
			if m.DialectRevision != tt.want {
				t.Errorf("the server chose %v, want %v", m.DialectRevision, tt.want)
			}
		})
	}
}

func TestNegotiateTwiceEndsTheConnection(t *testing.T) {
	h := newHost(t)
	c := h.connect(t, smbclient.Options{})
	c.Start(t.Context(), &smbclient.Request{Command: smbwire.Negotiate, Body: &smbwire.NegotiateRequest{Dialects: allDialects[:1]}})
	wantClosed(t, c)
}

// negotiateRaw negotiates with a request of the test's making and returns the
// response.
func negotiateRaw(t *testing.T, nc net.Conn, m *smbwire.NegotiateRequest, change func([]byte)) (smbwire.Header, smbwire.NegotiateResponse) {
	t.Helper()
	w := cursor.NewWriter([]byte{0, 0, 0, 0})
	(&smbwire.Header{Command: smbwire.Negotiate}).Encode(w)
	m.Encode(w)
	if change != nil {
		change(w.Message())
	}
	binary.BigEndian.PutUint32(w.Buffer(), uint32(w.Len()))
	nc.Write(w.Buffer())
	answer := make([]byte, 4096)
	n, err := nc.Read(answer)
	if err != nil {
		t.Fatal(err)
	}
	var header smbwire.Header
	var body smbwire.NegotiateResponse
	r := cursor.NewReader(answer[4:n])
	header.Decode(r)
	if header.Status == smbwire.StatusOK {
		body.Decode(r)
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return header, body
}

func TestNegotiateContexts(t *testing.T) {
	h := newHost(t)
	preauth := &smbwire.PreauthIntegrity{Hashes: []uint16{smbwire.HashSHA512}, Salt: []byte("salt")}
	for _, tt := range []struct {
		name   string
		offer  smbwire.NegotiateContexts
		status smbwire.Status
		want   smbwire.NegotiateContexts // Ciphers and Signing of it
	}{
		{name: "no preauthentication hash", status: smbwire.StatusInvalidParameter},
		{name: "an unknown hash", offer: smbwire.NegotiateContexts{Preauth: &smbwire.PreauthIntegrity{Hashes: []uint16{7}, Salt: []byte("salt")}},
			status: smbwire.StatusSMBNoPreauthIntegrityHashOverlap},
		{name: "the hash alone", offer: smbwire.NegotiateContexts{Preauth: preauth}},
		{name: "the client's first cipher", offer: smbwire.NegotiateContexts{Preauth: preauth, Ciphers: []smbwire.Cipher{4, 1, 2, 3}},
			want: smbwire.NegotiateContexts{Ciphers: []smbwire.Cipher{4}}},
		{name: "no common cipher", offer: smbwire.NegotiateContexts{Preauth: preauth, Ciphers: []smbwire.Cipher{9, 10}},
			want: smbwire.NegotiateContexts{Ciphers: []smbwire.Cipher{smbwire.CipherNone}}},
		{name: "the fastest signature", offer: smbwire.NegotiateContexts{Preauth: preauth, Signing: []smbwire.SigningAlgorithm{0, 1, 2}},
			want: smbwire.NegotiateContexts{Signing: []smbwire.SigningAlgorithm{smbwire.SigningAESGMAC}}},
		{name: "no common signature", offer: smbwire.NegotiateContexts{Preauth: preauth, Signing: []smbwire.SigningAlgorithm{9}}},
		{name: "contexts of the future", offer: smbwire.NegotiateContexts{Preauth: preauth,
			Unknown: []smbwire.NegotiateContext{{Type: 0x100, Data: []byte("tax free posix")}, {Type: 0x77, Data: nil}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := &smbwire.NegotiateRequest{SecurityMode: smbwire.SigningEnabled, Dialects: allDialects, Contexts: tt.offer}
			header, answer := negotiateRaw(t, h.socket(t), m, nil)
			if header.Status != tt.status {
				t.Fatalf("status %v, want %v", header.Status, tt.status)
			}
			if tt.status != smbwire.StatusOK {
				return
			}
			c := answer.Contexts
			if c.Preauth == nil || len(c.Preauth.Hashes) != 1 || len(c.Preauth.Salt) < 16 || bytes.Equal(c.Preauth.Salt, make([]byte, len(c.Preauth.Salt))) {
				t.Errorf("preauthentication context %+v", c.Preauth)
			}
			if len(c.Ciphers) != len(tt.want.Ciphers) || len(c.Ciphers) > 0 && c.Ciphers[0] != tt.want.Ciphers[0] {
				t.Errorf("ciphers %v, want %v", c.Ciphers, tt.want.Ciphers)
			}
			if len(c.Signing) != len(tt.want.Signing) || len(c.Signing) > 0 && c.Signing[0] != tt.want.Signing[0] {
				t.Errorf("signing %v, want %v", c.Signing, tt.want.Signing)
			}
			if c.Compression != nil || c.Transport != nil || c.RDMA != nil || c.NetName != nil || c.Unknown != nil {
				t.Errorf("contexts that were not asked for or are not known: %+v", c)
			}
		})
	}
	t.Run("a context twice", func(t *testing.T) {
		m := &smbwire.NegotiateRequest{Dialects: allDialects, Contexts: smbwire.NegotiateContexts{
			Preauth: preauth, Unknown: []smbwire.NegotiateContext{{Type: 1, Data: []byte{1, 0, 0, 0, 1, 0}}}}}
		if header, _ := negotiateRaw(t, h.socket(t), m, nil); header.Status != smbwire.StatusInvalidParameter {
			t.Errorf("status %v", header.Status)
		}
	})
	t.Run("contexts out of bounds", func(t *testing.T) {
		m := &smbwire.NegotiateRequest{Dialects: allDialects, Contexts: smbwire.NegotiateContexts{Preauth: preauth}}
		const contextOffset = smbwire.HeaderSize + 28
		far := func(b []byte) { binary.LittleEndian.PutUint32(b[contextOffset:], 1<<31) }
		if header, _ := negotiateRaw(t, h.socket(t), m, far); header.Status != smbwire.StatusInvalidParameter {
			t.Errorf("status %v", header.Status)
		}
	})
}

func TestTamperedNegotiationEndsInNoLogin(t *testing.T) {
	const salt = 4 + smbwire.HeaderSize + 36 + 10 + 2 + 8 + 6 // of the request, behind five dialects, padding and the context's head
	h := newHost(t)
	for name, meddle := range map[string]func(m *meddler){
		"request":  func(m *meddler) { m.meddle(func(b []byte) { b[salt] ^= 1 }, nil) },
		"response": func(m *meddler) { m.meddle(nil, func(b []byte) { b[len(b)-1] ^= 1 }) },
	} {
		t.Run(name, func(t *testing.T) {
			m := &meddler{Conn: h.socket(t)}
			meddle(m)
			c := h.connectOver(t, m, smbclient.Options{Signing: []smbcrypt.SigningAlgorithm{}, Ciphers: []smbcrypt.Cipher{}})
			m.meddle(nil, nil)
			if _, err := c.Login(t.Context(), anna); !errors.Is(err, smbclient.ErrProtocol) {
				t.Errorf("Login = %v", err)
			}
		})
	}
}

func TestValidateNegotiateInfo(t *testing.T) {
	h := newHost(t)
	o := smbclient.Options{Dialects: []smbwire.Dialect{smbwire.Dialect300, smbwire.Dialect302}, GUID: [16]byte{9}}
	right := smbwire.ValidateNegotiateInfoRequest{
		Capabilities: smbwire.CapLargeMTU | smbwire.CapEncryption,
		GUID:         o.GUID,
		SecurityMode: smbwire.SigningEnabled,
		Dialects:     o.Dialects,
	}
	ask := func(t *testing.T, info smbwire.ValidateNegotiateInfoRequest) (*smbclient.Conn, *smbclient.Call) {
		c := h.connect(t, o)
		tr := tree(t, h.loginOn(t, c), "IPC$")
		calls, err := c.Start(t.Context(), &smbclient.Request{Command: smbwire.Ioctl, Tree: tr, Sign: true, Body: &smbwire.IoctlRequest{
			CtlCode: smbwire.FsctlValidateNegotiateInfo, FileID: smbwire.RelatedFileID, Input: encoded(&info),
			MaxOutputResponse: smbwire.ValidateNegotiateInfoSize, Flags: smbwire.IoctlIsFsctl,
		}})
		if err != nil {
			t.Fatal(err)
		}
		return c, calls[0]
	}
	t.Run("right", func(t *testing.T) {
		_, call := ask(t, right)
		if r, err := call.Wait(t.Context()); err != nil || r.Header.Status != smbwire.StatusOK {
			t.Errorf("response %v, %v", r, err)
		}
	})
	t.Run("after it was decided to require signatures", func(t *testing.T) {
		c := h.connect(t, o)
		h.RequireSigning(true)
		defer h.RequireSigning(false)
		tr := tree(t, h.loginOn(t, c), "test")
		if tr.Session().Signed() {
			t.Error("a connection that was told that it need not sign has to")
		}
		calls, err := c.Start(t.Context(), &smbclient.Request{Command: smbwire.Ioctl, Tree: tr, Sign: true, Body: &smbwire.IoctlRequest{
			CtlCode: smbwire.FsctlValidateNegotiateInfo, FileID: smbwire.RelatedFileID, Input: encoded(&right),
			MaxOutputResponse: smbwire.ValidateNegotiateInfoSize, Flags: smbwire.IoctlIsFsctl,
		}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := calls[0].Wait(t.Context())
		if err != nil || r.Header.Status != smbwire.StatusOK {
			t.Fatalf("response %v, %v", r, err)
		}
		s := h.login(t, o)
		if !s.Signed() {
			t.Error("a new one need not")
		}
		wantStatus(t, s.Conn(), &smbclient.Request{
			Command: smbwire.TreeConnect, Session: s, Plain: true, Body: &smbwire.TreeConnectRequest{Path: `\\h\test`},
		}, smbwire.StatusAccessDenied)
	})
	for name, change := range map[string]func(*smbwire.ValidateNegotiateInfoRequest){
		"capabilities":  func(m *smbwire.ValidateNegotiateInfoRequest) { m.Capabilities = 0 },
		"guid":          func(m *smbwire.ValidateNegotiateInfoRequest) { m.GUID[0]++ },
		"security mode": func(m *smbwire.ValidateNegotiateInfoRequest) { m.SecurityMode = smbwire.SigningRequired },
		"dialects": func(m *smbwire.ValidateNegotiateInfoRequest) {
			m.Dialects = []smbwire.Dialect{smbwire.Dialect300, smbwire.Dialect302, smbwire.Dialect311}
		},
	} {
		t.Run(name, func(t *testing.T) {
			info := right
			change(&info)
			c, _ := ask(t, info)
			wantClosed(t, c)
		})
	}
}
