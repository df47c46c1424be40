package main

import (
	"math/rand/v2"
	"strings"
	"unicode"
)

// words are the names that are given. They are few, so that they meet often.
// Each begins with a letter that has a case.
var words = []string{
	"alpha", "beta", "gamma", "delta",
	"été", "каталог й", "n が ぎ", "m 한글", "disc 💿", "straße",
	"kelvin", "\u212aelvin", // two names: the sign is no letter to Windows
	"x:y", // clients spell the colon as a private character
}

// pairs are the letters in words that have a composed and a decomposed form.
var pairs = []string{
	"é", "e\u0301", "É", "E\u0301", "й", "и\u0306", "Й", "И\u0306",
	"が", "か\u3099", "ぎ", "き\u3099", "한", "\u1112\u1161\u11ab", "글", "\u1100\u1173\u11af",
}

var (
	decompose = strings.NewReplacer(pairs...)
	compose   = strings.NewReplacer(turned(pairs)...)
)

func turned(pairs []string) (other []string) {
	for i := 0; i < len(pairs); i += 2 {
		other = append(other, pairs[i+1], pairs[i])
	}
	return other
}

// key is the same for all spellings that are one name. It says so without the
// server's tables, for the letters in words.
func key(name string) string { return strings.ToUpper(decompose.Replace(name)) }

// shown is how clients spell a stored path.
func shown(path string) string { return strings.ReplaceAll(path, ":", "\uf022") }

// chooser makes up names and paths.
type chooser struct{ *rand.Rand }

func newChooser(stream uint64) chooser { return chooser{rand.New(rand.NewPCG(*seed, stream))} }

// one is any of several.
func one[T any](c chooser, all []T) T { return all[c.IntN(len(all))] }

// spelling is any spelling of the name.
func (c chooser) spelling(name string) string {
	forms := []*strings.Replacer{compose, decompose}
	name = one(c, forms).Replace(name)
	return strings.Map(func(r rune) rune {
		upper := unicode.ToUpper(r)
		if lower := unicode.ToLower(r); c.IntN(2) == 0 && unicode.ToUpper(lower) == upper {
			return lower
		}
		return upper
	}, name)
}

// name is any spelling of any word.
func (c chooser) name() string { return c.spelling(one(c, words)) }

// path leads through up to three folders.
func (c chooser) path() string {
	path := c.name()
	for c.IntN(3) > 0 && strings.Count(path, "/") < 3 {
		path += "/" + c.name()
	}
	return path
}

// respelled is another spelling of each component of a path.
func (c chooser) respelled(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		parts[i] = c.spelling(part)
	}
	return strings.Join(parts, "/")
}
