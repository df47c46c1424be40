package smbclient

import (
	"context"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// Lock locks or unlocks ranges of the file, all or none. A range that is not
// free is waited for, until ctx ends, unless it says LockFailImmediately.
func (f *File) Lock(ctx context.Context, ranges ...smbwire.LockElement) error {
	return f.tree.ask(ctx, smbwire.Lock, f.LockRequest(ranges...), &smbwire.LockResponse{})
}

// LockRequest is the message that Lock sends.
func (f *File) LockRequest(ranges ...smbwire.LockElement) *smbwire.LockRequest {
	return &smbwire.LockRequest{FileID: f.id, Locks: ranges}
}

// AcknowledgeBreak tells the server that the oplock of the file goes down to a
// level, after a call of Options.OnBreak.
func (f *File) AcknowledgeBreak(ctx context.Context, to smbwire.OplockLevel) error {
	m := &smbwire.OplockBreakMessage{OplockLevel: to, FileID: f.id}
	return f.tree.ask(ctx, smbwire.OplockBreak, m, &smbwire.OplockBreakMessage{})
}
