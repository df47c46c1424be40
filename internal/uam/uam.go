// Package uam has what AFP's user authentication methods have in common: a table
// of those that are spoken here, and the client's side of a login by any of them.
// It sends nothing by itself.
package uam

import "github.com/dozo-server/dozo/internal/afp/afpwire"

// Method is a way in which a user proves who he is.
type Method struct {
	Name string // in AFP's messages
	Word string // in the configuration

	// Usual methods are offered unless the configuration says which.
	Usual bool
}

// Methods are those that are spoken here, in the order in which a server should
// list them: what gives away least comes first. A client takes the best one that
// it knows.
//
//   - SRP: the password stays with the client, and the server proves to be the
//     right one. macOS from 10.7 on; each user needs a verifier.
//   - DHX2: the password comes encrypted, to whoever the server is. Mac OS X from
//     10.2 on, and all other clients of today.
//   - Guest: there is none.
//   - Cleartext: the password comes as it is, for old Macs and netatalk's tools.
var Methods = [...]Method{
	{afpwire.UAMSRP, "srp", true},
	{afpwire.UAMDHX2, "dhx2", true},
	{afpwire.UAMGuest, "guest", true},
	{afpwire.UAMCleartext, "cleartext", false},
}
