package smbwire

import (
	"errors"
	"strconv"
	"strings"

	"github.com/dozo-server/dozo/internal/cursor"
)

// maxSubAuthorities is the most a SID has ([MS-DTYP] 2.4.2).
const maxSubAuthorities = 15

// SID is a security identifier: it names a user, a group or a machine
// ([MS-DTYP] 2.4.2). SIDs are comparable with ==; the zero SID stands for none.
type SID struct {
	Authority uint64 // of 48 bits
	count     uint8
	sub       [maxSubAuthorities]uint32
}

// NewSID returns the SID with the given parts; sub authorities beyond the
// fifteenth are dropped.
func NewSID(authority uint64, sub ...uint32) SID {
	s := SID{Authority: authority & (1<<48 - 1)}
	s.count = uint8(copy(s.sub[:], sub))
	return s
}

// IsZero reports whether s stands for no SID.
func (s SID) IsZero() bool { return s == SID{} }

// SubAuthorities returns the parts after the authority.
func (s SID) SubAuthorities() []uint32 { return s.sub[:s.count] }

// Child returns s with one more part: the account rid of the domain s.
func (s SID) Child(rid uint32) SID {
	if s.count < maxSubAuthorities {
		s.sub[s.count] = rid
		s.count++
	}
	return s
}

// Split returns the domain of an account and its last part. It is the inverse
// of Child; ok is false when there is no last part.
func (s SID) Split() (domain SID, rid uint32, ok bool) {
	if s.count == 0 {
		return s, 0, false
	}
	s.count--
	rid, s.sub[s.count] = s.sub[s.count], 0
	return s, rid, true
}

// Size returns how many bytes the SID takes on the wire.
func (s SID) Size() int { return 8 + 4*int(s.count) }

// String returns the form S-1-5-21-... ([MS-DTYP] 2.4.2.1).
func (s SID) String() string {
	b := []byte("S-1-")
	if s.Authority < 1<<32 {
		b = strconv.AppendUint(b, s.Authority, 10)
	} else {
		const digits = "0123456789ABCDEF"
		b = append(b, "0x"...)
		for shift := 44; shift >= 0; shift -= 4 {
			b = append(b, digits[s.Authority>>shift&15])
		}
	}
	for _, sub := range s.SubAuthorities() {
		b = append(b, '-')
		b = strconv.AppendUint(b, uint64(sub), 10)
	}
	return string(b)
}

var errSIDSyntax = errors.New("not a SID, which begins with S-1-")

// ParseSID reads the form that String writes.
func ParseSID(text string) (SID, error) {
	parts := strings.Split(text, "-")
	if len(parts) < 3 || len(parts) > 3+maxSubAuthorities || parts[0] != "S" || parts[1] != "1" {
		return SID{}, errSIDSyntax
	}
	digits, base := parts[2], 10
	if hex, ok := strings.CutPrefix(digits, "0x"); ok {
		digits, base = hex, 16
	}
	authority, err := strconv.ParseUint(digits, base, 48)
	if err != nil {
		return SID{}, errSIDSyntax
	}
	s := NewSID(authority)
	for _, part := range parts[3:] {
		sub, err := strconv.ParseUint(part, 10, 32)
		if err != nil {
			return SID{}, errSIDSyntax
		}
		s = s.Child(uint32(sub))
	}
	return s, nil
}

// Decode reads a SID.
func (s *SID) Decode(r *cursor.Reader) {
	*s = SID{}
	revision, count := r.U8(), r.U8()
	if r.Err() == nil && (revision != 1 || count > maxSubAuthorities) {
		r.Failf("SID of revision %d with %d parts", revision, count)
	}
	s.Authority = uint64(r.BE16())<<32 | uint64(r.BE32())
	if r.Err() != nil {
		return
	}
	s.count = count
	for i := range s.sub[:count] {
		s.sub[i] = r.U32()
	}
}

// Encode writes what Decode reads.
func (s SID) Encode(w *cursor.Writer) {
	w.U8(1)
	w.U8(s.count)
	w.BE16(uint16(s.Authority >> 32))
	w.BE32(uint32(s.Authority))
	for _, sub := range s.SubAuthorities() {
		w.U32(sub)
	}
}
