package machine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// group is a control group that the process is in, or one around that. Each may
// have a limit; the least of them holds.
type group struct {
	folder string
	*version
}

// version says what the files of a version of control groups are called.
type version struct {
	limits []string // bytes; the group is held below each
	usage  string
	// cached are the lines of memory.stat that are part of the usage and go as
	// soon as somebody needs memory. What tmpfs holds is not among them.
	cached []string
}

var (
	version1 = &version{[]string{"memory.limit_in_bytes"}, "memory.usage_in_bytes", []string{"total_inactive_file", "total_active_file"}}
	version2 = &version{[]string{"memory.max", "memory.high"}, "memory.current", []string{"inactive_file", "active_file", "slab_reclaimable"}}
)

// limit is what the processes of g may have together; 0 for no limit.
func (g group) limit() (least int64) {
	for _, name := range g.limits {
		n := number(filepath.Join(g.folder, name)) // "max" is none
		if n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}

// used is what they have, without what could be had back.
func (g group) used() int64 {
	n := number(filepath.Join(g.folder, g.usage))
	data, _ := os.ReadFile(filepath.Join(g.folder, "memory.stat"))
	for line := range strings.Lines(string(data)) {
		name, value, _ := strings.Cut(line, " ")
		if slices.Contains(g.cached, name) {
			n -= parse(value)
		}
	}
	return n
}

// groupsOf finds the groups that hold the process, as far as they can be seen:
// in a container those around it often can't.
func groupsOf(root string) (all []group) {
	own := ownGroups(root)
	data, _ := os.ReadFile(root + "/proc/self/mountinfo")
	for line := range strings.Lines(string(data)) {
		// 32 31 0:29 /root /mounted/at rw,relatime - cgroup2 source options
		before, after, _ := strings.Cut(line, " - ")
		where, what := strings.Fields(before), strings.Fields(after)
		if len(where) < 5 || len(what) < 3 {
			continue
		}
		var v *version
		switch {
		case what[0] == "cgroup2":
			v = version2
		case what[0] == "cgroup" && slices.Contains(strings.Split(what[2], ","), "memory"):
			v = version1
		default:
			continue
		}
		path, ok := own[v]
		if !ok {
			continue
		}
		top := filepath.Join(root, where[4])
		for folder := filepath.Join(top, below(path, where[3])); ; folder = filepath.Dir(folder) {
			all = append(all, group{folder, v})
			if folder == top {
				break
			}
		}
	}
	return all
}

// ownGroups returns the path of the process's group in each version.
func ownGroups(root string) map[*version]string {
	own := map[*version]string{}
	data, _ := os.ReadFile(root + "/proc/self/cgroup")
	for line := range strings.Lines(string(data)) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3) // number, controllers, path
		switch {
		case len(fields) < 3:
		case fields[0] == "0":
			own[version2] = fields[2]
		case slices.Contains(strings.Split(fields[1], ","), "memory"):
			own[version1] = fields[2]
		}
	}
	return own
}

// below returns where the group path is below the group that is mounted; that one
// itself if it is elsewhere, as to a process that was moved out of its container.
func below(path, mounted string) string {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(mounted, "/"))
	if !ok || rest != "" && rest[0] != '/' || strings.HasPrefix(rest+"/", "/../") {
		return ""
	}
	return rest
}
