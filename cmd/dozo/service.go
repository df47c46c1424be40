package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/dozo-server/dozo/internal/config"
	"github.com/dozo-server/dozo/internal/service"
	"github.com/dozo-server/dozo/internal/state"
)

type serviceCmd struct {
	Install serviceInstallCmd `cmd:"" help:"Write what systemd, or FreeBSD's rc, needs to start the server; takes the folders and flags of serve."`
	Remove  serviceRemoveCmd  `cmd:"" help:"Take that away again."`
}

type serviceInstallCmd struct {
	settings
	Account string `name:"user" help:"Account to run as (default: root, which lets the server act for each user with that user's own rights)." placeholder:"NAME"`
	Print   bool   `help:"Print it and write nothing."`
}

// Run writes the file and says what to type next.
func (c *serviceInstallCmd) Run(words *kong.Context) error {
	s, p, err := c.service(words)
	if err != nil {
		return err
	}
	if c.Print {
		text, err := service.Usual().Text(s)
		fmt.Print(text)
		return err
	}
	m, err := service.Here()
	if err != nil {
		return fmt.Errorf("%w; let what does run at boot: %s; for a machine with systemd, --print writes its unit", err, shellWords(s.Command()))
	}
	if err := lasting(s); err != nil {
		return err
	}
	replaced, err := m.Install(s)
	if errors.Is(err, os.ErrPermission) {
		return fmt.Errorf("only root may write %s; type: sudo %s", m.File, shellWords(os.Args))
	}
	if err != nil {
		return err
	}
	return c.report(m, s, p, replaced)
}

// service is what is to be installed. Folders and configuration are looked at as
// by serve.
func (c *serviceInstallCmd) service(words *kong.Context) (*service.Service, *plan, error) {
	who, err := c.account()
	if err != nil {
		return nil, nil, err
	}
	s := &service.Service{Program: self(), Account: who.name}
	if c.Config == "" {
		c.Config = os.DevNull
		if _, err := os.Stat(who.config); err == nil {
			c.Config = who.config
		}
	}
	read, err := c.read()
	if _, several := errors.AsType[config.Errors](err); err != nil && !several {
		return nil, nil, err
	}
	if read.State == "" {
		c.State = who.state
	}
	p, err := c.servable()
	if err != nil {
		return nil, nil, err
	}
	if c.Config != os.DevNull {
		s.Config = c.Config
	}
	s.State = filepath.Clean(string(p.config.State))
	for _, f := range p.folders {
		s.Folders = append(s.Folders, above(f.path))
	}
	s.LowPort = p.config.SMB < 1024 // 0 is 445
	s.Arguments = c.arguments(words)
	return s, p, nil
}

// arguments are those of serve that words has for it, with whole paths.
func (c *serviceInstallCmd) arguments(words *kong.Context) (args []string) {
	told := map[string]bool{"user": true, "print": true, "state": true, "config": true}
	for _, p := range words.Path {
		if p.Flag != nil && !told[p.Flag.Name] {
			told[p.Flag.Name] = true
			args = append(args, spell(p.Flag)...)
		}
	}
	for _, arg := range c.Folders {
		h, _ := parseFolder(arg) // it was right before
		args = append(args, string(h.Name)+"="+string(h.Path))
	}
	return args
}

// spell writes a flag as it stands on a command line.
func spell(f *kong.Flag) (args []string) {
	switch v := reflect.Indirect(f.Target); {
	case v.Kind() == reflect.Bool && v.Bool():
		return []string{"--" + f.Name}
	case v.Kind() == reflect.Bool:
		return []string{"--no-" + f.Name}
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			args = append(args, fmt.Sprintf("--%s=%v", f.Name, v.Index(i)))
		}
		return args
	default:
		return []string{fmt.Sprintf("--%s=%v", f.Name, v)}
	}
}

// runner is whom a service runs as, and what serve takes by default for them.
type runner struct {
	name          string // "" for root
	config, state string
}

func (c *serviceInstallCmd) account() (runner, error) {
	root := runner{config: config.RootPath(), state: state.RootPath()}
	if c.Account == "" {
		return root, nil
	}
	u, err := user.Lookup(c.Account)
	if err != nil {
		return root, fmt.Errorf("there is no account %s on this machine; make it, or leave out --user to run as root", c.Account)
	}
	if u.Uid == "0" {
		return root, nil
	}
	if !ownsHome(u) {
		return runner{u.Username, root.config, root.state}, nil
	}
	return runner{u.Username, config.HomePath(u.HomeDir), state.HomePath(u.HomeDir)}, nil
}

