// Command namemodel holds what a server says of names and ids against a model
// in memory, while several connections and local processes, of which it is one,
// change the same folder. It exits with 1 on the first difference, and then tells
// the last operations.
//
//	namemodel -addr HOST:PORT -user U -pass P -share S [-seed N] [-conns N] [-locals N] FOLDER TEST N [TEST N]...
//
// FOLDER is the share's, on this machine. Each test works in a folder of its own
// below it, which must not be there:
//
//	ordered N  N operations, each dealt to a connection or done locally, one after the other: every answer
//	           must be the model's, and nothing is waited for between a local change and the next question
//	rounds N   N rounds in which all change the folder at once; after each the server must know just what is there
//	rivals N   N times all connections make one name at the same moment, each in its own spelling: one gets it
//	pairs N    N times a connection and this process make one name in two spellings at the same moment;
//	           prints "clash A|B" for each pair of which both are there
//	reuse N    N files made and removed by turns, by both sides: no id may come back
//	ids 0      asks for the id of everything in the share in all ways there are, and prints "id path"
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/dozo-server/dozo/internal/smbclient"
)

var (
	addr   = flag.String("addr", "127.0.0.1:445", "host:port of the server")
	user   = flag.String("user", "", "user")
	pass   = flag.String("pass", "", "password")
	share  = flag.String("share", "share", "share")
	seed   = flag.Uint64("seed", 1, "seed of the random numbers")
	conns  = flag.Int("conns", 3, "connections")
	locals = flag.Int("locals", 2, "local writers in rounds")
)

// test is what a word of the command line stands for.
type test func(ctx context.Context, b bench, n int) error

var tests = map[string]test{
	"ordered": testOrdered,
	"rounds":  testRounds,
	"rivals":  testRivals,
	"pairs":   testPairs,
	"reuse":   testReuse,
	"ids":     testIDs,
}

// bench is what a test works on.
type bench struct {
	clients []*client
	name    string // of the test's folder in the share
	folder  string // the same on this machine
}

// share is the whole share as a bench.
func (b bench) share() bench { return bench{b.clients, "", filepath.Dir(b.folder)} }

func main() {
	flag.Parse()
	if flag.NArg() < 3 || flag.NArg()%2 != 1 {
		fmt.Fprintln(os.Stderr, "usage: namemodel [flags] FOLDER TEST N [TEST N]...")
		os.Exit(2)
	}
	ctx := context.Background()
	clients, err := dial(ctx)
	for i := 1; err == nil && i < flag.NArg(); i += 2 {
		err = run(ctx, clients, flag.Arg(i), flag.Arg(i+1))
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "namemodel: seed %d: %v\n", *seed, err)
		os.Exit(1)
	}
}

func dial(ctx context.Context) (clients []*client, err error) {
	for range *conns {
		s, err := smbclient.Dial(ctx, *addr, smbclient.Options{Login: smbclient.Login{User: *user, Password: *pass}})
		if err != nil {
			return nil, err
		}
		tree, err := s.Tree(ctx, *share)
		if err != nil {
			return nil, err
		}
		clients = append(clients, &client{tree})
	}
	return clients, nil
}

func run(ctx context.Context, clients []*client, word, count string) error {
	test, ok := tests[word]
	n, err := strconv.Atoi(count)
	if !ok || err != nil {
		return fmt.Errorf("there is no test %s %s", word, count)
	}
	name := fmt.Sprintf("%s-%d", word, *seed)
	b := bench{clients, name, filepath.Join(flag.Arg(0), name)}
	if err := os.Mkdir(b.folder, 0o755); err != nil {
		return err
	}
	began := time.Now()
	if err := test(ctx, b, n); err != nil {
		return fmt.Errorf("%s: %w", word, err)
	}
	fmt.Fprintf(os.Stderr, "namemodel: %s %d: all as it should be, after %.1f s\n", word, n, time.Since(began).Seconds())
	return nil
}
