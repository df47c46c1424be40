package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/dozo-server/dozo"
	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/config"
	"github.com/dozo-server/dozo/internal/state"
)

// settings are what serve is told: a file, flags that count more, and folders.
type settings struct {
	stateFlag
	Config    string          `help:"Configuration (default: /etc/dozo/dozo.toml for root, else ~/.config/dozo/dozo.toml, if it is there)." placeholder:"FILE" type:"path"`
	Folders   []string        `arg:"" optional:"" name:"[NAME=]DIR" help:"Folders to serve, beside the shares of the configuration; clients see NAME, or the folder's own name."`
	Bind      []string        `help:"Addresses of this machine to listen at (default: all)." placeholder:"ADDR"`
	SMB       *uint16         `name:"smb" help:"Port of SMB (default: 445 or, when that is refused, 4450)." placeholder:"PORT"`
	User      string          `kong:"-"` // see firstUserFlag
	Guest     guestFlag       `help:"Let everybody in without a password, to read; with =write to change things, too. Shares of the configuration may say otherwise." placeholder:"write"`
	ReadOnly  bool            `help:"Let nobody change anything in any share."`
	Signing   *config.Signing `help:"Whether clients must sign what they send: required (default) or offered." placeholder:"required|offered"`
	Discovery *bool           `help:"Let clients find the server without typing its address, unless it listens on this machine only (default: yes)." negatable:""`
	Memory    config.Size     `help:"Memory for names, of all shares together, such as 512M (default: 1/8 of the machine's or the container's, at most 1G)." placeholder:"SIZE"`
}

// firstUserFlag is apart from the other settings, because to a command about
// services --user is something else.
type firstUserFlag struct {
	FirstUser string `name:"user" help:"Name of the first user, made when there is none (default: your login)." placeholder:"NAME"`
}

// plan is what is to be served.
type plan struct {
	config  *config.Config
	folders []folder // of the shares of config, in their order
}

// read reads the configuration, and puts over it what the command line says.
// With config.Errors there is a configuration, as far as it is right.
func (s *settings) read() (*config.Config, error) {
	if s.SMB != nil && *s.SMB == 0 {
		return nil, usagef("--smb 0 turns off SMB, and there is no other protocol; leave it out, or name a port")
	}
	c, err := config.Read(s.Config)
	set := func(flag string, put func()) {
		put()
		c.From[flag] = config.Flag(flag)
	}
	if s.State != "" {
		set("state", func() { c.State = config.Folder(s.State) })
	}
	if s.Bind != nil {
		set("bind", func() { c.Bind = s.Bind })
	}
	if s.SMB != nil {
		set("smb", func() { c.SMB = config.Port(*s.SMB) })
	}
	if s.User != "" {
		set("user", func() { c.User = s.User })
	}
	if s.Guest != "" {
		set("guest", func() { c.Guest = config.Guest(s.Guest) })
	}
	if s.ReadOnly {
		set("read-only", func() { c.ReadOnly = true })
	}
	if s.Signing != nil {
		set("signing", func() { c.Signing = *s.Signing })
	}
	if s.Discovery != nil {
		set("discovery", func() { c.Discovery = *s.Discovery })
	}
	if s.Memory != 0 {
		set("memory", func() { c.Memory = s.Memory })
	}
	for _, arg := range s.Folders {
		h, err := parseFolder(arg)
		if err != nil {
			return nil, err
		}
		c.Shares = append(c.Shares, h)
	}
	c.Resolve()
	return c, err
}

