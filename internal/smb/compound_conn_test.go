package smb_test

import (
	"bytes"
	"testing"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
)

// Requests for compounds. In a related one they name the file before.
func creating(name string) *smbclient.Request {
	return &smbclient.Request{Command: smbwire.Create, Body: smbclient.Making(name)}
}

func opening(name string) *smbclient.Request {
	return &smbclient.Request{Command: smbwire.Create, Body: smbclient.Existing(name, smbwire.GenericRead)}
}

func writing(text string) *smbclient.Request {
	return &smbclient.Request{Command: smbwire.Write, Body: &smbwire.WriteRequest{FileID: smbwire.RelatedFileID, Data: []byte(text)}}
}

func reading(n uint32) *smbclient.Request {
	return &smbclient.Request{Command: smbwire.Read, Body: &smbwire.ReadRequest{FileID: smbwire.RelatedFileID, Length: n}}
}

func closing() *smbclient.Request {
	return &smbclient.Request{Command: smbwire.Close, Body: &smbwire.CloseRequest{FileID: smbwire.RelatedFileID}}
}

func asking(n uint32) *smbclient.Request {
	return &smbclient.Request{Command: smbwire.QueryInfo, Body: &smbwire.QueryInfoRequest{
		Type: smbwire.InfoFile, Class: uint8(smbwire.FileAllInformation), OutputBufferLength: n, FileID: smbwire.RelatedFileID}}
}

func leaving() *smbclient.Request {
	return &smbclient.Request{Command: smbwire.TreeDisconnect, Body: &smbwire.TreeDisconnectRequest{}}
}

func loggingOff() *smbclient.Request {
	return &smbclient.Request{Command: smbwire.Logoff, Body: &smbwire.LogoffRequest{}}
}

func TestRelatedCompounds(t *testing.T) {
	const (
		ok       = smbwire.StatusOK
		notFound = smbwire.StatusObjectNameNotFound
	)
	for _, tt := range []struct {
		name     string
		requests []*smbclient.Request
		want     []smbwire.Status
	}{
		{"create, write, close", []*smbclient.Request{creating("new"), writing("hello"), closing()},
			[]smbwire.Status{ok, ok, ok}},
		{"open, read, close", []*smbclient.Request{opening("file"), reading(100), closing()},
			[]smbwire.Status{ok, ok, ok}},
		{"the file that is not there", []*smbclient.Request{opening("none"), reading(100), closing()},
			[]smbwire.Status{notFound, notFound, notFound}},
		{"a failure in the middle stops nobody", []*smbclient.Request{opening("file"), writing("x"), reading(100), closing()},
			[]smbwire.Status{ok, smbwire.StatusAccessDenied, ok, ok}},
		{"a warning in the middle", []*smbclient.Request{opening("file"), asking(104), closing()},
			[]smbwire.Status{ok, smbwire.StatusBufferOverflow, ok}},
		{"after the close", []*smbclient.Request{opening("file"), closing(), reading(1)},
			[]smbwire.Status{ok, ok, smbwire.StatusFileClosed}},
		{"two files", []*smbclient.Request{opening("file"), closing(), opening("none"), closing()},
			[]smbwire.Status{ok, ok, notFound, notFound}},
		{"no file at all", []*smbclient.Request{leaving(), reading(1)},
			[]smbwire.Status{ok, smbwire.StatusNetworkNameDeleted}},
		// What CVE-2022-47939 and CVE-2026-23428 were about.
		{"the share is left in between", []*smbclient.Request{opening("file"), leaving(), reading(1), creating("late"), closing()},
			[]smbwire.Status{ok, ok, smbwire.StatusNetworkNameDeleted, smbwire.StatusNetworkNameDeleted, smbwire.StatusNetworkNameDeleted}},
		{"the session ends in between", []*smbclient.Request{opening("file"), loggingOff(), reading(1), leaving()},
			[]smbwire.Status{ok, ok, smbwire.StatusUserSessionDeleted, smbwire.StatusUserSessionDeleted}},
	} {
		for _, signed := range []bool{false, true} {
			t.Run(tt.name, func(t *testing.T) {
				h := newHost(t)
				if signed {
					h = newHost(t, requireSigning)
				}
				tr := h.use(t, smbclient.Options{})
				if err := tr.WriteFile(t.Context(), "file", []byte("content")); err != nil {
					t.Fatal(err)
				}
				responses, err := tr.Related(t.Context(), tt.requests...)
				if err != nil {
					t.Fatal(err)
				}
				for i, r := range responses {
					if r.Header.Status != tt.want[i] {
						t.Errorf("%d, %v: %v, want %v", i, r.Header.Command, r.Header.Status, tt.want[i])
					}
					if related := r.Header.Flags&smbwire.FlagRelated != 0; related != (i > 0) {
						t.Errorf("%d, %v: related %v", i, r.Header.Command, related)
					}
				}
			})
		}
	}
}

