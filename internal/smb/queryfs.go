package smb

import (
	"context"
	"math"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/vfs"
)

// fsLevel is a class of information about volumes. What least means is said at
// fileLevel.
type fsLevel struct {
	least uint32
	query func(ctx context.Context, o *open) (information, error)
}

var fsLevels = map[smbwire.FSInfoClass]fsLevel{
	smbwire.FSVolumeInformation:     {24, featureLevel(volume)},
	smbwire.FSSizeInformation:       {24, spaceLevel(size)},
	smbwire.FSDeviceInformation:     {8, device},
	smbwire.FSAttributeInformation:  {16, featureLevel(abilities)},
	smbwire.FSControlInformation:    {48, featureLevel(quotas)},
	smbwire.FSFullSizeInformation:   {32, spaceLevel(fullSize)},
	smbwire.FSObjectIDInformation:   {64, featureLevel(objectID)},
	smbwire.FSSectorSizeInformation: {28, spaceLevel(sectorSize)},
}

// queryFS tells about the volume that a file is on ([MS-SMB2] 3.3.5.20.2).
func (r *request) queryFS(ctx context.Context, o *open, m *smbwire.QueryInfoRequest) (reply, error) {
	level, ok := fsLevels[smbwire.FSInfoClass(m.Class)]
	switch {
	case !ok:
		return nil, smbwire.StatusInvalidInfoClass
	case o.file == nil:
		return nil, smbwire.StatusNotSupported
	case m.OutputBufferLength < level.least:
		return nil, smbwire.StatusInfoLengthMismatch
	}
	i, err := level.query(ctx, o)
	if err != nil {
		return nil, err
	}
	return r.inform(i, m.OutputBufferLength)
}

// featureLevel is a level that shows what never changes.
func featureLevel(show func(*open, vfs.Features) information) func(context.Context, *open) (information, error) {
	return func(_ context.Context, o *open) (information, error) {
		return show(o, o.tree.files.Share().Features()), nil
	}
}

// spaceLevel is a level that shows how full the volume is.
func spaceLevel(show func(space) information) func(context.Context, *open) (information, error) {
	return func(ctx context.Context, o *open) (information, error) {
		s, err := o.file.Space(ctx)
		if err != nil {
			return nil, err
		}
		return show(spaceOf(s)), nil
	}
}

// sector is the unit in which units of allocation are counted.
const sector = 512

// space is a vfs.Space in units of allocation.
type space struct {
	total, free, available uint64
	sectors, bytes         uint32 // sectors of a unit, bytes of a sector
}

func spaceOf(s vfs.Space) space {
	unit := s.BlockSize
	if unit <= 0 || unit > math.MaxUint32 {
		unit = 4096
	}
	sp := space{sectors: 1, bytes: uint32(unit)}
	if unit%sector == 0 {
		sp.sectors, sp.bytes = uint32(unit/sector), sector
	}
	units := func(n int64) uint64 { return uint64(max(n, 0) / unit) }
	sp.total, sp.free, sp.available = units(s.Total), units(s.Free), units(s.Available)
	return sp
}

func size(s space) information {
	return &smbwire.SizeInformation{
		TotalUnits: s.total, AvailableUnits: s.available,
		SectorsPerUnit: s.sectors, BytesPerSector: s.bytes,
	}
}

func fullSize(s space) information {
	return &smbwire.FullSizeInformation{
		TotalUnits: s.total, CallerUnits: s.available, AvailableUnits: s.free,
		SectorsPerUnit: s.sectors, BytesPerSector: s.bytes,
	}
}

// sectorSize says that whole pages are best, as is true of every disk of
// today.
func sectorSize(s space) information {
	const page = 4096
	return &smbwire.SectorSizeInformation{
		LogicalBytes: s.bytes, AtomicBytes: max(s.bytes, page), PerformanceBytes: max(s.bytes, page),
		EffectiveBytes: max(s.bytes, page),
		Flags:          smbwire.SectorAligned | smbwire.SectorPartitionAligned,
	}
}

func volume(_ *open, f vfs.Features) information {
	return &smbwire.VolumeInformation{SerialNumber: f.Serial, Label: f.Label}
}

// device says disk; what cannot be written to says so, too.
func device(_ context.Context, o *open) (information, error) {
	i := &smbwire.DeviceInformation{DeviceType: smbwire.DeviceDisk, Characteristics: smbwire.DeviceMounted}
	if o.tree.files.ReadOnly() {
		i.Characteristics |= smbwire.DeviceReadOnly
	}
	return i, nil
}

// abilities are those that a client has been seen to rely on. The name is that
// of the file system whose rules Windows expects.
func abilities(o *open, f vfs.Features) information {
	const defaultMaxName = 255
	i := &smbwire.AttributeInformation{
		Attributes:             smbwire.FSUnicodeOnDisk | smbwire.FSPersistentACLs,
		MaximumComponentLength: defaultMaxName,
		Name:                   "NTFS",
	}
	if f.MaxName > 0 {
		i.MaximumComponentLength = uint32(f.MaxName)
	}
	for _, has := range []struct {
		it   bool
		flag smbwire.FSAttributes
	}{
		{f.CaseSensitive, smbwire.FSCaseSensitiveSearch},
		{f.CasePreserved, smbwire.FSCasePreserved},
		{f.HardLinks, smbwire.FSHardLinks},
		{o.tree.files.ReadOnly(), smbwire.FSReadOnly},
	} {
		if has.it {
			i.Attributes |= has.flag
		}
	}
	return i
}

// quotas says that there are no default ones.
func quotas(*open, vfs.Features) information {
	const none = math.MaxUint64
	return &smbwire.ControlInformation{DefaultQuotaThreshold: none, DefaultQuotaLimit: none}
}

func objectID(_ *open, f vfs.Features) information {
	return &smbwire.ObjectIDInformation{ObjectID: f.ID}
}
