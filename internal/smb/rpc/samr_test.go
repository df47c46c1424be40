package rpc

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rc4"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/hexdump"
)

const zeroHandle = "00000000 00000000000000000000000000000000"

// server opens a handle of the server.
func (c *client) server() []byte {
	c.t.Helper()
	results := c.must(64, nil)
	equal(c.t, "SamrConnect5", results[:16], "01000000 01000000 03000000 10000000")
	return results[16:36]
}

// machineDomain is the SID of the machine as an argument.
const machineDomain = "04000000 01 04 000000000005 15000000 01000000 02000000 03000000"

func TestSamrDomains(t *testing.T) {
	c := open(t, "samr").bind()
	server := c.server()
	equal(t, "all", c.must(6, c.withHandle(server, "00000000 ffffffff")), `
		01000000 04000200 01000000 08000200 01000000
		00000000 0a00 0a00 0c000200 05000000 00000000 05000000 460049004c0045005300 0000
		01000000 00000000`)
	equal(t, "the rest", c.must(6, c.withHandle(server, "01000000 ffffffff")), `
		01000000 04000200 00000000 08000200 00000000 00000000 00000000`)
	equal(t, "by name", c.must(5, c.withHandle(server, "0a00 0a00 01000000 05000000 00000000 05000000 660069006c0065007300")),
		"04000200"+machineDomain+"00000000")
	equal(t, "another name", c.must(5, c.withHandle(server, "0600 0600 01000000 03000000 00000000 03000000 61006e006e00")), `
		00000000 df0000c0`)
	if h := c.must(7, c.withHandle(server, "00000002"+machineDomain)); !bytes.HasSuffix(h, []byte{0, 0, 0, 0}) || bytes.Equal(h[:20], make([]byte, 20)) {
		t.Errorf("OpenDomain = %x", h)
	}
	equal(t, "another SID", c.must(7, c.withHandle(server, "00000002 01000000 01 01 000000000005 20000000")),
		zeroHandle+"df0000c0")
	if _, err := c.do(6, hexdump.Bytes(t, zeroHandle+"00000000 ffffffff")); err != faultContext {
		t.Errorf("without a handle: %v", err)
	}
	equal(t, "close", c.must(1, server), zeroHandle+"00000000")
}

// namesInDomain are the arguments of SamrLookupNamesInDomain for ann, users and
// carl, behind a handle.
const namesInDomain = `
	03000000 e8030000 00000000 03000000
	0600 0600 01000000 0a00 0a00 01000000 0800 0800 01000000
	03000000 00000000 03000000 61006e006e00 0000
	05000000 00000000 05000000 75007300650072007300 0000
	04000000 00000000 04000000 6300610072006c00
`

func TestSamrUsers(t *testing.T) {
	c := open(t, "samr").bind()
	h := c.server()
	// The group is the one of Windows in another domain.
	equal(t, "names", c.must(17, c.withHandle(h, namesInDomain)), `
		03000000 04000200 03000000 b80b0000 00000000 00000000
		03000000 08000200 03000000 01000000 08000000 08000000
		07010000`)
	if h := c.must(34, c.withHandle(h, "00000002 b80b0000")); !bytes.HasSuffix(h, []byte{0, 0, 0, 0}) || bytes.Equal(h[:20], make([]byte, 20)) {
		t.Errorf("OpenUser = %x", h)
	}
	for _, rid := range []string{"b10b0000", "b90b0000", "f4010000"} { // unknown, a group, no account
		equal(t, "user "+rid, c.must(34, c.withHandle(h, "00000002"+rid)), zeroHandle+"640000c0")
	}
	equal(t, "rules", c.must(44, h), "0800 0000 00000000 00000000")
	equal(t, "rules of the domain", c.must(56, hexdump.Bytes(t, "00000000")), "0800 0000 00000000 00000000")
	for _, operation := range []uint16{8, 13, 36, 37, 38, 40, 54} {
		if _, err := c.do(operation, h); err != faultAccessDenied {
			t.Errorf("operation %d: %v", operation, err)
		}
	}
}

// newPassword makes the arguments of SamrUnicodeChangePasswordUser2.
func newPassword(user, old, password string) []byte {
	oldHash, newHash := auth.NTHash(old), auth.NTHash(password)
	var sealed [sealedSize]byte
	secret := newCounted(password)
	for i, u := range secret {
		binary.LittleEndian.PutUint16(sealed[passwordRoom-2*len(secret)+2*i:], u)
	}
	binary.LittleEndian.PutUint32(sealed[passwordRoom:], uint32(2*len(secret)))
	cipher, _ := rc4.NewCipher(oldHash[:])
	cipher.XORKeyStream(sealed[:], sealed[:])
	return passwordArguments(user, sealed, encryptHash(oldHash, newHash))
}

func passwordArguments(user string, sealed [sealedSize]byte, proof [16]byte) []byte {
	var e encoder
	e.pointer(true) // the server
	for _, s := range []string{`\\FILES`, user} {
		u := newCounted(s)
		u.head(&e)
		u.tail(&e)
	}
	e.pointer(true)
	e.Bytes(sealed[:])
	e.pointer(true)
	e.Bytes(proof[:])
	e.U8(0) // nothing with LM hashes
	e.pointer(false)
	e.pointer(false)
	return e.Message()
}

