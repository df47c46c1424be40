package afpclient

import "golang.org/x/text/unicode/norm"

// decompose returns a name as AFP 3 has it on the wire.
//
// Servers compose what they get, so it does not matter that Apple leaves some
// letters whole that Unicode takes apart.
func decompose(name string) string { return norm.NFD.String(name) }
