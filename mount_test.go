package dozo

import (
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/vfs/memfs"
)

// A disk that hangs keeps nobody from the shares on others.
func TestAHangingShareHoldsUpItself(t *testing.T) {
	with := func(o *Share) *mounted {
		m := &mounted{}
		m.options.Store(o)
		return m
	}
	hanging := with(&Share{Name: "hanging", Path: t.TempDir()})
	hanging.mu.Lock() // as while its disk is asked what it is
	fs := memfs.New()
	healthy := with(&Share{Name: "healthy", FS: fs})
	healthy.share = share.New(fs, share.Options{})
	run := &running{}
	run.shares.Store(&[]*mounted{hanging, healthy})

	found := make(chan *share.Share)
	go func() { found <- run.Named("Healthy", nil) }()
	select {
	case s := <-found:
		if s != healthy.share {
			t.Errorf("Named = %v", s)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("a share waits for another's disk")
	}
	if s := run.Named("none", nil); s != nil {
		t.Errorf("a share that is none = %v", s)
	}
}