func TestChangePassword(t *testing.T) {
	c := open(t, "samr").bind()
	garbled := [sealedSize]byte{1, 2, 3}
	for _, tt := range []struct {
		name string
		stub []byte
		want string // status
	}{
		{"right", newPassword("ann", "Secret77", "Änother88"), "00000000"},
		{"longest", newPassword("ann", "Secret77", string(bytes.Repeat([]byte("p"), 256))), "00000000"},
		{"wrong old one", newPassword("ann", "Secret78", "Another88"), "6a0000c0"},
		{"garbled", passwordArguments("ann", garbled, [16]byte{}), "6a0000c0"},
		{"garbled proof", passwordArguments("ann", [sealedSize]byte(newPassword("ann", "Secret77", "Another88")[68:]), [16]byte{}), "6a0000c0"},
		{"too short", newPassword("ann", "Secret77", "short"), "6c0000c0"},
		{"empty", newPassword("ann", "Secret77", ""), "6c0000c0"},
		{"another user's", newPassword("bob", "Secret77", "Another88"), "220000c0"},
	} {
		equal(t, tt.name, c.must(55, tt.stub), tt.want)
		want := "00000000 00000000" + tt.want
		if tt.want == "6c0000c0" {
			want = `04000200 0800 0000 00000000 00000000 00000000 00000000 00000000
				08000200 01000000 00000000 00000000 6c0000c0`
		}
		equal(t, tt.name+", operation 63", c.must(63, tt.stub), want)
	}
	for _, stub := range []string{"", "00000000 0600 0600 00000000 00000000 01000000", "00000000 0600 0600 00000000 00000000 00000000"} {
		if _, err := c.do(55, hexdump.Bytes(t, stub)); err != faultBadStub {
			t.Errorf("%q: %v", stub, err)
		}
	}
}

func TestNobodysPasswordIsChanged(t *testing.T) {
	env := testEnv()
	env.ChangePassword = nil // as for a guest
	p, _ := Open("samr", env)
	c := (&client{t: t, pipe: p}).bind()
	equal(t, "a guest", c.must(55, newPassword("ann", "Secret77", "Another88")), "220000c0")
}

func TestChangePasswordAES(t *testing.T) {
	c := open(t, "samr").bind()
	changed := func(at int) []byte {
		b := newPasswordAES("ann", "Secret77", "Another88", minIterations)
		b[at]++
		return b
	}
	for _, tt := range []struct {
		name string
		stub []byte
		want string // status
	}{
		{"right", newPasswordAES("ann", "Secret77", "Änother88", minIterations), "00000000"},
		{"longest", newPasswordAES("ann", "Secret77", strings.Repeat("p", 256), minIterations), "00000000"},
		{"wrong old one", newPasswordAES("ann", "Secret78", "Another88", minIterations), "6a0000c0"},
		{"proof changed", changed(aesAt), "6a0000c0"},
		{"salt changed", changed(aesAt + 64), "6a0000c0"},
		{"password changed", changed(aesAt + 64 + 16 + 4 + 4 + 8 + 4), "6a0000c0"},
		{"iterations changed", changed(aesAt + 64 + 16 + 4 + 4), "6a0000c0"},
		{"too short", newPasswordAES("ann", "Secret77", "short", minIterations), "6c0000c0"},
		{"another user's", newPasswordAES("bob", "Secret77", "Another88", minIterations), "220000c0"},
		{"too little work", newPasswordAES("ann", "Secret77", "Another88", minIterations-1), "0d0000c0"},
		{"too much work", newPasswordAES("ann", "Secret77", "Another88", maxIterations+1), "0d0000c0"},
	} {
		equal(t, tt.name, c.must(73, tt.stub), tt.want)
	}
	for _, stub := range [][]byte{nil, changed(aesAt + 64 + 16)[:300], changed(aesAt + 64 + 16)} {
		if _, err := c.do(73, stub); err != faultBadStub {
			t.Errorf("%d bytes: %v", len(stub), err)
		}
	}
}

// aesAt is where in the arguments the structure begins, for a name of three
// letters.
const aesAt = 64

// newPasswordAES makes the arguments of SamrUnicodeChangePasswordUser4. Where the
// work is not what it may be, none is done.
func newPasswordAES(user, old, password string, iterations uint64) []byte {
	secret := newCounted(password)
	plain := binary.LittleEndian.AppendUint16(nil, uint16(2*len(secret)))
	for _, u := range secret {
		plain = binary.LittleEndian.AppendUint16(plain, u)
	}
	plain = append(plain, make([]byte, 2+passwordRoom-len(plain))...)
	pad := aes.BlockSize - len(plain)%aes.BlockSize
	plain = append(plain, bytes.Repeat([]byte{byte(pad)}, pad)...)

	n := aesPassword{salt: [16]byte{1, 2, 3}, iterations: iterations}
	if minIterations <= iterations && iterations <= maxIterations {
		encrypt, sign := n.keys(auth.NTHash(old))
		block, _ := aes.NewCipher(encrypt)
		n.sealed = make([]byte, len(plain))
		cipher.NewCBCEncrypter(block, n.salt[:]).CryptBlocks(n.sealed, plain)
		n.proof = n.sum(sign)
	}
	var e encoder
	e.pointer(true)
	for _, s := range []string{`\\FS`, user} {
		u := newCounted(s)
		u.head(&e)
		u.tail(&e)
	}
	e.Align(8)
	e.Bytes(n.proof[:])
	e.Bytes(n.salt[:])
	e.u32(uint32(len(n.sealed)))
	e.pointer(true)
	e.U64(n.iterations)
	e.u32(uint32(len(n.sealed)))
	e.Bytes(n.sealed)
	return e.Message()
}

// The values were made by impacket.
func TestEncryptHash(t *testing.T) {
	old, new := auth.NTHash("Password"), auth.NTHash("correct horse ä")
	equal(t, "hash of the new one", new[:], "2bae495be86b6fe5f18a17355e5abb49")
	got := encryptHash(old, new)
	equal(t, "proof", got[:], "8f3d997f0c9631e089d7050c1a408560")
}
