package smb

import (
	"context"
	"math"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/vfs"
)

// setInfo answers SET_INFO ([MS-SMB2] 3.3.5.21).
func (r *request) setInfo(ctx context.Context, m *smbwire.SetInfoRequest) (reply, error) {
	o, err := r.open(m.FileID)
	if err != nil {
		return nil, err
	}
	if err := r.transact(uint32(len(m.Data))); err != nil {
		return nil, err
	}
	switch m.Type {
	case smbwire.InfoFile:
		return r.setFile(ctx, o, m)
	case smbwire.InfoFileSystem:
		return nil, setFS(smbwire.FSInfoClass(m.Class))
	case smbwire.InfoSecurity:
		return r.setSecurity(ctx, o, m)
	case smbwire.InfoQuota:
		return nil, smbwire.StatusNotSupported
	}
	return nil, smbwire.StatusInvalidParameter
}

// setFS refuses to change a volume: its label, quotas and identity are its
// administrator's ([MS-SMB2] 3.3.5.21.2).
func setFS(class smbwire.FSInfoClass) error {
	switch class {
	case smbwire.FSControlInformation, smbwire.FSObjectIDInformation, smbwire.FSLabelInformation:
		return smbwire.StatusAccessDenied
	}
	return smbwire.StatusInvalidInfoClass
}

// setLevel is a class of information that can be set.
type setLevel struct {
	access vfs.Access // rights that the open must have
	set    func(ctx context.Context, o *open, data []byte) error
}

var setLevels = map[smbwire.FileInfoClass]setLevel{
	smbwire.FileBasicInformation:         {vfs.WriteAttr, with(setBasic)},
	smbwire.FileEndOfFileInformation:     {vfs.WriteData, with(setEndOfFile)},
	smbwire.FileAllocationInformation:    {vfs.WriteData, with(setAllocation)},
	smbwire.FileDispositionInformation:   {vfs.Delete, with(setDisposition)},
	smbwire.FileDispositionInformationEx: {vfs.Delete, with(setDispositionEx)},
	smbwire.FileRenameInformation:        {vfs.Delete, with(rename)},
	smbwire.FileRenameInformationEx:      {vfs.Delete, with(renameEx)},
	smbwire.FileLinkInformation:          {0, with(link)},
	smbwire.FilePositionInformation:      {0, with(setPosition)},
	smbwire.FileModeInformation:          {0, with(setMode)},
	smbwire.FileFullEAInformation:        {vfs.WriteXattr, refuseEAs},
}

// setFile changes what is known about a file ([MS-SMB2] 3.3.5.21.1).
func (r *request) setFile(ctx context.Context, o *open, m *smbwire.SetInfoRequest) (reply, error) {
	if o.file == nil {
		return nil, smbwire.StatusNotSupported
	}
	level, ok := setLevels[smbwire.FileInfoClass(m.Class)]
	switch {
	case !ok:
		return nil, smbwire.StatusInvalidInfoClass
	case !o.file.Granted().Has(level.access):
		return nil, smbwire.StatusAccessDenied
	}
	if err := level.set(ctx, o, m.Data); err != nil {
		return nil, err
	}
	return &smbwire.SetInfoResponse{}, nil
}

// with makes a setter of bytes from one of information. What is shorter than
// its layout is no information; what follows it is padding.
func with[T any, P interface {
	*T
	Decode(*cursor.Reader)
}](set func(context.Context, *open, P) error) func(context.Context, *open, []byte) error {
	return func(ctx context.Context, o *open, data []byte) error {
		i := P(new(T))
		r := cursor.NewReader(data)
		i.Decode(r)
		if r.Err() != nil {
			return smbwire.StatusInfoLengthMismatch
		}
		return set(ctx, o, i)
	}
}

// setBasic changes times and attributes ([MS-FSA] 2.1.5.15.2). A time of 0
// stays as it is; -1 keeps what is done through the open from changing it, -2
// ends that.
func setBasic(ctx context.Context, o *open, i *smbwire.BasicInformation) error {
	var s vfs.SetAttr
	var freeze, thaw vfs.AttrSet
	for _, t := range []struct {
		set  vfs.AttrSet
		time smbwire.FileTime
	}{
		{vfs.SetBirth, i.CreationTime},
		{vfs.SetAccessed, i.LastAccessTime},
		{vfs.SetModified, i.LastWriteTime},
		{vfs.SetChanged, i.ChangeTime},
	} {
		switch {
		case t.time == 0:
		case t.time == smbwire.FileTimeFreeze:
			freeze |= t.set
		case t.time == smbwire.FileTimeThaw:
			thaw |= t.set
		case t.time > math.MaxInt64:
			return smbwire.StatusInvalidParameter
		default:
			s.Set |= t.set
		}
	}
	s.Birth, s.Accessed = i.CreationTime.Time(), i.LastAccessTime.Time()
	s.Modified, s.Changed = i.LastWriteTime.Time(), i.ChangeTime.Time()

	if dos := vfs.DOSAttr(i.FileAttributes); dos != 0 {
		dir := o.file.IsDir()
		if dir && dos&vfs.DOSTemporary != 0 || !dir && dos&vfs.DOSDirectory != 0 {
			return smbwire.StatusInvalidParameter
		}
		s.Set |= vfs.SetDOS
		s.DOS = dos & vfs.DOSStored
	}
	if thaw != 0 {
		if err := o.file.Thaw(thaw); err != nil {
			return err
		}
	}
	if s.Set != 0 {
		if err := o.file.SetAttr(ctx, s); err != nil {
			return err
		}
	}
	if freeze != 0 {
		return o.file.Freeze(ctx, freeze)
	}
	return nil
}

