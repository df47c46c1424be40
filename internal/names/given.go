package names

import "strings"

// given are the names that a stored name has to clients besides its spelling:
// its alias and its 8.3 name. "" is none.
type given [2]string

// givenTo returns the names given to a stored name. aliased tells whether it
// may have an alias.
func givenTo(f folding, stored []byte, aliased bool) (g given) {
	if aliased {
		g[0] = alias(string(stored))
	}
	g[1] = shortOf(f, stored)
	return g
}

// mayHaveAlias reports whether a stored name has an alias in some folder.
func mayHaveAlias(stored []byte) bool { return needsAlias(stored) || hasPrivate(stored) }

// mayBeGiven reports whether name can be one that is given: all of these hold
// this character.
func mayBeGiven(name string) bool { return strings.IndexByte(name, '~') >= 0 }

// has reports whether one of the names has the key.
func (g given) has(f folding, key []byte) bool {
	var buf keyBuffer
	for _, name := range g {
		if name != "" && string(appendKey(f, buf[:0], name)) == string(key) {
			return true
		}
	}
	return false
}

// isGiven reports whether name is given to r.
func (x *index) isGiven(r record, name string) bool {
	var buf keyBuffer
	return mayBeGiven(name) && givenTo(x.fold, r.name, r.alias).has(x.fold, appendKey(x.fold, buf[:0], name))
}

// eachGiven calls f with the hash of each name given to r.
func (x *index) eachGiven(r record, f func(hash uint32)) {
	for _, name := range givenTo(x.fold, r.name, r.alias) {
		if name != "" {
			f(x.hash([]byte(name)))
		}
	}
}
