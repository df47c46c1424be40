package auth

import (
	"bytes"
	"encoding/hex"
	"math/big"
	"testing"
)

func TestNTHash(t *testing.T) { // [MS-NLMP] 4.2.2.1.2
	h := NTHash("Password")
	if got := hex.EncodeToString(h[:]); got != "a4f49c406510bdcab6824ee7c30fd852" {
		t.Errorf("NTHash = %s", got)
	}
}

// The group was copied from paper: a wrong digit would not leave it a safe
// prime.
func TestSRPGroupIsASafePrime(t *testing.T) {
	half := new(big.Int).Rsh(srpN, 1)
	if srpN.BitLen() != 1536 || !srpN.ProbablyPrime(10) || !half.ProbablyPrime(10) {
		t.Errorf("%d bits, prime %v, half prime %v", srpN.BitLen(), srpN.ProbablyPrime(1), half.ProbablyPrime(1))
	}
}

func TestSRPPrivate(t *testing.T) { // RFC 5054 appendix B
	salt, _ := hex.DecodeString("BEB25379D1A8581EB5A727673A2441EE")
	want, _ := hex.DecodeString("94B7555AABE9127CC58CCF4993DB6CF84D16C124")
	if got := srpPrivate(salt, "alice", "password123"); !bytes.Equal(got, want) {
		t.Errorf("x = %X, want %X", got, want)
	}
}

func TestVerifier(t *testing.T) {
	salt, v := newVerifier("alice", "password123")
	x := new(big.Int).SetBytes(srpPrivate(salt, "alice", "password123"))
	if want := x.Exp(srpG, x, srpN); len(v) != 192 || new(big.Int).SetBytes(v).Cmp(want) != 0 {
		t.Errorf("verifier = %X, want %X", v, want)
	}
	if again, _ := newVerifier("alice", "password123"); bytes.Equal(again, salt) {
		t.Error("two passwords have one salt")
	}
}
