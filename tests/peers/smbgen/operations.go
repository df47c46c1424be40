package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// operations are what -ops can name.
var operations = map[string]func(target) error{
	"create": create,
	"list":   list,
	"stat":   stat,
	"delete": remove,
	"seq":    sequential,
	"rand":   random,
	"miss":   miss,
	"cold":   cold,
	"visit":  visit,
	"hold":   func(target) error { time.Sleep(*hold); return nil },
}

// name is the path of the i-th file.
func name(t target, format string, i int) string {
	return *dir + string(t.Separator()) + fmt.Sprintf(format, i)
}

// noise is n random bytes, the same for the same seed.
func noise(seed byte, n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

func create(t target) error {
	payload := noise(1, 1024)
	return job{op: "create", total: *n, workers: *c, every: 1000, limit: *limit, bytes: 1024, do: func(_, i int) error {
		f, err := t.Create(name(t, *format, i+1))
		if err != nil {
			return err
		}
		if _, err := f.WriteAt(payload, 0); err != nil {
			f.Close()
			return err
		}
		return f.Close()
	}}.run()
}

func list(t target) error {
	for range 3 {
		a := now()
		count, err := t.List(*dir)
		if err != nil {
			return err
		}
		emit(row{op: "list", workers: 1, to: count, ok: count}, a, now())
	}
	return nil
}

// stat finds and opens random names. Each kind draws names of its own, so that
// what one leaves in a cache does not answer the next; only "-again" repeats.
func stat(t target) error {
	have, err := t.List(*dir)
	if err != nil {
		return err
	}
	opening := func(name string) error { return open(t, name) }
	const exact, otherCase = "IMG_%06d.jpg", "img_%06d.JPG"
	for _, v := range []struct {
		op     string
		seed   uint64
		format string
		do     func(string) error
	}{
		{"stat-exact", 1, exact, t.Stat},
		{"stat-othercase", 2, otherCase, t.Stat},
		{"stat-othercase-again", 2, otherCase, t.Stat},
		{"stat-missing", 3, noName, t.Stat},
		{"open-exact", 4, exact, opening},
		{"open-othercase", 5, otherCase, opening},
		{"open-missing", 6, noName, opening},
	} {
		rnd := rand.New(rand.NewPCG(v.seed, uint64(*n)))
		which := make([]int, *statN)
		for k := range which {
			which[k] = 1 + rnd.IntN(max(have, 1))
		}
		err := job{op: v.op, total: *statN, workers: *c, limit: 15 * time.Second,
			do: func(_, i int) error { return v.do(name(t, v.format, which[i])) }}.run()
		if err != nil {
			return err
		}
	}
	return nil
}

func remove(t target) error {
	return job{op: "delete", total: *n, workers: *c, every: 1000, limit: *limit,
		do: func(_, i int) error { return t.Remove(name(t, *format, i+1)) }}.run()
}

const noName = "NOPE_%06d.jpg"

func miss(t target) error {
	return job{op: "miss", total: *n, workers: *c, limit: *limit,
		do: func(_, i int) error { return open(t, name(t, noName, i)) }}.run()
}

// cold opens files that are there by another worker than the one that waits for
// the folder to be read.
func cold(t target) error {
	rnd := rand.New(rand.NewPCG(1, uint64(*n)))
	warm := make(chan struct{})
	go func() {
		defer close(warm)
		time.Sleep(10 * time.Millisecond) // exact opens are under way
		job{op: "cold-miss", total: 1, workers: 1, limit: *limit, do: func(int, int) error { return open(t, name(t, noName, 1)) }}.run()
	}()
	exact := job{workers: 1, total: 1 << 30, limit: *limit, pause: time.Millisecond, do: func(int, int) error { return open(t, name(t, *format, 1+rnd.IntN(*n))) }}
	exact.op, exact.until = "cold-exact", warm
	began := time.Now()
	if err := exact.run(); err != nil {
		return err
	}
	exact.op, exact.until, exact.limit = "warm-exact", nil, time.Since(began)
	return exact.run()
}

func visit(t target) error {
	return job{op: "visit", total: *n, workers: *c, limit: *limit, do: func(_, i int) error {
		return open(t, name(t, "%06d", i+1)+string(t.Separator())+"none")
	}}.run()
}

// open opens a file and closes it.
func open(t target, name string) error {
	f, err := t.Open(name)
	if err != nil {
		return err
	}
	return f.Close()
}

func bigFile(t target) string { return *dir + string(t.Separator()) + "big.bin" }

// sequential writes and reads the large file in order.
func sequential(t target) error {
	const block = 1 << 20
	for word := range strings.SplitSeq(*seqQD, ",") {
		depth, err := strconv.Atoi(word)
		if err != nil {
			return err
		}
		bufs := make([][]byte, depth)
		for i := range bufs {
			bufs[i] = noise(byte(i), block)
		}
		t.Remove(bigFile(t))
		f, err := t.Create(bigFile(t))
		if err != nil {
			return err
		}
		err = job{op: "seqwrite-qd" + word, total: *sizeMB, workers: depth, limit: *limit, bytes: block, do: func(w, i int) error {
			_, err := f.WriteAt(bufs[w], int64(i)*block)
			return err
		}}.run()
		if err == nil {
			err = job{op: "seqread-qd" + word, total: *sizeMB, workers: depth, limit: *limit, bytes: block, do: func(w, i int) error {
				return full(f.ReadAt(bufs[w], int64(i)*block))(block)
			}}.run()
		}
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

// random reads and writes at random places of the file that sequential left.
func random(t target) error {
	const block = 4096
	f, err := t.Open(bigFile(t))
	if err != nil {
		return err
	}
	defer f.Close()
	blocks := int64(*sizeMB) << 20 / block
	for _, depth := range []int{1, 32} {
		bufs := make([][]byte, depth)
		rnd := make([]*rand.Rand, depth)
		for i := range bufs {
			bufs[i] = noise(byte(i), block)
			rnd[i] = rand.New(rand.NewPCG(7, uint64(i)))
		}
		err := job{op: fmt.Sprintf("randread-qd%d", depth), total: 1 << 30, workers: depth, limit: *randDur, bytes: block, do: func(w, _ int) error {
			return full(f.ReadAt(bufs[w], rnd[w].Int64N(blocks)*block))(block)
		}}.run()
		if err == nil {
			err = job{op: fmt.Sprintf("randwrite-qd%d", depth), total: 1 << 30, workers: depth, limit: *randDur, bytes: block, do: func(w, _ int) error {
				_, err := f.WriteAt(bufs[w], rnd[w].Int64N(blocks)*block)
				return err
			}}.run()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// full makes a read that brought less than a block an error.
func full(got int, err error) func(block int) error {
	return func(block int) error {
		if err == nil && got != block {
			err = fmt.Errorf("a read brought %d of %d bytes", got, block)
		}
		return err
	}
}
