package netatalk

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
)

// Signatures reads afp_signature.conf: the 16 bytes by which clients know each
// server again, by its name.
func Signatures(r io.Reader) (map[string][16]byte, error) {
	all := map[string][16]byte{}
	err := pairs(r, func(name, value string) error {
		b, err := hex.DecodeString(value)
		if err != nil || len(b) != 16 {
			return fmt.Errorf("%q is no signature of 32 hexadecimal digits", value)
		}
		all[name] = [16]byte(b)
		return nil
	})
	return all, err
}

// VolumeUUIDs reads afp_voluuid.conf: the UUID by which Time Machine knows each
// volume again, by its name.
func VolumeUUIDs(r io.Reader) (map[string][16]byte, error) {
	all := map[string][16]byte{}
	err := pairs(r, func(name, value string) error {
		b, err := hex.DecodeString(strings.ReplaceAll(value, "-", ""))
		if err != nil || len(b) != 16 || len(value) != 36 {
			return fmt.Errorf("%q is no UUID", value)
		}
		all[name] = [16]byte(b)
		return nil
	})
	return all, err
}

// pairs reads lines of a name in quotation marks and a value. Others are
// comments.
func pairs(r io.Reader, each func(name, value string) error) error {
	lines := bufio.NewScanner(r)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if !strings.HasPrefix(line, `"`) {
			continue
		}
		end := strings.LastIndexByte(line, '"')
		if end == 0 {
			return fmt.Errorf("line %d: the name does not end", number)
		}
		if err := each(line[1:end], strings.TrimSpace(line[end+1:])); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
	return lines.Err()
}
