package dozo

import (
	"cmp"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"

	"github.com/dozo-server/dozo/internal/audit"
	"github.com/dozo-server/dozo/internal/budget"
	"github.com/dozo-server/dozo/internal/names"
	"github.com/dozo-server/dozo/internal/volume"
)

// common is what all folders of a server share.
type common struct {
	budget      *budget.Budget
	audit       *audit.Log
	descriptors *names.Descriptors
}

// openFolder opens the tree of files of a folder.
func (o *Share) openFolder(c common, log *slog.Logger) (tree, error) {
	log = log.With("share", o.Name)
	path := cmp.Or(o.real, o.Path)
	return volume.Open(path, volume.Options{
		Names: names.Options{
			Path:            path,
			Sensitive:       o.CaseSensitive,
			NoNormalization: o.KeepComposition,
			ChangeCase:      o.ChangeCase,
			ChangeShortCase: o.ChangeShortCase,
			DefaultUpper:    o.DefaultUpper,
			ShortNames:      o.ShortNames,
			Budget:          c.budget,
			Descriptors:     c.descriptors,
			Report:          func(e names.Event) { log.Warn(eventSentence(e), "folder", e.Path, "names", e.Names) },
		},
		Label: o.Name,
		Real:  o.real != "",
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

// eventSentence says what an event of the names means to an administrator, and
// what to do about it.
func eventSentence(e names.Event) string {
	if e.Limit == "" {
		return eventWords[e.Kind]
	}
	return fmt.Sprintf("names: no more folders can be watched, so changes by local programs may be seen late; raise the system's limit with: sudo sysctl %s=%d",
		e.Limit, raised(e.Limit))
}

// raised is what a limit of the system had better be.
func raised(limit string) int {
	const plenty = 1 << 20 // a watch takes memory only when it is set, about 1 kB
	data, _ := os.ReadFile("/proc/sys/" + strings.ReplaceAll(limit, ".", "/"))
	now, _ := strconv.Atoi(strings.TrimSpace(string(data)))
	return max(plenty, 2*now)
}

// eventWords are the sentences that name nothing.
var eventWords = map[names.EventKind]string{
	names.Clash:       "names: a local program made a second spelling of a name; both stay, and clients see both",
	names.Overflow:    "names: more changed at once than the system remembers; the folders are read again",
	names.Unwatched:   "names: the folder can't be watched, so changes by local programs may be seen late",
	names.Unannounced: "names: the folder changed and the system did not tell; it was read again",
	names.Misnamed:    "names: the disk refused a change of case half-way; rename the first of the names to the second",
}
