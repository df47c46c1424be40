package meta

import (
	"strings"

	"github.com/dozo-server/dozo/internal/fold"
	"github.com/dozo-server/dozo/vfs"
)

// A named stream is an extended attribute of the node, in one of three forms:
//
//	user.DosStream.NAME:$DATA  Samba's, with a zero behind the value; the form of what is made
//	user.DosStream.NAME        the same with store_stream_type=no
//	user.NAME                  netatalk's and of local programs, the value alone
//
// On disk stands the plain character where a client can only send a private one.
const (
	userPrefix   = "user."
	streamPrefix = "user.DosStream."
	streamSuffix = ":$DATA"

	// forkAttr holds a resource fork where netatalk keeps it in an attribute, and
	// Samba with fruit:resource=xattr.
	forkAttr = "user.org.netatalk.ResourceFork"

	// maxAttrName is the longest name of an extended attribute in bytes.
	maxAttrName = 255

	// MaxValue is the longest stream in bytes that is tried to keep as an
	// attribute: to change one means to write all of it. Linux holds 64 kB.
	MaxValue = 16 << 10
	// MaxAttr is the longest value of an attribute there can be.
	MaxAttr = 64 << 10
)

// Attributes of the user's that hold something else, by what follows userPrefix.
// What netatalk and dozo keep are further ones.
var noStreams = map[string]bool{"DOSATTRIB": true, "SAMBA_PAI": true, "DosStream." + vfs.FinderInfo: true}

// StreamAttr is an extended attribute that holds a stream.
type StreamAttr struct {
	Attr string // its name
	Name string // of the stream, with plain characters
	zero bool   // a zero follows the value
}

// NewStreamAttr returns the attribute that a new stream called name is kept in,
// false where that can't be for the length of its name.
func NewStreamAttr(name string) (StreamAttr, bool) {
	a := StreamAttr{streamPrefix + name + streamSuffix, name, true}
	return a, len(a.Attr) <= maxAttrName
}

// StreamOf returns the stream that the attribute called attr holds, if it does.
func StreamOf(attr string) (a StreamAttr, ok bool) {
	if name, ok := strings.CutPrefix(attr, streamPrefix); ok {
		name = strings.TrimSuffix(name, streamSuffix)
		return StreamAttr{attr, name, true}, name != "" && !strings.EqualFold(name, vfs.FinderInfo) && isStreamName(name)
	}
	if attr == forkAttr {
		return StreamAttr{attr, vfs.ResourceFork, false}, true
	}
	name, ok := strings.CutPrefix(attr, userPrefix)
	if !ok || noStreams[name] || strings.HasPrefix(name, "org.netatalk.") || strings.HasPrefix(name, "dozo.") {
		return StreamAttr{}, false
	}
	switch name {
	case "com.apple.FinderInfo", "com.apple.ResourceFork":
		return StreamAttr{}, false
	}
	return StreamAttr{attr, name, false}, isStreamName(name)
}

// isStreamName reports whether a client can be shown name.
func isStreamName(name string) bool {
	return vfs.CheckStreamName(ShownStream(name)) == nil
}

// Value returns the bytes of the stream in the value of its attribute.
func (a StreamAttr) Value(b []byte) []byte {
	if a.zero && len(b) > 0 && b[len(b)-1] == 0 {
		return b[:len(b)-1]
	}
	return b
}

// Pack appends to dst the attribute's value for the bytes b.
func (a StreamAttr) Pack(dst, b []byte) []byte {
	dst = append(dst, b...)
	if a.zero {
		dst = append(dst, 0)
	}
	return dst
}

// IsFork reports whether the attribute holds a resource fork.
func (a StreamAttr) IsFork() bool { return strings.EqualFold(a.Name, vfs.ResourceFork) }

// PlainStream returns how the name of a stream that a client sent is spelled on
// disk.
func PlainStream(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); {
		r, size := fold.Decode(name[i:])
		if fold.IsPrivate(r) {
			b.WriteByte(fold.Plain(r))
		} else {
			b.WriteString(name[i : i+size])
		}
		i += size
	}
	return b.String()
}

// ShownStream returns how clients see a stream: those characters that can't be in
// a name of theirs as private ones.
func ShownStream(name string) string {
	if !strings.ContainsAny(name, `:\`) {
		return name
	}
	var b strings.Builder
	for i := range len(name) {
		switch c := name[i]; c {
		case ':', '\\':
			b.WriteRune(fold.Private(c, false))
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// Form ranks the forms: of two attributes for one stream, the one with the higher
// Form counts.
func (a StreamAttr) Form() int {
	switch {
	case a.zero && strings.HasSuffix(a.Attr, streamSuffix):
		return 2
	case a.zero:
		return 1
	}
	return 0
}
