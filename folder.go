package dozo

import (
	"github.com/dozo-server/dozo/internal/names"
	"github.com/dozo-server/dozo/internal/volume"
)

// openFolder opens the tree of files of a folder.
func openFolder(o *Share, memory int64) (tree, error) {
	return volume.Open(o.Path, volume.Options{
		Names: names.Options{
			Sensitive:       o.CaseSensitive,
			NoNormalization: o.KeepComposition,
			ChangeCase:      o.ChangeCase,
			ChangeShortCase: o.ChangeShortCase,
			DefaultUpper:    o.DefaultUpper,
			Memory:          memory,
		},
		Label:              o.Name,
		CreateMask:         o.CreateMask,
		DirectoryMask:      o.DirectoryMask,
		ForceCreateMode:    o.ForceCreateMode,
		ForceDirectoryMode: o.ForceDirectoryMode,
		InheritPermissions: o.InheritPermissions,
		InheritOwner:       o.InheritOwner,
	})
}
