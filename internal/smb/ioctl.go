package smb

import (
	"context"
	"encoding/binary"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// ioctl is a row of the table of control codes: who answers one. Codes without
// a row are refused by refusal.
type ioctl struct {
	onNoFile bool // the request names no open: its FileID is all ones
	answer   func(ctx context.Context, r *request, o *open, m *smbwire.IoctlRequest) ([]byte, error)
}

// ioctls are the control codes that are more than refused with their device's
// status ([MS-SMB2] 3.3.5.15).
var ioctls = map[smbwire.CtlCode]ioctl{
	smbwire.FsctlValidateNegotiateInfo: {onNoFile: true, answer: func(_ context.Context, r *request, _ *open, m *smbwire.IoctlRequest) ([]byte, error) {
		return r.validateNegotiate(m.Input, m.MaxOutputResponse)
	}},
	smbwire.FsctlPipeTransceive: {answer: transceive},

	smbwire.FsctlGetObjectID:         {answer: getObjectID},
	smbwire.FsctlCreateOrGetObjectID: {answer: getObjectID},

	// There is no DFS, no second network interface to speak of, and every pipe
	// is there at any time.
	smbwire.FsctlDFSGetReferrals:           {onNoFile: true, answer: refuse(smbwire.StatusFSDriverRequired)},
	smbwire.FsctlDFSGetReferralsEx:         {onNoFile: true, answer: refuse(smbwire.StatusFSDriverRequired)},
	smbwire.FsctlQueryNetworkInterfaceInfo: {onNoFile: true, answer: refuse(smbwire.StatusNotSupported)},
	smbwire.FsctlPipeWait:                  {onNoFile: true, answer: refuse(smbwire.StatusNotSupported)},

	// What is said of a file that is no reparse point, and of names, all of
	// which are looked at when they are used ([MS-FSA] 2.1.5.10).
	smbwire.FsctlGetReparsePoint: {answer: refuse(smbwire.StatusNotAReparsePoint)},
	smbwire.FsctlIsPathnameValid: {answer: refuse(nil)},
}

// ioctl answers IOCTL ([MS-SMB2] 3.3.5.15).
func (r *request) ioctl(ctx context.Context, m *smbwire.IoctlRequest) (reply, error) {
	if m.Flags != smbwire.IoctlIsFsctl {
		return nil, smbwire.StatusNotSupported
	}
	if err := r.transact(max(uint32(len(m.Input)), m.MaxInputResponse, m.MaxOutputResponse)); err != nil {
		return nil, err
	}
	row, known := ioctls[m.CtlCode]
	var o *open
	if !row.onNoFile {
		var err error
		if o, err = r.open(m.FileID); err != nil {
			return nil, err
		}
	} else if m.FileID != smbwire.RelatedFileID {
		return nil, smbwire.StatusInvalidParameter
	}
	if !known {
		return nil, refusal(m.CtlCode)
	}
	output, err := row.answer(ctx, r, o, m)
	if smbwire.Status.IsError(statusOf(err)) {
		return nil, err
	}
	return &smbwire.IoctlResponse{CtlCode: m.CtlCode, FileID: m.FileID, Output: output}, err
}

// getObjectID answers FSCTL_GET_OBJECT_ID and its like: the number of a file
// and that of its volume, which never change, make an id without a store
// ([MS-FSCC] 2.1.3.1).
func getObjectID(ctx context.Context, _ *request, o *open, m *smbwire.IoctlRequest) ([]byte, error) {
	switch {
	case o.file == nil:
		return nil, smbwire.StatusInvalidDeviceRequest
	case m.MaxOutputResponse < smbwire.ObjectIDSize:
		return nil, smbwire.StatusInvalidParameter
	}
	a, err := o.file.Attr(ctx)
	if err != nil {
		return nil, err
	}
	id := smbwire.ObjectID{BirthVolumeID: o.tree.files.Share().Features().ID}
	binary.LittleEndian.PutUint64(id.ObjectID[:], a.ID)
	copy(id.ObjectID[8:], id.BirthVolumeID[:8])
	id.BirthObjectID = id.ObjectID
	var w cursor.Writer
	id.Encode(&w)
	return w.Message(), nil
}

// refuse makes a row of a code that is always answered by a status.
func refuse(err error) func(context.Context, *request, *open, *smbwire.IoctlRequest) ([]byte, error) {
	return func(context.Context, *request, *open, *smbwire.IoctlRequest) ([]byte, error) { return nil, err }
}

// networkDevice is the device type in the control codes of SMB itself
// ([MS-FSCC] 2.3); others are those of file systems and pipes.
const networkDevice = 0x14

// refusal is the status of a control code that nothing is known of: SMB's own
// are not supported, and a file system that does not know one calls the
// request invalid ([MS-FSA] 2.1.5.10).
func refusal(c smbwire.CtlCode) error {
	if c>>16 == networkDevice {
		return smbwire.StatusNotSupported
	}
	return smbwire.StatusInvalidDeviceRequest
}
