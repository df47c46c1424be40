package smb

import (
	"context"
	"encoding/binary"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/vfs"
)

// querySecurity tells who owns a file and who may do what with it ([MS-SMB2]
// 3.3.5.20.3). The list of entries is made from the mode.
func (r *request) querySecurity(ctx context.Context, o *open, m *smbwire.QueryInfoRequest) (reply, error) {
	if o.file == nil {
		return nil, smbwire.StatusNotSupported
	}
	parts := smbwire.SecurityInformation(m.AdditionalInformation)
	if !readable(parts, o.file.Granted()) {
		return nil, smbwire.StatusAccessDenied
	}
	a, err := o.file.Attr(ctx)
	if err != nil {
		return nil, err
	}
	d := r.conn.server.descriptor(&a, parts)
	if size := d.Size(); size > int(m.OutputBufferLength) {
		return nil, r.tooSmall(uint32(size))
	}
	return r.inform(d, m.OutputBufferLength)
}

// readable reports whether parts of a descriptor are shown to who has the given
// rights. A SACL is shown to those with a privilege that nobody has here; no
// parts at all are shown to everybody.
func readable(parts smbwire.SecurityInformation, granted vfs.Access) bool {
	const controlled = smbwire.OwnerSecurity | smbwire.GroupSecurity | smbwire.DACLSecurity | smbwire.LabelSecurity
	return parts&smbwire.SACLSecurity == 0 && (parts&controlled == 0 || granted.Has(vfs.ReadControl))
}

// descriptor returns the parts asked for of a file's security descriptor.
func (s *Server) descriptor(a *vfs.Attr, parts smbwire.SecurityInformation) *smbwire.SecurityDescriptor {
	owner, group := s.userSID(a.UID), s.groupSID(a.GID)
	d := &smbwire.SecurityDescriptor{Control: smbwire.SecuritySelfRelative}
	if parts&smbwire.OwnerSecurity != 0 {
		d.Owner = owner
	}
	if parts&smbwire.GroupSecurity != 0 {
		d.Group = group
	}
	if parts&smbwire.DACLSecurity != 0 {
		// Protected: nothing in it was inherited, nor would be.
		d.Control |= smbwire.SecurityDACLPresent | smbwire.SecurityDACLProtected
		d.DACL = modeDACL(a.Mode, a.Type == vfs.TypeDir, owner, group)
	}
	return d
}

// tooSmall refuses a buffer and says which size is needed ([MS-SMB2] 2.2.2.2).
func (r *request) tooSmall(size uint32) error {
	need := binary.LittleEndian.AppendUint32(nil, size)
	e := &detailed{Status: smbwire.StatusBufferTooSmall}
	if r.conn.negotiated.dialect < 0x311 {
		e.body.Data = need
	} else {
		e.body.Contexts = []smbwire.ErrorContext{{ID: smbwire.ErrorIDDefault, Data: need}}
	}
	return e
}

// decodeDescriptor reads a descriptor that a client sent.
func decodeDescriptor(data []byte) (*smbwire.SecurityDescriptor, error) {
	var d smbwire.SecurityDescriptor
	r := cursor.NewReader(data)
	d.Decode(r)
	if r.Err() != nil {
		return nil, smbwire.StatusInvalidSecurityDescriptor
	}
	return &d, nil
}
