package share

import (
	"net/netip"
	"testing"
	"testing/synctest"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/vfs"
	"github.com/dozo-server/dozo/vfs/memfs"
)

// TestATreeKeepsItsOptions: it has those that it was attached under, and knows
// when they are old.
func TestATreeKeepsItsOptions(t *testing.T) {
	anna := &auth.Identity{User: "anna"}
	s := New(memfs.New(), Options{Name: "films"})
	before, err := s.Attach(anna, netip.Addr{})
	if err != nil || before.Stale() || before.ReadOnly() {
		t.Fatalf("Attach: %v", err)
	}
	s.SetOptions(Options{Name: "films", ReadOnly: true})
	after, err := s.Attach(anna, netip.Addr{})
	if err != nil {
		t.Fatal(err)
	}
	if !before.Stale() || before.ReadOnly() || after.Stale() || !after.ReadOnly() {
		t.Errorf("stale: %v, %v; read-only: %v, %v", before.Stale(), after.Stale(), before.ReadOnly(), after.ReadOnly())
	}
	s.SetOptions(Options{Name: "films", Users: []string{"bert"}})
	if _, err := s.Attach(anna, netip.Addr{}); !vfs.IsKind(err, vfs.KindAccess) || s.Admits(anna, netip.Addr{}) {
		t.Errorf("Attach of somebody who may not = %v", err)
	}
}

// TestWaitIsForAllUses: connections, requests and opens, in whatever order they
// end.
func TestWaitIsForAllUses(t *testing.T) {
	for _, order := range [][]string{{"connection", "request", "open"}, {"open", "request", "connection"}, {"request", "connection", "open"}} {
		synctest.Test(t, func(t *testing.T) {
			s := New(memfs.New(), Options{Name: "films"})
			tree, err := s.Attach(&auth.Identity{User: "anna"}, netip.Addr{})
			if err != nil {
				t.Fatal(err)
			}
			tree.Use()
			o, _, err := tree.Open(ctx, OpenRequest{Path: "a", Access: vfs.ReadData, Share: shareAll, Disposition: OpenIf})
			if err != nil {
				t.Fatal(err)
			}
			s.End()
			if !tree.Stale() {
				t.Error("the tree of a share that ended is not stale")
			}
			if _, err := s.Attach(&auth.Identity{User: "anna"}, netip.Addr{}); !vfs.IsKind(err, vfs.KindPathNotExist) {
				t.Errorf("Attach after End = %v", err)
			}
			waited := false
			go func() { s.Wait(); waited = true }()
			for _, what := range order {
				synctest.Wait()
				if waited {
					t.Fatalf("Wait did not wait for the %s", what)
				}
				switch what {
				case "open":
					if err := o.Close(ctx); err != nil {
						t.Error(err)
					}
				default:
					tree.Release()
				}
			}
			synctest.Wait()
			if !waited {
				t.Error("Wait waits for nothing")
			}
		})
	}
}
