package status

import (
	"fmt"
	"strings"
)

// Memory is what the process takes.
type Memory struct {
	Process int64 `json:"process"` // bytes that the program has from the system
	Names   int64 `json:"names"`   // bytes, of these for names and listings of all shares
	Limit   int64 `json:"limit"`   // bytes that these may take now
	Most    int64 `json:"most"`    // bytes that they may take while the machine has room

	Folders      int `json:"open_folders"`       // descriptors of folders whose names are remembered
	FoldersLimit int `json:"open_folders_limit"` // that there may be

	// Descriptors are all that the process has open: files, folders, sockets. 0
	// where the system does not tell.
	Descriptors      int `json:"descriptors,omitempty"`
	DescriptorsLimit int `json:"descriptors_limit"`
	Goroutines       int `json:"goroutines"`

	// Live is what the last collection of garbage found in use, in bytes, and
	// Collections how many there were since the start.
	Live        int64 `json:"live"`
	Collections int64 `json:"collections"`

	// Collecting is what collecting garbage took since the start, Working that
	// and the program's own work, in seconds of processors.
	Collecting float64 `json:"gc_seconds"`
	Working    float64 `json:"cpu_seconds"`
}

// words tells it in a line.
func (m *Memory) words() string {
	words := fmt.Sprintf("%s, of which names %s of at most %s", size(m.Process), size(m.Names), size(m.Limit))
	if m.Limit < m.Most {
		words += fmt.Sprintf(", and not %s, because the machine is short of memory", size(m.Most))
	}
	if m.Working > 0 {
		words += fmt.Sprintf("; %.1f %% of the work is collecting garbage", 100*m.Collecting/m.Working)
	}
	return words
}

// Names is what is remembered of the names in the folders of a share, and what
// happened to it.
type Names struct {
	Folders int `json:"folders"` // remembered
	// Of these, changes by local programs are told by the system in two ways;
	// in the others they are found by the folder's change time.
	Fanotify int `json:"fanotify"`
	Inotify  int `json:"inotify"`
	Times    int `json:"change_times"`

	Packed        int   `json:"packed"`        // more folders, of which only the names are kept
	Indexed       int   `json:"indexed"`       // folders whose names are known
	Fingerprinted int   `json:"fingerprinted"` // of these, by fingerprints, for want of memory
	Names         int   `json:"names"`
	Memory        int64 `json:"memory"`       // bytes
	Open          int   `json:"open_folders"` // descriptors
	// Pinned are the inodes that watches keep in the system's memory, about 1.1
	// kB each, which is not in Memory.
	Pinned int `json:"pinned_inodes"`

	// What happened since the start.
	Builds      int64   `json:"builds"` // folders read for their names
	BuildTime   float64 `json:"build_seconds"`
	Rebuilds    int64   `json:"rebuilds"` // of these, because others changed more than the system tells
	Searches    int64   `json:"searches"` // folders read for one name, for want of memory
	Rechecks    int64   `json:"rechecks"` // names looked at because others changed them
	Overflows   int64   `json:"overflows"`
	Clashes     int64   `json:"clashes"`     // second spellings made by local programs
	Withdrawn   int64   `json:"withdrawn"`   // new files taken back because a local program was first
	Unannounced int64   `json:"unannounced"` // changes that the system did not tell of
}

// seenBy tells how local programs' changes are seen.
func (n *Names) seenBy() string {
	return or(counts(count{int64(n.Fanotify), "fanotify"}, count{int64(n.Inotify), "inotify"}, count{int64(n.Times), "change times"}, count{int64(n.Packed), "unused"}), "-")
}

// history tells what happened.
func (n *Names) history() string {
	return or(counts(count{n.Builds, "built"}, count{n.Rebuilds, "rebuilt"}, count{n.Searches, "searched"},
		count{n.Rechecks, "rechecked"}, count{n.Overflows, "overflows"}, count{n.Clashes, "clashes"},
		count{n.Withdrawn, "withdrawn"}, count{n.Unannounced, "unannounced"}), "-")
}

// count is a number of something.
type count struct {
	n    int64
	what string
}

// counts joins those that are not 0: "built 9, clashes 1".
func counts(all ...count) string {
	var words []string
	for _, c := range all {
		if c.n != 0 {
			words = append(words, fmt.Sprintf("%s %d", c.what, c.n))
		}
	}
	return strings.Join(words, ", ")
}

// size is a number of bytes to three digits: "640 kB", "1.07 GB".
func size(bytes int64) string {
	v, units := float64(bytes)/1000, []string{"kB", "MB", "GB", "TB"}
	for ; v >= 999.5 && len(units) > 1; units = units[1:] {
		v /= 1000
	}
	digits := 2
	if v >= 99.95 || units[0] == "kB" {
		digits = 0
	} else if v >= 9.995 {
		digits = 1
	}
	return fmt.Sprintf("%.*f %s", digits, v, units[0])
}
