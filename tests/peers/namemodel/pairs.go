package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
)

// pair is one name that a client and this process made at the same moment, each
// in its own spelling and with its own text.
type pair struct {
	byClient, local string
	status          smbwire.Status // the client's
	opened          bool           // the client got what was there instead of making its own
}

// clientsText begins here in a file, behind what this process writes.
const clientsText = 64

func testPairs(ctx context.Context, b bench, n int) error {
	c := newChooser(3)
	if _, err := b.clients[0].list(ctx, b.name, classes[0], "*"); err != nil { // so that there is an index
		return err
	}
	var all []pair
	aim := aim{delay: 50 * time.Microsecond}
	for i := range n {
		name := fmt.Sprintf("%s %d", one(c, words), i)
		p := pair{byClient: c.spelling(name), local: c.spelling(name)}
		for p.byClient == p.local {
			p.local = c.spelling(name)
		}
		if err := b.race(ctx, &p, i, &aim); err != nil {
			return fmt.Errorf("%+q and %+q: %w", p.byClient, p.local, err)
		}
		all = append(all, p)
	}
	clashes, found, refused := 0, 0, 0
	for i, p := range all {
		if err := b.bothAreThere(ctx, p, i); err != nil {
			return fmt.Errorf("%+q (%v, opened %v) and %+q: %w", p.byClient, p.status, p.opened, p.local, err)
		}
		switch {
		case p.clashed():
			fmt.Printf("clash %s|%s\n", p.byClient, p.local)
			clashes++
		case p.opened:
			found++
		default:
			refused++
		}
	}
	fmt.Fprintf(os.Stderr, "namemodel: of %d pairs %d clashed, in %d the client found the local file, in %d it was refused\n", n, clashes, found, refused)
	return b.allListed(ctx, all)
}

// clashed reports whether both spellings must be there.
func (p pair) clashed() bool { return p.status == smbwire.StatusOK && !p.opened }

// aim finds how long after the request was sent the server looks at the folder.
type aim struct{ delay time.Duration }

// adjust moves the aim towards the moment at which either side is first as often.
func (a *aim) adjust(clientFirst bool) {
	step := a.delay/16 + time.Microsecond
	if clientFirst {
		step = -step
	}
	a.delay = max(0, a.delay+step)
}

// race has both make the name. Every second client takes what it finds.
func (b bench) race(ctx context.Context, p *pair, i int, aim *aim) error {
	start := time.Now().Add(20 * time.Microsecond)
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for at := start.Add(aim.delay); time.Now().Before(at); {
		}
		done <- put(b.on(p.local), fmt.Sprintf("local %d", i))
	}()
	for time.Now().Before(start) {
	}
	err := b.makeAsClient(ctx, p, i)
	if localErr := <-done; localErr != nil {
		return localErr
	}
	aim.adjust(p.clashed())
	return err
}

// makeAsClient makes the client's file and notes what came of it.
func (b bench) makeAsClient(ctx context.Context, p *pair, i int) (err error) {
	open := smbclient.Making(wire(b.in(p.byClient)))
	open.Disposition = smbwire.FileCreate
	if i%2 == 1 {
		open.Disposition = smbwire.FileOpenIf
	}
	f, err := b.clients[i%len(b.clients)].tree.Create(ctx, open)
	if p.status, err = statusOf(err); err != nil || p.status != smbwire.StatusOK {
		return err
	}
	p.opened = f.Info().CreateAction == smbwire.FileOpened
	if _, err := f.WriteAt(ctx, fmt.Appendf(nil, "client %d", i), clientsText); err != nil {
		return err
	}
	return f.Close(ctx)
}

// bothAreThere looks at what was acknowledged: each side's text is in its file.
func (b bench) bothAreThere(ctx context.Context, p pair, i int) error {
	mine, theirs := fmt.Sprintf("local %d", i), fmt.Sprintf("client %d", i)
	inLocal, inClients := mine, ""
	switch {
	case p.opened:
		inLocal = behind(mine, theirs)
	case p.clashed():
		inClients = behind("", theirs)
	case p.status != smbwire.StatusObjectNameCollision || i%2 == 1:
		return p.status
	}
	client := b.clients[0]
	for _, name := range []string{p.local, p.byClient} {
		at, want := p.local, inLocal
		if name == p.byClient && inClients != "" {
			at, want = p.byClient, inClients
		}
		got, err := client.look(ctx, b.in(name))
		if err != nil {
			return fmt.Errorf("look at %+q: %w", name, err)
		}
		if got.path != b.in(at) {
			return fmt.Errorf("%+q is %+q, not %+q", name, got.path, at)
		}
		if text, err := client.read(ctx, b.in(name)); err != nil || text != want {
			return fmt.Errorf("%+q holds %q, not %q (%v)", name, text, want, err)
		}
		if onDisk, err := os.ReadFile(b.on(at)); err != nil || string(onDisk) != want {
			return fmt.Errorf("on disk %+q holds %q, not %q (%v)", at, onDisk, want, err)
		}
	}
	return nil
}

// behind is the client's text at its place behind the local one.
func behind(local, clients string) string {
	return local + strings.Repeat("\x00", clientsText-len(local)) + clients
}

// allListed compares the listing with what must be there.
func (b bench) allListed(ctx context.Context, all []pair) error {
	listed, err := b.clients[0].list(ctx, b.name, classes[0], "*")
	if err != nil {
		return err
	}
	count := 2 // "." and ".."
	for _, p := range all {
		names := []string{p.local}
		if p.clashed() {
			names = append(names, p.byClient)
		}
		count += len(names)
		for _, name := range names {
			if _, ok := listed[name]; !ok {
				return fmt.Errorf("%+q is not listed", name)
			}
		}
	}
	if len(listed) != count {
		return fmt.Errorf("%d names are listed, not %d", len(listed), count)
	}
	return nil
}
