// Package service makes the server a service of the machine, which starts it at
// boot and again when it has ended: it writes the unit of systemd or the script
// of FreeBSD's rc, takes them away again, and lets the server tell systemd how
// it is.
//
//	m, err := service.Here()
//	...
//	replaced, err := m.Install(&service.Service{Program: "/usr/bin/dozo", ...})
package service

import "path/filepath"

// Service is a server that the machine is to start.
type Service struct {
	// Program is the absolute path of dozo.
	Program string

	// Arguments are those of dozo serve, beside the state folder and the
	// configuration.
	Arguments []string

	// State is the absolute path of the state folder.
	State string

	// Config is the absolute path of the configuration. Empty: there is none,
	// so what is served stays what it is.
	Config string

	// Folders are the absolute paths of what is served.
	Folders []string

	// Account is whom the server runs as. Empty: root, which lets it act for
	// each of its users.
	Account string

	// LowPort tells that it listens on a port below 1024.
	LowPort bool
}

// noConfig is what stands for no configuration on the command line.
const noConfig = "/dev/null"

// Command is the command line that the service is started with. By hand, as the
// same account, it starts the same server on the same state.
func (s *Service) Command() []string {
	config := s.Config
	if config == "" {
		config = noConfig
	}
	return append([]string{s.Program, "serve", "--service", "--state", s.State, "--config", config}, s.Arguments...)
}

// Reload is the command line that has the running service read its
// configuration again.
func (s *Service) Reload() []string {
	return []string{s.Program, "reload", "--state", s.State}
}

// below is path as seen from dir, and whether it is below dir; both are clean.
func below(path, dir string) (string, bool) {
	rest, err := filepath.Rel(dir, path)
	return rest, err == nil && filepath.IsLocal(rest) && rest != "."
}
