package names

import "github.com/dozo-server/dozo/internal/fold"

// folding is which spellings lead to one name in a share.
type folding struct {
	table  *fold.Table
	shorts bool // 8.3 names do, too
}

// newFolding returns the folding of a share. With normalization off, composed
// and decomposed spellings are two names, as Windows has it.
func newFolding(normalize bool) folding {
	if normalize {
		return folding{table: fold.Decomposing()}
	}
	return folding{table: fold.UpperCasing()}
}

// appendKey appends the key of name to dst. Spellings with equal keys are one
// name.
func appendKey[T string | []byte](f folding, dst []byte, name T) []byte {
	return fold.AppendKey(f.table, dst, name)
}

// sameName reports whether a and b are spellings of one name.
func (t *Tree) sameName(a, b string) bool {
	var bufA, bufB keyBuffer
	return string(appendKey(t.fold, bufA[:0], a)) == string(appendKey(t.fold, bufB[:0], b))
}

// Key returns what names compare by in the share: those with equal keys are one.
func (t *Tree) Key(name string) string {
	if t.o.Sensitive {
		return name
	}
	return string(appendKey(t.fold, nil, name))
}
