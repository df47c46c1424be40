package smb_test

import (
	"testing"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/vfs/memfs"
)

func TestVolumeSizes(t *testing.T) {
	const limit = 64 << 20
	f := fiveBytes(t, mount(t, memfs.New(memfs.Limit(limit))))
	var s smbwire.SizeInformation
	var full smbwire.FullSizeInformation
	if err := f.QueryVolume(ctx, smbwire.FSSizeInformation, &s); err != nil {
		t.Fatal(err)
	}
	if err := f.QueryVolume(ctx, smbwire.FSFullSizeInformation, &full); err != nil {
		t.Fatal(err)
	}
	unit := uint64(s.SectorsPerUnit) * uint64(s.BytesPerSector)
	if s.TotalUnits*unit != limit || s.AvailableUnits == 0 || s.AvailableUnits >= s.TotalUnits {
		t.Errorf("%+v is not a volume of %d bytes with a file on it", s, limit)
	}
	want := smbwire.FullSizeInformation{
		TotalUnits: s.TotalUnits, CallerUnits: s.AvailableUnits, AvailableUnits: full.AvailableUnits,
		SectorsPerUnit: s.SectorsPerUnit, BytesPerSector: s.BytesPerSector,
	}
	if full != want || full.AvailableUnits < full.CallerUnits {
		t.Errorf("%+v and %+v differ", full, s)
	}
}

func TestVolumeAbilities(t *testing.T) {
	const always = smbwire.FSUnicodeOnDisk | smbwire.FSPersistentACLs | smbwire.FSCasePreserved | smbwire.FSHardLinks
	for _, tt := range []struct {
		name    string
		options []memfs.Option
		want    smbwire.FSAttributes
	}{
		{"usual", nil, always},
		{"case-sensitive", []memfs.Option{memfs.CaseSensitive()}, always | smbwire.FSCaseSensitiveSearch},
	} {
		f := fiveBytes(t, mount(t, memfs.New(tt.options...)))
		var a smbwire.AttributeInformation
		if err := f.QueryVolume(ctx, smbwire.FSAttributeInformation, &a); err != nil {
			t.Fatal(err)
		}
		if want := (smbwire.AttributeInformation{Attributes: tt.want, MaximumComponentLength: 255, Name: "NTFS"}); a != want {
			t.Errorf("%s: %+v, want %+v", tt.name, a, want)
		}
	}
}

// What is the administrator's can't be changed over the network.
func TestVolumesCannotBeChanged(t *testing.T) {
	f := fiveBytes(t, mount(t, memfs.New()))
	label := bytesOf(&smbwire.NameInformation{Name: "mine"})
	if status := setRaw(t, f, smbwire.InfoFileSystem, uint8(smbwire.FSLabelInformation), label); status != smbwire.StatusAccessDenied {
		t.Errorf("label: %v", status)
	}
	if status := setRaw(t, f, smbwire.InfoFileSystem, 200, nil); status != smbwire.StatusInvalidInfoClass {
		t.Errorf("no class: %v", status)
	}
}
