package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/dozo-server/dozo/internal/report"
)

// namesRun is a run of Names.
type namesRun struct {
	*Names
	names   spelling
	random  *rand.Rand
	data    []byte
	own     *workFolder
	process *process // that serves; nil when it can't be seen
	result  *NamesResult

	made   int      // files that were made so far, and so the number of the next
	files  []uint32 // numbers of those that are there, in no order
	missed int      // names that were asked for and are not there
}

// watch finds the process that serves.
func (r *namesRun) watch() { r.process = serving(r.Target.Link()) }

func (r *namesRun) path(name string) string { return r.own.name + "/" + name }

// some is the number of a file that is there.
func (r *namesRun) some() int { return int(r.files[r.random.IntN(len(r.files))]) }

// climb fills the folder from size to size and measures at each.
func (r *namesRun) climb(ctx context.Context) error {
	for _, size := range r.Sizes {
		full, err := r.grow(ctx, size-r.warm())
		if err != nil {
			return err
		}
		var first NamesSize
		if err := r.first(ctx, &first); err != nil {
			return err
		}
		s, err := r.sample(ctx)
		if err != nil {
			return err
		}
		s.FirstMiss, s.FirstList, s.List = first.FirstMiss, first.FirstList, first.List
		r.result.Sizes = append(r.result.Sizes, s)
		if !full {
			r.result.Notes = append(r.result.Notes, fmt.Sprintf("Growing to %s files took longer than %s, so the largest folder has %s; --time allows more, and --fill makes the files on this machine.",
				report.Count(size), report.Span(r.Limit), report.Count(s.Files)))
			break
		}
	}
	return nil
}

// grow fills the folder up to a size, and reports whether it came so far in time.
func (r *namesRun) grow(ctx context.Context, size int) (full bool, err error) {
	n := max(size-len(r.files), 0)
	r.Progress.Stage("making files, up to "+report.Count(size), n)
	do := func(ctx context.Context, i int) error { return r.create(ctx, r.path(r.names.name(r.made+i))) }
	target, limit := r.Target, r.Limit
	if r.Fill != "" {
		do = func(_ context.Context, i int) error { return r.own.fill(r.names.name(r.made + i)) }
		target, limit = Folder(r.Fill), 0
	}
	done, err := many(ctx, target, n, limit, r.Progress, do)
	if err != nil {
		return false, err
	}
	for range done {
		r.add()
	}
	return done >= n, nil
}

// add notes that the next file was made.
func (r *namesRun) add() {
	r.files = append(r.files, uint32(r.made))
	r.made++
}

// first measures what a target does that begins anew.
func (r *namesRun) first(ctx context.Context, s *NamesSize) (err error) {
	r.Progress.Stage("the first requests at "+report.Count(len(r.files))+" files", 4)
	if err := r.renew(ctx); err != nil {
		return err
	}
	r.Progress.Step(1)
	if r.result.First != NothingNew {
		if s.FirstList, err = r.list(ctx); err != nil {
			return err
		}
	}
	r.Progress.Step(1)
	if s.List, err = r.list(ctx); err != nil {
		return err
	}
	r.Progress.Step(1)
	if r.result.First != NothingNew {
		if err := r.renew(ctx); err != nil {
			return err
		}
		var first sampler
		if err := first.take(ctx, 1, r.absent, r.miss); err != nil {
			return err
		}
		s.FirstMiss = first.times[0]
	}
	r.Progress.Step(1)
	return nil
}

func (r *namesRun) renew(ctx context.Context) (err error) {
	if r.result.First, err = r.Target.Renew(ctx); err != nil {
		return err
	}
	r.watch()
	return ctx.Err()
}

// list lists the folder, and counts.
func (r *namesRun) list(ctx context.Context) (time.Duration, error) {
	n := 0
	began := time.Now()
	for _, err := range r.Target.List(ctx, r.own.name) {
		if err != nil {
			return 0, err
		}
		n++
	}
	took := time.Since(began)
	if n != len(r.files) {
		return 0, fmt.Errorf("a listing of %s files has %s; does somebody else work in %s?", report.Count(len(r.files)), report.Count(n), r.own.name)
	}
	return took, nil
}

// descend measures deletes at each size, the largest first.
func (r *namesRun) descend(ctx context.Context) error {
	for _, s := range slices.Backward(r.result.Sizes) {
		if err := r.shrink(ctx, s.Files+s.Create.Samples); err != nil {
			return err
		}
		r.Progress.Stage("measuring deletes at "+report.Count(s.Files)+" files", s.Create.Samples)
		var times sampler
		end := time.Now().Add(r.Limit)
		for range s.Create.Samples {
			if r.Limit > 0 && time.Now().After(end) {
				break
			}
			if err := times.take(ctx, 1, func() string { return r.path(r.names.name(r.pop())) }, r.Target.Remove); err != nil {
				return err
			}
			r.Progress.Step(1)
		}
		s.Delete = times.latency()
	}
	return nil
}

// pop is the number of a file that is about to be deleted.
func (r *namesRun) pop() int {
	last := len(r.files) - 1
	at := r.random.IntN(len(r.files))
	number := r.files[at]
	r.files[at] = r.files[last]
	r.files = r.files[:last]
	return int(number)
}

// shrink deletes files until so many are left.
func (r *namesRun) shrink(ctx context.Context, size int) error {
	n := len(r.files) - size
	if n <= 0 {
		return nil
	}
	r.Progress.Stage("deleting files, down to "+report.Count(size), n)
	var numbers []int
	for range n {
		numbers = append(numbers, r.pop())
	}
	target := r.own.near()
	_, err := many(ctx, target, n, 0, r.Progress, func(ctx context.Context, i int) error {
		return target.Remove(ctx, r.path(r.names.name(numbers[i])))
	})
	return err
}

// clean deletes what was made, and adds to an error what could not be.
func (r *namesRun) clean(ctx context.Context, err error) error {
	left := r.own.remove(context.WithoutCancel(ctx), r.Progress)
	if left == nil {
		return err
	}
	left = fmt.Errorf("the folder %s is left in %s, delete it by hand (%w)", r.own.name, r.Name, left)
	if err == nil {
		return left
	}
	return fmt.Errorf("%w; %w", err, left)
}
