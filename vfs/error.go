package vfs

import "errors"

// Kind says what went wrong in words that every protocol can translate. Each
// protocol has one table from Kind to its own status, and a test that walks
// all Kinds.
type Kind uint8

// The kinds of errors. New ones are added at the end.
const (
	KindInternal      Kind = iota // a fault of the program or one nobody foresaw
	KindNotExist                  // the last component of a path is not there
	KindPathNotExist              // a component before the last is not there
	KindExist                     // the name is taken
	KindNotDir                    // a folder was needed
	KindIsDir                     // something that is no folder was needed
	KindNotEmpty                  // the folder still holds something
	KindAccess                    // the caller has no right to it
	KindReadOnly                  // the share or its disk is read-only
	KindNoSpace                   // the disk is full
	KindQuota                     // the caller's part of the disk is full
	KindTooLarge                  // the file would be larger than the disk can hold
	KindInvalidName               // this name can't be stored
	KindNameTooLong               // the name or path is too long
	KindInvalid                   // an argument that makes no sense
	KindUnsupported               // the FS has no such thing
	KindCrossDevice               // two places that are not on one file system
	KindLoop                      // too many symbolic links
	KindOutside                   // a symbolic link leads out of the share
	KindTooManyLinks              // the node has all the names it can have
	KindTooManyOpen               // no more descriptors
	KindNoMemory                  // a limit on memory was reached
	KindIO                        // the disk failed
	KindBusy                      // used by something that can't be interrupted
	KindClosed                    // the file was closed
	KindStale                     // the node or its whole volume is gone
	KindCanceled                  // the caller no longer waits
	KindSharing                   // another open does not share this use
	KindLocked                    // a byte range is locked by another
	KindRangeNotHeld              // an unlock of a range that is not locked
	KindDeletePending             // the file goes with its last close
	KindCannotDelete              // the node may not be deleted as it is
	KindNotGranted                // the open lacks the right for this use
	KindNoAttr                    // no such extended attribute or stream

	kinds // how many there are
)

// Kinds returns all kinds, for tests that walk them.
func Kinds() []Kind {
	all := make([]Kind, kinds)
	for i := range all {
		all[i] = Kind(i)
	}
	return all
}

var kindNames = [kinds]string{
	KindInternal:      "internal error",
	KindNotExist:      "no such file or folder",
	KindPathNotExist:  "no such folder on the way",
	KindExist:         "already exists",
	KindNotDir:        "not a folder",
	KindIsDir:         "is a folder",
	KindNotEmpty:      "folder is not empty",
	KindAccess:        "access denied",
	KindReadOnly:      "read-only",
	KindNoSpace:       "disk full",
	KindQuota:         "quota exceeded",
	KindTooLarge:      "file too large",
	KindInvalidName:   "name can't be stored",
	KindNameTooLong:   "name too long",
	KindInvalid:       "invalid argument",
	KindUnsupported:   "not supported",
	KindCrossDevice:   "not on the same file system",
	KindLoop:          "too many symbolic links",
	KindOutside:       "leads out of the share",
	KindTooManyLinks:  "too many names",
	KindTooManyOpen:   "too many open files",
	KindNoMemory:      "out of memory",
	KindIO:            "disk error",
	KindBusy:          "busy",
	KindClosed:        "file is closed",
	KindStale:         "no longer there",
	KindCanceled:      "canceled",
	KindSharing:       "in use by another program",
	KindLocked:        "range is locked by another program",
	KindRangeNotHeld:  "range is not locked",
	KindDeletePending: "is being deleted",
	KindCannotDelete:  "can't be deleted",
	KindNotGranted:    "not opened for this use",
	KindNoAttr:        "no such attribute",
}

func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return "unknown kind"
}

// Error says which operation failed on what, and why.
type Error struct {
	Kind Kind
	Op   string // "open", "rename"
	Path string
	Err  error // the cause, nil when Kind says it all
}

func (e *Error) Error() string {
	s := e.Op
	if e.Path != "" {
		s += " " + e.Path
	}
	if s != "" {
		s += ": "
	}
	s += e.Kind.String()
	if e.Err != nil {
		s += " (" + e.Err.Error() + ")"
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is an *Error of the same kind that names nothing
// else, such as those made by Kind.Error.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && *t == Error{Kind: e.Kind}
}

// NewError returns an *Error with the given parts.
func NewError(op, path string, kind Kind, cause error) error {
	return &Error{Kind: kind, Op: op, Path: path, Err: cause}
}

// KindOf returns the kind of err, KindInternal if it has none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return KindInternal
}

// IsKind reports whether err is of the given kind.
func IsKind(err error, kind Kind) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Kind == kind
}
