package dhx2

import (
	"bytes"
	"math/big"
	"testing"

	"github.com/dozo-server/dozo/internal/hexdump"
)

// One exchange, computed without any of this package: by Python's integers, its
// hashlib, and the CAST-128 of its package cryptography, from the formula of the
// prime and from secrets that are SHA-256 of "server exponent" and so on. The
// server's nonce ends with two bytes that carry when one is added.
const (
	serverExponent = "cdc99c1758c8c48d846c68390446d222a12ab45de67dbea7578762057e5184db"
	clientExponent = "92e87f7788982a9bde65b6792589c33bd142ae6e9c5edd0231fac31b89211a23"
	clientNonce    = "491ee02373575a91d57bc236014267b1"
	serverNonce    = "633fef9de6ce66d48b948c11a474ffff"

	offer = `
		00000005  # g
		0080      # length of what follows: 1024 bits
		ffffffffffffffffadf85458a2bb4a9aafdc5620273d3cf1d8b9c583ce2d3695  # p
		a9e13641146433fbcc939dce249b3ef97d2fe363630c75d8f681b202aec4617a
		d3df1ed5d5fd65612433f51f5f066ed0856365553ded1af3b557135e7f57c935
		984f0c70e0e68b77e2a689daf3efe8721df158a136b32a4bffffffffffffffff
		92cc65e2a466118266cd6de9b4997a64ee66c9e9fa4a3c75a6090c82f59e3cfb  # Mb
		a091f69845b0287bf1bffd4e33498cdabaf99f24da8f85b526e9624e7d871d35
		2d87aa25a86b330e25fe066db6c344cc0f00d4b36879865c07ea6a9286381be9
		780d9cdfb5db3af818bc936e7c1083b3b707ed10b839d08d9299230ed7d64792`

	agreement = `
		8c211fa7b2502365f5a3582e34ab6619ffbff4e188fab4eca905bbd268c857ca  # Ma
		cf015699df1de7580cbccc492278cd4bdc00b2deadad5a0f4fba6d7688ea5fa3
		1371c689fc4fd7bfca54d70cd98d41450176200e7a75b80f021151e525971694
		44d2022e496df512f5c4d0ab7de7dc08bfa62371ca1071fcb64bd6ab7d5bbe28
		8a7c60e3052622332ab769261f91c277  # the client's nonce`

	proof = `
		6e016750b38c03609a537ca4b2d02388  # the client's nonce + 1
		c0b8983c2726554b2591b12a35893284  # the server's nonce`

	login = `
		b4082f4f504f8c27f45e6d2daba7cae8                                  # the server's nonce + 1
		ede3b8342e516d6deb66f2907c41d64b004ca08eb557515722511a155d24f5ca  # "Grüße77" and 247 zeros
		4a71fb1224f34c4283222bc0daaf4d4bae977be007b74978f549d9e04a23da98
		8460c534ec5038c5c20ffa5f223dda98556b8c0151d3dffec641cedb64aa27a6
		0e2ca3191778531096d1ee3eaec28d67dfe1ce9f8c4a24d8b8314336c47424c3
		d25dcb42b7e17cf4d2cd11b5b4cdf7f512aa28af85e087abead0549135304f9f
		c1632d48e7c7b4cd47e658aff8586d8e2b7cd04d4b968fa569f6c28def24d29b
		895ec0ec429e6780590e680bc23e42e301588a0160f827ae8e37689d5c05e676
		a2bdc409300f4cbe4bb9a7a7e82b8c002daf8f7f8224edf10e524a6c19e39032`

	change = `
		b4082f4f504f8c27f45e6d2daba7cae8                                  # the server's nonce + 1
		360b27bdf7c17c5c9d8fa40bde8b735fb05e92f3ed58e6f643c5b267a36b6b2f  # "Salut888" and 248 zeros
		4a6f1ba90ff4f2a1d4db98de3be2ed61553a5ec3ba9c28cefa5a9e79bd6e0558
		a74935fc3e5c9d59da7e0f5aa55ba1354a6ebd76206ba4dc509cd5dd37d20f7b
		c19ae7b2864ddd7870fb9015e48e4ac5e1baaac7c09f790c40409eb95434f54b
		1ed85cad2443a3e1ed7d2d773d01fb6d272835b2148b5dbad1e2e526cb9215d8
		29a77d41af16257875b5280427a9742ad55c254dd1e1947015a9fb2c0994b4fa
		f1ebf9da45e35e0f3b832020047cba59c4251c87ea0356387334765474253bf4
		8c4a6aedee91979e192a4d083ec4bbb9b0ac2cdc82edcd5783391f2738b722c8
		f64701df595588f592ad5982122ee64f0a48f4d9161d033f670a45faa1293d7c  # "Grüße77" and 247 zeros
		3b167b44c722c7987d3b1159a933631d6d33ca026a5f0d34051c73cd107fc01a
		ef16ca1038def02a769874d13014758d226aa4d5417e9d6884582af0fc630d4f
		2b5b2a50e207acc5b3ea859a63307571623e9f94592cdd5b6f79847ba5174f1e
		a626aadd8286288403e442056afb609773565c9e499d4bacdd611d9b3e61fcb9
		0935ad52f307ca1d56712c712d270c331fd5cfa17fc6d370ab51b841efe255ad
		f117bf7fd0bdb59e464725f29b7451b18b244d60c6b747b777724847f235be6b
		b6bdaa5f246372725f0f03cad5138e68fac40ffd7dffb140629024a91fdf4b6d`
)

