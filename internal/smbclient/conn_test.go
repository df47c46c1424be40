package smbclient

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

func TestResponsesAreRoutedByMessageID(t *testing.T) {
	const n = 8
	tree := connect(t, Options{}, func(f *fake) {
		var got []*message
		for range n {
			got = append(got, f.expect(smbwire.Read))
		}
		for i := n - 1; i >= 0; i-- {
			var m smbwire.ReadRequest
			got[i].decode(t, &m)
			f.reply(got[i], smbwire.StatusOK, &smbwire.ReadResponse{Data: []byte{byte(m.Offset)}})
		}
	})
	file := tree.FileOf(smbwire.FileID{Volatile: 1})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			b, err := file.ReadBlock(within(t, 10*time.Second), 1, int64(i))
			if err != nil {
				t.Error(err)
				return
			}
			defer b.Free()
			if !bytes.Equal(b.Data, []byte{byte(i)}) {
				t.Errorf("the read at %d got %v", i, b.Data)
			}
		})
	}
	all.Wait()
}

func TestProtectionOfResponsesIsChecked(t *testing.T) {
	flip := func(c smbwire.Command, b []byte) {
		if c == smbwire.Echo {
			b[len(b)-1] ^= 1
		}
	}
	unsign := func(c smbwire.Command, b []byte) {
		if c == smbwire.Echo {
			b[smbwire.HeaderFlagsOffset] &^= byte(smbwire.FlagSigned)
		}
	}
	for name, tamper := range map[string]func(smbwire.Command, []byte){"changed": flip, "not signed": unsign} {
		t.Run(name, func(t *testing.T) {
			tree := connect(t, Options{}, func(f *fake) {
				f.tamper = tamper
				f.reply(f.expect(smbwire.Echo), smbwire.StatusOK, &smbwire.EchoResponse{})
			})
			if err := tree.Session().Echo(within(t, 10*time.Second)); !errors.Is(err, ErrProtocol) {
				t.Errorf("the error of a response that was %s is %v", name, err)
			}
		})
	}
}

