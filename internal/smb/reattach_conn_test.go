package smb_test

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/smb"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
	"github.com/dozo-server/dozo/vfs"
	"github.com/dozo-server/dozo/vfs/memfs"
)

// oneByOne are shares of which each call finds the next, nil after the last.
type oneByOne struct {
	shares []*share.Share
	calls  atomic.Int32
}

func (o *oneByOne) All(*auth.Identity) []*share.Share { return nil }

func (o *oneByOne) Named(string, *auth.Identity) *share.Share {
	if n := int(o.calls.Add(1)) - 1; n < len(o.shares) {
		return o.shares[n]
	}
	return nil
}

// hooked is an FS that calls a function once, when it is first asked what it is:
// in the middle of a TREE_CONNECT.
type hooked struct {
	vfs.FS
	hook atomic.Pointer[func()]
}

func (h *hooked) Features() vfs.Features {
	if f := h.hook.Swap(nil); f != nil {
		(*f)()
	}
	return h.FS.Features()
}

// TestSharesChangeDuringTreeConnect: a client that connects at just the moment
// at which a share changes or ends is under the rules of after it.
func TestSharesChangeDuringTreeConnect(t *testing.T) {
	ended := share.New(memfs.New(), share.Options{Name: "test"})
	ended.End()
	fs := &hooked{FS: memfs.New()}
	changing := share.New(fs, share.Options{Name: "test"})
	other := share.New(memfs.New(), share.Options{Name: "test"})
	tests := []struct {
		name   string
		shares []*share.Share
		want   error
	}{
		{"it ends", []*share.Share{ended}, smbwire.StatusBadNetworkName},
		{"another takes its place", []*share.Share{ended, other}, nil},
		{"it is for others now", []*share.Share{changing, changing}, smbwire.StatusAccessDenied},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := smb.NewServer(smb.Config{Name: "HOST", Users: people{"anna"}, Shares: &oneByOne{shares: tt.shares}})
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			go s.Serve(context.Background(), l)
			defer s.Shutdown(context.Background())
			change := func() {
				changing.SetOptions(share.Options{Name: "test", Users: []string{"bert"}})
				s.Reattach(changing)
			}
			fs.hook.Store(&change)
			session, err := smbclient.Dial(t.Context(), l.Addr().String(), smbclient.Options{Login: anna})
			if err != nil {
				t.Fatal(err)
			}
			defer session.Conn().Close()
			if _, err := session.Tree(t.Context(), "test"); !errors.Is(err, tt.want) {
				t.Errorf("connecting = %v, want %v", err, tt.want)
			}
		})
	}
}
