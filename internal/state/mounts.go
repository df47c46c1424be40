package state

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
)

const mountsFile = "mounts.json"

// Mounts returns on which file system each served folder was, by the absolute
// path of the folder. It is the memory of the mount guard: a folder that is
// there while its file system is not must not be served.
func (f *Folder) Mounts() (map[string]string, error) {
	data, err := os.ReadFile(f.Path(mountsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, unusable(f.path, err)
	}
	mounts := map[string]string{}
	if err := json.Unmarshal(data, &mounts); err != nil {
		return nil, damaged(f.path, mountsFile, err)
	}
	return mounts, nil
}

// SetMounts replaces what Mounts returns; it writes nothing that is so already.
func (f *Folder) SetMounts(mounts map[string]string) error {
	if old, err := f.Mounts(); err == nil && maps.Equal(old, mounts) {
		return nil
	}
	return f.writeJSON(mountsFile, mounts)
}
