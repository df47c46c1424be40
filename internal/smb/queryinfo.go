package smb

import (
	"context"
	"strings"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/vfs"
)

// queryInfo answers QUERY_INFO ([MS-SMB2] 3.3.5.20).
func (r *request) queryInfo(ctx context.Context, m *smbwire.QueryInfoRequest) (reply, error) {
	o, err := r.open(m.FileID)
	if err != nil {
		return nil, err
	}
	if err := r.transact(max(m.OutputBufferLength, uint32(len(m.Input)))); err != nil {
		return nil, err
	}
	switch m.Type {
	case smbwire.InfoFile:
		return r.queryFile(ctx, o, m)
	case smbwire.InfoFileSystem:
		return r.queryFS(ctx, o, m)
	case smbwire.InfoSecurity:
		return r.querySecurity(ctx, o, m)
	case smbwire.InfoQuota:
		return nil, smbwire.StatusNotSupported
	}
	return nil, smbwire.StatusInvalidParameter
}

// transact checks that a request that sends and receives at most n bytes of
// data may do so, and paid for them.
func (r *request) transact(n uint32) error {
	if n > r.conn.maxTransfer() || !r.charged(n) {
		return smbwire.StatusInvalidParameter
	}
	return nil
}

// information is one of the layouts of smbwire.
type information interface {
	Encode(w *cursor.Writer)
}

// inform answers with information, as much of it as the client has room for.
// What is cut comes with a warning.
func (r *request) inform(i information, limit uint32) (reply, error) {
	const guess = 256
	var w cursor.Writer
	w.Reset(r.room(smbwire.QueryInfoResponseData, guess)[:0])
	i.Encode(&w)
	data := w.Message()
	if len(data) > int(limit) {
		return &smbwire.QueryInfoResponse{Data: data[:limit]}, smbwire.StatusBufferOverflow
	}
	return &smbwire.QueryInfoResponse{Data: data}, nil
}

// fileLevel is a class of information about files.
type fileLevel struct {
	// least is the smallest buffer that is not refused outright: the fixed
	// part, with a first character of a name ([MS-FSA] 2.1.5.12).
	least  uint32
	access vfs.Access // right that the open must have
	query  func(ctx context.Context, r *request, o *open) (information, error)
}

