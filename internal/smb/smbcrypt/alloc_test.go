//go:build !race

package smbcrypt

import "testing"

// The race detector makes sync.Pool forgetful.
func TestSigningAllocatesNothing(t *testing.T) {
	m := pattern(1000)
	for _, a := range []SigningAlgorithm{HMACSHA256, AESCMAC, AESGMAC} {
		s, _ := NewSigner(a, [16]byte{1})
		s.Sign(m)
		// A garbage collection may empty the pool in between, hence not 0.
		if n := testing.AllocsPerRun(1000, func() { s.Sign(m); s.Verify(m) }); n >= 1 {
			t.Errorf("%v: %v allocations a message", a, n)
		}
	}
}
