package auth

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

// People lists the accounts of a machine that are of people, in the order of the
// file: those of passwd, in the form of /etc/passwd, whose numbers are in the
// range that login.defs says, in the form of /etc/login.defs. Without that file,
// nil, it is 1000 to 60000. Whether they have a shell is of no matter: who only
// uses files needs none.
func People(passwd, loginDefs io.Reader) ([]string, error) {
	first, last := uint64(1000), uint64(60000)
	if loginDefs != nil {
		lines := bufio.NewScanner(loginDefs)
		for lines.Scan() {
			f := strings.Fields(lines.Text())
			if len(f) < 2 {
				continue
			}
			n, err := strconv.ParseUint(f[1], 0, 32)
			switch {
			case err != nil:
			case f[0] == "UID_MIN":
				first = n
			case f[0] == "UID_MAX":
				last = n
			}
		}
		if err := lines.Err(); err != nil {
			return nil, err
		}
	}
	var names []string
	lines := bufio.NewScanner(passwd)
	for lines.Scan() {
		f := strings.Split(lines.Text(), ":")
		if len(f) < 7 || checkName(f[0]) != nil { // a comment, or "+" of NIS
			continue
		}
		if uid, err := strconv.ParseUint(f[2], 10, 32); err == nil && first <= uid && uid <= last {
			names = append(names, f[0])
		}
	}
	return names, lines.Err()
}
