// Command dozo serves folders to Windows, macOS and Linux.
//
//	dozo serve /srv/films
//
// Exit codes: 0 done, 1 failed, 2 wrong usage. What went wrong is one sentence
// on standard error that says what to do about it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

// commands are the words of the command line, a file each.
type commands struct {
	Serve   serveCmd   `cmd:"" help:"Serve folders over SMB until stopped."`
	User    userCmd    `cmd:"" help:"Say who may log in; a running server knows at once."`
	Config  configCmd  `cmd:"" help:"Check the configuration, or show what counts and why."`
	Reload  reloadCmd  `cmd:"" help:"Have the running server read its configuration again."`
	Service serviceCmd `cmd:"" help:"Have the machine start the server, at boot and when it has ended."`
	Status  statusCmd  `cmd:"" help:"Show who does what on the running server and how busy it is; close sessions and files."`
	Bench   benchCmd   `cmd:"" help:"Measure a folder, a server, or dozo itself."`
	Version versionCmd `cmd:"" help:"Print the version."`
}

func main() { os.Exit(run(os.Args[1:])) }

// run carries out one command line and returns the exit code.
func run(args []string) int {
	parser := kong.Must(&commands{},
		kong.Name("dozo"),
		kong.Description("A file server for Windows, macOS and Linux."),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}))
	words, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(os.Stderr, "dozo: %s; dozo --help tells more\n", err)
		return 2
	}

	// The first signal asks for a clean stop; from then on the system's own
	// meaning is back, so a second one ends the program at once.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)

	words.BindTo(ctx, (*context.Context)(nil))
	err = words.Run()
	if err == nil {
		return 0
	}
	if errors.Is(err, errTold) {
		return 1
	}
	fmt.Fprintf(os.Stderr, "dozo: %s\n", err)
	if _, ok := errors.AsType[usageError](err); ok {
		return 2
	}
	return 1
}

// errTold ends a command that failed and has printed why.
var errTold = errors.New("told already")

// usageError is a command line that can't be meant.
type usageError struct{ words string }

func (e usageError) Error() string { return e.words }

func usagef(format string, args ...any) error {
	return usageError{fmt.Sprintf(format, args...)}
}

// stateFlag names the state folder, for every command that needs one.
type stateFlag struct {
	State string `help:"State folder: users, the server's id, the status socket (default: /var/lib/dozo for root, else ~/.local/state/dozo)." placeholder:"DIR" type:"path"`
}
