package ntlm

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/hexdump"
)

func equal(t *testing.T, what string, got []byte, want string) {
	t.Helper()
	if w := hexdump.Bytes(t, want); !bytes.Equal(got, w) {
		t.Errorf("%s = %x, want %x", what, got, w)
	}
}

// account is an Accounts with one user. The hash of the user "disabled" is
// refused.
type account struct {
	user string
	hash [16]byte
}

func (a account) NTHash(user, domain string) ([16]byte, error) {
	switch {
	case strings.EqualFold(user, a.user):
		return a.hash, nil
	case user == "disabled":
		return [16]byte{}, errDisabled
	}
	return [16]byte{}, ErrUnknownUser
}

// The common values of [MS-NLMP] 4.2.1 and the attribute pairs of 4.2.4.
const specPairs = `
	0200 0c00 44006f006d00610069006e00  # NetBIOS domain "Domain"
	0100 0c00 530065007200760065007200  # NetBIOS computer "Server"
	0000 0000                           # end
`

func TestProofOfTheSpecification(t *testing.T) { // 4.2.4.1 and 4.2.4.2
	hash := Hash("Password")
	equal(t, "Hash", hash[:], "a4f49c406510bdcab6824ee7c30fd852")
	key := responseKey(hash, "User", toUTF16("Domain"))
	equal(t, "responseKey", key[:], "0c868a403bfd7a93a3001ef22ef02e3f")

	blob := makeBlob(make([]byte, 8), [8]byte(hexdump.Bytes(t, "aaaaaaaaaaaaaaaa")), hexdump.Bytes(t, specPairs))
	proof, base := prove(key, [8]byte(hexdump.Bytes(t, "0123456789abcdef")), blob)
	equal(t, "proof", proof[:], "68cd0ab851e51c96aabc927bebef6a1c")
	equal(t, "base key", base[:], "8de40ccadbc14a82f15cb0ad0de95ca3")
	encrypted := exchangeKey(base, bytes.Repeat([]byte{0x55}, 16))
	equal(t, "encrypted session key", encrypted[:], "c5dad2544fc9799094ce1ce90bc9d03e")
}

func TestAcceptTheSpecificationsMessage(t *testing.T) { // 4.2.4.3
	a := (&Server{Accounts: account{"User", Hash("Password")}}).NewAcceptor()
	a.challenge = []byte("sent")
	a.nonce = [8]byte(hexdump.Bytes(t, "0123456789abcdef"))
	a.flags = 0xe28a8233
	reply, err := a.Accept(hexdump.Bytes(t, `
		4e544c4d53535000 03000000                  # signature, type
		1800 1800 6c000000                         # LM response
		5400 5400 84000000                         # NT response
		0c00 0c00 48000000                         # domain
		0800 0800 54000000                         # user
		1000 1000 5c000000                         # workstation
		1000 1000 d8000000                         # session key
		358288e2                                   # flags
		0501280a0000000f                           # version; no room for a MIC
		44006f006d00610069006e00                   # "Domain"
		5500730065007200                           # "User"
		43004f004d0050005500540045005200           # "COMPUTER"
		86c35097ac9cec102554764a57cccc19 aaaaaaaaaaaaaaaa
		68cd0ab851e51c96aabc927bebef6a1c
		0101 000000000000 0000000000000000 aaaaaaaaaaaaaaaa 00000000`+specPairs+`00000000
		c5dad2544fc9799094ce1ce90bc9d03e`))
	if err != nil || reply != nil {
		t.Fatalf("Accept = %x, %v", reply, err)
	}
	s := a.Session()
	if s.User != "User" || s.Domain != "Domain" || s.Workstation != "COMPUTER" || s.Anonymous || s.Guest {
		t.Errorf("Session = %+v", s)
	}
	equal(t, "Key", s.Key[:], "55555555555555555555555555555555")
}

