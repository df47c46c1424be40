package config

import (
	"fmt"
	"strings"
)

// Pattern is a name with * and ? as wildcards.
type Pattern string

// maxPattern is longer than any name, in bytes.
const maxPattern = 1024

// UnmarshalText takes what may match a name, and not every one.
func (p *Pattern) UnmarshalText(text []byte) error {
	switch word := string(text); {
	case strings.Trim(strings.Replace(word, "?", "", 1), "*") == "" && word != "?":
		return fmt.Errorf("%q would be every name", word)
	case strings.ContainsAny(word, "/\\\x00"):
		return fmt.Errorf("%q is no name: it counts in all folders", word)
	case len(word) > maxPattern:
		return fmt.Errorf("%.20q... is longer than any name", word)
	}
	*p = Pattern(text)
	return nil
}

// Texts are those of patterns.
func Texts(patterns []Pattern) []string {
	var all []string
	for _, p := range patterns {
		all = append(all, string(p))
	}
	return all
}