func TestChangesToTheNegotiationAreFound(t *testing.T) {
	// A man in the middle takes the server's wish for signatures away.
	const securityMode = smbwire.HeaderSize + 2
	weaken := func(c smbwire.Command, b []byte) {
		if c == smbwire.Negotiate {
			b[securityMode] = byte(smbwire.SigningEnabled)
		}
	}
	t.Run("by the preauthentication hash", func(t *testing.T) {
		f, nc := newFake(t, smbwire.Dialect311)
		go func() {
			m := f.expect(smbwire.Negotiate)
			f.preauth.Update(m.bytes)
			w := cursor.NewWriter(nil)
			h := f.header(m, smbwire.StatusOK)
			h.Encode(w)
			f.answer.Encode(w)
			f.preauth.Update(w.Message())
			weaken(smbwire.Negotiate, w.Message())
			f.frame(w.Message())
			f.login()
		}()
		c, err := NewConn(t.Context(), nc, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := c.Login(within(t, 10*time.Second), tester); !errors.Is(err, ErrProtocol) {
			t.Errorf("Login = %v", err)
		}
	})
	t.Run("by asking again", func(t *testing.T) {
		f, nc := newFake(t, smbwire.Dialect302)
		f.tamper = weaken
		go func() {
			f.negotiate()
			f.login()
			f.tree()
			m := f.expect(smbwire.Ioctl)
			var ioctl smbwire.IoctlRequest
			m.decode(t, &ioctl)
			if ioctl.CtlCode != smbwire.FsctlValidateNegotiateInfo {
				t.Errorf("the first IOCTL is %v", ioctl.CtlCode)
			}
			w := cursor.NewWriter(nil)
			(&smbwire.ValidateNegotiateInfoResponse{
				Capabilities: f.answer.Capabilities, GUID: f.answer.ServerGUID,
				SecurityMode: f.answer.SecurityMode, Dialect: f.answer.DialectRevision,
			}).Encode(w)
			f.reply(m, smbwire.StatusOK, &smbwire.IoctlResponse{CtlCode: ioctl.CtlCode, Output: w.Message()})
		}()
		c, err := NewConn(t.Context(), nc, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		s, err := c.Login(within(t, 10*time.Second), tester)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Tree(within(t, 10*time.Second), "share"); !errors.Is(err, ErrProtocol) {
			t.Errorf("Tree = %v", err)
		}
	})
}

func TestServersThatChooseWhatWasNotOfferedAreRefused(t *testing.T) {
	for name, change := range map[string]func(*smbwire.NegotiateResponse){
		"dialect":  func(m *smbwire.NegotiateResponse) { m.DialectRevision = smbwire.Dialect210 },
		"cipher":   func(m *smbwire.NegotiateResponse) { m.Contexts.Ciphers = []smbwire.Cipher{9} },
		"signing":  func(m *smbwire.NegotiateResponse) { m.Contexts.Signing = []smbwire.SigningAlgorithm{9} },
		"no hash":  func(m *smbwire.NegotiateResponse) { m.Contexts.Preauth = nil },
		"new hash": func(m *smbwire.NegotiateResponse) { m.Contexts.Preauth.Hashes = []uint16{2} },
	} {
		t.Run(name, func(t *testing.T) {
			f, nc := newFake(t, smbwire.Dialect311)
			change(&f.answer)
			go f.negotiate()
			c, err := NewConn(within(t, 10*time.Second), nc, Options{Dialects: []smbwire.Dialect{smbwire.Dialect311}})
			if !errors.Is(err, ErrProtocol) {
				t.Errorf("NewConn = %v, %v", c, err)
			}
		})
	}
}

func TestGuestsAreRefusedWhereSignaturesAreRequired(t *testing.T) {
	f, nc := newFake(t, smbwire.Dialect311)
	f.flags = smbwire.SessionIsGuest
	go func() {
		f.negotiate()
		f.login()
	}()
	c, err := NewConn(t.Context(), nc, Options{RequireSigning: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if s, err := c.Login(within(t, 10*time.Second), tester); err == nil {
		t.Errorf("Login = guest %v, without an error", s.Guest())
	}
}

func TestWrongPassword(t *testing.T) {
	f, nc := newFake(t, smbwire.Dialect311)
	go func() {
		f.negotiate()
		f.login()
	}()
	c, err := NewConn(t.Context(), nc, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = c.Login(within(t, 10*time.Second), Login{User: "tester", Password: "guess"})
	if !errors.Is(err, smbwire.StatusLogonFailure) {
		t.Errorf("Login = %v", err)
	}
}

func TestCancelNamesTheAsyncID(t *testing.T) {
	tree := connect(t, Options{}, func(f *fake) {
		m := f.expect(smbwire.Lock)
		h := f.header(m, smbwire.StatusPending)
		h.Flags |= smbwire.FlagAsync
		h.AsyncID = 99
		f.send(h, &smbwire.ErrorResponse{})
		cancel := f.expect(smbwire.Cancel)
		if cancel.AsyncID != 99 || cancel.MessageID != m.MessageID || cancel.Flags&smbwire.FlagSigned == 0 {
			t.Errorf("CANCEL = %+v", cancel.Header)
		}
		h.Status, h.Credits = smbwire.StatusCancelled, 0
		f.send(h, &smbwire.ErrorResponse{})
		f.reply(f.expect(smbwire.Echo), smbwire.StatusOK, &smbwire.EchoResponse{})
	})
	ctx, cancel := context.WithCancel(t.Context())
	file := tree.FileOf(smbwire.FileID{Volatile: 1})
	calls, err := tree.Session().Conn().Start(ctx, &Request{Command: smbwire.Lock, Tree: tree, Body: file.LockRequest(smbwire.LockElement{Length: 1})})
	if err != nil {
		t.Fatal(err)
	}
	<-calls[0].Interim()
	cancel()
	r, err := calls[0].Wait(ctx)
	if err != nil || r.Header.Status != smbwire.StatusCancelled {
		t.Fatalf("Wait = %+v, %v", r, err)
	}
	r.Free()
	if err := tree.Session().Echo(within(t, 10*time.Second)); err != nil {
		t.Errorf("after a cancel: %v", err)
	}
}

func TestBreaksAreToldAndAcknowledged(t *testing.T) {
	id := smbwire.FileID{Persistent: 3, Volatile: 4}
	told := make(chan smbwire.OplockLevel, 1)
	o := Options{OnBreak: func(file smbwire.FileID, to smbwire.OplockLevel) {
		if file == id {
			told <- to
		}
	}}
	tree := connect(t, o, func(f *fake) {
		h := smbwire.Header{Command: smbwire.OplockBreak, Flags: smbwire.FlagResponse, MessageID: smbwire.NoMessageID}
		f.send(h, &smbwire.OplockBreakMessage{OplockLevel: smbwire.OplockII, FileID: id})
		m := f.expect(smbwire.OplockBreak)
		var answer smbwire.OplockBreakMessage
		m.decode(t, &answer)
		if answer.FileID != id || answer.OplockLevel != smbwire.OplockII {
			t.Errorf("acknowledged %+v", answer)
		}
		f.reply(m, smbwire.StatusOK, &answer)
	})
	if to := <-told; to != smbwire.OplockII {
		t.Fatalf("broken to %d", to)
	}
	if err := tree.FileOf(id).AcknowledgeBreak(within(t, 10*time.Second), smbwire.OplockII); err != nil {
		t.Error(err)
	}
}

func TestCompoundsMayBeAnsweredTogetherOrNot(t *testing.T) {
	for name, together := range map[string]bool{"together": true, "one by one": false} {
		t.Run(name, func(t *testing.T) {
			tree := connect(t, Options{}, func(f *fake) {
				m := f.next()
				second := &message{bytes: m.bytes[m.NextCommand:]}
				second.Header.Decode(cursor.NewReader(second.bytes))
				if second.Flags&smbwire.FlagRelated == 0 || !f.signer.Verify(m.bytes[:m.NextCommand]) || !f.signer.Verify(second.bytes) {
					t.Errorf("compound of %+v and %+v is not related or not signed", m.Header, second.Header)
				}
				if !together {
					f.reply(m, smbwire.StatusOK, &smbwire.CreateResponse{})
					f.reply(second, smbwire.StatusOK, &smbwire.CloseResponse{})
					return
				}
				w := cursor.NewWriter(nil)
				h := f.header(m, smbwire.StatusOK)
				h.NextCommand = 64 + 88 + 8
				h.Encode(w)
				(&smbwire.CreateResponse{}).Encode(w)
				w.Align(8)
				first := w.Len()
				h = f.header(second, smbwire.StatusOK)
				h.Encode(w)
				(&smbwire.CloseResponse{}).Encode(w)
				f.signer.Sign(w.Message()[:first])
				f.signer.Sign(w.Message()[first:])
				f.frame(w.Message())
			})
			if err := tree.Remove(within(t, 10*time.Second), "x"); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestNonsenseEndsTheConnection(t *testing.T) {
	for name, play := range map[string]func(*fake, *message){
		"a response nobody waits for": func(f *fake, m *message) {
			m.MessageID += 100
			f.reply(m, smbwire.StatusOK, &smbwire.EchoResponse{})
		},
		"a response to another command": func(f *fake, m *message) {
			m.Command = smbwire.Read
			f.reply(m, smbwire.StatusOK, &smbwire.EchoResponse{})
		},
		"a request": func(f *fake, m *message) {
			h := f.header(m, smbwire.StatusOK)
			h.Flags &^= smbwire.FlagResponse
			f.send(h, &smbwire.EchoResponse{})
		},
		"a short frame":       func(f *fake, _ *message) { f.frame([]byte("\xfeSMB")) },
		"a long frame":        func(f *fake, _ *message) { f.nc.Write([]byte{0xff, 0, 0, 0}) },
		"a foreign protocol":  func(f *fake, _ *message) { f.frame(make([]byte, 100)) },
		"a secret for nobody": func(f *fake, _ *message) { f.frame(append([]byte(smbwire.ProtocolTransform), make([]byte, 100)...)) },
		"an offset too far": func(f *fake, m *message) {
			h := f.header(m, 0)
			h.NextCommand = 800
			f.send(h, &smbwire.EchoResponse{})
		},
		"an offset too little": func(f *fake, m *message) { h := f.header(m, 0); h.NextCommand = 8; f.send(h, &smbwire.EchoResponse{}) },
	} {
		t.Run(name, func(t *testing.T) {
			tree := connect(t, Options{}, func(f *fake) { play(f, f.expect(smbwire.Echo)) })
			s := tree.Session()
			if err := s.Echo(within(t, 10*time.Second)); !errors.Is(err, ErrProtocol) {
				t.Errorf("Echo = %v", err)
			}
			<-s.Conn().Done()
			if err := s.Echo(within(t, 10*time.Second)); !errors.Is(err, ErrProtocol) {
				t.Errorf("Echo afterwards = %v", err)
			}
		})
	}
}

func TestLossOfTheConnectionEndsAllCalls(t *testing.T) {
	tree := connect(t, Options{}, func(f *fake) {
		f.expect(smbwire.Echo)
		f.expect(smbwire.Echo)
		f.nc.Close()
	})
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			if err := tree.Session().Echo(within(t, 10*time.Second)); err == nil || errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Echo = %v", err)
			}
		})
	}
	all.Wait()
}

func TestTheServerWritesLess(t *testing.T) {
	tree := connect(t, Options{}, func(f *fake) {
		f.reply(f.expect(smbwire.Write), smbwire.StatusOK, &smbwire.WriteResponse{Count: 3})
	})
	_, err := tree.FileOf(smbwire.FileID{}).WriteAt(within(t, 10*time.Second), []byte("hello"), 0)
	if !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("WriteAt = %v", err)
	}
}

func TestBlocksAreNotCopied(t *testing.T) {
	c := &Conn{}
	b := NewBlock(100_000)
	defer b.Free()
	r := &Request{Command: smbwire.Write, Body: &smbwire.WriteRequest{Data: b.Data}, block: b}
	frame := c.encode([]*Call{c.newCall(r, 1, 1)}, []*Request{r})
	if tail := frame.b[len(frame.b)-len(b.Data):]; &tail[0] != &b.Data[0] {
		t.Error("the data of a WRITE was copied")
	}
	frame.free()
}
