package smbcrypt

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/hexdump"
)

func key16(t testing.TB, s string) [16]byte { return [16]byte(hexdump.Bytes(t, s)) }

// The vectors for 3.0 and 3.1.1 are Microsoft's (see testdata); it calls the
// client's sending key EncryptionKey, which is ServerIn here. The 256-bit rows
// were computed with Python's hmac.
func TestDeriveKeys(t *testing.T) {
	preauth := PreauthHash(hexdump.Bytes(t, `
		0DD13628CC3ED218EF9DF9772D436D0887AB9814BFAE63A80AA845F36909DB79
		28622DDDAD522D9751640A459762C5A9D6BB084CBB3CE6BDADEF5D5BCE3C6C01`))
	for _, tt := range []struct {
		name                                      string
		dialect                                   Dialect
		cipher                                    Cipher
		session                                   string
		signing, application, serverIn, serverOut string
	}{
		{
			name: "2.1 signs with the session key itself", dialect: Dialect210,
			session:     "7CD451825D0450D235424E44BA6E78CC",
			signing:     "7CD451825D0450D235424E44BA6E78CC",
			application: "00000000000000000000000000000000",
		},
		{
			name: "3.0, first channel", dialect: Dialect300, cipher: AES128CCM,
			session:     "7CD451825D0450D235424E44BA6E78CC",
			signing:     "0B7E9C5CAC36C0F6EA9AB275298CEDCE",
			serverIn:    "FAD27796665B313EBB578F388632B4F7",
			serverOut:   "B0F0427F7CEB416D1D9DCC0CD4F99447",
			application: "BB23A4575AA26C721AF525AF15A87B4F",
		},
		{
			name: "3.0.2 derives as 3.0; no cipher, no keys for it", dialect: Dialect302,
			session:     "7CD451825D0450D235424E44BA6E78CC",
			signing:     "0B7E9C5CAC36C0F6EA9AB275298CEDCE",
			application: "BB23A4575AA26C721AF525AF15A87B4F",
		},
		{
			name: "3.1.1", dialect: Dialect311, cipher: AES128GCM,
			session:     "270E1BA896585EEB7AF3472D3B4C75A7",
			signing:     "73FE7A9A77BEF0BDE49C650D8CCB5F76",
			serverIn:    "629BCBC54422A0F572B97F45989B6073",
			serverOut:   "E2AF0DCEFAC68DA71A0DFBD0D1350D74",
			application: "6D7AD7954E9EC61E907B4D473DC178FF",
		},
		{
			name: "3.1.1, 256 bits from a short session key", dialect: Dialect311, cipher: AES256GCM,
			session:     "270E1BA896585EEB7AF3472D3B4C75A7",
			signing:     "73FE7A9A77BEF0BDE49C650D8CCB5F76",
			serverIn:    "049C27FD8A340262E32C643DEA2BA507AF7A4C085FD2505AEFFCBDEAE6D6D8AB",
			serverOut:   "35952FED051BF2471AF5F7ACC63674B887A54B47AF46959F7CAFF1CE537D7419",
			application: "6D7AD7954E9EC61E907B4D473DC178FF",
		},
		{
			name: "3.1.1, 256 bits use all of a Kerberos key, the rest its start", dialect: Dialect311, cipher: AES256CCM,
			session:     "270E1BA896585EEB7AF3472D3B4C75A7 000102030405060708090A0B0C0D0E0F",
			signing:     "73FE7A9A77BEF0BDE49C650D8CCB5F76",
			serverIn:    "D1FB4030BE3F706D5D90078476BE9D2D7ECCB818A90E6DD67ACA08F71DD8D4A5",
			serverOut:   "1A76EF5E39AE3B62417C1C361E41E231D5219852757CBB7A356FDD0A4B8C8FC1",
			application: "6D7AD7954E9EC61E907B4D473DC178FF",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := DeriveKeys(tt.dialect, hexdump.Bytes(t, tt.session), &preauth, tt.cipher)
			for _, c := range []struct {
				name string
				got  []byte
				want string
			}{
				{"Signing", k.Signing[:], tt.signing},
				{"Application", k.Application[:], tt.application},
				{"ServerIn", k.ServerIn, tt.serverIn},
				{"ServerOut", k.ServerOut, tt.serverOut},
			} {
				if want := hexdump.Bytes(t, c.want); !bytes.Equal(c.got, want) {
					t.Errorf("%s = %X, want %X", c.name, c.got, want)
				}
			}
		})
	}
}

// login reads the messages of testdata and the hash after each.
func login(t *testing.T) (messages, hashes [][]byte) {
	t.Helper()
	text, err := os.ReadFile("testdata/windows-3.1.1-login.txt")
	if err != nil {
		t.Fatal(err)
	}
	for block := range strings.SplitSeq(string(text), "\n\n") {
		message, hash, _ := strings.Cut(block, "\nhash\n")
		if b := hexdump.Bytes(t, message); len(b) > 0 {
			messages = append(messages, b)
			hashes = append(hashes, hexdump.Bytes(t, hash))
		}
	}
	return messages, hashes
}

func TestPreauthHashFollowsALoginOfWindows(t *testing.T) {
	messages, hashes := login(t)
	if len(messages) != 6 {
		t.Fatalf("%d messages in testdata, want 6", len(messages))
	}
	var p PreauthHash
	for i, m := range messages[:5] {
		p.Update(m)
		if !bytes.Equal(p[:], hashes[i]) {
			t.Fatalf("hash after message %d = %X, want %X", i, p[:], hashes[i])
		}
	}

	k := DeriveKeys(Dialect311, hexdump.Bytes(t, "270E1BA896585EEB7AF3472D3B4C75A7"), &p, AES128GCM)
	s, err := NewSigner(AESCMAC, k.Signing)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Verify(messages[5]) {
		t.Error("the signature of the last message is not verified")
	}
}
