package smb

import (
	"context"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/vfs"
)

// setSecurity changes who owns a file and who may do what with it ([MS-SMB2]
// 3.3.5.21.3). A list of entries is kept if permission bits say the same, and
// refused otherwise: to keep half of it would be to lie about who has access.
func (r *request) setSecurity(ctx context.Context, o *open, m *smbwire.SetInfoRequest) (reply, error) {
	if o.file == nil {
		return nil, smbwire.StatusNotSupported
	}
	parts := smbwire.SecurityInformation(m.AdditionalInformation)
	if !o.file.Granted().Has(securityRights(parts)) || parts&smbwire.SACLSecurity != 0 {
		return nil, smbwire.StatusAccessDenied
	}
	d, err := decodeDescriptor(m.Data)
	if err != nil {
		return nil, err
	}
	if err := r.conn.server.secure(ctx, o, parts, d); err != nil {
		return nil, err
	}
	return &smbwire.SetInfoResponse{}, nil
}

// securityRights are those that changing the given parts takes.
func securityRights(parts smbwire.SecurityInformation) vfs.Access {
	const (
		owners = smbwire.OwnerSecurity | smbwire.GroupSecurity | smbwire.LabelSecurity
		lists  = smbwire.DACLSecurity | smbwire.AttributeSecurity
	)
	var rights vfs.Access
	if parts&owners != 0 {
		rights |= vfs.WriteOwner
	}
	if parts&lists != 0 {
		rights |= vfs.WriteControl
	}
	return rights
}

// secure gives a file the parts of d.
func (s *Server) secure(ctx context.Context, o *open, parts smbwire.SecurityInformation, d *smbwire.SecurityDescriptor) error {
	a, err := o.file.Attr(ctx)
	if err != nil {
		return err
	}
	set := vfs.SetAttr{UID: a.UID, GID: a.GID}
	if parts&smbwire.OwnerSecurity != 0 {
		uid, group, ok := s.accountOf(d.Owner)
		if !ok || group {
			return smbwire.StatusInvalidOwner
		}
		if set.UID = uid; uid != a.UID {
			set.Set |= vfs.SetOwner
		}
	}
	if parts&smbwire.GroupSecurity != 0 {
		gid, group, ok := s.accountOf(d.Group)
		if !ok || !group {
			return smbwire.StatusInvalidPrimaryGroup
		}
		if set.GID = gid; gid != a.GID {
			set.Set |= vfs.SetGroup
		}
	}
	if parts&smbwire.DACLSecurity != 0 {
		if d.Control&smbwire.SecurityDACLPresent == 0 {
			return smbwire.StatusInvalidSecurityDescriptor
		}
		mode, ok := daclMode(d.DACL, a.Type == vfs.TypeDir, s.userSID(set.UID), s.groupSID(set.GID))
		if !ok {
			return smbwire.StatusNotSupported
		}
		if set.Mode = a.Mode&^0o777 | mode; set.Mode != a.Mode {
			set.Set |= vfs.SetMode
		}
	}
	if set.Set == 0 {
		return nil
	}
	return o.file.SetAttr(ctx, set)
}