// lasting refuses a program that goes away, or that somebody could exchange for
// another which then runs with the rights of the service.
func lasting(s *service.Service) error {
	place := "sudo install %s /usr/local/bin/dozo && sudo /usr/local/bin/" + shellWords(append([]string{"dozo"}, os.Args[1:]...))
	if strings.Contains(s.Program, "/go-build") {
		return fmt.Errorf("go run's program goes away when it ends; put one where it stays: go build ./cmd/dozo && "+place, "dozo")
	}
	if owner := exchangeable(s); owner != "" {
		return fmt.Errorf("%s could exchange %s, which the service runs; put it where only root writes: "+place, owner, s.Program, shellQuote(s.Program))
	}
	return nil
}

// report says what was done and what to type next.
func (c *serviceInstallCmd) report(m *service.Manager, s *service.Service, p *plan, replaced bool) error {
	verb := "Wrote"
	if replaced {
		verb = "Replaced"
	}
	fmt.Printf("%s %s.\n", verb, m.File)
	for _, f := range p.folders {
		fmt.Printf("It serves %s as %s.\n", f.path, f.name)
	}
	switch {
	case s.Account != "":
		fmt.Printf("It runs as %s, and so do all its users.\n", s.Account)
	default:
		fmt.Println("It runs as root, and acts for each user with the rights of the account of that name.")
	}
	if s.Config == "" {
		fmt.Println("It reads no configuration, so that is all it may write; write one and install again to change that.")
	}
	if line := c.firstUserLine(s); line != "" {
		fmt.Printf("\nNobody can log in yet. Add a user:\n\n    %s\n", line)
	}
	fmt.Printf("\nStart it, now and at each boot:\n\n    %s\n", sudo(m.Enable))
	if replaced {
		fmt.Printf("\nor, if it runs already:\n\n    %s\n", sudo(m.Restart))
	}
	return nil
}

// firstUserLine is the line that adds the first user, "" when there is one.
func (c *serviceInstallCmd) firstUserLine(s *service.Service) string {
	if home, err := state.Open(s.State); err == nil {
		if list, err := users(home).List(); err != nil || len(list) > 0 {
			return ""
		}
	}
	name, err := loginName()
	if err != nil || name == "root" {
		name = "NAME"
	}
	line := shellQuote(program()) + " user add " + name + " --state " + shellQuote(s.State)
	if s.Account != "" {
		return "sudo -u " + s.Account + " " + line
	}
	return sudo(line)
}

// program is how this one is called: by its name where that is enough.
func program() string {
	path := self()
	if found, err := exec.LookPath(filepath.Base(path)); err == nil && found == path {
		return filepath.Base(path)
	}
	return path
}

// sudo puts sudo in front of each command of a line, for who came by it.
func sudo(line string) string {
	if os.Getenv("SUDO_USER") == "" {
		return line
	}
	return "sudo " + strings.ReplaceAll(line, " && ", " && sudo ")
}

func shellWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = shellQuote(w)
	}
	return strings.Join(quoted, " ")
}

type serviceRemoveCmd struct {
	Print bool `help:"Print the command that does it, and do nothing."`
}

// Run takes away what install wrote, and nothing else: users and the server's id
// stay in the state folder.
func (c *serviceRemoveCmd) Run() error {
	m := service.Usual()
	there, err := m.Installed()
	switch {
	case err != nil:
		return err
	case c.Print && there:
		fmt.Println("rm " + m.File)
		return nil
	case !there:
		fmt.Printf("There is no %s, so there is nothing to take away.\n", m.File)
		return nil
	case m.InUse():
		return fmt.Errorf("the service is still used; stop it first: %s && %s", sudo(m.Disable), sudo(shellWords(append([]string{program()}, os.Args[1:]...))))
	}
	if err := m.Remove(); errors.Is(err, os.ErrPermission) {
		return fmt.Errorf("only root may take away %s; type: sudo %s", m.File, shellWords(os.Args))
	} else if err != nil {
		return err
	}
	fmt.Printf("Took away %s. The state folder, with users and the server's id, is still there.\n", m.File)
	if m.Forget != "" {
		fmt.Printf("\nTell systemd:\n\n    %s\n", sudo(m.Forget))
	}
	return nil
}
