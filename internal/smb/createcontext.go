package smb

import (
	"context"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/vfs"
)

// wishes are what the create contexts of a CREATE ask for ([MS-SMB2]
// 3.3.5.9.1 and following). Contexts of what this server does not do, leases
// and durable handles among them, are passed over, as the protocol wants it.
type wishes struct {
	allocation    int64
	maximalAccess bool
	since         smbwire.FileTime // what the client knows of the file, for maximalAccess
	diskID        bool
	security      *smbwire.SecurityDescriptor // of a new file, nil for none
}

// wishesOf reads create contexts.
func wishesOf(contexts smbwire.CreateContexts) (wishes, error) {
	var w wishes
	for i := range contexts {
		if err := w.add(&contexts[i]); err != nil {
			return wishes{}, err
		}
	}
	return w, nil
}

func (w *wishes) add(c *smbwire.CreateContext) error {
	r := cursor.NewReader(c.Data)
	switch c.Name {
	case smbwire.ContextMaximalAccess:
		var m smbwire.MaximalAccessRequest
		m.Decode(r)
		w.maximalAccess, w.since = true, m.Timestamp
	case smbwire.ContextDiskID:
		w.diskID = true
	case smbwire.ContextAllocationSize:
		var m smbwire.AllocationSizeRequest
		m.Decode(r)
		var err error
		if w.allocation, err = allocationOf(m.AllocationSize); err != nil {
			return err
		}
	case smbwire.ContextEABuffer:
		if len(c.Data) > 0 {
			return smbwire.StatusEAsNotSupported
		}
	case smbwire.ContextSecurityDescriptor:
		var err error
		if w.security, err = decodeDescriptor(c.Data); err != nil {
			return err
		}
	case smbwire.ContextTimewarp:
		var m smbwire.TimewarpRequest
		m.Decode(r)
		if r.Err() == nil && m.Timestamp != 0 {
			return smbwire.StatusObjectNameNotFound // there is no snapshot
		}
	case smbwire.ContextDurableReconnect, smbwire.ContextDurableReconnectV2:
		return smbwire.StatusObjectNameNotFound // no open was ever durable
	}
	if r.Err() != nil {
		return smbwire.StatusInvalidParameter
	}
	return nil
}

// newMode returns the permission bits that a new file has by the security
// descriptor that came with its CREATE, if one did. As in SET_INFO a list that
// no bits can say is refused.
func (s *Server) newMode(d *smbwire.SecurityDescriptor, c *vfs.Caller, folder bool) (mode uint32, ok bool, err error) {
	if d == nil || d.Control&smbwire.SecurityDACLPresent == 0 {
		return 0, false, nil
	}
	var owner, group smbwire.SID // of nobody, where the account that acts is not the caller's
	if c.HasID {
		owner, group = s.userSID(c.UID), s.groupSID(c.GID)
	}
	if !d.Owner.IsZero() && d.Owner != owner {
		return 0, false, smbwire.StatusInvalidOwner
	}
	if mode, ok = daclMode(d.DACL, folder, owner, group); !ok {
		return 0, false, smbwire.StatusNotSupported
	}
	return mode, true, nil
}

// answers returns the contexts that answer wishes about an open file.
func (w *wishes) answers(ctx context.Context, o *open, a *vfs.Attr) smbwire.CreateContexts {
	var contexts smbwire.CreateContexts
	add := func(name smbwire.ContextName, m reply) {
		data := cursor.NewWriter(nil)
		m.Encode(data)
		contexts = append(contexts, smbwire.CreateContext{Name: name, Data: data.Message()})
	}
	if w.maximalAccess {
		add(smbwire.ContextMaximalAccess, o.maximalAccess(ctx, w.since, smbwire.FileTimeOf(a.Modified)))
	}
	if w.diskID {
		add(smbwire.ContextDiskID, &smbwire.DiskIDResponse{DiskFileID: a.ID, VolumeID: uint64(o.tree.files.Share().Features().Serial)})
	}
	return contexts
}

// maximalAccess answers MxAc ([MS-SMB2] 3.3.5.9.5). A client that knows the
// file as it is learns nothing new.
func (o *open) maximalAccess(ctx context.Context, since, modified smbwire.FileTime) *smbwire.MaximalAccessResponse {
	if since != 0 && since == modified {
		return &smbwire.MaximalAccessResponse{QueryStatus: smbwire.StatusNoneMapped}
	}
	may, err := o.file.MaxAccess(ctx)
	if err != nil {
		return &smbwire.MaximalAccessResponse{QueryStatus: statusOf(err)}
	}
	return &smbwire.MaximalAccessResponse{MaximalAccess: smbwire.AccessMask(may)}
}
