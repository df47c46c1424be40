package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// elsewhere says that the server which runs has another state folder than the one
// that this command worked on, with the command line for that; "" if it has not.
func elsewhere(path string) string {
	return misled(path, runningServers(), os.Geteuid(), withoutState(os.Args[1:]))
}

// withoutState are the words of a command line but for its state folder.
func withoutState(args []string) (words []string) {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--state":
			i++
		case !strings.HasPrefix(args[i], "--state="):
			words = append(words, args[i])
		}
	}
	return words
}

// misled is elsewhere, where servers run on state folders.
func misled(path string, servers []string, me int, command []string) string {
	path, err := filepath.Abs(path)
	own := func(server string) bool { return server == path || sameFolder(server, path) }
	if err != nil || len(servers) == 0 || slices.ContainsFunc(servers, own) {
		return ""
	}
	line := shellWords(append(append([]string{"dozo"}, command...), "--state", servers[0]))
	if info, err := os.Stat(servers[0]); err != nil || int(owner(info)) != me {
		line = "sudo " + line
	}
	return fmt.Sprintf("a server runs here with the state folder %s, not with %s; go there with: %s", servers[0], path, line)
}

// mentionServer says on standard error that the running server looks elsewhere, if
// it does.
func (c *stateFlag) mentionServer() error {
	path, err := c.path()
	if err != nil {
		return err
	}
	if words := elsewhere(path); words != "" {
		fmt.Fprintf(os.Stderr, "dozo: %s\n", words)
	}
	return nil
}

// runningServers are the state folders that servers of this machine run on, as
// far as the system tells: by the sockets that they listen on, which Linux shows
// to everybody.
func runningServers() (folders []string) {
	table, _ := os.ReadFile("/proc/net/unix")
	for line := range strings.Lines(string(table)) {
		// Num: RefCount Protocol Flags Type St Inode Path
		const listening = "00010000"
		f := strings.SplitN(strings.TrimRight(line, "\n"), " ", 8)
		if len(f) < 8 || f[3] != listening {
			continue
		}
		dir, name := filepath.Split(strings.TrimLeft(f[7], " "))
		if name != statusSocket {
			continue
		}
		// Of a folder that is closed to this user nothing else is known.
		if _, err := os.Stat(dir + "state.json"); err == nil || os.IsPermission(err) {
			folders = append(folders, filepath.Clean(dir))
		}
	}
	slices.Sort(folders)
	return slices.Compact(folders)
}

// orElsewhere ends the sentence of an error about a state folder in which nobody
// was found with what to do: there, and in that of the server which runs.
func (c *stateFlag) orElsewhere(err error, there string) error {
	path, _ := c.path()
	if words := elsewhere(path); words != "" {
		there += "; " + words
	}
	return fmt.Errorf("%w; %s", err, there)
}
