package smb

import (
	"strings"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// named is what a name in a CREATE says it is the name of.
type named int

const (
	anything named = iota
	aFile
	aFolder
)

// pathOf returns the path within a share of a name that a client sends
// ([MS-FSCC] 2.1.5). It refuses what no file can be called; what a disk can't
// hold is up to the disk.
func pathOf(name string) (string, error) {
	path, what, err := parseName(name)
	if err == nil && what != anything {
		err = smbwire.StatusObjectNameInvalid
	}
	return path, err
}

// parseName is pathOf for CREATE, whose names may say what they name: by a
// backslash at the end, or by the type of a stream ([MS-FSA] 2.1.5.1). There
// are no named streams here, only the one that each file is.
func parseName(name string) (path string, what named, err error) {
	if strings.HasPrefix(name, `\`) {
		return "", anything, smbwire.StatusInvalidParameter
	}
	last := strings.LastIndexByte(name, '\\')
	if at := strings.IndexByte(name[last+1:], ':'); at >= 0 {
		at += last + 1
		if what, err = streamType(name[at:]); err != nil {
			return "", anything, err
		}
		name = name[:at]
		if at == last+1 && what == aFile {
			return "", anything, smbwire.StatusObjectNameInvalid
		}
	} else if last >= 0 && last == len(name)-1 {
		name, what = name[:last], aFolder
	}
	if name == "" {
		return "", what, nil
	}
	for i := range len(name) {
		if c := name[i]; c < ' ' || invalidInName[c] {
			return "", anything, smbwire.StatusObjectNameInvalid
		}
	}
	upwards := false
	for part := range strings.SplitSeq(name, `\`) {
		switch part {
		case "", ".":
			return "", anything, smbwire.StatusObjectNameInvalid
		case "..":
			upwards = true
		}
	}
	path = strings.ReplaceAll(name, `\`, "/")
	if upwards {
		path, err = withoutUpwards(path)
	}
	return path, what, err
}

// withoutUpwards takes the ".." out of a path together with what is before
// each. Windows' own clients do that before they send a name; others leave it to
// the server, which must not let them out of the share.
func withoutUpwards(path string) (string, error) {
	var way []string
	for part := range strings.SplitSeq(path, "/") {
		switch {
		case part != "..":
			way = append(way, part)
		case len(way) == 0:
			return "", smbwire.StatusObjectPathSyntaxBad
		default:
			way = way[:len(way)-1]
		}
	}
	return strings.Join(way, "/"), nil
}

// invalidInName are the characters from the space on that no name holds: those
// of wildcards, streams and other systems' paths.
var invalidInName = [256]bool{'"': true, '*': true, '/': true, ':': true, '<': true, '>': true, '?': true, '|': true}

// streamType returns what the stream part of a name says, ":name:type".
func streamType(s string) (named, error) {
	switch strings.ToUpper(s) {
	case "::$DATA":
		return aFile, nil
	case "::$INDEX_ALLOCATION", ":$I30:$INDEX_ALLOCATION":
		return aFolder, nil
	}
	return anything, smbwire.StatusObjectNameInvalid
}
