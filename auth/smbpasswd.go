package auth

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// SambaList is what Samba knows of users and its machine.
type SambaList struct {
	Users []SambaUser
	SID   string // of the machine, "" where the list does not tell
}

// SambaUser is a user of Samba's.
type SambaUser struct {
	Record         // without what SRP needs, which no hash can make
	Line     int   // where in the list
	UID      int64 // of the account that the user had there, below 0 for none
	Machine  bool  // it is the account of a computer or a domain, not of a person
	WasEmpty bool  // there was a password, and it was empty
}

// maxSambaLine bounds a line, in bytes. Those of Samba have some 100.
const maxSambaLine = 4096

// ReadSambaList reads what "pdbedit -Lw" prints, which is also the form of the
// file smbpasswd:
//
//	anna:1000:<LM hash>:<NT hash>:[U          ]:LCT-692CBE4E:
//
// and the line that "net getlocalsid" prints. It is all or nothing: the error
// names the first line that is damaged.
func ReadSambaList(r io.Reader) (*SambaList, error) {
	list := &SambaList{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxSambaLine)
	seen := map[string]int{}
	n := 0
	for lines.Scan() {
		n++
		line := strings.TrimRight(lines.Text(), "\r")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if sid, ok := sidLine(line); ok {
			list.SID = sid
			continue
		}
		u, err := sambaUser(line)
		if err != nil {
			return nil, fmt.Errorf("line %d is damaged: %w", n, err)
		}
		if before := seen[fold(u.Name)]; before != 0 {
			return nil, fmt.Errorf("line %d is damaged: the user %s was in line %d", n, u.Name, before)
		}
		seen[fold(u.Name)], u.Line = n, n
		list.Users = append(list.Users, u)
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, fmt.Errorf("line %d is damaged: it is longer than %d bytes", n+1, maxSambaLine)
	}
	return list, lines.Err()
}

// sidLine reads "SID for domain FILES is: S-1-5-21-1-2-3", or the same of the
// "local machine".
func sidLine(line string) (sid string, ok bool) {
	head, sid, ok := strings.Cut(line, " is: ")
	return strings.TrimSpace(sid), ok && strings.HasPrefix(head, "SID for ")
}

func sambaUser(line string) (SambaUser, error) {
	f := strings.Split(line, ":")
	if len(f) < 5 {
		return SambaUser{}, errors.New("it is not of the form name:number:LM hash:NT hash:[flags] and more")
	}
	u := SambaUser{Record: Record{Name: f[0]}}
	if err := checkName(u.Name); err != nil {
		return u, err
	}
	var err error
	if u.UID, err = sambaUID(f[1]); err != nil {
		return u, err
	}
	if len(f[2]) != 2*len(u.NTHash) {
		return u, errors.New("the LM hash, which counts for nothing, is not of 32 characters")
	}
	if u.NTHash, err = sambaHash(f[3]); err != nil {
		return u, err
	}
	if u.NTHash == NTHash("") {
		u.WasEmpty, u.NTHash = true, [16]byte{}
	}
	flags, ok := strings.CutPrefix(f[4], "[")
	flags, closed := strings.CutSuffix(flags, "]")
	if !ok || !closed || strings.Trim(flags, "NDHTUMWSLXI ") != "" {
		return u, errors.New("the flags are not those that Samba has")
	}
	if strings.Contains(flags, "N") { // no password is needed, so Samba looks at none
		u.NTHash = [16]byte{}
	}
	u.Disabled = strings.Contains(flags, "D")
	u.Machine = strings.ContainsAny(flags, "WSI")
	return u, nil
}

// sambaUID reads a number of an account. Samba writes all ones where the account
// is gone.
func sambaUID(s string) (int64, error) {
	uid, err := strconv.ParseInt(s, 10, 64)
	if err != nil || uid < -1 || uid > 1<<32-1 {
		return 0, errors.New("the number of the account is not one")
	}
	if uid == 1<<32-1 {
		uid = -1
	}
	return uid, nil
}

// sambaHash reads an NT hash, zero where there is none. It does not quote what it
// can't read: it is a secret.
func sambaHash(s string) (hash [16]byte, err error) {
	none := strings.HasPrefix(s, "NO PASSWORD") || strings.Trim(s, "X") == "" || strings.Trim(s, "*") == ""
	if none && len(s) == 2*len(hash) {
		return hash, nil
	}
	if n, err := hex.Decode(hash[:], []byte(s[:min(len(s), 2*len(hash))])); err != nil || n != len(hash) || len(s) != 2*len(hash) {
		return [16]byte{}, errors.New("the NT hash is not 32 hexadecimal digits")
	}
	return hash, nil
}
