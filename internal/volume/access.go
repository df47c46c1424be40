package volume

import (
	"context"
	"strings"

	"github.com/dozo-server/dozo/internal/disk"
	"github.com/dozo-server/dozo/vfs"
)

// What the permission bits mean to files and folders. Everybody who reaches a
// node may look at it.
const (
	always  = vfs.ReadAttr | vfs.ReadXattr | vfs.ReadControl | vfs.Synchronize
	byOwner = vfs.WriteAttr | vfs.WriteControl | vfs.WriteOwner
	byRead  = vfs.ReadData
	byWrite = vfs.WriteData | vfs.AppendData | vfs.WriteXattr | vfs.WriteAttr | vfs.DeleteChild
	byExec  = vfs.Execute
)

// rights returns what a may do with the node n, but for vfs.Delete, which its
// folder decides.
func (v *Volume) rights(a *account, n *disk.Node, st *disk.Stat) vfs.Access {
	all := vfs.AllAccess &^ vfs.Delete
	if st.Type == vfs.TypeSymlink {
		all &^= reads | writes
	}
	if a.isRoot() {
		return v.writable(all)
	}
	may := always
	if a.UID == st.UID {
		may |= byOwner
	}
	if a.may(n, st, disk.MayRead) {
		may |= byRead
	}
	if a.may(n, st, disk.MayWrite) {
		may |= byWrite
	}
	// A client that may read a file may run it: it does so on its own machine.
	if st.Type == vfs.TypeFile && may.Has(byRead) || a.may(n, st, disk.MayExecute) {
		may |= byExec
	}
	return v.writable(may & all)
}

// may reports whether a may use n in the way r. Of their own files the
// permission bits say all; of others there may be an access control list, so
// the system is asked.
func (a *account) may(n *disk.Node, st *disk.Stat, r disk.Rights) bool {
	if a.UID == st.UID {
		return st.Mode>>6&uint32(r) != 0
	}
	return n.Access(a.cred, r) == nil
}

// writable takes away what nobody may on a read-only disk.
func (v *Volume) writable(may vfs.Access) vfs.Access {
	if v.isReadOnly() {
		may &^= vfs.Changing
	}
	return may
}

// mayUnlink reports whether a may take the name of f, whose node has the
// attributes st, out of its folder.
func (v *Volume) mayUnlink(ctx context.Context, a *account, f *file, st *disk.Stat) bool {
	if v.isReadOnly() || f.Path() == "" {
		return false
	}
	if a.isRoot() {
		return true
	}
	owner := st.UID
	if f.link != nil {
		link, err := f.link.Stat()
		if err != nil {
			return false
		}
		owner = link.UID
	}
	return v.tree.MayUnlink(ctx, a.cred, f.name, owner)
}

// openFolder opens the folder that path is in, as the process.
func (v *Volume) openFolder(ctx context.Context, path string, exact bool) (*disk.Node, disk.Stat, error) {
	dir := ""
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		dir = path[:i]
	}
	n, p, err := v.tree.Open(ctx, nil, dir, disk.How{Flags: disk.PathOnly | disk.Directory}, exact)
	if err != nil {
		return nil, disk.Stat{}, err
	}
	p.Release()
	st, err := n.Stat()
	if err != nil {
		n.Close()
		return nil, disk.Stat{}, err
	}
	return n, st, nil
}
