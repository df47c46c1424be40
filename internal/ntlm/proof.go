package ntlm

import (
	"bytes"
	"crypto/hmac"
	"crypto/md5"
	"strings"
	"unicode"

	"github.com/dozo-server/dozo/auth"
)

// Hash returns the hash of a password for an Initiator.
func Hash(password string) [16]byte { return auth.NTHash(password) }

func hmacMD5(key []byte, parts ...[]byte) [16]byte {
	h := hmac.New(md5.New, key)
	for _, p := range parts {
		h.Write(p)
	}
	return [16]byte(h.Sum(nil))
}

// responseKey binds a password's hash to a user and a domain ([MS-NLMP] 3.3.2,
// NTOWFv2). The domain is taken as the client sent it.
func responseKey(hash [16]byte, user string, domain []byte) [16]byte {
	return hmacMD5(hash[:], toUTF16(strings.Map(unicode.ToUpper, user)), domain)
}

const (
	proofSize = 16
	// blobFixed is the part of a blob before its attribute pairs.
	blobFixed  = 28
	ntlmv1Size = 24
)

// splitResponse takes an NTLMv2 response apart ([MS-NLMP] 2.2.2.8): the proof,
// the blob that it proves, and the attribute pairs in the blob.
func splitResponse(response []byte) (proof, blob []byte, pairs []avPair, err error) {
	switch {
	case len(response) == ntlmv1Size:
		return nil, nil, nil, ErrWeak
	case len(response) < proofSize+blobFixed:
		return nil, nil, nil, ErrMalformed
	}
	proof, blob = response[:proofSize], response[proofSize:]
	if !bytes.HasPrefix(blob, []byte{1, 1}) {
		return nil, nil, nil, ErrMalformed
	}
	pairs, err = decodePairs(blob[blobFixed:])
	return proof, blob, pairs, err
}

// makeBlob is what a client proves to have seen.
func makeBlob(timestamp []byte, clientNonce [8]byte, pairs []byte) []byte {
	b := make([]byte, 8, blobFixed+len(pairs)+4)
	b[0], b[1] = 1, 1
	b = append(b, timestamp...)
	b = append(b, clientNonce[:]...)
	b = append(b, 0, 0, 0, 0)
	b = append(b, pairs...)
	return append(b, 0, 0, 0, 0)
}

// prove computes the proof of an NTLMv2 response and the key that follows from
// it ([MS-NLMP] 3.3.2, NTProofStr and SessionBaseKey).
func prove(key [16]byte, serverNonce [8]byte, blob []byte) (proof, base [16]byte) {
	proof = hmacMD5(key[:], serverNonce[:], blob)
	return proof, hmacMD5(key[:], proof[:])
}
