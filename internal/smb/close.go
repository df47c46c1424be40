package smb

import (
	"context"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// close answers CLOSE ([MS-SMB2] 3.3.5.10).
func (r *request) close(ctx context.Context, m *smbwire.CloseRequest) (reply, error) {
	o, err := r.open(m.FileID)
	if err != nil {
		return nil, err
	}
	r.chain.unqueue(o)
	o.uses.wait()
	answer := &smbwire.CloseResponse{}
	if m.Flags&smbwire.ClosePostQueryAttributes != 0 && o.file != nil {
		if a, err := o.file.Attr(ctx); err == nil {
			answer.Flags = smbwire.ClosePostQueryAttributes
			answer.CreationTime = smbwire.FileTimeOf(a.Birth)
			answer.LastAccessTime = smbwire.FileTimeOf(a.Accessed)
			answer.LastWriteTime = smbwire.FileTimeOf(a.Modified)
			answer.ChangeTime = smbwire.FileTimeOf(a.Changed)
			answer.AllocationSize, answer.EndOfFile = allocation(&a), endOfFile(&a)
			answer.FileAttributes = fileAttributes(&a)
		}
	}
	if !r.session.release(o) {
		return nil, smbwire.StatusFileClosed
	}
	if err := o.close(); err != nil {
		return nil, err // a file that was to go and could not
	}
	return answer, nil
}
