package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/dozo-server/dozo/internal/report"
)

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
