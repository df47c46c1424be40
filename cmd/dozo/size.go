package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// size is a number of bytes as people write it: 512M, 2GiB, 1000000.
type size int64

// UnmarshalText reads "", K, M, G or T, in powers of 1024, after a number.
func (s *size) UnmarshalText(text []byte) error {
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
	*s = size(n << (10 * power))
	return nil
}
