package smbclient

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// Path is a place on a server, as people write it:
//
//	smb://user@host:port/share/folder/file
//	smb://DOMAIN;user:password@host/share
type Path struct {
	Login Login  // Password is empty unless it was given
	Host  string // name or address
	Port  string // "445" unless it was given
	Share string // "" for the server itself
	Name  string // in the share, with backslashes; "" for its root
}

// defaultPort is where SMB is served.
const defaultPort = "445"

// IsPath reports whether s is meant to be a Path.
func IsPath(s string) bool { return strings.HasPrefix(s, "smb://") }

// ParsePath reads the form above.
func ParsePath(s string) (Path, error) {
	u, err := url.Parse(s)
	if err != nil {
		var detail *url.Error // whose text would show the password
		if errors.As(err, &detail) {
			err = detail.Err
		}
		return Path{}, fmt.Errorf("not a path of the form smb://user@host/share/path: %w", err)
	}
	switch {
	case u.Scheme != "smb" || u.Hostname() == "":
		return Path{}, fmt.Errorf("%s is not of the form smb://user@host/share/path", u.Redacted())
	case u.RawQuery != "" || u.Fragment != "":
		return Path{}, fmt.Errorf("%s: write ? as %%3F and # as %%23", u.Redacted())
	}
	p := Path{Host: u.Hostname(), Port: u.Port()}
	if p.Port == "" {
		p.Port = defaultPort
	}
	if u.User != nil {
		p.Login.User = u.User.Username()
		p.Login.Password, _ = u.User.Password()
		if domain, user, ok := strings.Cut(p.Login.User, ";"); ok {
			p.Login.Domain, p.Login.User = domain, user
		}
	}
	share, name, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	p.Share, p.Name = share, Name(name)
	return p, nil
}

// Address is "host:port".
func (p Path) Address() string { return net.JoinHostPort(p.Host, p.Port) }

// String returns the form that ParsePath reads, without the password.
func (p Path) String() string {
	u := url.URL{Scheme: "smb", Host: p.Host}
	if strings.Contains(p.Host, ":") {
		u.Host = "[" + p.Host + "]"
	}
	if p.Port != defaultPort {
		u.Host = p.Address()
	}
	switch {
	case p.Login.Domain != "":
		u.User = url.User(p.Login.Domain + ";" + p.Login.User)
	case p.Login.User != "":
		u.User = url.User(p.Login.User)
	}
	u.Path = "/" + p.Share
	if p.Name != "" {
		u.Path += "/" + strings.ReplaceAll(p.Name, `\`, "/")
	}
	return u.String()
}
