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
// server's nonce ends with two bytes that carry when one is added, and so does the
// ID.
const (
	serverExponent = "cdc99c1758c8c48d846c68390446d222a12ab45de67dbea7578762057e5184db"
	clientExponent = "92e87f7788982a9bde65b6792589c33bd142ae6e9c5edd0231fac31b89211a23"
	clientNonce    = "491ee02373575a91d57bc236014267b1"
	serverNonce    = "633fef9de6ce66d48b948c11a474ffff"

	offer = `
		00000002  # g
		0080      # length of what follows: 1024 bits
		ffffffffffffffffadf85458a2bb4a9aafdc5620273d3cf1d8b9c583ce2d3695  # p
		a9e13641146433fbcc939dce249b3ef97d2fe363630c75d8f681b202aec4617a
		d3df1ed5d5fd65612433f51f5f066ed0856365553ded1af3b557135e7f57c935
		984f0c70e0e68b77e2a689daf3efe8721df158a136b32a4bffffffffffffffff
		c17fffda3942b85b133d51acf8c443805f05e4d44c7829114940b93174f1e9c3  # Ma
		96603c16402bff9645bc21384b88ce34e3cb84eb0c7eaad242f105a92bf3dd41
		4cdcdc3555ac5c05ef673540c752baf5f0973c0d268053df6ccf154285c10915
		45db52ebd907876a7a66412e72df0cd37907e4106a2854cfbf4b3ea96805a395`

	agreement = `
		f60742fcd4c70df65ab62fb92175cd1676a9a365340f94efcbae21adf2478178  # Mb
		c31e7d3835318b1d7ddbd7f4dbe0c23ae50361a7111c4724bad1d6c6347b9d13
		4422cdc786ed8908ac22dc34c4f915fe316fd55a4cebb92f9d45ac1eb1ddda61
		3d1f10eef19109b189581e5460f43d73e2875639d2a0033e22425c02d667944f
		85ece7b1f8cb87c21023ee648f8b95dc  # the client's nonce`

	proof = `
		b09183012c1087b65dc89308a81b85ed  # the client's nonce + 1
		06a6d2c5453d4b1de1836ed452540731  # the server's nonce`

	login = `
		be4a91d8c63272148f60a1559e22c9c7                                  # the server's nonce + 1
		36a729a37c51651ce90bd02705fa10913239d4d675f528a5b5ebb21896e1223f  # "Grüße77" and 247 zeros
		82c5af485db8da88c2470c7f29a57af04723cbf8d061a980cab4f2868fdbdef8
		475643acb7d392e7460b1d647b606a2361f6846abc9bf714245de6865bdcf679
		a5d92ebf24480a2cec33f91d9fe71490174b4ec612f395438684acafff0fc3e3
		6066d4e14c8efb152d5c86319d4997798954f16e5dade5bc579319b7196b0f88
		c33d49ed50ae7bb411b2ebfea9f6e23e007658dc139645ec8e93457291e56b9f
		f98b23170920c3115b35593ec9bbe8a5b387bd2f765c04ff59cb0dcb3894e0c9
		998238576e57d9ee604ccf44a34c2becbad6d32ad737b4a54917c3b14f3e9e87`

	change = `
		be4a91d8c63272148f60a1559e22c9c7                                  # the server's nonce + 1
		181714080ff656cd2c4a3091b32b3e9abfd70211b1da8c7b0cc1e68ce8c007cf  # "Salut888" and 248 zeros
		51ed9b12288aff490a266677367c8f672934949922a9d38dffbc3ba041e3b401
		4c6c313250da9acfd83abaff837327ab3bc84cbe810036e58d7aa82e85078c9d
		d6866008633401cc1ca02adba2cc343c02ec2ca94f383d0fd70b2f34afbb8eef
		bb9aed7efac4317051516bf94c15460770c9ddc0fa8274f6a8dc5b62a03cc4de
		0c641bbb4269b2744ff31ae7eec2a0909a9877bfbc65afd3d91fa40951055adf
		ad2041704a4f6ee81db9a13f1d2ea38d711d58b8625174b6214052fb991be26e
		cc219024aca95ad9e0a7880545090f027f843712c0f0c799ca6f2d53167d0e2e
		67d7d3c36919f75c1d72f03e0f7fd83efff5ab27c78b40fd362c584df9c2ff30  # "Grüße77" and 247 zeros
		841e72bf99f6a20a772dabb8f351fec24629d623212705e317a30cf09fbcaa10
		63023b6ed42fa27d0ec5fa12995b89f4c3d80d34e8407dac14bbd4251a9ab615
		57b83a304bdbb1f203d5dc1ba64babde3d4ce946352f25caab1ad4139187e38a
		5a652338e0ff3dffdc57fe296daad249b507ca7674c556452a30e2ee5af9b544
		cd1edd4c2c84ff07cf4514fbe9593a27f5c9a89ddc3b4c1b6be1d475cdd57dde
		7824511bfa41bab7222719e47ff33f1329ca9e83ec9e134cf1ef07e35d951875
		5f598ee0cebe02546353ab12e31aff90646a2fc4f8c280efe1ae012471c6aea9`
)

// A client's exponent whose common secret with the server begins with a zero byte,
// and the server's proof.
const (
	shortSecretExponent = "35ed1deddb8252dadd56dd69dab720319b7cf02e1729525c30b1c6fe6b1a257d"
	shortSecretProof    = "994205f49cdf08bc8c5f842a7780aa252d1ba05b3cd4879343c6e68ff73058e3"
)

// fixedServer and fixedClient are the sides of the vectors.
func fixedServer(t testing.TB, a *Acceptor) *Acceptor {
	a.id = 0xffff
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
			reply, err := server.Accept(0xffff, hexdump.Bytes(t, agreement))
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "proof", reply, proof)
			if answer, err = client.Answer(hexdump.Bytes(t, proof)); err != nil {
				t.Fatal(err)
			}
			equal(t, "passwords", answer, tt.last)
			if reply, err = server.Accept(0, hexdump.Bytes(t, tt.last)); err != nil || reply != nil {
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
// vectors, and safe; 2 is a square, so no bit of an exponent is told.
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
	if new(big.Int).Exp(ours.g, half, p).Cmp(one) != 0 {
		t.Error("g is no square")
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