func TestRelatedCompoundBringsData(t *testing.T) {
	for _, o := range []smbclient.Options{{}, {RequireSigning: true}, {Encrypt: true}, {Dialects: allDialects[:1]}} {
		tr := newHost(t).use(t, o)
		if err := tr.WriteFile(t.Context(), "file", []byte("some text")); err != nil {
			t.Fatal(err)
		}
		got, err := tr.ReadFile(t.Context(), "file", 100)
		if err != nil || string(got) != "some text" {
			t.Errorf("%+v: read %q, %v", o, got, err)
		}
		info, err := tr.Stat(t.Context(), "FILE")
		if err != nil || info.EndOfFile != 9 {
			t.Errorf("%+v: stat %+v, %v", o, info, err)
		}
	}
}

func TestUnrelatedCompounds(t *testing.T) {
	h := newHost(t)
	tr := h.use(t, smbclient.Options{})
	f := makeFile(t, tr, "file", 1000)
	other := tree(t, tr.Session(), "test")
	in := func(tr *smbclient.Tree, r *smbclient.Request) *smbclient.Request { r.Tree = tr; return r }
	mine := in(tr, reading(10))
	mine.Body.(*smbwire.ReadRequest).FileID = f.ID()
	responses, err := tr.Session().Conn().DoAll(t.Context(), mine, in(other, opening("none")), in(other, opening("file")), in(tr, reading(10)))
	if err != nil {
		t.Fatal(err)
	}
	want := []smbwire.Status{smbwire.StatusOK, smbwire.StatusObjectNameNotFound, smbwire.StatusOK, smbwire.StatusFileClosed}
	for i, r := range responses {
		if r.Header.Status != want[i] {
			t.Errorf("%d, %v: %v, want %v", i, r.Header.Command, r.Header.Status, want[i])
		}
	}
}

func TestCompoundsThatBeginRelated(t *testing.T) {
	h := newHost(t)
	tr := h.use(t, smbclient.Options{})
	first := opening("file")
	first.Tree, first.Related = tr, true
	wantStatus(t, tr.Session().Conn(), first, smbwire.StatusInvalidParameter)
	wantAlive(t, tr.Session())
}

// A long compound is answered as one, each part at a multiple of eight bytes.
func TestLongCompounds(t *testing.T) {
	h := newHost(t)
	tr := h.use(t, smbclient.Options{})
	text := bytes.Repeat([]byte("x"), 1001)
	if err := tr.WriteFile(t.Context(), "file", text); err != nil {
		t.Fatal(err)
	}
	requests := []*smbclient.Request{opening("file")}
	for range 200 {
		requests = append(requests, reading(1001))
	}
	responses, err := tr.Related(t.Context(), append(requests, closing())...)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range responses[1 : len(responses)-1] {
		var m smbwire.ReadResponse
		if err := r.Decode(&m); err != nil || !bytes.Equal(m.Data, text) {
			t.Fatalf("read %d: %d bytes, %v", i, len(m.Data), err)
		}
		if next := r.Header.NextCommand; next%8 != 0 || next == 0 {
			t.Fatalf("read %d: the next message is at %d", i, next)
		}
	}
}

// Replies that do not fit into one frame together come in several.
func TestCompoundsOfLargeReads(t *testing.T) {
	for name, o := range map[string]smbclient.Options{"plain": {}, "signed": {RequireSigning: true}, "encrypted": {Encrypt: true}} {
		t.Run(name, func(t *testing.T) {
			tr := newHost(t).use(t, o)
			f := makeFile(t, tr, "file", 3<<20)
			if err := f.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			requests := []*smbclient.Request{opening("file")}
			for range 10 {
				r := reading(3 << 20)
				r.Charge = 48
				requests = append(requests, r)
			}
			responses, err := tr.Related(t.Context(), append(requests, closing())...)
			if err != nil {
				t.Fatal(err)
			}
			for i, r := range responses[1 : len(responses)-1] {
				var m smbwire.ReadResponse
				if err := r.Decode(&m); err != nil || len(m.Data) != 3<<20 {
					t.Errorf("read %d: %v, %d bytes, %v", i, r.Header.Status, len(m.Data), err)
				}
			}
			if err := responses[len(responses)-1].Err(); err != nil {
				t.Error(err)
			}
		})
	}
}