func TestSealingOfTheSpecification(t *testing.T) { // 4.2.4.4
	s := newSealing([16]byte(bytes.Repeat([]byte{0x55}, 16)), 0xe28a8233, "client-to-server")
	equal(t, "sign key", s.signKey[:], "4788dc861b4782f35d43fd98fe1a2d39")
	message := toUTF16("Plaintext")
	sig := s.seal(message, message)
	equal(t, "sealed", message, "54e50165bf1936dc996020c1811b0f06fb5f")
	equal(t, "signature", sig[:], "01000000 7fb38ec5c55d4976 00000000")
}

// The login in the appendix of Microsoft's "SMB 2 and SMB 3 security in
// Windows 10: the anatomy of signing and cryptographic keys".
const (
	windowsNegotiate = `
		4E544C4D53535000 01000000 978208E2 0000000000000000 0000000000000000 060380250000000F`
	windowsChallenge = `
		4E544C4D53535000 02000000 0C000C0038000000 15828AE2 0D1D8BA31179D008 0000000000000000
		5000500044000000 0A0092270000000F
		530055005400330031003100                      # SUT311
		02000C00530055005400330031003100 01000C00530055005400330031003100
		04000C00530055005400330031003100 03000C00530055005400330031003100
		07000800A1A1F5ADCBAED001 00000000`
	windowsAuthenticate = `
		4E544C4D53535000 03000000
		1800180090000000 EE00EE00A8000000 0C000C0058000000 1A001A0064000000 120012007E000000
		1000100096010000 158288E2 060380250000000F
		ECAC77A5F385A8BF9C38C706EEEDDCD3              # MIC
		530055005400330031003100                      # SUT311
		610064006D0069006E006900730074007200610074006F007200 440052004900560045005200330031003100
		000000000000000000000000000000000000000000000000
		63078EB639FE03E20A231C3AE3BF2308 0101000000000000A1A1F5ADCBAED001BC4AD05F223CC90F00000000
		02000C00530055005400330031003100 01000C00530055005400330031003100
		04000C00530055005400330031003100 03000C00530055005400330031003100
		07000800A1A1F5ADCBAED001 0600040002000000     # flags: MIC
		0800300030000000000000000000000000300000B61FEFCAA857EA57BF1EDCEBF8974B8E0EBA5A6DFD9D07A31D11B548F8C9D0CC
		0A00100000000000000000000000000000000000
		0900160063006900660073002F00530055005400330031003100
		00000000 00000000 00000000
		3B9BDFF38F5EE8F9663F11A0F4C03A78`
	windowsKey = "270E1BA896585EEB7AF3472D3B4C75A7"
)

// The password is not published, so this begins with the session key.
func TestMICAndSignaturesOfWindows(t *testing.T) {
	key := [16]byte(hexdump.Bytes(t, windowsKey))
	message := hexdump.Bytes(t, windowsAuthenticate)
	var m authenticate
	if err := m.decode(message); err != nil {
		t.Fatal(err)
	}
	if m.user != "administrator" || m.workstation != "DRIVER311" || !m.hasMIC {
		t.Errorf("decoded %+v", m)
	}
	_, _, pairs, err := splitResponse(m.ntResponse)
	if err != nil || !sendsMIC(pairs) {
		t.Errorf("pairs %v, %v", pairs, err)
	}
	sum := mic(key, hexdump.Bytes(t, windowsNegotiate), hexdump.Bytes(t, windowsChallenge), message)
	if sum != m.mic {
		t.Errorf("MIC = %x, want %x", sum, m.mic)
	}

	mechanisms := hexdump.Bytes(t, "300C060A2B06010401823702020A") // what SPNEGO signs
	server := newSession(key, m.flags, true)
	if !server.Verify(mechanisms, hexdump.Bytes(t, "01000000 63775A9A5FD97F06 00000000")) {
		t.Error("the client's signature is not verified")
	}
	equal(t, "server's signature", server.Sign(mechanisms), "01000000 3B453CDC35241642 00000000")
}
