package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/dozo-server/dozo/internal/report"
)

// Names measures how the time to find and to make a name depends on how many
// names there are in the folder.
//
// The folder grows from size to size. At each it is listed, by a target that was
// begun anew and once more, a name is looked for that is not there, and then come
// the samples: blocks of creates, of opens by the exact name, in another case and
// of names that are not there, in turns. Deletes are measured on the way down, so
// that no create comes after them: some disks don't use an inode at once again,
// and look for another the longer the more there are of these.
type Names struct {
	Target   Target
	Label    string        // what the results are called in a comparison
	Name     string        // of the target, for people
	Fill     string        // the target's folder on this machine, where files are made to fill it; empty: through the target
	Scratch  bool          // the target is thrown away as a whole, so files need not be deleted
	Sizes    []int         // ascending
	Samples  int           // of each operation at each size
	Seed     uint64        // of the names
	Limit    time.Duration // for growing to a size, and for the samples at it
	Progress Progress
}

// NamesResult is what was measured.
type NamesResult struct {
	Test    string    `json:"test"` // NamesTest
	Label   string    `json:"label"`
	Target  string    `json:"target"`
	Link    string    `json:"link,omitempty"` // how it was reached
	Began   time.Time `json:"began"`
	Samples int       `json:"samples"`
	Seed    uint64    `json:"seed"`
	Filled  bool      `json:"filled,omitempty"` // on this machine, and not through the target
	// First is what FirstMiss and FirstList are the first of.
	First      Renewal      `json:"first,omitempty"`
	IdleMemory int64        `json:"idle_memory,omitempty"` // of the serving process, before it was asked anything
	Sizes      []*NamesSize `json:"sizes"`
	Notes      []string     `json:"notes,omitempty"`
	Verdict    []string     `json:"verdict"`
}

// NamesTest is the name of the test in results.
const NamesTest = "names"

// NamesSize is what was measured in a folder of some size. Zero is what was not
// measured.
type NamesSize struct {
	Files     int           `json:"files"` // when the samples began; each create adds one
	Create    Latency       `json:"create"`
	Exact     Latency       `json:"exact"`
	OtherCase Latency       `json:"other_case"`
	Missing   Latency       `json:"missing"`
	Delete    Latency       `json:"delete"`
	FirstMiss time.Duration `json:"first_miss_ns,omitempty"`
	FirstList time.Duration `json:"first_list_ns,omitempty"`
	List      time.Duration `json:"list_ns,omitempty"`
	Memory    int64         `json:"memory,omitempty"`        // of the serving process, after the samples
	CreateCPU time.Duration `json:"create_cpu_ns,omitempty"` // of the serving process, for a create
}

// mean is how many files there were in the middle of the samples.
func (s *NamesSize) mean() float64 { return float64(s.Files) + float64(s.Create.Samples)/2 }

// payload is what a create writes.
const payload = 1024

// blocks is in how many turns the samples of a size are taken. Before them comes
// one that does not count: who was begun anew has to find its pace.
const blocks = 20

// signalTime is how far apart two processes may hear of a Ctrl-C.
const signalTime = 200 * time.Millisecond

// Run measures. When that ends early, because of an error or of ctx, what was
// measured until then is returned beside the error. The folder that was used is
// deleted in any case.
func (n *Names) Run(ctx context.Context) (*NamesResult, error) {
	if err := n.check(ctx); err != nil {
		return nil, err
	}
	r := &namesRun{
		Names:  n,
		names:  spelling{n.Seed},
		random: rand.New(rand.NewPCG(n.Seed, 1)),
		data:   make([]byte, payload),
		result: &NamesResult{Test: NamesTest, Label: n.Label, Target: n.Name, Began: time.Now().Round(time.Second), Samples: n.Samples, Seed: n.Seed, Filled: n.Fill != ""},
	}
	for i := range r.data {
		r.data[i] = byte(r.random.Uint32())
	}
	r.watch()
	if link := n.Target.Link(); link != nil {
		r.result.Link = link.Words
	}
	if r.process != nil {
		r.result.IdleMemory = r.process.memory()
	}
	var err error
	if r.own, err = newWorkFolder(ctx, n.Target, n.Fill); err != nil {
		return nil, err
	}
	err = r.climb(ctx)
	if err == nil {
		err = r.descend(ctx)
	}
	if err != nil && n.Scratch { // a Ctrl-C ends its server, too, and may be heard of from there first
		select {
		case <-ctx.Done():
		case <-time.After(signalTime):
		}
	}
	if ctx.Err() != nil { // what went wrong since has no other reason
		err = errors.New("interrupted")
	}
	if !n.Scratch {
		err = r.clean(ctx, err)
	}
	who := "this server"
	if r.result.Link == "" {
		who = "this file system"
	}
	r.result.Verdict = judgeNames(who, r.result.Sizes)
	return r.result, err
}

// check refuses a target that has no room.
func (n *Names) check(ctx context.Context) error {
	through := len(n.Sizes) * (n.Samples + n.warm())
	local := 0
	if most := slices.Max(n.Sizes); n.Fill == "" {
		through += most
	} else {
		local = most
	}
	space, err := n.Target.Space(ctx)
	if err != nil {
		return err
	}
	if n.Fill != "" { // it knows more about the same disk
		if space, err = Folder(n.Fill).Space(ctx); err != nil {
			return err
		}
	}
	// A block and an inode with its name; an empty file has no block.
	const fileRoom, emptyRoom = 4096 + 1024, 1024
	if need := int64(through)*fileRoom + int64(local)*emptyRoom; space.Bytes < need {
		return fmt.Errorf("%s has %s free and the test needs %s; name smaller --sizes, or another target", n.Name, report.Bytes(space.Bytes), report.Bytes(need))
	}
	if need := int64(through + local); space.Limited && space.Files < need {
		return fmt.Errorf("%s has room for %s files and the test makes %s; name smaller --sizes, or another target", n.Name, report.Count(int(space.Files)), report.Count(int(need)))
	}
	return nil
}
