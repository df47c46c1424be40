// Command foldcheck checks what a share makes of names in folders whose disk
// folds names by itself. It works on the folders through SMB and, as a local
// process, beside it: after each random change, and without any wait, listings,
// spellings and contents must be what the disk and the server's own folding
// make of them together.
//
//	foldcheck [-addr HOST:PORT] [-share NAME] [-user NAME] [-steps N] [-seed S] ROOT [FOLDER...]
//
// ROOT is where the share is on this machine, and each FOLDER an empty folder in
// it; files move from one to another. $DOZO_PASSWORD is the password.
//
// With -settle it only waits, for as long as that, until the share shows ROOT as
// it is, and tells how long it took.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/dozo-server/dozo/internal/smbclient"
)

var (
	addr   = flag.String("addr", "127.0.0.1:445", "the server")
	name   = flag.String("share", "share", "the share")
	user   = flag.String("user", "tester", "who logs in")
	steps  = flag.Int("steps", 200, "random changes")
	seed   = flag.Uint64("seed", 1, "seed of the random numbers")
	forget = flag.Bool("forget", false, "have the kernel forget names before each change: ZFS that normalizes remembers wrongly which are not there")
	settle = flag.Duration("settle", 0, "wait at most this long until the share shows ROOT as it is")
)

func main() {
	flag.Parse()
	if flag.NArg() < 1 {
		fmt.Fprintln(os.Stderr, "usage: foldcheck [flags] ROOT [FOLDER...]")
		os.Exit(2)
	}
	if err := run(context.Background(), flag.Arg(0), flag.Args()[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "foldcheck: %s: %v\n", *name, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, root string, folders []string) error {
	login := smbclient.Login{User: *user, Password: os.Getenv("DOZO_PASSWORD")}
	session, err := smbclient.Dial(ctx, *addr, smbclient.Options{Login: login})
	if err != nil {
		return err
	}
	defer session.Conn().Close()
	tree, err := session.Tree(ctx, *name)
	if err != nil {
		return err
	}
	s := &share{ctx, tree, root}
	if *settle > 0 {
		return s.settles(*settle)
	}
	if err := s.hides(); err != nil {
		return err
	}
	for _, folder := range folders {
		folds, err := s.folds(folder)
		if err != nil {
			return err
		}
		fmt.Printf("foldcheck: %s/%s: the disk takes for one: %s\n", *name, folder, folds)
		if err := s.walks(folder); err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
	}
	w := newWorld(s, folders, *seed)
	began := time.Now()
	for range *steps {
		if err := w.step(); err != nil {
			return fmt.Errorf("seed %d, after\n%s\n%w", *seed, w.last(20), err)
		}
	}
	fmt.Printf("foldcheck: %s: %d changes in %d folders, %.1f s, all as it should be\n", *name, *steps, len(folders), time.Since(began).Seconds())
	return nil
}
