package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const columns = "label,op,n,workers,from,to,elapsed_s,ops_per_s,us_per_op,mean_lat_us,p50_us,p99_us,ok,notfound,err,mb_per_s,server_cpu_s,client_cpu_s"

// mark is a moment: the clock, and what server and client have used.
type mark struct {
	clock          time.Time
	server, client float64 // CPU seconds
}

func now() mark { return mark{time.Now(), serverCPU(), clientCPU()} }

// processCPU returns the parent of a process and what it and its ended
// children have used, in seconds.
func processCPU(pid int) (parent int, seconds float64) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return -1, 0
	}
	s := string(b)
	f := strings.Fields(s[strings.LastIndexByte(s, ')')+1:]) // f[0] is field 3, the state
	parent, _ = strconv.Atoi(f[1])
	ticks := 0
	for _, k := range []int{11, 12, 13, 14} { // utime, stime, cutime, cstime
		v, _ := strconv.Atoi(f[k])
		ticks += v
	}
	return parent, float64(ticks) / 100
}

// serverCPU is that of the server's process and its children.
func serverCPU() float64 {
	if *cpuPid == 0 {
		return 0
	}
	_, sum := processCPU(*cpuPid)
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			if parent, s := processCPU(pid); parent == *cpuPid {
				sum += s
			}
		}
	}
	return sum
}

func clientCPU() float64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// row is a line of the result.
type row struct {
	op                 string
	workers, from, to  int
	ok, notfound, errs int
	bytes              int64
	latencies          []time.Duration
}

// emit prints what was done between two marks.
func emit(r row, a, b mark) {
	elapsed := b.clock.Sub(a.clock).Seconds()
	count := float64(r.to - r.from)
	var mean, p50, p99 float64
	if len(r.latencies) > 0 {
		slices.Sort(r.latencies)
		var sum time.Duration
		for _, d := range r.latencies {
			sum += d
		}
		us := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }
		mean = us(sum) / float64(len(r.latencies))
		p50 = us(r.latencies[len(r.latencies)/2])
		p99 = us(r.latencies[min(len(r.latencies)-1, len(r.latencies)*99/100)])
	}
	fmt.Printf("%s,%s,%d,%d,%d,%d,%.4f,%.1f,%.1f,%.1f,%.1f,%.1f,%d,%d,%d,%.1f,%.2f,%.2f\n",
		*label, r.op, *n, r.workers, r.from, r.to, elapsed, count/elapsed, elapsed*1e6/count, mean, p50, p99,
		r.ok, r.notfound, r.errs, float64(r.bytes)/1e6/elapsed, b.server-a.server, b.client-a.client)
}

// job is many calls of do, by workers at a time.
type job struct {
	op      string
	total   int
	workers int
	every   int           // a line after so many; 0: only at the end
	limit   time.Duration // no new calls after it
	until   chan struct{} // nor when it is closed; nil: never
	pause   time.Duration // before each call
	bytes   int64         // moved by a call
	do      func(worker, i int) error
}

// run carries a job out, prints its lines, and returns the first error that is
// not a missing name.
func (j job) run() error {
	var next, done, ok, missing, failed atomic.Int64
	var mu sync.Mutex // guards what steps and errors write
	var firstErr error
	latencies := make([][]time.Duration, j.workers)
	start := now()
	step, stepDone := start, 0

	worker := func(w int) {
		for {
			i := int(next.Add(1)) - 1
			if i >= j.total || time.Since(start.clock) > j.limit {
				return
			}
			select {
			case <-j.until:
				return
			default:
			}
			time.Sleep(j.pause)
			began := time.Now()
			err := j.do(w, i)
			latencies[w] = append(latencies[w], time.Since(began))
			switch {
			case err == nil:
				ok.Add(1)
			case errors.Is(err, fs.ErrNotExist):
				missing.Add(1)
			default:
				failed.Add(1)
				mu.Lock()
				if firstErr == nil {
					firstErr = err
				}
				mu.Unlock()
			}
			if d := int(done.Add(1)); j.every > 0 && d%j.every == 0 {
				mu.Lock()
				m := now()
				emit(row{op: j.op + "-step", workers: j.workers, from: stepDone, to: d}, step, m)
				step, stepDone = m, d
				mu.Unlock()
			}
		}
	}
	var wg sync.WaitGroup
	for w := range j.workers {
		wg.Go(func() { worker(w) })
	}
	wg.Wait()
	end, d := now(), int(done.Load())
	emit(row{op: j.op + "-total", workers: j.workers, to: d,
		ok: int(ok.Load()), notfound: int(missing.Load()), errs: int(failed.Load()),
		bytes: int64(d) * j.bytes, latencies: slices.Concat(latencies...)}, start, end)
	return firstErr
}
