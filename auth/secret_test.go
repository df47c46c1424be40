package auth

import (
	"encoding/hex"
	"testing"
)

func TestNTHash(t *testing.T) { // [MS-NLMP] 4.2.2.1.2
	h := NTHash("Password")
	if got := hex.EncodeToString(h[:]); got != "a4f49c406510bdcab6824ee7c30fd852" {
		t.Errorf("NTHash = %s", got)
	}
}
