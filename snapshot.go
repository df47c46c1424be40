package dozo

import (
	"cmp"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"

	"github.com/dozo-server/dozo/internal/names"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/status"
	"github.com/dozo-server/dozo/vfs"
)

// Snapshot is what a server does at one moment.
type Snapshot = status.Snapshot

// Snapshot tells what the server does now; before Serve that is nothing.
func (s *Server) Snapshot() *Snapshot {
	snap := &Snapshot{Name: s.name(), Listening: []string{}, Shares: []status.Share{}, Sessions: []status.Session{}, Opens: []status.Open{}}
	s.mu.Lock()
	run := s.running
	s.mu.Unlock()
	if run == nil {
		return snap
	}
	snap.Started, snap.Listening, snap.Memory = run.started, run.listening, run.common.memory()
	for _, m := range *run.shares.Load() {
		options := m.options.Load()
		row := status.Share{Name: options.Name, Folder: options.Path, ReadOnly: options.ReadOnly,
			Guest: guestWords[options.Guest], Encrypt: options.Encrypt || s.Encrypt}
		sh, tree, fileSystem, refused := m.state()
		row.FileSystem = fileSystem
		if refused != nil {
			row.Refused = refused.Error()
		}
		if tree != nil {
			row.Names = namesRow(tree.Stats())
		}
		if sh != nil {
			opens := sh.Opens()
			row.Opens = len(opens)
			for _, o := range opens {
				snap.Opens = append(snap.Opens, openRow(options.Name, o))
			}
		}
		snap.Shares = append(snap.Shares, row)
	}
	slices.SortFunc(snap.Opens, func(a, b status.Open) int {
		return cmp.Or(cmp.Compare(a.Share, b.Share), cmp.Compare(a.Path, b.Path), a.Since.Compare(b.Since))
	})
	sessions, _ := run.smb.Sessions()
	for i, l := range sessions {
		snap.Sessions = append(snap.Sessions, status.Session{ID: strconv.Itoa(i + 1), User: l.User, Guest: l.User == "guest",
			Address: l.Address, Dialect: l.Dialect, Signing: l.Signing, Encrypted: l.Encryption, Shares: l.Shares, Since: l.Since})
	}
	return snap
}

var guestWords = map[GuestAccess]string{GuestNone: "no", GuestRead: "read", GuestWrite: "write"}

// memory tells what the process takes.
func (c *common) memory() status.Memory {
	const collecting, own = "/cpu/classes/gc/total:cpu-seconds", "/cpu/classes/user:cpu-seconds"
	m := []metrics.Sample{{Name: collecting}, {Name: own}}
	metrics.Read(m)
	return status.Memory{
		Process: processMemory(),
		Names:   c.budget.Used(), Limit: c.budget.Limit(), Most: c.budget.Most(),
		Folders: c.descriptors.Open(), FoldersLimit: c.descriptors.Limit(),
		Collecting: m[0].Value.Float64(), Working: m[0].Value.Float64() + m[1].Value.Float64(),
	}
}

func namesRow(s names.Stats) *status.Names {
	return &status.Names{
		Folders: s.Folders, Fanotify: s.Fanotify, Inotify: s.Inotify, Times: s.Folders - s.Fanotify - s.Inotify,
		Packed: s.Packed, Indexed: s.Indexed, Fingerprinted: s.Fingerprinted, Names: s.Names, Memory: s.Memory, Open: s.Open, Pinned: s.Marks,
		Builds: s.Builds, BuildTime: s.BuildTime.Seconds(), Rebuilds: s.Rebuilds, Searches: s.Searches, Rechecks: s.Rechecks,
		Overflows: s.Overflows, Clashes: s.Clashes, Withdrawn: s.Withdrawn, Unannounced: s.Unannounced,
	}
}

func openRow(name string, o share.OpenInfo) status.Open {
	row := status.Open{Share: name, Path: o.Path, User: o.User, Access: accessWords(o.Access), Locks: o.Locks, Since: o.Opened}
	if words := o.Oplock.String(); words != "none" {
		row.Oplock = words
	}
	return row
}

// accessWords tells in words what an open may do.
func accessWords(a vfs.Access) string {
	var words []string
	if a&vfs.ReadData != 0 {
		words = append(words, "read")
	}
	if a&(vfs.WriteData|vfs.AppendData) != 0 {
		words = append(words, "write")
	}
	if a&vfs.Delete != 0 {
		words = append(words, "delete")
	}
	if words == nil {
		return "attributes"
	}
	return strings.Join(words, ", ")
}
