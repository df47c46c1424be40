package afp

import (
	"context"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/vfs"
)

// A volume has one desktop database, in which comments are, and its id is the
// volume's. What else classic Macs keep there is not served.

// openDT answers FPOpenDT.
func (r *request) openDT(_ context.Context, m *afpwire.OpenDTRequest) (reply, error) {
	v, done, err := r.volume(m.Volume)
	if err != nil {
		return nil, err
	}
	defer done()
	return &afpwire.OpenDTReply{Desktop: afpwire.DesktopID(v.id)}, nil
}

// closeDT answers FPCloseDT. There is nothing to close.
func (r *request) closeDT(_ context.Context, m *afpwire.CloseDTRequest) (reply, error) {
	_, done, err := r.volume(afpwire.VolumeID(m.Desktop))
	if err != nil {
		return nil, err
	}
	done()
	return nil, nil
}

// addComment answers FPAddComment.
func (r *request) addComment(ctx context.Context, m *afpwire.AddCommentRequest) (reply, error) {
	comment := m.Comment[:min(len(m.Comment), vfs.MaxComment)]
	return nil, r.setComment(ctx, m.Desktop, m.Dir, m.Path, comment)
}

// removeComment answers FPRemoveComment.
func (r *request) removeComment(ctx context.Context, m *afpwire.RemoveCommentRequest) (reply, error) {
	return nil, r.setComment(ctx, m.Desktop, m.Dir, m.Path, "")
}

func (r *request) setComment(ctx context.Context, d afpwire.DesktopID, dir afpwire.NodeID, p afpwire.Path, comment string) error {
	v, done, err := r.volume(afpwire.VolumeID(d))
	if err != nil {
		return err
	}
	defer done()
	if v.tree.ReadOnly() {
		return afpwire.ResultVolLocked
	}
	o, err := v.at(ctx, dir, p, vfs.ReadAttr|vfs.WriteAttr)
	if err != nil {
		return err
	}
	defer o.Close(ctx)
	if comment == "" {
		if _, err := commentOf(ctx, o); err != nil {
			return err
		}
	}
	return o.SetMac(ctx, vfs.SetMac{Set: vfs.SetComment, Comment: comment})
}

// getComment answers FPGetComment.
func (r *request) getComment(ctx context.Context, m *afpwire.GetCommentRequest) (reply, error) {
	v, done, err := r.volume(afpwire.VolumeID(m.Desktop))
	if err != nil {
		return nil, err
	}
	defer done()
	o, err := v.at(ctx, m.Dir, m.Path, vfs.ReadAttr)
	if err != nil {
		return nil, err
	}
	defer o.Close(ctx)
	comment, err := commentOf(ctx, o)
	if err != nil {
		return nil, err
	}
	return &afpwire.GetCommentReply{Comment: comment}, nil
}

// commentOf returns the comment of a file or folder, which must have one.
func commentOf(ctx context.Context, o *share.Open) (string, error) {
	mac, err := o.Mac(ctx)
	if err == nil && mac.Comment == "" {
		err = afpwire.ResultItemNotFound
	}
	return mac.Comment, err
}
