package config

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Signing says whether clients must sign.
type Signing string

// The choices.
const (
	SigningRequired Signing = "required"
	SigningOffered  Signing = "offered"
)

// Guest says what those without an account may do.
type Guest string

// The choices.
const (
	GuestNone  Guest = "none"
	GuestRead  Guest = "read"
	GuestWrite Guest = "write"
)

// Case says whether names that differ in case only are one.
type Case string

// The choices.
const (
	CaseInsensitive Case = "insensitive"
	CaseSensitive   Case = "sensitive"
)

// DefaultCase is the case of new names that do not keep their own.
type DefaultCase string

// The choices.
const (
	DefaultLower DefaultCase = "lower"
	DefaultUpper DefaultCase = "upper"
)

func (Signing) choices() []string     { return []string{"required", "offered"} }
func (Guest) choices() []string       { return []string{"none", "read", "write"} }
func (Case) choices() []string        { return []string{"insensitive", "sensitive"} }
func (DefaultCase) choices() []string { return []string{"lower", "upper"} }

// choice is a type that has a few values only.
type choice interface{ choices() []string }

// UnmarshalText reads one of the choices, for a flag.
func (s *Signing) UnmarshalText(text []byte) error {
	if !slices.Contains(s.choices(), string(text)) {
		return fmt.Errorf("%q is none of %s", text, quoted(s.choices()))
	}
	*s = Signing(text)
	return nil
}

// quoted is `"none", "read" or "write"`.
func quoted(words []string) string {
	var all strings.Builder
	for i, w := range words {
		switch {
		case i > 0 && i == len(words)-1:
			all.WriteString(" or ")
		case i > 0:
			all.WriteString(", ")
		}
		all.WriteString(strconv.Quote(w))
	}
	return all.String()
}

// Folder is the whole path of a folder.
type Folder string

// UnmarshalText takes a path from the root on.
func (f *Folder) UnmarshalText(text []byte) error {
	if !filepath.IsAbs(string(text)) {
		return fmt.Errorf("%q does not begin with /", text)
	}
	*f = Folder(filepath.Clean(string(text)))
	return nil
}

// File is the whole path of a file.
type File string

// UnmarshalText takes a path from the root on.
func (f *File) UnmarshalText(text []byte) error {
	var path Folder
	err := path.UnmarshalText(text)
	*f = File(path)
	return err
}

// FolderName is the name of a folder, without a path.
type FolderName string

// UnmarshalText takes a name that clients can send.
func (n *FolderName) UnmarshalText(text []byte) error {
	name := string(text)
	if strings.Trim(name, ".") == "" || strings.ContainsAny(name, "/\\*?:<>|\"\x00") || !utf8.ValidString(name) || len(name) > maxFolderName {
		return fmt.Errorf("%q is no name of a folder", name)
	}
	*n = FolderName(name)
	return nil
}

// maxFolderName is what most disks take, in bytes.
const maxFolderName = 255

// ShareName is what clients call a share.
type ShareName string

// maxShareName is the longest name that all clients take ([MS-SMB2] 2.2.9
// leaves it open, Windows does not).
const maxShareName = 80

// UnmarshalText takes a name that all clients take.
func (n *ShareName) UnmarshalText(text []byte) error {
	if fault := ShareName(text).Fault(); fault != "" {
		return fmt.Errorf("%q %s", text, fault)
	}
	*n = ShareName(text)
	return nil
}

// Fault says why a share can't have the name, "" if it can.
func (n ShareName) Fault() string {
	name := string(n)
	switch lower := strings.ToLower(name); {
	case name == "/" || name == "":
		return "has no name of its own"
	case !utf8.ValidString(name):
		return "is not UTF-8"
	case utf8.RuneCountInString(name) > maxShareName:
		return fmt.Sprintf("is longer than %d letters", maxShareName)
	case lower == "ipc$" || lower == "admin$" || lower == "print$" || lower == "global":
		return "means something else to clients"
	case strings.TrimSpace(name) != name || strings.ContainsFunc(name, notInName):
		return "has letters that clients don't take"
	}
	return ""
}

func notInName(r rune) bool {
	return r < 0x20 || r == 0x7f || strings.ContainsRune(`"/\[]:|<>+=;,*?`, r)
}

// Port is a TCP port; 0 is none in particular.
type Port uint16

// Days is a number of days; 0 is none.
type Days uint16

// maxDays is a century, about.
const maxDays = 36500

// Size is a number of bytes as people write it: 512M, 2GiB, 1000000.
type Size int64

// UnmarshalText reads "", K, M, G or T, in powers of 1024, after a number.
func (s *Size) UnmarshalText(text []byte) error {
	word := strings.ToUpper(string(text))
	digits := strings.TrimRight(word, "KMGTIB")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n <= 0 {
		return fmt.Errorf("%q is no size; write it like 512M or 2G", text)
	}
	unit := strings.TrimSuffix(strings.TrimSuffix(word[len(digits):], "B"), "I")
	power := strings.Index("KMGT", unit) + 1
	if unit == "" {
		power = 0
	} else if len(unit) != 1 {
		return fmt.Errorf("%q is no size; write it like 512M or 2G", text)
	}
	if n > math.MaxInt64>>(10*power) {
		return fmt.Errorf("%s is more than there is", text)
	}
	*s = Size(n << (10 * power))
	return nil
}

// String is what UnmarshalText reads, in the largest unit without a fraction.
func (s Size) String() string {
	n, unit := int64(s), 0
	for n != 0 && n%1024 == 0 && unit < len("KMGT") {
		n /= 1024
		unit++
	}
	return strconv.FormatInt(n, 10) + [...]string{"", "K", "M", "G", "T"}[unit]
}

// Mode is permission bits, at most 0777.
type Mode uint32

// UnmarshalText reads an octal number.
func (m *Mode) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 8, 32)
	if err != nil || n > 0o777 {
		return fmt.Errorf("%q is no permission bits; write them in octal, from 0000 to 0777", text)
	}
	*m = Mode(n)
	return nil
}

func (m Mode) String() string { return fmt.Sprintf("%04o", uint32(m)) }

// Mask is permission bits of which there is at least one.
type Mask uint32

// UnmarshalText reads an octal number.
func (m *Mask) UnmarshalText(text []byte) error {
	var mode Mode
	if err := mode.UnmarshalText(text); err != nil {
		return err
	}
	if mode == 0 {
		return fmt.Errorf("with %q nobody could open what is new", text)
	}
	*m = Mask(mode)
	return nil
}

func (m Mask) String() string { return Mode(m).String() }
