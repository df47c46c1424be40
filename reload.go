package dozo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/mount"
)

// ErrStopped is the error of a change to a server that serves no more.
var ErrStopped = errors.New("dozo: the server has stopped")

// SetShares replaces what is served, while requests go on:
//
//   - A share that is new can be used at once.
//   - A share that was there by the same name, with the same folder or FS and
//     the same rules for names, has its other options from now on. Who may use
//     it no more is disconnected from it, as is who does not encrypt and must
//     now; all others notice nothing. What is open stays open, with the rights
//     it was opened with.
//   - A share that is there no more is disconnected: requests under way finish,
//     what is open in it is closed, and sessions go on without it. One with
//     another folder, FS or other rules for names is such a share, in whose
//     place comes a new one.
//
// On an error nothing is changed. SetShares returns when all that was taken away
// is closed, or when ctx ends; that is no error, and the rest goes on by itself.
// Before Serve it sets s.Shares.
func (s *Server) SetShares(ctx context.Context, shares []Share) error {
	s.mu.Lock()
	run := s.running
	if run == nil {
		s.Shares = shares
	}
	s.mu.Unlock()
	if run == nil {
		return nil
	}
	done, err := run.setShares(slices.Clone(shares))
	if err != nil {
		return err
	}
	select {
	case <-done:
	case <-ctx.Done():
	}
	return nil
}

// SetMemory replaces s.Memory while the server runs. Where names take more, they
// are dropped at once. Before Serve it does nothing but that.
func (s *Server) SetMemory(bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Memory = bytes; s.running != nil {
		s.running.common.budget.SetMost(memoryFor(bytes))
	}
}

// SetHosts replaces s.Hosts while the server runs. Connections from where nobody
// may come from any more are cut. Before Serve it does nothing but that.
func (s *Server) SetHosts(h auth.Hosts) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Hosts = h; s.running != nil {
		s.running.smb.SetHosts(h)
	}
}

// SetSigning replaces s.Signing while the server runs, for connections that begin
// from then on. Before Serve it does nothing but that.
func (s *Server) SetSigning(signing Signing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Signing = signing; s.running != nil {
		s.running.smb.RequireSigning(signing == SigningRequired)
	}
}

// SetAudit replaces s.Audit while the server runs. When it returns, all that was
// noted before is written to the one before, which is used no more. Before Serve it
// does nothing but replace it.
func (s *Server) SetAudit(out io.Writer) {
	s.mu.Lock()
	run := s.running
	s.Audit = out
	s.mu.Unlock()
	if run != nil { // not under the lock: it waits for the disk
		run.common.audit.SetOutput(out)
	}
}

// leaving is a share that was taken away.
type leaving struct {
	share *mounted
	gone  chan struct{} // closed when nothing of it is left
}

// setShares replaces the shares. done is closed when what was taken away is gone
// and everybody is served under the new options.
func (r *running) setShares(shares []Share) (done <-chan struct{}, err error) {
	r.changing.Lock()
	defer r.changing.Unlock()
	if r.stopped {
		return nil, ErrStopped
	}
	old := *r.shares.Load()
	next, options, err := r.mountAll(shares, old)
	if err != nil {
		return nil, err
	}
	r.leaving = slices.DeleteFunc(r.leaving, leaving.isGone)
	var work []func()
	for _, m := range old {
		if !slices.Contains(next, m) {
			l := leaving{m, make(chan struct{})}
			r.leaving = append(r.leaving, l)
			work = append(work, func() { r.retire(m); close(l.gone) })
		}
	}
	for i, m := range next {
		o := options[i]
		if !slices.Contains(old, m) {
			m.after = r.before(m)
		} else if !reflect.DeepEqual(m.options.Load(), o) {
			m.options.Store(o)
			work = append(work, func() { r.reattach(m) })
		}
	}
	r.shares.Store(&next)
	r.homes.Store(homesOf(shares))
	r.smb.SetGuest(admitsGuests(shares))
	return r.begin(work), nil
}

// begin does all the work at once, so that a disk that hangs holds up what is
// about its own share only. The channel is closed when all is done.
func (r *running) begin(work []func()) <-chan struct{} {
	var all sync.WaitGroup
	for _, f := range work {
		all.Go(f)
	}
	done := make(chan struct{})
	r.changes.Go(func() { all.Wait(); close(done) })
	return done
}

