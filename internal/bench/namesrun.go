package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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

// warm is how many operations of each kind come before those that count.
func (n *Names) warm() int { return max(n.Samples/blocks, 1) }

// sample measures the operations, in turns.
func (r *namesRun) sample(ctx context.Context) (*NamesSize, error) {
	var early samples
	if err := early.take(ctx, r, r.warm()); err != nil {
		return nil, err
	}
	s := &NamesSize{Files: len(r.files)}
	r.Progress.Stage("measuring at "+report.Count(s.Files)+" files", r.Samples)
	var all samples
	end := time.Now().Add(r.Limit)
	for b := range blocks {
		if r.Limit > 0 && time.Now().After(end) {
			break
		}
		n := (b+1)*r.Samples/blocks - b*r.Samples/blocks
		if err := all.take(ctx, r, n); err != nil {
			return nil, err
		}
		r.Progress.Step(n)
	}
	if n := all.exact.absent; n > 0 {
		return nil, fmt.Errorf("%d of %d files that were made in %s are not found by their names", n, len(all.exact.times), r.own.name)
	}
	s.Create, s.Exact, s.OtherCase, s.Missing = all.create.latency(), all.exact.latency(), all.other.latency(), all.missing.latency()
	if r.process != nil {
		s.Memory = r.process.memory()
		s.CreateCPU = all.cpu / time.Duration(max(1, s.Create.Samples))
	}
	return s, nil
}

// samples are those of all operations.
type samples struct {
	create, exact, other, missing sampler
	cpu                           time.Duration // that the serving process used for creates
}

// take takes one block: n of each operation.
func (s *samples) take(ctx context.Context, r *namesRun, n int) error {
	existing := func() string { return r.path(r.names.name(r.some())) }
	inOtherCase := func() string { return r.path(otherCase(r.names.name(r.some()))) }
	before := r.cpu()
	if err := s.create.take(ctx, n, r.fresh, r.create); err != nil {
		return err
	}
	s.cpu += r.cpu() - before
	if err := s.exact.take(ctx, n, existing, r.open); err != nil {
		return err
	}
	if err := s.other.take(ctx, n, inOtherCase, r.open); err != nil {
		return err
	}
	return s.missing.take(ctx, n, r.absent, r.miss)
}

// cpu is what the serving process has used.
func (r *namesRun) cpu() time.Duration {
	if r.process == nil {
		return 0
	}
	return r.process.cpu()
}

// fresh is the path of the next file to be made.
func (r *namesRun) fresh() string {
	r.add()
	return r.path(r.names.name(r.made - 1))
}

// absent is the path of a file that there is not, another each time.
func (r *namesRun) absent() string {
	r.missed++
	return r.path(r.names.missing(r.missed))
}

// create makes a file, writes into it and closes it.
func (r *namesRun) create(ctx context.Context, path string) error {
	f, err := r.Target.Create(ctx, path)
	if err != nil {
		return err
	}
	if _, err := f.WriteAt(ctx, r.data, 0); err != nil {
		f.Close(ctx)
		return err
	}
	return f.Close(ctx)
}

// open opens a file and closes it.
func (r *namesRun) open(ctx context.Context, path string) error {
	f, err := r.Target.Open(ctx, path)
	if err != nil {
		return err
	}
	return f.Close(ctx)
}

// miss opens a file that there is not.
func (r *namesRun) miss(ctx context.Context, path string) error {
	switch err := r.open(ctx, path); {
	case err == nil:
		return fmt.Errorf("%s opened a file that nobody made", r.Name)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	default:
		return err
	}
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

// sampler takes the times of one operation.
type sampler struct {
	times  []time.Duration
	absent int
}

// take measures an operation n times, on one path after the other. It is not
// interrupted when ctx ends, since nobody could say what it had done, but no
// other one begins.
func (s *sampler) take(ctx context.Context, n int, next func() string, do func(ctx context.Context, path string) error) error {
	whole := context.WithoutCancel(ctx)
	for range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		path := next()
		began := time.Now()
		err := do(whole, path)
		took := time.Since(began)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			s.absent++
		case err != nil:
			return err
		}
		s.times = append(s.times, took)
	}
	return nil
}

func (s *sampler) latency() Latency { return latencyOf(s.times, s.absent) }
