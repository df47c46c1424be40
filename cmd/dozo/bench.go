package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dozo-server/dozo/internal/bench"
	"github.com/dozo-server/dozo/internal/report"
	"github.com/dozo-server/dozo/internal/smbclient"
)

type benchCmd struct {
	Names   benchNamesCmd   `cmd:"" help:"Measure how the time for a name depends on how many names are in the folder."`
	Compare benchCompareCmd `cmd:"" help:"Show results that --json printed side by side, and draw their curves."`
}

// benchTarget is where a measurement is made.
type benchTarget struct {
	Target       string `arg:"" optional:"" name:"TARGET" help:"Folder, or smb://user@host:port/share/path, in which a folder dozo-bench-... is made and deleted again (default: a dozo that is started for it, in TMPDIR)."`
	PasswordFile string `help:"File with the password of smb:// (default: DOZO_PASSWORD, or it is asked for)." placeholder:"FILE" type:"existingfile"`
	Sign         bool   `help:"Sign all that is said to an smb:// (default: as the server asks)."`
}

// own reports whether a server is started for it.
func (c *benchTarget) own() bool { return c.Target == "" }

// open connects to the target; name is what it is called.
func (c *benchTarget) open(ctx context.Context) (t bench.Target, name string, err error) {
	options := smbclient.Options{RequireSigning: c.Sign}
	switch {
	case c.own():
		program, err := os.Executable()
		if err != nil {
			return nil, "", fmt.Errorf("this program does not find itself: %w; name a target", err)
		}
		own, err := bench.StartOwn(ctx, program, options)
		if err != nil {
			return nil, "", err
		}
		return own, "dozo " + version + ", started for this on a folder in " + filepath.Dir(filepath.Dir(own.Share())), nil
	case smbclient.IsPath(c.Target):
		path, err := c.login()
		if err != nil {
			return nil, "", err
		}
		t, err := bench.DialSMB(ctx, path, options)
		if err != nil {
			return nil, "", err // not a nil *bench.SMB in a bench.Target
		}
		return t, path.String(), nil
	case strings.Contains(c.Target, "://"):
		return nil, "", usagef("%s is no target; name a folder, or smb://user@host/share/path", c.Target)
	}
	t, err = bench.OpenFolder(c.Target)
	return t, c.Target, err
}

// login reads the target with the password of its user.
func (c *benchTarget) login() (smbclient.Path, error) {
	path, err := smbclient.ParsePath(c.Target)
	if err != nil {
		return path, usageError{err.Error()}
	}
	if path.Login.Password != "" {
		return path, usagef("every user of the machine can read a command line, so the password can't be in it; set %s, or name a file with --password-file", passwordVariable)
	}
	if path.Login.User == "" { // nobody, who has no password
		return path, nil
	}
	path.Login.Password, err = c.password(path)
	return path, err
}

// password gets the password of an existing user: from a file, from the
// environment, or from a person at the terminal.
func (c *benchTarget) password(path smbclient.Path) (string, error) {
	if c.PasswordFile != "" {
		f, err := os.Open(c.PasswordFile)
		if err != nil {
			return "", err
		}
		defer f.Close()
		return readLine(f)
	}
	if p, ok := os.LookupEnv(passwordVariable); ok {
		return p, nil
	}
	if !isTerminal(os.Stdin) {
		return "", fmt.Errorf("the password of %s is not known; set %s, or name a file with --password-file", path, passwordVariable)
	}
	return ask("Password of " + path.Login.User + " on " + path.Host + ": ")
}

// benchOutput says how a result is shown.
type benchOutput struct {
	Markdown bool   `help:"Print Markdown." xor:"form"`
	SVG      string `name:"svg" help:"Draw the curves into FILE, too." placeholder:"FILE" type:"path"`
}

// check finds out before the work that what it is for can't be written.
func (c *benchOutput) check() error {
	if c.SVG == "" {
		return nil
	}
	if info, err := os.Stat(filepath.Dir(c.SVG)); err != nil || !info.IsDir() {
		return fmt.Errorf("there is no folder %s for --svg; make it first", filepath.Dir(c.SVG))
	}
	return nil
}

// print prints a page and draws its curves.
func (c *benchOutput) print(page *report.Page, chart *report.Chart) error {
	write := page.Text
	if c.Markdown {
		write = page.Markdown
	}
	if err := write(os.Stdout); err != nil {
		return err
	}
	return c.draw(chart)
}

// draw writes the picture, if one is asked for.
func (c *benchOutput) draw(chart *report.Chart) error {
	if c.SVG == "" {
		return nil
	}
	f, err := os.Create(c.SVG)
	if err != nil {
		return err
	}
	return errors.Join(chart.SVG(f), f.Close())
}
