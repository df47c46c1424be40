package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// testRivals has all connections make one name at the same moment, each in its
// own spelling. One of them gets it.
func testRivals(ctx context.Context, b bench, n int) error {
	c := newChooser(5)
	for i := range n {
		name := fmt.Sprintf("%s %d", one(c, words), i)
		spellings, errs := make([]string, len(b.clients)), make([]error, len(b.clients))
		var all sync.WaitGroup
		start := make(chan struct{})
		for k, client := range b.clients {
			spellings[k] = c.spelling(name)
			all.Go(func() {
				<-start
				errs[k] = client.put(ctx, b.in(spellings[k]), spellings[k])
			})
		}
		close(start)
		all.Wait()
		won := ""
		for k, err := range errs {
			switch status, err := statusOf(err); {
			case err != nil:
				return err
			case status == smbwire.StatusOK && won == "":
				won = spellings[k]
			case status != smbwire.StatusObjectNameCollision:
				return fmt.Errorf("%+q beside %+q: %v", spellings[k], won, status)
			}
		}
		if got, err := one(c, b.clients).look(ctx, b.in(c.spelling(name))); err != nil || got.path != b.in(won) {
			return fmt.Errorf("%+q is %+q, not %+q (%v)", name, got.path, won, err)
		}
	}
	return nil
}
