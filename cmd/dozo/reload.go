package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/dozo-server/dozo"
	"github.com/dozo-server/dozo/internal/config"
	"github.com/dozo-server/dozo/internal/service"
	"github.com/dozo-server/dozo/internal/state"
	"github.com/dozo-server/dozo/internal/status"
)

// closeTime is how long a reload waits for shares that were taken away to be
// closed; reloadTime is how long it may take in all.
const (
	closeTime  = 10 * time.Second
	reloadTime = time.Minute
)

type reloadCmd struct {
	stateFlag
	JSON bool `help:"Print JSON."`
}

func (c *reloadCmd) Run(ctx context.Context) error {
	answer, err := askServer(ctx, &c.stateFlag, reloadTime, status.AskReload)
	if err != nil {
		return err
	}
	if c.JSON {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		err = out.Encode(answer)
	} else if len(answer.Errors) > 0 {
		err = answer.Write(os.Stderr)
	} else {
		err = answer.Write(os.Stdout)
	}
	if err == nil && len(answer.Errors) > 0 {
		return errTold
	}
	return err
}

// reloader makes a running server follow its configuration.
type reloader struct {
	settings *settings
	srv      *dozo.Server
	home     *state.Folder
	log      *slog.Logger
	tell     *service.Notifier

	mu    sync.Mutex     // held over a reload
	now   *config.Config // which counts
	audit *auditFile     // that it names
}

// reload reads the configuration again and does what it says, or nothing at all.
func (r *reloader) reload() *status.Reload {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tell.Reloading()
	defer r.tell.Ready()
	answer := &status.Reload{Changed: []string{}, Restart: []string{}, Errors: []string{}}
	defer r.report(answer)
	next, account, err := r.next()
	if err != nil {
		answer.Errors = sentences(err)
		return answer
	}
	mounts, err := r.home.Mounts()
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		err = r.srv.SetShares(ctx, next.shares(mounts))
	}
	if err != nil {
		if account != r.audit {
			account.Close()
		}
		answer.Errors = sentences(err)
		return answer
	}
	for _, c := range config.Changes(r.now, next.config) {
		switch {
		case c.Restart:
			answer.Restart = append(answer.Restart, c.String())
		default:
			answer.Changed = append(answer.Changed, c.String())
		}
	}
	if next.config.Memory != r.now.Memory {
		r.srv.SetMemory(int64(next.config.Memory))
	}
	if account != r.audit {
		r.srv.SetAudit(account.writer())
		r.audit.Close()
		r.audit = account
	}
	r.srv.SetSigning(signing[next.config.Signing])
	r.srv.SetHosts(hosts(next.config.HostsAllow, next.config.HostsDeny))
	for _, words := range r.srv.CheckUsers() { // their list may have come from a backup
		answer.Changed = append(answer.Changed, "closed "+words)
	}
	next.config.KeepRestart(r.now)
	r.now = next.config
	r.remember(mounts)
	return answer
}

// next reads the configuration again, and opens the audit log that it names, anew
// even where that is the one of now: it may have been moved away.
func (r *reloader) next() (*plan, *auditFile, error) {
	next, err := r.settings.servable()
	if err == nil { // the state folder stays the one of now
		err = outside(r.home.Path(""), next.folders)
	}
	if err == nil && next.config.Audit != r.now.Audit {
		account, err := openAudit(string(next.config.Audit))
		return next, account, err
	}
	if failed := r.audit.reopen(); err == nil {
		err = failed
	}
	return next, r.audit, err
}

// close closes the audit log, which nobody writes to any more.
func (r *reloader) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.audit.Close()
}

// remember notes the file systems that folders are on for the first time.
func (r *reloader) remember(mounts map[string]string) {
	for _, h := range r.srv.Snapshot().Shares {
		if h.FileSystem != "" && mounts[h.Folder] == "" {
			mounts[h.Folder] = h.FileSystem
		}
	}
	if err := r.home.SetMounts(mounts); err != nil {
		r.log.Warn("which file systems the folders are on could not be noted", "error", err)
	}
}

// onHangup reloads at each SIGHUP that comes after ready, and at once if one
// came before, until ctx ends. With a terminal SIGHUP ends the program, as its
// user expects who closes the window.
func (r *reloader) onHangup(ctx context.Context, ready <-chan struct{}) {
	if tty, err := os.Open("/dev/tty"); err == nil {
		tty.Close()
		return
	}
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	go func() {
		defer signal.Stop(hangup)
		select {
		case <-ready:
		case <-ctx.Done():
			return
		}
		for {
			select {
			case <-hangup:
				r.reload()
			case <-ctx.Done():
				return
			}
		}
	}()
}

// report tells the log what a reload did.
func (r *reloader) report(answer *status.Reload) {
	for _, words := range answer.Errors {
		r.log.Error("the configuration was not read again", "reason", words)
	}
	for _, words := range answer.Changed {
		r.log.Info("the configuration was read again", "change", words)
	}
	for _, words := range answer.Restart {
		r.log.Warn("the configuration was read again, and something needs a restart", "change", words)
	}
}