// setEndOfFile sets the size ([MS-FSA] 2.1.5.15.4).
func setEndOfFile(ctx context.Context, o *open, i *smbwire.EndOfFileInformation) error {
	if o.file.IsDir() || i.EndOfFile > math.MaxInt64 {
		return smbwire.StatusInvalidParameter
	}
	return o.file.Truncate(ctx, int64(i.EndOfFile))
}

// setAllocation reserves room, or cuts the file ([MS-FSA] 2.1.5.15.1).
func setAllocation(ctx context.Context, o *open, i *smbwire.AllocationInformation) error {
	if o.file.IsDir() || i.AllocationSize > math.MaxInt64 {
		return smbwire.StatusInvalidParameter
	}
	return o.file.Allocate(ctx, int64(i.AllocationSize))
}

// setDisposition says whether the file goes with its last close ([MS-FSA]
// 2.1.5.15.3).
func setDisposition(ctx context.Context, o *open, i *smbwire.DispositionInformation) error {
	return o.file.SetDelete(ctx, i.DeletePending, 0)
}

// setDispositionEx says it with a choice of how ([MS-FSCC] 2.4.12). That no image
// of the file runs needs no check, forced or not: none runs on the server.
func setDispositionEx(ctx context.Context, o *open, i *smbwire.DispositionInformationEx) error {
	var how share.DeleteHow
	rest := i.Flags &^ (smbwire.DispositionDelete | smbwire.DispositionForceImageCheck)
	for _, f := range [...]struct {
		flag smbwire.DispositionFlags
		how  share.DeleteHow
	}{
		{smbwire.DispositionPosix, share.DeletePOSIX},
		{smbwire.DispositionOnClose, share.DeleteOnClose},
		{smbwire.DispositionIgnoreReadOnly, share.DeleteReadOnly},
	} {
		if rest&f.flag != 0 {
			how |= f.how
			rest &^= f.flag
		}
	}
	if rest != 0 {
		return smbwire.StatusInvalidParameter
	}
	on := i.Flags&smbwire.DispositionDelete != 0
	if err := o.file.SetDelete(ctx, on, how); err != nil || how&share.DeleteOnClose == 0 {
		return err
	}
	if on {
		o.mode.Or(uint32(smbwire.DeleteOnClose))
	} else {
		o.mode.And(^uint32(smbwire.DeleteOnClose))
	}
	return nil
}

// setPosition keeps a number that means nothing on the network.
func setPosition(_ context.Context, o *open, i *smbwire.PositionInformation) error {
	if i.Position > math.MaxInt64 {
		return smbwire.StatusInvalidParameter
	}
	o.position.Store(i.Position)
	return nil
}

// keptOptions are the create options that ModeInformation shows, changeable
// those that it sets.
const (
	changeableOptions = smbwire.WriteThrough | smbwire.SequentialOnly | smbwire.SynchronousIOAlert | smbwire.SynchronousIONonAlert
	keptOptions       = changeableOptions | smbwire.NoIntermediateBuffering | smbwire.DeleteOnClose
)

// setMode changes create options of the open ([MS-FSA] 2.1.5.15.7).
func setMode(_ context.Context, o *open, i *smbwire.ModeInformation) error {
	mode := smbwire.CreateOptions(i.Mode)
	const both = smbwire.SynchronousIOAlert | smbwire.SynchronousIONonAlert
	if mode&^keptOptions != 0 || mode&both == both {
		return smbwire.StatusInvalidParameter
	}
	old := smbwire.CreateOptions(o.mode.Load())
	o.mode.Store(uint32(old&^changeableOptions | mode&changeableOptions))
	return nil
}

// refuseEAs says that files have no extended attributes.
func refuseEAs(context.Context, *open, []byte) error { return smbwire.StatusEAsNotSupported }
