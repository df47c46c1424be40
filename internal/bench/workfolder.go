package bench

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// workFolder is the folder of a measurement in its target.
type workFolder struct {
	target Target
	name   string
	local  string // its place on this machine, if that is known
	uid    int    // whose files in it are to be, -1 for this user's
	gid    int
}

// newWorkFolder makes one. behind is the folder of this machine that the target
// is, empty if that is not known.
func newWorkFolder(ctx context.Context, target Target, behind string) (*workFolder, error) {
	w := &workFolder{target: target, name: "dozo-bench-" + strings.ToLower(rand.Text()[:6]), uid: -1, gid: -1}
	if err := target.Mkdir(context.WithoutCancel(ctx), w.name); err != nil {
		return nil, fmt.Errorf("a folder for the test can't be made: %w; name a folder that this user may write", err)
	}
	if behind == "" {
		return w, nil
	}
	w.local = filepath.Join(behind, w.name)
	info, err := os.Stat(w.local)
	if err != nil {
		err = fmt.Errorf("%s is not the folder behind the target: %s, made there just now, is not in it (%w)", behind, w.name, err)
		return nil, errors.Join(err, target.Remove(context.WithoutCancel(ctx), w.name))
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); ok && os.Geteuid() == 0 && owner.Uid != 0 {
		w.uid, w.gid = int(owner.Uid), int(owner.Gid)
	}
	return w, nil
}

// near is the shortest way to the folder, where it is no matter which.
func (w *workFolder) near() Target {
	if w.local != "" {
		return Folder(filepath.Dir(w.local))
	}
	return w.target
}

// fill makes an empty file on this machine.
func (w *workFolder) fill(name string) error {
	f, err := os.OpenFile(filepath.Join(w.local, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	if w.uid >= 0 {
		return f.Chown(w.uid, w.gid)
	}
	return nil
}

// remove deletes the folder with all that is in it: what a listing shows, since
// after an error nobody knows what was made. A connection that was lost is made
// anew.
func (w *workFolder) remove(ctx context.Context, p Progress) error {
	err := w.empty(ctx, w.near(), p)
	if err != nil && w.local == "" {
		if _, err = w.target.Renew(ctx); err == nil {
			err = w.empty(ctx, w.target, p)
		}
	}
	return err
}

// empty deletes the files of the folder, and it.
func (w *workFolder) empty(ctx context.Context, target Target, p Progress) error {
	var names []string
	for e, err := range target.List(ctx, w.name) {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		names = append(names, e.Name)
	}
	p.Stage("deleting what was made", len(names)+1)
	_, err := many(ctx, target, len(names), 0, p, func(ctx context.Context, i int) error {
		if err := target.Remove(ctx, w.name+"/"+names[i]); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := target.Remove(ctx, w.name); err != nil {
		return err
	}
	p.Step(1)
	return nil
}

// workers is how many operations on a server are on their way when they are not
// measured.
const workers = 8

// stepTime is how often a Progress is told.
const stepTime = 100 * time.Millisecond

// many does n things, several at a time if target is a server, until one fails,
// ctx ends, or a limit above 0 is over. It returns how many it did; but for an
// error, these are the first.
func many(ctx context.Context, target Target, n int, limit time.Duration, p Progress, do func(ctx context.Context, i int) error) (done int, err error) {
	at := 1
	if target.Link() != nil {
		at = workers
	}
	began := time.Now()
	whole := context.WithoutCancel(ctx) // what was begun is done
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var next, ended atomic.Int64
	var wg sync.WaitGroup
	for range at {
		wg.Go(func() {
			for ctx.Err() == nil && (limit == 0 || time.Since(began) < limit) {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if err := do(whole, i); err != nil {
					fail(err)
					return
				}
				ended.Add(1)
			}
		})
	}
	over := make(chan struct{})
	go func() { wg.Wait(); close(over) }()
	told := 0
	tell := func() {
		now := int(ended.Load())
		p.Step(now - told)
		told = now
	}
	tick := time.NewTicker(stepTime)
	defer tick.Stop()
	for {
		select {
		case <-over:
			tell()
			return told, context.Cause(ctx)
		case <-tick.C:
			tell()
		}
	}
}
