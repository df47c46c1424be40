package mdns

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLabel is the size of the longest part of a name, in bytes.
const maxLabel = 63

// HostLabel makes the first part of a host's name out of a name: letters of
// ASCII, digits and hyphens inside, in lower case, 63 at most. What has none of
// them becomes "dozo".
func HostLabel(name string) string {
	label := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			return r
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, name)
	label = strings.Trim(label, "-")
	label = strings.TrimRight(label[:min(len(label), maxLabel)], "-")
	if label == "" || label == "localhost" {
		return "dozo"
	}
	return label
}

// InstanceLabel makes the name of a service, which people read, out of a name:
// at most 63 bytes of UTF-8 without control characters. A dot becomes a
// hyphen: some programs take it for the end of the label.
func InstanceLabel(name string) string {
	label := strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError || unicode.IsControl(r):
			return -1
		case r == '.':
			return '-'
		}
		return r
	}, name)
	if label = strings.TrimSpace(cut(strings.TrimSpace(label), maxLabel)); label == "" {
		return "dozo"
	}
	return label
}

// cut shortens s to at most n bytes, between two characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// nextHost is the label to try after one that another host has: nas, nas-2,
// nas-3.
func nextHost(label string) string {
	stem, n := label, 2
	if i := strings.LastIndexByte(label, '-'); i > 0 {
		if last, ok := counted(label[i+1:]); ok {
			stem, n = label[:i], last+1
		}
	}
	end := "-" + strconv.Itoa(n)
	return strings.TrimRight(stem[:min(len(stem), maxLabel-len(end))], "-") + end
}

// nextInstance is the label to try after one that another host has: NAS,
// NAS (2), NAS (3).
func nextInstance(label string) string {
	stem, n := label, 2
	if i := strings.LastIndex(label, " ("); i > 0 && strings.HasSuffix(label, ")") {
		if last, ok := counted(label[i+2 : len(label)-1]); ok {
			stem, n = label[:i], last+1
		}
	}
	end := fmt.Sprintf(" (%d)", n)
	return cut(stem, maxLabel-len(end)) + end
}

// counted reads a number that nextHost or nextInstance may have put there.
func counted(digits string) (int, bool) {
	n, err := strconv.Atoi(digits)
	return n, err == nil && n >= 2 && n < 1_000_000 && digits[0] != '0' && digits[0] != '+'
}
