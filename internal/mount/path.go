package mount

import (
	"path/filepath"
	"strings"
)

// RealPath is path without symbolic links, as far as it exists, absolute.
func RealPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	for dir, rest := path, ""; ; dir, rest = filepath.Dir(dir), filepath.Join(filepath.Base(dir), rest) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest), nil
		}
		if dir == filepath.Dir(dir) {
			return path, nil
		}
	}
}

// Overlap reports whether two paths are one, or one is below the other. Both
// are clean and absolute.
func Overlap(a, b string) bool { return within(a, b) || within(b, a) }

// within reports whether path is dir or below it.
func within(path, dir string) bool {
	return path == dir || dir == "/" || strings.HasPrefix(path, dir+"/")
}
