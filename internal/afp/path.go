package afp

import (
	"context"
	"strings"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/vfs"
)

// resolve returns the path in the tree of what p leads to from a folder.
func (v *volume) resolve(ctx context.Context, dir afpwire.NodeID, p afpwire.Path) (string, error) {
	at, above := "", dir == afpwire.RootParent
	if !above {
		var err error
		if at, err = v.tree.Find(ctx, uint32(dir)); err != nil {
			return "", err
		}
	}
	for step := range p.Steps() {
		switch {
		case step == afpwire.Parent && above:
			return "", afpwire.ResultObjectNotFound
		case step == afpwire.Parent && at == "":
			above = true
		case step == afpwire.Parent:
			at = parent(at)
		case above:
			if name, err := treeName(step, p.Type); err != nil || !strings.EqualFold(name, v.tree.Share().Name()) {
				return "", afpwire.ResultObjectNotFound
			}
			above = false
		default:
			name, err := v.step(ctx, at, step, p.Type)
			if err != nil {
				return "", err
			}
			at = join(at, name)
		}
	}
	if above {
		return "", afpwire.ResultObjectNotFound
	}
	return at, nil
}

// step returns the name in a folder that a client means by a name.
func (v *volume) step(ctx context.Context, folder, wire string, kind afpwire.PathType) (string, error) {
	if kind != afpwire.UTF8Names {
		if number, ok := numberIn(wire); ok {
			if at, err := v.tree.Find(ctx, number); err == nil && parent(at) == folder && longName(base(at), number) == wire {
				return base(at), nil
			}
		}
	}
	return treeName(wire, kind)
}

// target returns the path of what is to stand in a folder by a new name.
func (v *volume) target(ctx context.Context, folder string, p afpwire.Path) (string, error) {
	name, err := v.step(ctx, folder, p.Name, p.Type)
	if err != nil {
		return "", err
	}
	return join(folder, name), nil
}

func join(folder, name string) string {
	if folder == "" {
		return name
	}
	return folder + "/" + name
}

func parent(path string) string { return path[:max(0, strings.LastIndexByte(path, '/'))] }

func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// isMissing reports whether an error says that something is not there.
func isMissing(err error) bool {
	return vfs.IsKind(err, vfs.KindNotExist) || vfs.IsKind(err, vfs.KindPathNotExist)
}
