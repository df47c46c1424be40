package afp

import "github.com/dozo-server/dozo/internal/afp/afpwire"

// version is that of the protocol, which a client chooses at its login.
type version int

const (
	afp22 version = 22
	afp30 version = 30
	afp34 version = 34
)

// versions are those that are spoken, the best first.
var versions = []struct {
	name    string
	version version
}{
	{afpwire.Version34, afp34},
	{afpwire.Version33, 33},
	{afpwire.Version32, 32},
	{afpwire.Version31, 31},
	{afpwire.Version30, afp30},
	{afpwire.Version22, afp22},
}

// versionNamed finds a version by its name.
func versionNamed(name string) (version, bool) {
	for _, v := range versions {
		if v.name == name {
			return v.version, true
		}
	}
	return 0, false
}

// utf8 reports whether names may come in UTF-8.
func (v version) utf8() bool { return v >= afp30 }