// mountAll makes shares ready to be served, of which those in old that stay are
// taken over as they are, and returns them with their options. On an error
// nothing is left of what it made.
func (r *running) mountAll(shares []Share, old []*mounted) (all []*mounted, options []*Share, err error) {
	defer func() {
		for _, m := range all {
			if err != nil && !slices.Contains(old, m) {
				m.close()
			}
		}
	}()
	for i := range shares {
		o := &shares[i]
		for j := range i {
			if strings.EqualFold(shares[j].Name, o.Name) {
				return all, nil, fmt.Errorf("dozo: two shares are called %s", o.Name)
			}
		}
		if err := o.check(); err != nil {
			return all, nil, err
		}
		if o.isHome() {
			for _, m := range old {
				if p := m.options.Load(); p.home == o.Path {
					if own := o.own(p.user, p.Path, p.real); p.same(own) {
						all, options = append(all, m), append(options, own)
					}
				}
			}
			continue
		}
		options = append(options, o)
		if j := slices.IndexFunc(old, func(m *mounted) bool { return m.options.Load().same(o) }); j >= 0 {
			all = append(all, old[j])
			continue
		}
		m, err := o.mount(r.common, r.log)
		if err != nil {
			return all, nil, err
		}
		all = append(all, m)
	}
	if err := apart(all); err != nil {
		return all, nil, err
	}
	return all, options, homesApart(shares)
}

// apart refuses shares of which two serve the same files. What the process
// changes itself no tree hears of, so each would miss what clients of the other
// change, and know nothing of their locks.
func apart(all []*mounted) error {
	for i, m := range all {
		for _, o := range all[:i] {
			if m.overlaps(o) {
				return overlapError(o, m)
			}
		}
	}
	return nil
}

func overlapError(m, o *mounted) error {
	a, b := m.options.Load(), o.options.Load()
	return fmt.Errorf("dozo: the shares %s and %s overlap: their folders are %s and %s", a.Name, b.Name, a.Path, b.Path)
}

// homesApart refuses folders of shares that would overlap those of users.
func homesApart(shares []Share) error {
	for i := range shares {
		if !shares[i].isHome() {
			continue
		}
		above, err := mount.RealPath(shares[i].above())
		if err != nil {
			return err
		}
		for j := range shares {
			o := &shares[j]
			if i == j || o.FS != nil {
				continue
			}
			if folder, err := mount.RealPath(o.above()); err != nil || mount.Overlap(folder, above) {
				return fmt.Errorf("dozo: the shares %s and %s overlap: their folders are %s and %s", shares[i].Name, o.Name, shares[i].Path, o.Path)
			}
		}
	}
	return nil
}

// homesOf are those of shares by which each user has one.
func homesOf(shares []Share) *[]*Share {
	homes := []*Share{}
	for i := range shares {
		if shares[i].isHome() {
			homes = append(homes, &shares[i])
		}
	}
	return &homes
}

// same reports whether what is served as o can go on being served as p.
func (o *Share) same(p *Share) bool {
	return o.Name == p.Name && o.Path == p.Path && sameFS(o, p) &&
		o.CaseSensitive == p.CaseSensitive && o.KeepComposition == p.KeepComposition && o.ShortNames == p.ShortNames &&
		o.ChangeCase == p.ChangeCase && o.ChangeShortCase == p.ChangeShortCase && o.DefaultUpper == p.DefaultUpper
}

// sameFS compares the FS of shares; one that Go can't compare is no other's.
func sameFS(o, p *Share) bool {
	if o.FS == nil || p.FS == nil {
		return o.FS == nil && p.FS == nil
	}
	return reflect.TypeOf(o.FS).Comparable() && reflect.ValueOf(o.FS).Comparable() && o.FS == p.FS
}

// reattach lets those who use m know that its options are others.
func (r *running) reattach(m *mounted) {
	for _, sh := range m.change() {
		r.smb.Reattach(sh)
	}
}

// retire disconnects m, which is not in r.shares any more, and frees what it
// holds.
func (r *running) retire(m *mounted) {
	all := m.end()
	for _, sh := range all {
		r.smb.Reattach(sh)
	}
	for _, sh := range all {
		sh.Wait()
	}
	m.close()
}

// before is what a new share has to wait for: those that served its folder, or
// a part of it. r.changing is held.
func (r *running) before(m *mounted) (after []<-chan struct{}) {
	for _, l := range r.leaving {
		if m.overlaps(l.share) {
			after = append(after, l.gone)
		}
	}
	return after
}

func (l leaving) isGone() bool {
	select {
	case <-l.gone:
		return true
	default:
		return false
	}
}

func admitsGuests(shares []Share) bool {
	return slices.ContainsFunc(shares, func(o Share) bool { return o.Guest != GuestNone })
}
