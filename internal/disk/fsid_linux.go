package disk

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

const zfsMagic = 0x2fc12fc1

// FileSystem identifies the file system that n is on.
func (n *Node) FileSystem() (FileSystem, error) {
	if err := n.begin(OpSpace, ""); err != nil {
		return FileSystem{}, err
	}
	defer n.end()
	fd := n.fd
	if n.flags.Has(PathOnly) { // the UUID is asked of an open file
		if open, err := unix.Open(n.procPath(), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0); err == nil {
			defer unix.Close(open)
			fd = open
		}
	}
	fs, err := fileSystem(fd)
	return fs, fail(OpSpace, n.name, err)
}

func fileSystem(fd int) (FileSystem, error) {
	var s unix.Statfs_t
	if err := unix.Fstatfs(fd, &s); err != nil {
		return FileSystem{}, err
	}
	fsid := fsidString(s.Fsid.Val)
	if s.Type == zfsMagic { // its fsid is the guid of the dataset
		return FileSystem{digest("zfs", fsid), "zfs " + fsid, "zfs"}, nil
	}
	m, err := mountOf(fd)
	if err != nil {
		return FileSystem{}, err
	}
	uuid, ok := uuidOf(fd)
	if !ok {
		uuid, ok = uuidByKind(fd, uint32(s.Type))
	}
	if !ok {
		uuid, ok = uuidOfDevice(m.source)
	}
	switch {
	case !ok:
		return FileSystem{digest(m.kind, m.source, fsid), m.kind + " " + m.source, m.kind}, nil
	case uint32(s.Type) == unix.BTRFS_SUPER_MAGIC: // its fsid is UUID and subvolume in one
		return FileSystem{digest(string(uuid[:]), fsid), "btrfs " + uuidString(uuid) + " " + fsid, m.kind}, nil
	case m.inMemory(): // the UUID is of this mount
		return FileSystem{uuid, m.kind + " " + m.source, m.kind}, nil
	}
	return FileSystem{uuid, "uuid " + uuidString(uuid), m.kind}, nil
}

// uuidOf asks the file system itself (Linux 6.9).
func uuidOf(fd int) (uuid [16]byte, ok bool) {
	const getFSUUID = 0x80111500 // FS_IOC_GETFSUUID: _IOR(0x15, 0, struct fsuuid2)
	var u struct {
		size uint8
		uuid [16]byte
	}
	ok = ioctl(fd, getFSUUID, unsafe.Pointer(&u))
	return u.uuid, ok && u.size > 0 && u.uuid != uuid
}

// uuidByKind asks in the way that the kind of file system had before there was
// one for all. What it is mounted from can't stand in: that is another device at
// another time.
func uuidByKind(fd int, magic uint32) (uuid [16]byte, ok bool) {
	// The layouts of the kernel, as far as to the UUID, with their sizes.
	switch magic {
	case unix.EXT4_SUPER_MAGIC:
		const getUUID = 0x8008662c // EXT4_IOC_GETFSUUID (Linux 6.0): _IOR('f', 44, struct fsuuid)
		v := struct {
			size, flags uint32
			uuid        [16]byte
		}{size: 16}
		ok = ioctl(fd, getUUID, unsafe.Pointer(&v))
		return v.uuid, ok && v.uuid != uuid
	case unix.XFS_SUPER_MAGIC:
		const geometry = 0x80705864 // XFS_IOC_FSGEOMETRY_V1: _IOR('X', 100, struct xfs_fsop_geom_v1)
		var v struct {
			_    [64]byte
			uuid [16]byte
			_    [32]byte
		}
		ok = ioctl(fd, geometry, unsafe.Pointer(&v))
		return v.uuid, ok && v.uuid != uuid
	case unix.BTRFS_SUPER_MAGIC:
		const info = 0x8400941f // BTRFS_IOC_FS_INFO: _IOR(0x94, 31, struct btrfs_ioctl_fs_info_args)
		var v struct {
			_    [16]byte
			uuid [16]byte
			_    [992]byte
		}
		ok = ioctl(fd, info, unsafe.Pointer(&v))
		return v.uuid, ok && v.uuid != uuid
	}
	return uuid, false
}

func ioctl(fd int, request uintptr, arg unsafe.Pointer) bool {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(arg))
	return errno == 0
}

// uuidOfDevice looks device up among the links that udev keeps.
func uuidOfDevice(device string) (uuid [16]byte, ok bool) {
	const dir = "/dev/disk/by-uuid"
	want, err := filepath.EvalSymlinks(device)
	if err != nil || !strings.HasPrefix(want, "/dev/") {
		return uuid, false
	}
	links, err := os.ReadDir(dir)
	if err != nil {
		return uuid, false
	}
	for _, l := range links {
		if to, err := filepath.EvalSymlinks(filepath.Join(dir, l.Name())); err == nil && to == want {
			return parseUUID(l.Name()), true
		}
	}
	return uuid, false
}

// parseUUID reads a UUID; the shorter serial numbers of FAT and NTFS are
// made into one.
func parseUUID(s string) (uuid [16]byte) {
	b, err := hex.DecodeString(strings.ReplaceAll(s, "-", ""))
	if err != nil || len(b) != len(uuid) {
		return digest(s)
	}
	copy(uuid[:], b)
	return uuid
}

func uuidString(u [16]byte) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

// mountEntry is a line of the mount table.
type mountEntry struct {
	id           int64
	kind, source string // "ext4", "/dev/sda1"
}

func (m mountEntry) inMemory() bool {
	return m.kind == "tmpfs" || m.kind == "devtmpfs" || m.kind == "ramfs" || m.kind == "overlay"
}

// mountOf finds the mount that fd was opened through.
func mountOf(fd int) (mountEntry, error) {
	var x unix.Statx_t
	if err := statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_MNT_ID, &x); err != nil {
		return mountEntry{}, err
	}
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return mountEntry{}, err
	}
	for line := range strings.Lines(string(table)) {
		if m, ok := parseMount(line); ok && m.id == int64(x.Mnt_id) {
			return m, nil
		}
	}
	return mountEntry{kind: "unknown"}, nil // mounted in a place that this process doesn't see
}

// parseMount reads a line such as
//
//	36 35 98:0 /root /mnt rw,noatime shared:1 - ext4 /dev/sda1 rw,errors=continue
func parseMount(line string) (m mountEntry, ok bool) {
	before, after, ok := strings.Cut(line, " - ")
	if !ok {
		return m, false
	}
	id, _, _ := strings.Cut(before, " ")
	m.id, _ = strconv.ParseInt(id, 10, 64)
	fields := strings.Fields(after)
	if m.id == 0 || len(fields) < 2 {
		return m, false
	}
	m.kind, m.source = fields[0], unescapeMount(fields[1])
	return m, true
}

// unescapeMount undoes the octal escapes that the kernel writes for blanks and
// backslashes.
func unescapeMount(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		if s[0] == '\\' && len(s) >= 4 {
			if c, err := strconv.ParseUint(s[1:4], 8, 8); err == nil {
				b.WriteByte(byte(c))
				s = s[4:]
				continue
			}
		}
		b.WriteByte(s[0])
		s = s[1:]
	}
	return b.String()
}