// plan is read, and looks at the folders. It changes nothing.
func (s *settings) plan() (*plan, error) {
	c, err := s.read()
	errs, several := err.(config.Errors)
	if err != nil && !several {
		return nil, err
	}
	path, err := statePath(c)
	if err != nil {
		return nil, err
	}
	var mounts map[string]string
	if home, err := state.Open(path); err == nil { // what is wrong with it is told by who needs it
		mounts, _ = home.Mounts()
	}
	p := &plan{config: c}
	if p.folders, err = checkFolders(c.Shares, mounts, &errs); err != nil {
		return nil, err
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	if err := auditOutside(string(c.Audit), p.folders); err != nil {
		errs.Add(c.From["audit"], "%v", err)
		return nil, errs.Err()
	}
	return p, outside(path, p.folders)
}

// servable is plan, of which there must be something to serve.
func (s *settings) servable() (*plan, error) {
	p, err := s.plan()
	if err == nil && len(p.folders) == 0 {
		file := p.config.File
		if file == "" {
			file, _ = config.DefaultPath()
		}
		err = usagef("there is nothing to serve; name a folder: dozo serve DIR, or write a [[share]] into %s", file)
	}
	return p, err
}

// statePath is the path of the state folder that c names, or the default.
func statePath(c *config.Config) (string, error) {
	if c.State != "" {
		return string(c.State), nil
	}
	return state.DefaultPath()
}

// shares are what the plan serves. mounts tells on which file system each folder
// was.
func (p *plan) shares(mounts map[string]string) []dozo.Share {
	var all []dozo.Share
	for i, f := range p.folders {
		h := &p.config.Shares[i]
		all = append(all, dozo.Share{
			Name:               f.name,
			Path:               f.path,
			FileSystem:         mounts[f.path],
			HomeFileSystems:    homeFileSystems(f.path, mounts),
			Comment:            h.Comment,
			Hidden:             !h.Browseable,
			ReadOnly:           h.ReadOnly,
			Encrypt:            h.Encrypt,
			Users:              h.Users,
			Groups:             h.Groups,
			ReadOnlyUsers:      h.ReadOnlyUsers,
			Hosts:              hosts(h.HostsAllow, h.HostsDeny),
			Guest:              guestAccess[h.Guest],
			Veto:               config.Texts(h.Veto),
			DeleteVetoed:       h.DeleteVetoed,
			Hide:               config.Texts(h.Hide),
			ForceUser:          h.ForceUser,
			MaxSize:            int64(h.MaxSize),
			Recycle:            string(h.Recycle),
			RecycleDays:        int(h.RecycleDays),
			CreateMask:         uint32(h.CreateMask),
			DirectoryMask:      uint32(h.DirectoryMask),
			ForceCreateMode:    uint32(h.ForceCreateMode),
			ForceDirectoryMode: uint32(h.ForceDirectoryMode),
			InheritPermissions: h.InheritPermissions,
			InheritOwner:       h.InheritOwner,
			CaseSensitive:      h.Case == config.CaseSensitive,
			KeepComposition:    !h.Normalization,
			ChangeCase:         !h.PreserveCase,
			ChangeShortCase:    !h.ShortPreserveCase,
			DefaultUpper:       h.DefaultCase == config.DefaultUpper,
			ShortNames:         h.ShortNames,
		})
	}
	return all
}

// homeFileSystems are those of mounts that users' folders by path were on, nil if
// path is no such.
func homeFileSystems(path string, mounts map[string]string) map[string]string {
	top := above(path)
	if top == path {
		return nil
	}
	all := map[string]string{}
	for folder, on := range mounts {
		if strings.HasPrefix(folder, top+"/") {
			all[folder] = on
		}
	}
	return all
}

// hosts are where clients may come from.
func hosts(allow, deny []config.Host) auth.Hosts {
	return auth.Hosts{Allow: config.Prefixes(allow), Deny: config.Prefixes(deny)}
}

var signing = map[config.Signing]dozo.Signing{
	config.SigningRequired: dozo.SigningRequired,
	config.SigningOffered:  dozo.SigningOffered,
}

var guestAccess = map[config.Guest]dozo.GuestAccess{
	config.GuestNone:  dozo.GuestNone,
	config.GuestRead:  dozo.GuestRead,
	config.GuestWrite: dozo.GuestWrite,
}

// guestFlag is --guest or --guest=write; "" when it was not given.
type guestFlag config.Guest

// IsBool lets the flag stand without a value.
func (*guestFlag) IsBool() bool { return true }

// Decode reads the value, if there is one.
func (g *guestFlag) Decode(ctx *kong.DecodeContext) error {
	*g = guestFlag(config.GuestRead)
	if ctx.Scan.Peek().Type != kong.FlagValueToken {
		return nil
	}
	switch word := config.Guest(ctx.Scan.Pop().String()); word {
	case config.GuestNone, config.GuestRead, config.GuestWrite:
		*g = guestFlag(word)
	default:
		return fmt.Errorf("--guest takes write or nothing, not %q", word)
	}
	return nil
}

// effective fills in what c leaves to the machine, as far as it can be told
// without making anything.
func effective(c *config.Config) error {
	if c.State == "" {
		path, err := state.DefaultPath()
		if err != nil {
			return err
		}
		c.State = config.Folder(path)
		if os.Geteuid() != 0 && filepath.IsAbs(os.Getenv("XDG_STATE_HOME")) {
			c.From["state"] = config.Environment("XDG_STATE_HOME")
		}
	}
	if c.User == "" {
		name, err := loginName()
		if err != nil {
			return err
		}
		c.User = name
		if os.Geteuid() == 0 && os.Getenv("SUDO_USER") != "" {
			c.From["user"] = config.Environment("SUDO_USER")
		}
	}
	return nil
}

// sentences are the single errors of err.
func sentences(err error) []string {
	errs, ok := errors.AsType[config.Errors](err)
	if !ok {
		errs = config.Errors{err}
	}
	var all []string
	for _, e := range errs {
		all = append(all, e.Error())
	}
	return all
}
