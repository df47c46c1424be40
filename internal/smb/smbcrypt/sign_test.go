package smbcrypt

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"sync"
	"testing"

	"github.com/dozo-server/dozo/internal/hexdump"
)

// RFC 4493 section 4.
func TestCMAC(t *testing.T) {
	k := newCMACKey(key16(t, "2b7e151628aed2a6abf7158809cf4f3c"))
	message := hexdump.Bytes(t, `
		6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51
		30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710`)
	c := k.state() // one state for all: each sum must begin anew
	for _, tt := range []struct {
		size int
		want string
	}{
		{0, "bb1d6929e95937287fa37d129b756746"},
		{16, "070a16b46b4d4144f79bdd9dd04a287c"},
		{40, "dfa66747de9ae63030ca32611497c827"},
		{64, "51f0bebf7e3b9d92fc49741779363cfe"},
		{0, "bb1d6929e95937287fa37d129b756746"},
	} {
		if got := hex.EncodeToString(c.sum(message[:tt.size])); got != tt.want {
			t.Errorf("CMAC of %d bytes = %s, want %s", tt.size, got, tt.want)
		}
	}
}

// pattern returns n bytes that repeat only after 256.
func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i * 7)
	}
	return b
}

// The signatures were computed with OpenSSL through Python's cryptography. The
// message is a pattern but for its flags, those of a signed response, and its
// signature, zero.
func TestSign(t *testing.T) {
	for _, tt := range []struct {
		algorithm SigningAlgorithm
		size      int
		want      string
	}{
		{HMACSHA256, 64, "3cbb46dd7b694a920d3d2dede1e1fc3a"},
		{HMACSHA256, 4097, "556936318c4ffea2a658e16769d5837a"},
		{AESCMAC, 64, "62269fe69991620b0a62ecae8aee82fa"},
		{AESCMAC, 65, "78deb10c513212a5bb1ee46cd66da3ca"},
		{AESCMAC, 80, "24a44b4e1cd575c9c7bfb734f0752677"},
		{AESCMAC, 4096, "c57618cf66538c2e780bf3ec8980a5b4"},
		{AESCMAC, 4097, "1091b346fa3a3ab3b8a809f1ead5506d"},
		{AESCMAC, 4112, "adf4b236cfc440744b5ab3eef2a9c97b"},
		{AESCMAC, 10000, "2dc8ef73a63dd3ae8a61a35546f18128"},
		{AESGMAC, 64, "028808ec91e1e01451c2fb0a026a89df"},
		{AESGMAC, 65, "5e45d26e35dc3fdc973888a9448afc63"},
		{AESGMAC, 10000, "cda1abee253938025d9d29480e727d73"},
	} {
		t.Run(fmt.Sprint(tt.algorithm, tt.size), func(t *testing.T) {
			s, err := NewSigner(tt.algorithm, key16(t, "000102030405060708090a0b0c0d0e0f"))
			if err != nil {
				t.Fatal(err)
			}
			m := pattern(tt.size)
			copy(m[flagsOffset:], []byte{flagFromServer, 0, 0, 0})
			s.Sign(m)
			if got := hex.EncodeToString(m[48:64]); got != tt.want {
				t.Errorf("signature = %s, want %s", got, tt.want)
			}
			if m[flagsOffset] != flagFromServer|flagSigned {
				t.Errorf("flags = %#x after Sign", m[flagsOffset])
			}

			before := bytes.Clone(m)
			if !s.Verify(m) {
				t.Error("own signature not verified")
			}
			if !bytes.Equal(m, before) {
				t.Error("Verify changed the message")
			}
			for _, i := range []int{0, 24, 48, 63, tt.size - 1} {
				m[i] ^= 1
				if s.Verify(m) {
					t.Errorf("verified with byte %d changed", i)
				}
				m[i] ^= 1
			}
		})
	}
}

func TestVerifyOfLessThanAHeader(t *testing.T) {
	for _, a := range []SigningAlgorithm{HMACSHA256, AESCMAC, AESGMAC} {
		s, _ := NewSigner(a, [16]byte{})
		for _, n := range []int{0, 1, 63} {
			if s.Verify(make([]byte, n)) {
				t.Errorf("%v: verified %d bytes", a, n)
			}
		}
	}
	if _, err := NewSigner(3, [16]byte{}); err == nil {
		t.Error("NewSigner accepts an unknown algorithm")
	}
}

// [MS-SMB2] 3.1.4.1: what is in a nonce besides the message id.
func TestGMACNonce(t *testing.T) {
	for _, tt := range []struct {
		name           string
		flags, command byte
		want           string
	}{
		{"request", flagSigned, 0x08, "0102030405060708 00000000"},
		{"response", flagSigned | flagFromServer, 0x08, "0102030405060708 01000000"},
		{"cancel", flagSigned, commandCancel, "0102030405060708 02000000"},
	} {
		m := make([]byte, headerSize)
		m[commandOffset] = tt.command
		m[flagsOffset] = tt.flags
		copy(m[messageIDOffset:], []byte{1, 2, 3, 4, 5, 6, 7, 8})
		var nonce [12]byte
		gmacNonce(&nonce, m)
		if want := hexdump.Bytes(t, tt.want); !bytes.Equal(nonce[:], want) {
			t.Errorf("%s: nonce = %x, want %x", tt.name, nonce, want)
		}
	}
}

func TestSignersAreShared(t *testing.T) {
	for _, a := range []SigningAlgorithm{HMACSHA256, AESCMAC, AESGMAC} {
		s, _ := NewSigner(a, [16]byte{1})
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				for j := range 200 {
					m := pattern(64 + i*1000 + j)
					s.Sign(m)
					if !s.Verify(m) {
						t.Errorf("%v: not verified beside other goroutines", a)
						return
					}
				}
			})
		}
		wg.Wait()
	}
}

func BenchmarkSign(b *testing.B) {
	for _, a := range []SigningAlgorithm{HMACSHA256, AESCMAC, AESGMAC} {
		for _, size := range []int{128, 64 << 10, 1 << 20} {
			b.Run(fmt.Sprintf("%v/%d", a, size), func(b *testing.B) {
				s, _ := NewSigner(a, [16]byte{1})
				m := pattern(size)
				b.SetBytes(int64(size))
				for b.Loop() {
					s.Sign(m)
				}
			})
		}
	}
}
