package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

const mb, gb int64 = 1 << 20, 1 << 30

// tree makes files, by path.
func tree(t *testing.T, files map[string]string) string {
	root := t.TempDir()
	for path, content := range files {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

const (
	meminfo = "MemTotal:       16777216 kB\nMemFree:          123456 kB\nMemAvailable:    8388608 kB\nBuffers: 1 kB\n"

	mountedV2 = "31 23 0:28 / /sys rw - sysfs sysfs rw\n32 31 0:29 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
	mountedV1 = "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n33 31 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
)

func TestMemory(t *testing.T) {
	whole := Memory{16 * gb, 8 * gb, false}
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  Memory
	}{
		{"no Linux", nil, Memory{}},
		{"no control groups", map[string]string{"proc/meminfo": meminfo}, whole},
		{"a container", map[string]string{
			"proc/meminfo":                 meminfo,
			"proc/self/cgroup":             "0::/\n",
			"proc/self/mountinfo":          mountedV2,
			"sys/fs/cgroup/memory.max":     fmt.Sprintln(512 * mb),
			"sys/fs/cgroup/memory.high":    "max\n",
			"sys/fs/cgroup/memory.current": fmt.Sprintln(400 * mb),
			"sys/fs/cgroup/memory.stat": fmt.Sprintf("anon %d\nfile %d\ninactive_file %d\nactive_file %d\nslab_reclaimable %d\nslab %d\n",
				100*mb, 300*mb, 150*mb, 50*mb, 10*mb, 20*mb),
		}, Memory{512 * mb, 322 * mb, true}},
		{"a container on a machine that is short of memory", map[string]string{
			"proc/meminfo":                 "MemTotal: 16777216 kB\nMemAvailable: 102400 kB\n",
			"proc/self/cgroup":             "0::/\n",
			"proc/self/mountinfo":          mountedV2,
			"sys/fs/cgroup/memory.max":     fmt.Sprintln(512 * mb),
			"sys/fs/cgroup/memory.current": fmt.Sprintln(10 * mb),
		}, Memory{512 * mb, 100 * mb, true}},
		{"a service without a limit in a slice with one", map[string]string{
			"proc/meminfo":        meminfo,
			"proc/self/cgroup":    "0::/nas.slice/dozo.service\n",
			"proc/self/mountinfo": mountedV2,
			"sys/fs/cgroup/nas.slice/dozo.service/memory.max":     "max\n",
			"sys/fs/cgroup/nas.slice/dozo.service/memory.current": fmt.Sprintln(50 * mb),
			"sys/fs/cgroup/nas.slice/memory.max":                  fmt.Sprintln(gb),
			"sys/fs/cgroup/nas.slice/memory.current":              fmt.Sprintln(1000 * mb),
		}, Memory{gb, 24 * mb, true}},
		{"limits in each other, and one that slows down before", map[string]string{
			"proc/meminfo":        meminfo,
			"proc/self/cgroup":    "0::/nas.slice/dozo.service\n",
			"proc/self/mountinfo": mountedV2,
			"sys/fs/cgroup/nas.slice/dozo.service/memory.max":     fmt.Sprintln(300 * mb),
			"sys/fs/cgroup/nas.slice/dozo.service/memory.high":    fmt.Sprintln(200 * mb),
			"sys/fs/cgroup/nas.slice/dozo.service/memory.current": fmt.Sprintln(50 * mb),
			"sys/fs/cgroup/nas.slice/memory.max":                  fmt.Sprintln(gb),
			"sys/fs/cgroup/nas.slice/memory.current":              fmt.Sprintln(gb + mb),
		}, Memory{200 * mb, 0, true}},
		{"a limit beyond what there is", map[string]string{
			"proc/meminfo":             meminfo,
			"proc/self/cgroup":         "0::/\n",
			"proc/self/mountinfo":      mountedV2,
			"sys/fs/cgroup/memory.max": fmt.Sprintln(64 * gb),
		}, whole},
		{"moved out of what is mounted", map[string]string{
			"proc/meminfo":                 meminfo,
			"proc/self/cgroup":             "0::/../other\n",
			"proc/self/mountinfo":          mountedV2,
			"sys/fs/cgroup/memory.max":     fmt.Sprintln(gb),
			"sys/fs/cgroup/memory.current": fmt.Sprintln(100 * mb),
		}, Memory{gb, 924 * mb, true}},
		{"version 1, a container that sees its own group only", map[string]string{
			"proc/meminfo":        meminfo,
			"proc/self/cgroup":    "5:cpu,cpuacct:/docker/abc\n4:memory:/docker/abc\n0::/system.slice/docker.service\n",
			"proc/self/mountinfo": "33 31 0:30 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": fmt.Sprintln(256 * mb),
			"sys/fs/cgroup/memory/memory.usage_in_bytes": fmt.Sprintln(200 * mb),
			"sys/fs/cgroup/memory/memory.stat":           fmt.Sprintf("inactive_file 1\ntotal_inactive_file %d\ntotal_active_file %d\n", 60*mb, 40*mb),
		}, Memory{256 * mb, 156 * mb, true}},
		{"version 1, limited from above", map[string]string{
			"proc/meminfo":        meminfo,
			"proc/self/cgroup":    "4:memory:/nas/dozo\n0::/\n",
			"proc/self/mountinfo": mountedV1 + "38 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":          "9223372036854771712\n",
			"sys/fs/cgroup/memory/nas/memory.limit_in_bytes":      fmt.Sprintln(2 * gb),
			"sys/fs/cgroup/memory/nas/memory.usage_in_bytes":      fmt.Sprintln(gb),
			"sys/fs/cgroup/memory/nas/dozo/memory.limit_in_bytes": "9223372036854771712\n",
			"sys/fs/cgroup/memory/nas/dozo/memory.usage_in_bytes": fmt.Sprintln(10 * mb),
		}, Memory{2 * gb, gb, true}},
		{"version 1, a group with the name of another at its beginning", map[string]string{
			"proc/meminfo":        meminfo,
			"proc/self/cgroup":    "4:memory:/docker/abcd\n",
			"proc/self/mountinfo": "33 31 0:30 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":   fmt.Sprintln(gb),
			"sys/fs/cgroup/memory/d/memory.limit_in_bytes": fmt.Sprintln(mb),
		}, Memory{gb, gb, true}},
	} {
		if got := find(tree(t, tt.files)).Memory(); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// TestMemoryFollows changes a limit while the process runs.
func TestMemoryFollows(t *testing.T) {
	root := tree(t, map[string]string{
		"proc/meminfo":             meminfo,
		"proc/self/cgroup":         "0::/\n",
		"proc/self/mountinfo":      mountedV2,
		"sys/fs/cgroup/memory.max": "max\n",
	})
	s := find(root)
	for _, limit := range []int64{0, gb, 2 * gb} {
		want := Memory{16 * gb, 8 * gb, false}
		if limit > 0 {
			want = Memory{limit, limit, true}
			if err := os.WriteFile(filepath.Join(root, "sys/fs/cgroup/memory.max"), fmt.Appendln(nil, limit), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got := s.Memory(); got != want {
			t.Errorf("with a limit of %d: %+v", limit, got)
		}
	}
}

// TestHere asks this machine.
func TestHere(t *testing.T) {
	if m := Find().Memory(); m.Total < 0 || m.Available < 0 || m.Available > m.Total {
		t.Errorf("%+v", m)
	}
}