var fileLevels = map[smbwire.FileInfoClass]fileLevel{
	smbwire.FileBasicInformation: {40, vfs.ReadAttr, attrLevel(func(_ *open, a *vfs.Attr) information {
		return basic(a)
	})},
	smbwire.FileStandardInformation: {24, 0, attrLevel(func(o *open, a *vfs.Attr) information {
		return standard(o, a)
	})},
	smbwire.FileInternalInformation: {8, 0, attrLevel(func(_ *open, a *vfs.Attr) information {
		return &smbwire.InternalInformation{FileID: a.ID}
	})},
	smbwire.FileEAInformation: {4, 0, openLevel(func(*open) information {
		return &smbwire.EAInformation{}
	})},
	smbwire.FileAccessInformation: {4, 0, openLevel(func(o *open) information {
		return &smbwire.AccessInformation{Access: smbwire.AccessMask(o.file.Granted())}
	})},
	smbwire.FileNameInformation: {8, 0, openLevel(func(o *open) information {
		return &smbwire.NameInformation{Name: `\` + sharePath(o)}
	})},
	smbwire.FileFullEAInformation: {0, vfs.ReadXattr, noEAs},
	smbwire.FilePositionInformation: {8, 0, openLevel(func(o *open) information {
		return &smbwire.PositionInformation{Position: o.position.Load()}
	})},
	smbwire.FileModeInformation: {4, 0, openLevel(func(o *open) information {
		return &smbwire.ModeInformation{Mode: o.mode.Load()}
	})},
	smbwire.FileAlignmentInformation: {4, 0, openLevel(func(*open) information {
		return &smbwire.AlignmentInformation{}
	})},
	smbwire.FileAllInformation: {104, vfs.ReadAttr, attrLevel(func(o *open, a *vfs.Attr) information {
		return &smbwire.AllInformation{
			Basic: *basic(a), Standard: *standard(o, a), FileID: a.ID,
			Access:   smbwire.AccessMask(o.file.Granted()),
			Position: o.position.Load(), Mode: o.mode.Load(),
			Name: `\` + sharePath(o),
		}
	})},
	smbwire.FileAlternateNameInformation: {8, 0, alternateName},
	smbwire.FileStreamInformation: {32, 0, attrLevel(func(_ *open, a *vfs.Attr) information {
		return streams(a)
	})},
	smbwire.FileCompressionInformation: {16, 0, attrLevel(func(_ *open, a *vfs.Attr) information {
		return &smbwire.CompressionInformation{CompressedSize: endOfFile(a)}
	})},
	smbwire.FileNetworkOpenInformation: {56, vfs.ReadAttr, attrLevel(func(_ *open, a *vfs.Attr) information {
		return &smbwire.NetworkOpenInformation{
			CreationTime: smbwire.FileTimeOf(a.Birth), LastAccessTime: smbwire.FileTimeOf(a.Accessed),
			LastWriteTime: smbwire.FileTimeOf(a.Modified), ChangeTime: smbwire.FileTimeOf(a.Changed),
			AllocationSize: allocation(a), EndOfFile: endOfFile(a), FileAttributes: fileAttributes(a),
		}
	})},
	smbwire.FileAttributeTagInformation: {8, vfs.ReadAttr, attrLevel(func(_ *open, a *vfs.Attr) information {
		return &smbwire.AttributeTagInformation{FileAttributes: fileAttributes(a)}
	})},
	smbwire.FileNormalizedNameInformation: {8, 0, normalizedName},
	smbwire.FileStandardLinkInformation: {12, 0, attrLevel(func(o *open, a *vfs.Attr) information {
		s := standard(o, a)
		return &smbwire.StandardLinkInformation{
			NumberOfLinks: s.NumberOfLinks, TotalLinks: max(a.Links, 1), DeletePending: s.DeletePending, Directory: s.Directory,
		}
	})},
	smbwire.FileIDInformation: {24, 0, attrLevel(func(o *open, a *vfs.Attr) information {
		return &smbwire.IDInformation{VolumeSerial: uint64(o.tree.files.Share().Features().Serial), FileID: a.ID}
	})},
}

// queryFile tells about a file ([MS-SMB2] 3.3.5.20.1).
func (r *request) queryFile(ctx context.Context, o *open, m *smbwire.QueryInfoRequest) (reply, error) {
	class := smbwire.FileInfoClass(m.Class)
	if o.file == nil {
		return r.queryPipe(class, m.OutputBufferLength)
	}
	level, ok := fileLevels[class]
	switch {
	case !ok:
		return nil, smbwire.StatusInvalidInfoClass
	case m.OutputBufferLength < level.least:
		return nil, smbwire.StatusInfoLengthMismatch
	case !o.file.Granted().Has(level.access):
		return nil, smbwire.StatusAccessDenied
	}
	i, err := level.query(ctx, r, o)
	if err != nil {
		return nil, err
	}
	return r.inform(i, m.OutputBufferLength)
}

// attrLevel is a level that shows attributes.
func attrLevel(show func(*open, *vfs.Attr) information) func(context.Context, *request, *open) (information, error) {
	return func(ctx context.Context, _ *request, o *open) (information, error) {
		a, err := o.file.Attr(ctx)
		if err != nil {
			return nil, err
		}
		return show(o, &a), nil
	}
}

// openLevel is a level that shows what the open knows by itself.
func openLevel(show func(*open) information) func(context.Context, *request, *open) (information, error) {
	return func(_ context.Context, _ *request, o *open) (information, error) { return show(o), nil }
}

func basic(a *vfs.Attr) *smbwire.BasicInformation {
	return &smbwire.BasicInformation{
		CreationTime:   smbwire.FileTimeOf(a.Birth),
		LastAccessTime: smbwire.FileTimeOf(a.Accessed),
		LastWriteTime:  smbwire.FileTimeOf(a.Modified),
		ChangeTime:     smbwire.FileTimeOf(a.Changed),
		FileAttributes: fileAttributes(a),
	}
}

// standard counts, as Windows does, one name less for a file that is to be
// deleted, and one name for a folder.
func standard(o *open, a *vfs.Attr) *smbwire.StandardInformation {
	s := &smbwire.StandardInformation{
		AllocationSize: allocation(a),
		EndOfFile:      endOfFile(a),
		NumberOfLinks:  max(a.Links, 1),
		DeletePending:  o.file.DeletePending(),
		Directory:      a.Type == vfs.TypeDir,
	}
	if s.Directory {
		s.NumberOfLinks = 1
	}
	if s.DeletePending {
		s.NumberOfLinks--
	}
	return s
}

// streams lists the one stream that every file has, and folders do not.
func streams(a *vfs.Attr) *smbwire.StreamInformation {
	if a.Type == vfs.TypeDir {
		return &smbwire.StreamInformation{}
	}
	return &smbwire.StreamInformation{Streams: []smbwire.Stream{
		{Name: "::$DATA", Size: endOfFile(a), AllocationSize: allocation(a)},
	}}
}

// noEAs tells that a file has no extended attributes.
func noEAs(context.Context, *request, *open) (information, error) {
	return nil, smbwire.StatusNoEAsOnFile
}

// alternateName shows the 8.3 name of a file: its name if that is one, else the
// one it was given, if any.
func alternateName(ctx context.Context, _ *request, o *open) (information, error) {
	name := o.file.Path()
	name = name[strings.LastIndexByte(name, '/')+1:]
	if !shortName(name) {
		a, err := o.file.Attr(ctx)
		if err != nil {
			return nil, err
		}
		name = a.Short
	}
	if name == "" {
		return nil, smbwire.StatusObjectNameNotFound
	}
	return &smbwire.NameInformation{Name: name}, nil
}

// shortName reports whether a name is one of 8.3 in the sense of [MS-FSCC]
// 2.1.5.2.1.
func shortName(name string) bool {
	base, ext, dot := strings.Cut(name, ".")
	if len(base) < 1 || len(base) > 8 || len(ext) > 3 || dot && ext == "" {
		return false
	}
	for i := range len(name) {
		switch c := name[i]; {
		case '0' <= c && c <= '9', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
		case strings.IndexByte("$%'-_@~`!(){}^#&", c) >= 0:
		case c == '.' && i == len(base):
		default:
			return false
		}
	}
	return true
}

// normalizedName shows the path in the spelling that is stored ([MS-SMB2]
// 3.3.5.20.1: only to dialect 3.1.1).
func normalizedName(_ context.Context, r *request, o *open) (information, error) {
	if r.conn.negotiated.dialect < 0x311 {
		return nil, smbwire.StatusNotSupported
	}
	return &smbwire.NameInformation{Name: sharePath(o)}, nil
}

// queryPipe tells about a named pipe what Windows asks of one when it opens
// it. It looks like a file that goes with its last close.
func (r *request) queryPipe(class smbwire.FileInfoClass, limit uint32) (reply, error) {
	if class != smbwire.FileStandardInformation {
		return nil, smbwire.StatusNotSupported
	}
	if limit < fileLevels[class].least {
		return nil, smbwire.StatusInfoLengthMismatch
	}
	const pipeBuffer = 4096
	return r.inform(&smbwire.StandardInformation{AllocationSize: pipeBuffer, NumberOfLinks: 1, DeletePending: true}, limit)
}
