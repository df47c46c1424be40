package afp

import (
	"context"
	"errors"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/audit"
	"github.com/dozo-server/dozo/vfs"
)

// openVol answers FPOpenVol. A volume that is open already is told again.
func (r *request) openVol(ctx context.Context, m *afpwire.OpenVolRequest) (reply, error) {
	if m.Bitmap&^afpwire.VolBits != 0 || m.Bitmap == 0 {
		return nil, afpwire.ResultBitmapErr
	}
	v, fresh, err := r.session.open(r, r.session.version.shareName(m.Name))
	if err != nil {
		return nil, err
	}
	block, err := r.parms(ctx, v, m.Bitmap)
	if err != nil && fresh {
		r.session.take(v.id).close()
	}
	return block, err
}

// open opens the volume of a name. fresh is false for one that was open.
func (s *session) open(r *request, name string) (v *volume, fresh bool, err error) {
	c := r.conn
	sh := c.server.config.Shares.Named(name, s.identity)
	if sh == nil || !servable(sh) {
		return nil, false, afpwire.ResultObjectNotFound
	}
	if v := s.openOf(func(v *volume) bool { return v.tree.Share() == sh && !v.tree.Stale() }); v != nil {
		return v, false, nil
	}
	e := audit.Event{Operation: audit.Connect, User: s.identity.User, Address: address(c.nc), Share: sh.Name()}
	tree, err := sh.Attach(s.identity, address(c.nc))
	if vfs.IsKind(err, vfs.KindPathNotExist) { // it ended just now
		return nil, false, afpwire.ResultObjectNotFound
	}
	if err != nil {
		e.Result = errors.Unwrap(err).Error()
		c.server.config.Audit.Note(e)
		c.server.config.Log.Warn("afp: share refused", "share", sh.Name(), "user", s.user(),
			"address", c.nc.RemoteAddr().String(), "reason", errors.Unwrap(err))
		return nil, false, err
	}
	v = &volume{tree: tree}
	if !s.add(v) {
		tree.Release()
		return nil, false, afpwire.ResultMiscErr
	}
	c.server.config.Audit.Note(e)
	return v, true, nil
}

// openOf returns an open volume that is as asked for, nil if there is none.
func (s *session) openOf(is func(*volume) bool) *volume {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.volumes {
		if is(v) {
			return v
		}
	}
	return nil
}

// add gives a volume its id, and reports false if there are too many.
func (s *session) add(v *volume) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.volumes) >= maxVolumes {
		return false
	}
	for v.id == 0 || s.volumes[v.id] != nil {
		s.lastVol++
		v.id = s.lastVol
	}
	s.volumes[v.id] = v
	return true
}

// take takes a volume out of the session. It returns nil if there is none.
func (s *session) take(id afpwire.VolumeID) *volume {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.volumes[id]
	delete(s.volumes, id)
	return v
}

// closeVol answers FPCloseVol.
func (r *request) closeVol(_ context.Context, m *afpwire.CloseVolRequest) (reply, error) {
	v := r.session.take(m.Volume)
	if v == nil {
		return nil, afpwire.ResultParamErr
	}
	v.close()
	return nil, nil
}
