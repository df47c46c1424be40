package dozo

import (
	"cmp"
	"runtime/metrics"
	"slices"
	"time"

	"github.com/dozo-server/dozo/internal/meter"
	"github.com/dozo-server/dozo/internal/names"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/smb"
	"github.com/dozo-server/dozo/internal/status"
	"github.com/dozo-server/dozo/internal/volume"
	"github.com/dozo-server/dozo/vfs"
)

// Snapshot is what a server does at one moment.
type Snapshot = status.Snapshot

// busyFolders is how many folders of a share are told, those used most.
const busyFolders = 10

// Snapshot tells what the server does now; before Serve that is nothing.
func (s *Server) Snapshot() *Snapshot {
	now := time.Now()
	snap := &Snapshot{Time: now.Round(0), Name: s.name(), Listening: []string{}, Shares: []status.Share{}, Sessions: []status.Session{},
		Opens: []status.Open{}, Waits: []status.Wait{}}
	s.mu.Lock()
	run := s.running
	s.mu.Unlock()
	if run == nil {
		return snap
	}
	snap.Started, snap.Listening, snap.Memory = run.started, run.listening, run.common.memory()
	all := *run.shares.Load()
	for i, found := range lookAt(all, lookTime) {
		m := all[i]
		options := m.options.Load()
		row := status.Share{Name: options.Name, Folder: options.Path, ReadOnly: options.ReadOnly,
			Guest: guestWords[options.Guest], Encrypt: options.Encrypt || s.Encrypt}
		row.FileSystem = found.fileSystem
		if found.refused != nil {
			row.Refused = found.refused.Error()
		}
		if found.names != nil {
			row.Names = namesRow(found.names.Stats())
		}
		row.Load = loadRow(found.share, time.Now())
		if found.share != nil {
			row.Opens = found.share.Opens()
		}
		snap.Shares = append(snap.Shares, row)
	}
	sessions, _ := run.smb.Sessions()
	for _, l := range sessions {
		snap.Sessions = append(snap.Sessions, sessionRow(l))
	}
	opens, waits := run.smb.Opens()
	for _, o := range opens {
		snap.Opens = append(snap.Opens, openRow(o))
	}
	slices.SortStableFunc(snap.Opens, func(a, b status.Open) int {
		return cmp.Or(cmp.Compare(a.Share, b.Share), cmp.Compare(a.Path, b.Path), a.Since.Compare(b.Since))
	})
	for _, w := range waits {
		snap.Waits = append(snap.Waits, waitRow(w))
	}
	return snap
}

var guestWords = map[GuestAccess]string{GuestNone: "no", GuestRead: "read", GuestWrite: "write"}

// memory tells what the process takes.
func (c *common) memory() status.Memory {
	m := []metrics.Sample{
		{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/user:cpu-seconds"},
		{Name: "/gc/heap/live:bytes"}, {Name: "/gc/cycles/total:gc-cycles"}, {Name: "/sched/goroutines:goroutines"},
	}
	metrics.Read(m)
	return status.Memory{
		Process: processMemory(),
		Names:   c.budget.Used(), Limit: c.budget.Limit(), Most: c.budget.Most(),
		Folders: c.descriptors.Open(), FoldersLimit: c.descriptors.Limit(),
		Descriptors: processDescriptors(), DescriptorsLimit: volume.OpenLimit(),
		Live: int64(m[2].Value.Uint64()), Collections: int64(m[3].Value.Uint64()), Goroutines: int(m[4].Value.Uint64()),
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

// loadRow tells what is asked of a share, nil for one that was never served.
func loadRow(sh *share.Share, now time.Time) status.Load {
	row := status.Load{Minute: status.Minute{Kinds: []status.Kind{}, Folders: []status.Folder{}}}
	if sh == nil {
		return row
	}
	l := sh.Meter().Load(now)
	row.Requests, row.Read, row.Written = l.Requests, l.Read, l.Written
	m := &row.Minute
	m.Seconds, m.Read, m.Written = l.Span.Seconds(), l.LastRead, l.LastWritten
	for _, k := range l.Kinds {
		m.Kinds = append(m.Kinds, kindRow(k))
	}
	for _, f := range sh.Meter().Folders(now, busyFolders) {
		m.Folders = append(m.Folders, status.Folder{Path: f.Path, Requests: f.Requests})
	}
	return row
}

func kindRow(k meter.Times) status.Kind {
	return status.Kind{Kind: k.Kind.String(), Requests: k.Requests, Median: k.Median.Seconds(), Most: k.Most.Seconds()}
}

func sessionRow(l smb.SessionInfo) status.Session {
	return status.Session{ID: status.ID{Session: l.Number}.String(), User: l.User, Guest: l.User == "", Address: l.Address,
		Client: l.Client, System: l.System, Dialect: l.Dialect, Signing: l.Signing, Encrypted: l.Encryption,
		Shares: append([]string{}, l.Shares...), Opens: l.Opens, Since: l.Since, Used: l.Used}
}

func openRow(o smb.OpenInfo) status.Open {
	row := status.Open{ID: statusID(o.ID), Session: status.ID{Session: o.ID.Session}.String(), Share: o.Share, Path: o.Path,
		User: o.User, Address: o.Address, Access: accessWords(o.Access), Others: shareWords(o.OpenInfo.Share),
		Breaking: o.Breaking, Locks: o.Locks, Delete: o.Delete, Since: o.Opened}
	if words := o.Oplock.String(); words != "none" {
		row.Oplock = words
	}
	for _, r := range o.Ranges {
		row.Ranges = append(row.Ranges, status.Range(r))
	}
	return row
}

func statusID(id smb.OpenID) string { return status.ID(id).String() }

// waitWords are the words for what a request waits for.
var waitWords = map[share.Cause]string{share.ForRange: "lock", share.ForOplock: "oplock", share.ForName: "name"}

func waitRow(w smb.WaitInfo) status.Wait {
	row := status.Wait{Session: status.ID{Session: w.Session}.String(), User: w.User, Share: w.Share, Path: w.Path,
		Wants: w.Op, For: waitWords[w.For], By: []status.Blocker{}, Since: w.Since}
	if w.Open != 0 {
		row.Open = status.ID{Session: w.Session, Open: w.Open}.String()
	}
	if w.For == share.ForRange {
		r := status.Range(w.Range)
		row.Range = &r
	}
	for _, o := range w.By {
		row.By = append(row.By, status.Blocker{Open: statusID(o.ID), User: o.User, Address: o.Address})
	}
	return row
}

// accessWords tells what an open may do with the bytes of a file and its name.
func accessWords(a vfs.Access) []string {
	words := []string{}
	if a&vfs.ReadData != 0 {
		words = append(words, "read")
	}
	if a&(vfs.WriteData|vfs.AppendData) != 0 {
		words = append(words, "write")
	}
	if a&vfs.Delete != 0 {
		words = append(words, "delete")
	}
	return words
}

// shareWords tells what an open lets others do.
func shareWords(m share.Mode) []string {
	words := []string{}
	for _, w := range []struct {
		mode share.Mode
		word string
	}{{share.ShareRead, "read"}, {share.ShareWrite, "write"}, {share.ShareDelete, "delete"}} {
		if m&w.mode != 0 {
			words = append(words, w.word)
		}
	}
	return words
}
