package smb

import (
	"context"
	"strings"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/vfs"
)

// changeNotify answers CHANGE_NOTIFY ([MS-SMB2] 3.3.5.19), mostly long after it
// came: when something changed in the folder.
func (r *request) changeNotify(ctx context.Context, m *smbwire.ChangeNotifyRequest) (reply, error) {
	o, err := r.open(m.FileID)
	if err != nil {
		return nil, err
	}
	if o.file == nil || !o.file.IsDir() {
		return nil, smbwire.StatusInvalidParameter
	}
	if err := r.transact(m.OutputBufferLength); err != nil {
		return nil, err
	}
	if !r.last() {
		return nil, smbwire.StatusInternalError // as Windows has it: what is behind it could wait for ever
	}
	changes, missed, err := o.file.Watch(ctx, share.WatchRequest{
		Changes:   share.Changes(m.CompletionFilter),
		Recursive: m.Flags&smbwire.NotifyWatchTree != 0,
		Room:      int(m.OutputBufferLength),
	})
	switch {
	case vfs.IsKind(err, vfs.KindClosed):
		return nil, smbwire.StatusNotifyCleanup
	case err != nil:
		return nil, err
	case missed:
		return &smbwire.ChangeNotifyResponse{}, smbwire.StatusNotifyEnumDir
	}
	return &smbwire.ChangeNotifyResponse{Buffer: notifyBuffer(changes)}, nil
}

// notifyBuffer is how changes are told.
func notifyBuffer(changes []share.Change) []byte {
	info := smbwire.NotifyInformation{Changes: make([]smbwire.NotifyChange, len(changes))}
	for i, c := range changes {
		info.Changes[i] = smbwire.NotifyChange{
			Action: smbwire.NotifyAction(c.Action),
			Name:   strings.ReplaceAll(c.Name, "/", `\`),
		}
	}
	w := cursor.NewWriter(nil)
	info.Encode(w)
	return w.Message()
}
