package dozo

import (
	"log/slog"

	"github.com/dozo-server/dozo/internal/budget"
	"github.com/dozo-server/dozo/internal/names"
	"github.com/dozo-server/dozo/internal/volume"
)

// common is what all folders of a server share.
type common struct {
	budget      *budget.Budget
	descriptors *names.Descriptors
}

// openFolder opens the tree of files of a folder.
func (o *Share) openFolder(c common, log *slog.Logger) (tree, error) {
	log = log.With("share", o.Name)
	return volume.Open(o.Path, volume.Options{
		Names: names.Options{
			Path:            o.Path,
			Sensitive:       o.CaseSensitive,
			NoNormalization: o.KeepComposition,
			ChangeCase:      o.ChangeCase,
			ChangeShortCase: o.ChangeShortCase,
			DefaultUpper:    o.DefaultUpper,
			ShortNames:      o.ShortNames,
			Budget:          c.budget,
			Descriptors:     c.descriptors,
			Report:          func(e names.Event) { log.Warn(eventWords[e.Kind], "folder", e.Path, "names", e.Names) },
		},
		Label: o.Name,
		Modes: o.modes(),
	})
}

// modes are what new files and folders of a folder have.
func (o *Share) modes() volume.Modes {
	return volume.Modes{
		CreateMask:         o.CreateMask,
		DirectoryMask:      o.DirectoryMask,
		ForceCreateMode:    o.ForceCreateMode,
		ForceDirectoryMode: o.ForceDirectoryMode,
		InheritPermissions: o.InheritPermissions,
		InheritOwner:       o.InheritOwner,
	}
}

// eventWords say what an event of the names means to an administrator.
var eventWords = map[names.EventKind]string{
	names.Clash:       "names: a local program made a second spelling of a name; both stay, and clients see both",
	names.Overflow:    "names: more changed at once than the system remembers; the folders are read again",
	names.Unwatched:   "names: the folder can't be watched, so changes by local programs may be seen late",
	names.Unannounced: "names: the folder changed and the system did not tell; it was read again",
	names.Misnamed:    "names: the disk refused a change of case half-way; rename the first of the names to the second",
}
