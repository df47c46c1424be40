package dhx2

import (
	"crypto/cipher"
	"crypto/md5"
	"crypto/rand"
	"crypto/subtle"

	//lint:ignore SA1019 DHX2 is built on CAST-128.
	"golang.org/x/crypto/cast5"
)

// The first blocks of each direction.
var (
	toServer = []byte("LWallace")
	toClient = []byte("CJalbert")
)

// session encrypts and decrypts with a common secret.
type session struct{ block cipher.Block }

func newSession(secret []byte) session {
	key := md5.Sum(secret)
	block, err := cast5.NewCipher(key[:])
	if err != nil {
		panic(err) // the length of the key is right
	}
	return session{block}
}

// seal encrypts text in place. Each message begins with the IV anew.
func (s session) seal(iv, text []byte) []byte {
	cipher.NewCBCEncrypter(s.block, iv).CryptBlocks(text, text)
	return text
}

// open decrypts a message into new memory.
func (s session) open(iv, message []byte) []byte {
	text := make([]byte, len(message))
	cipher.NewCBCDecrypter(s.block, iv).CryptBlocks(text, message)
	return text
}

// nonce is a number that proves, with one added to it, that the other side has
// the key.
type nonce [nonceSize]byte

func newNonce() (n nonce) {
	rand.Read(n[:])
	return n
}

// next is one more.
func (n nonce) next() nonce {
	for i := len(n) - 1; i >= 0; i-- {
		if n[i]++; n[i] != 0 {
			break
		}
	}
	return n
}

// is compares in constant time.
func (n nonce) is(b []byte) bool { return subtle.ConstantTimeCompare(n[:], b) == 1 }
