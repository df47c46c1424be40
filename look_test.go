package dozo

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dozo-server/dozo/internal/mount"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/vfs/memfs"
)

// A share whose disk hangs keeps nobody from seeing the others, and is seen as it
// was; looking again and again takes no more for it.
func TestLookAtADiskThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := make(chan struct{})
		shares := make([]*mounted, 2)
		for i := range shares {
			fs := memfs.New()
			shares[i] = &mounted{share: share.New(fs, share.Options{})}
			shares[i].options.Store(&Share{FS: fs})
			shares[i].place.Store(&mount.Place{})
		}
		if found := lookAt(shares, lookTime); found[0].share != shares[0].share || found[0].refused != nil {
			t.Errorf("found %+v", found)
		}
		shares[0].after = []<-chan struct{}{gone} // which current waits for as for a disk
		for range 3 {
			began := time.Now()
			found := lookAt(shares, lookTime)
			if found[0].share != shares[0].share || !errors.Is(found[0].refused, errSilent) {
				t.Errorf("the one that hangs is %+v", found[0])
			}
			if found[1].share != shares[1].share || found[1].refused != nil {
				t.Errorf("the other one is %+v", found[1])
			}
			if took := time.Since(began); took != lookTime {
				t.Errorf("it took %v", took)
			}
		}
		r := &running{}
		r.shares.Store(&shares)
		if list := r.All(nil); len(list) != 2 || list[0] != shares[0].share {
			t.Errorf("the list has %v", list)
		}
		close(gone)
		if found := lookAt(shares, lookTime); found[0].refused != nil {
			t.Errorf("afterwards: %+v", found[0])
		}
	})
}