// A client's exponent whose common secret with the server begins with a zero byte,
// and the server's proof.
const (
	shortSecretExponent = "3687e83bbb7ae14e11add99b6d1d140ca2cba46382354a73d9d16cecc3449db0"
	shortSecretProof    = "de23df95684ca0b8825a687dec1928fffa9041ff4f3b23fc8d4e46d100688067"
)

// fixedServer and fixedClient are the sides of the vectors.
func fixedServer(t testing.TB, a *Acceptor) *Acceptor {
	a.id = 0x1234
	a.own = new(big.Int).SetBytes(hexdump.Bytes(t, serverExponent))
	a.nonce = nonce(hexdump.Bytes(t, serverNonce))
	return a
}

func fixedClient(t testing.TB, exponent string, i *Initiator) *Initiator {
	i.own = new(big.Int).SetBytes(hexdump.Bytes(t, exponent))
	i.nonce = nonce(hexdump.Bytes(t, clientNonce))
	return i
}

func equal(t *testing.T, what string, got []byte, want string) {
	t.Helper()
	if !bytes.Equal(got, hexdump.Bytes(t, want)) {
		t.Errorf("%s:\n got %x\nwant %x", what, got, hexdump.Bytes(t, want))
	}
}

func TestVectors(t *testing.T) {
	for _, tt := range []struct {
		name       string
		server     *Acceptor
		client     *Initiator
		last       string
		old, fresh string
	}{
		{"login", NewLogin(), &Initiator{Password: "Grüße77"}, login, "Grüße77", ""},
		{"change", NewChange(), &Initiator{Password: "Grüße77", NewPassword: "Salut888"}, change, "Grüße77", "Salut888"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := fixedServer(t, tt.server)
			client := fixedClient(t, clientExponent, tt.client)
			equal(t, "offer", server.Offer(), offer)
			answer, err := client.Answer(hexdump.Bytes(t, offer))
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "agreement", answer, agreement)
			reply, err := server.Accept(0x1234, hexdump.Bytes(t, agreement))
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "proof", reply, proof)
			if answer, err = client.Answer(hexdump.Bytes(t, proof)); err != nil {
				t.Fatal(err)
			}
			equal(t, "passwords", answer, tt.last)
			if reply, err = server.Accept(0x1235, hexdump.Bytes(t, tt.last)); err != nil || reply != nil {
				t.Fatalf("Accept = %x, %v", reply, err)
			}
			if server.Password() != tt.old || server.NewPassword() != tt.fresh {
				t.Errorf("passwords %q and %q, want %q and %q", server.Password(), server.NewPassword(), tt.old, tt.fresh)
			}
		})
	}
}

// The zero byte is part of what the key is the hash of.
func TestSecretWithALeadingZero(t *testing.T) {
	client := fixedClient(t, shortSecretExponent, &Initiator{})
	server := fixedServer(t, NewLogin())
	answer, err := client.Answer(server.Offer())
	if err != nil {
		t.Fatal(err)
	}
	reply, err := server.Accept(server.ID(), answer)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "proof", reply, shortSecretProof)
}

// The prime is what its formula says, by another way to e than that of the
// vectors, and safe, and g is primitive.
func TestGroup(t *testing.T) {
	one := big.NewInt(1)
	p := euler(894)
	p.Add(p, big.NewInt(344855))
	p.Lsh(p, 64)
	p.Add(p, new(big.Int).Lsh(one, 1024))
	p.Sub(p, new(big.Int).Lsh(one, 960))
	p.Sub(p, one)
	if p.Cmp(ours.p) != 0 {
		t.Errorf("p = %X, want %X", ours.p, p)
	}
	half := new(big.Int).Rsh(p, 1)
	if !p.ProbablyPrime(20) || !half.ProbablyPrime(20) {
		t.Error("p is no safe prime")
	}
	if new(big.Int).Exp(ours.g, half, p).Cmp(one) == 0 {
		t.Error("g is a square")
	}
	if p.BitLen() != 8*groupSize {
		t.Errorf("p has %d bits", p.BitLen())
	}
}

// euler returns e in units of 2^-bits, rounded down, by its continued fraction
// [2; 1, 2, 1, 1, 4, 1, 1, 6, 1, ...].
func euler(bits uint) *big.Int {
	p0, p1, q0, q1 := big.NewInt(1), big.NewInt(2), big.NewInt(0), big.NewInt(1)
	for k := int64(0); uint(q1.BitLen()) < bits; k++ {
		a := big.NewInt(1)
		if k%3 == 1 {
			a.SetInt64(2 * (k/3 + 1))
		}
		p0, p1 = p1, new(big.Int).Add(new(big.Int).Mul(a, p1), p0)
		q0, q1 = q1, new(big.Int).Add(new(big.Int).Mul(a, q1), q0)
	}
	return p1.Div(p1.Lsh(p1, bits), q1)
}
