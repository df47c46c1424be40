//go:build !linux

package disk

// MountTable tells of mounts. This system has none that can be asked.
type MountTable struct{}

// OpenMountTable fails with KindUnsupported.
func OpenMountTable() (*MountTable, error) { return nil, errNoWatch }

// Changed reports nothing.
func (m *MountTable) Changed() bool { return false }

// Close does nothing.
func (m *MountTable) Close() error { return nil }
