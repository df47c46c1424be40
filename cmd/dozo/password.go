package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// passwordVariable holds a password for scripts. A command line can be read by
// every user of the machine, the environment only by the same one.
const passwordVariable = "DOZO_PASSWORD"

// readPassword gets a new password for a user: from the environment, from a
// person at the terminal, who types it twice and does not see it, or else as
// the first line of standard input.
func readPassword(user string) (string, error) {
	if p, ok := os.LookupEnv(passwordVariable); ok {
		return p, nil
	}
	if !isTerminal(os.Stdin) {
		return readLine(os.Stdin)
	}
	first, err := ask("Password for " + user + ": ")
	if err != nil {
		return "", err
	}
	second, err := ask("The same again: ")
	if err != nil {
		return "", err
	}
	if first != second {
		return "", errors.New("the two passwords differ; nothing was changed, try again")
	}
	return first, nil
}

// ask reads a line from the terminal without showing it.
func ask(prompt string) (string, error) {
	fmt.Fprint(os.Stderr, prompt)
	defer fmt.Fprintln(os.Stderr)
	show, err := hideTyping(os.Stdin)
	if err != nil {
		return "", err
	}
	defer show()
	return readLine(os.Stdin)
}

// readLine reads one line and nothing after it, without its end.
func readLine(r io.Reader) (string, error) {
	line, err := bufio.NewReaderSize(oneByte{r}, 16).ReadString('\n')
	if err != nil && (err != io.EOF || line == "") {
		return "", fmt.Errorf("no password came from standard input (%w); write it there, or set DOZO_PASSWORD", err)
	}
	return strings.TrimRight(line, "\r\n"), nil
}

// oneByte reads byte by byte, so that a second readLine finds the next line.
type oneByte struct{ r io.Reader }

func (o oneByte) Read(p []byte) (int, error) { return o.r.Read(p[:min(len(p), 1)]) }
