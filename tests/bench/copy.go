package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// client is a program that copies many small files into one folder.
type client struct {
	name string
	// run copies -copied files into a folder of the share.
	run func(b *bench, ctx context.Context, s *server, dir string) error
}

var (
	bySmbgen    = client{"smbgen", (*bench).copyBySmbgen}
	bySmbclient = client{"smbclient", (*bench).copyBySmbclient}
)

// The shares of Samba that dozo is compared with.
const (
	sensitiveShare = "case sensitive"
	defaultShare   = "as it comes"
)

// step is how many files the first and the last rate are of.
const step = 1000

// copy copies files into a new folder, with Samba once into each of two shares:
// the one that looks for names by their exact spelling only, and the one that
// finds names in any case as dozo does.
func (b *bench) copy(s *server, c client, round int) error {
	if s.name == dozo {
		rate, last, err := b.copyTo(s, c, round)
		b.results.add(copying(c, sensitiveShare), s, measure{rate: rate, unit: "files/s"})
		b.results.add(copying(c, defaultShare), s, measure{rate: rate, unit: "files/s"})
		b.results.add(lastOfAll(c), s, measure{rate: last, unit: "x the first"})
		return err
	}
	asItComes := *s
	asItComes.share, asItComes.data = "default", filepath.Join(filepath.Dir(s.data), "default")
	for words, share := range map[string]*server{sensitiveShare: s, defaultShare: &asItComes} {
		rate, last, err := b.copyTo(share, c, round)
		if err != nil {
			return err
		}
		b.results.add(copying(c, words), s, measure{rate: rate, unit: "files/s"})
		if words == defaultShare {
			b.results.add(lastOfAll(c), s, measure{rate: last, unit: "x the first"})
		}
	}
	return nil
}

// source makes the folder of files of 1 KiB that smbclient copies.
func (b *bench) source() error {
	dir := b.path("source")
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	for i := range *copied {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("IMG_%06d.jpg", i+1)), make([]byte, 1024), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// copyTo returns the files a second, and what the rate of the last thousand was
// in terms of that of the first.
func (b *bench) copyTo(s *server, c client, round int) (rate, last float64, err error) {
	dir := fmt.Sprintf("copy-%s-%d", c.name, round)
	if err := b.source(); err != nil {
		return 0, 0, err
	}
	if err := exec.Command("sync").Run(); err != nil { // or it pays for what was before
		return 0, 0, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), *patience)
	defer cancel()
	if err := c.run(b, ctx, s, dir); err != nil {
		return 0, 0, err
	}
	made, err := madeIn(filepath.Join(s.data, dir))
	if err != nil {
		return 0, 0, err
	}
	n := len(made)
	if n < 2*step || n < *copied && ctx.Err() == nil && time.Since(made[0]) < *patience {
		return 0, 0, fmt.Errorf("%s copied %d files of %d", c.name, n, *copied)
	}
	per := func(from, to int) float64 { return float64(to-from) / made[to].Sub(made[from]).Seconds() }
	return per(0, n-1), per(n-step, n-1) / per(0, step-1), nil
}

// madeIn returns when the files of a folder were made, in order: the disk has
// kept a record of the copy.
func madeIn(dir string) (made []time.Time, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		made = append(made, info.ModTime())
	}
	slices.SortFunc(made, time.Time.Compare)
	return made, nil
}

func (b *bench) copyBySmbgen(_ context.Context, s *server, dir string) error {
	_, err := b.generate(s, plain, "-ops", "create", "-dir", dir, "-n", fmt.Sprint(*copied), "-cap", patience.String())
	return err
}

// copyBySmbclient copies a folder of files of 1 KiB as Debian's smbclient does.
func (b *bench) copyBySmbclient(ctx context.Context, s *server, dir string) error {
	source := b.path("source")
	cmd := exec.CommandContext(ctx, "smbclient", "//127.0.0.1/"+s.share, "-p", strconv.Itoa(s.port), "-U", user+"%"+password,
		"-c", fmt.Sprintf("prompt off; mkdir %s; cd %s; lcd %s; mput *", dir, dir, source))
	out, err := cmd.CombinedOutput()
	if err != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("smbclient: %w: %.500s", err, out)
	}
	return nil
}

func copying(c client, share string) string {
	return fmt.Sprintf("copy of %d files by %s, Samba %s", *copied, c.name, share)
}

func lastOfAll(c client) string {
	return fmt.Sprintf("rate of the last %d of %d files by %s, Samba %s", step, *copied, c.name, defaultShare)
}
