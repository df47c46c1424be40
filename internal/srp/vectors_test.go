package srp

import (
	"bytes"
	"math/big"
	"testing"

	"github.com/dozo-server/dozo/internal/hexdump"
)

func hexNumber(t testing.TB, text string) *big.Int { return number(hexdump.Bytes(t, text)) }

func want(t *testing.T, what string, got []byte, text string) {
	t.Helper()
	if !bytes.Equal(got, hexdump.Bytes(t, text)) {
		t.Errorf("%s:\n got %x\nwant %x", what, got, hexdump.Bytes(t, text))
	}
}

// The arithmetic, in RFC 5054's smaller group: its appendix B.
func TestVectorsOfRFC5054(t *testing.T) {
	r := newGroup("EEAF0AB9ADB38DD69C33F80AFA8FC5E86072618775FF3C0B9EA2314C"+
		"9C256576D674DF7496EA81D3383B4813D692C6E0E0D5D8E250B98BE4"+
		"8E495C1D6089DAD15DC7D7B46154D6B6CE8EF4AD69B15D4982559B29"+
		"7BCF1885C529F566660E57EC68EDBC3C05726CC02FD4CBF4976EAA9A"+
		"FD5138FE8376435B9FC61D2FC0EB06E3", 2)
	a := hexNumber(t, "60975527035CF2AD1989806F0407210BC81EDC04E2762A56AFD529DDDA2D4393")
	b := hexNumber(t, "E487CB59D31AC550471E81F00F6928E01DDA08E974A004F49E61F5D105284D20")

	want(t, "k", r.k.Bytes(), "7556AA045AEF2CDD07ABAF0F665C3E818913186F")
	x := private("alice", "password123", hexdump.Bytes(t, "BEB25379D1A8581EB5A727673A2441EE"))
	want(t, "x", x.Bytes(), "94B7555AABE9127CC58CCF4993DB6CF84D16C124")
	v := r.power(x)
	want(t, "v", v.Bytes(), `
		7E273DE8696FFC4F4E337D05B4B375BEB0DDE1569E8FA00A9886D8129BADA1F1
		822223CA1A605B530E379BA4729FDC59F105B4787E5186F5C671085A1447B52A
		48CF1970B4FB6F8400BBF4CEBFBB168152E08AB5EA53D15C1AFF87B2B9DA6E04
		E058AD51CC72BFC9033B564E26480D78E955A5E29E7AB245DB2BE315E2099AFB`)
	A := r.power(a)
	want(t, "A", A.Bytes(), `
		61D5E490F6F1B79547B0704C436F523DD0E560F0C64115BB72557EC44352E890
		3211C04692272D8B2D1A5358A2CF1B6E0BFCF99F921530EC8E39356179EAE45E
		42BA92AEACED825171E1E8B9AF6D9C03E1327F44BE087EF06530E69F66615261
		EEF54073CA11CF5858F0EDFDFE15EFEAB349EF5D76988A3672FAC47B0769447B`)
	B := r.serverPublic(v, b)
	want(t, "B", B.Bytes(), `
		BD0C61512C692C0CB6D041FA01BB152D4916A1E77AF46AE105393011BAF38964
		DC46A0670DD125B95A981652236F99D9B681CBF87837EC996C6DA04453728610
		D0C6DDB58B318885D7D82C7F8DEB75CE7BD4FBAA37089E6F9C6059F388838E7A
		00030B331EB76840910440B1B27AAEAEEB4012B7D7665238A8E3FB004B117B58`)
	u := r.scramble(A, B)
	want(t, "u", u.Bytes(), "CE38B9593487DA98554ED47D70A7AE5F462EF019")
	const secret = `
		B0DC82BABCF30674AE450C0287745E7990A3381F63B387AAF271A10D233861E3
		59B48220F7C4693C9AE12B0A6F67809F0876E2D013800D6C41BB59B6D5979B5C
		00A172B4A2A5903A0BDCAF8A709585EB2AFAFA8F3499B200210DCC1F10EB3394
		3CD67FC88A2F39A4BE5BEC4EC0A3212DC346D7E474B29EDE8A469FFECA686E5A`
	want(t, "S of the server", r.serverSecret(A, v, u, b).Bytes(), secret)
	want(t, "S of the client", r.clientSecret(B, x, u, a).Bytes(), secret)
}

// The group was copied from paper: a wrong digit would not leave it a safe prime.
func TestGroupIsASafePrime(t *testing.T) {
	half := new(big.Int).Rsh(apple.n, 1)
	if apple.n.BitLen() != 8*groupSize || !apple.n.ProbablyPrime(10) || !half.ProbablyPrime(10) {
		t.Error("N is no safe prime of 1536 bits")
	}
}

// Logins of "Änne" with the password "Grüße77", computed without any of this
// package: by Python's integers and its hashlib, from the formulas in netatalk's
// specification and from secrets that are SHA-256 of "server exponent" and so on.
// The others are the first of "client exponent 0" and so on with a leading zero
// somewhere.
const (
	salt           = "63479ad69a090b258277ec8fba6f9941"
	serverExponent = "cdc99c1758c8c48d846c68390446d222a12ab45de67dbea7578762057e5184db"

	verifier = `
		1041a64b7a830ab6e40943a1855f0df618a32958b2fd93b9eb580b45a44760c8
		019baab09f1cad116cd013ea578c58ae54f700b830e4e5f17f40fa589058fd0d
		facf51403030f4fd72b1d1ad5729db6eca58a9aae0096c8384e66fa2aa40bc93
		cf8a7cdcb3631156664ffd8e0dd4711665063adcadf88d950bb6c899bf17e6f0
		94574c8c419ee737c617cb9f9e4544e53738dbb872711a1d2c36092ad9cceeef
		89d996a4642e6c40949da9c0ddc7183fb76b16a4cf84294d20d297a855958dac`

	offer = `
		0002                                                              # the group of 1536 bits
		00c0                                                              # length of N
		9def3cafb939277ab1f12a8617a47bbbdba51df499ac4c80beeea9614b19cc4d
		5f4f5f556e27cbde51c6a94be4607a291558903ba0d0f84380b655bb9a22e8dc
		df028a7cec67f0d08134b1c8b97989149b609e0be3bab63d47548381dbc5b1fc
		764e3f4b53dd9da1158bfd3e2b9c8cf56edf019539349627db2fd53d24b7c486
		65772e437d6c7f8ce442734af7ccb7ae837c264ae3a9beb87f8a2fe9b8b5292e
		5a021fff5e91479e8ce7a28c2442c6f315180f93499a234dcf76e3fed135f9bb
		0001 02                                                           # g
		0010 63479ad69a090b258277ec8fba6f9941                             # salt
		00c0                                                              # length of B
		4e823168bdddfb83c8b339571ecb41411b75302b388fed697bef4fcf37b3e7b8
		16432f7c32219757d74301fe9bc735103d33f6105137ead88f0ccb00a3200ea4
		bd4140efc97dd130246a4d3189989171410e2a865efcfbe529ed8aa43e974907
		15ba709a9cfa534c38dfd738841cc5a9edc1526ed2fffabd279f54c0f0ae6141
		7115971a5bface4f8c8e4f4b594b14757ed3e24ca8735758dbbf2285da53bd29
		9f907dcba38d51df953258e6ab28c129a1559df64f513aebfdac822f2d5564a2`

	// shortB is a server's exponent of which B begins with a zero.
	shortB = "599b198422b25776343713a2d6fb15ae6a04adee33111d88098f0b7138197680"
)

var logins = []struct {
	name     string
	exponent string // of the client
	answer   string
	reply    string
}{
	{
		name:     "no leading zero",
		exponent: "92e87f7788982a9bde65b6792589c33bd142ae6e9c5edd0231fac31b89211a23",
		answer: `
			0003                                                              # step
			00c0                                                              # length of A
			22d1a3fc700d91ec6dd26c42fa9954095cbc0db3567bde547d9d6593c63662b5
			4d5043b549ba21784ce5eab2a9c52a0cc174c339805b4bd68d764a220c65df41
			5f504e3cb04fc37f574393be3ec45191c44b36bef6f6599bc345b66fcc9c2aff
			ac7d5855f2be419458bb3c549372ae36a8aa23bd28adc469959f27148ab68573
			3da33228383302d2b51b686689dc4a38607f89e7cb3dfbdc6c94f29e25810107
			1823349397a95f06486dedd5b714ed06e23e877cf4887fe7784931e6a407e3ed
			0014 c1dd3fc5db822ee907a008faec5ee882e38e1773                     # M1`,
		reply: "0004 0014 69f50aa64caed5b4a3f3a79bd4b6519f7d8f3b67",
	},
	{
		name:     "A begins with a zero, which is no part of the proofs",
		exponent: "566a3f05520e76d19e3fc3bc9c4b1c98bf6cf97969294924e76400076c3fb75f",
		answer:   "0003 00c0" + shortA + "0014 442f9908527b4518e37198e1d2572e4a95ab1ade",
		reply:    "0004 0014 5a2c183bc96f21423d3870c6cfcbb3616ae1cee8",
	},
	{
		name:   "A begins with a zero, which is a part of the proofs",
		answer: "0003 00c0" + shortA + "0014 7831bbd839cdbaf20f3068ff1965bef99ab1ed99",
		reply:  "0004 0014 927a9f02d3746d3d562eadb0ff8acfdb97d21012",
	},
	{
		name:   "A is sent without its zero",
		answer: "0003 00bf" + shortA[2:] + "0014 442f9908527b4518e37198e1d2572e4a95ab1ade",
		reply:  "0004 0014 5a2c183bc96f21423d3870c6cfcbb3616ae1cee8",
	},
	{
		name:     "S begins with a zero",
		exponent: "80d14a3352dbab89adb952370c99ff615b6672fe8b8af97f74f093bfcddb0ab4",
		reply:    "0004 0014 8cb832034c2c0e87926333d9f6cf1bb28710bf7a",
	},
}

const shortA = "" +
	"002d459afcaaa7a627fa0f140754d13490ace4f02d9cf83d15949b4a476c8d91" +
	"793d863d99b2e45536e15c438b6fcca291c2c54bdd432898cb7aa06278fac016" +
	"a2f1525c801ae09250cee8f508e0c43643413fd853f3923f3b3f9e58df9898fa" +
	"f0a83e452005b5ea21aa905cc5d6d72270be5fe11ec063c5d641e8335803c7e6" +
	"dadd5bcf2b7839342804a7a29bbf0a3eb807e82da0cd01d7bdf7c377d068f254" +
	"7ad7ac55c84a40a9eca3dd5df67fc3c407808e60128a60c29bf2cc5d8d93b68c"

// fixedServer is the server of the vectors, behind the client's first message.
func fixedServer(t testing.TB) *Acceptor {
	a, err := NewAcceptor("Änne", hexdump.Bytes(t, salt), hexdump.Bytes(t, verifier))
	if err != nil {
		t.Fatal(err)
	}
	a.draw(func() *big.Int { return hexNumber(t, serverExponent) })
	if _, err := a.Accept([]byte{0, 1}); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestVectors(t *testing.T) {
	v := apple.power(private("Änne", "Grüße77", hexdump.Bytes(t, salt)))
	want(t, "verifier", apple.pad(v), verifier)
	a := fixedServer(t)
	want(t, "offer", (&challenge{a.salt, a.B}).encode(), offer)
	for _, tt := range logins {
		t.Run(tt.name, func(t *testing.T) {
			answer := hexdump.Bytes(t, tt.answer)
			if tt.exponent != "" {
				i := &Initiator{User: "Änne", Password: "Grüße77", a: hexNumber(t, tt.exponent)}
				got, err := i.Answer(hexdump.Bytes(t, offer))
				if err != nil {
					t.Fatal(err)
				}
				if tt.answer != "" {
					want(t, "answer", got, tt.answer)
				}
				if err := i.Finish(hexdump.Bytes(t, tt.reply)); err != nil {
					t.Errorf("Finish: %v", err)
				}
				answer = got
			}
			reply, err := fixedServer(t).Accept(answer)
			if err != nil {
				t.Fatal(err)
			}
			want(t, "reply", reply, tt.reply)
		})
	}
}

// Both sides draw again until their public value has no leading zero.
func TestDrawingAgain(t *testing.T) {
	exponents := func(first, second string) func() *big.Int {
		list := []string{first, second}
		return func() *big.Int {
			b := hexNumber(t, list[0])
			list = list[1:]
			return b
		}
	}
	a := fixedServer(t)
	a.draw(exponents(shortB, serverExponent))
	if a.b.Cmp(hexNumber(t, serverExponent)) != 0 {
		t.Error("the server took the first exponent")
	}
	i := &Initiator{}
	i.draw(exponents(logins[1].exponent, logins[0].exponent))
	if i.a.Cmp(hexNumber(t, logins[0].exponent)) != 0 {
		t.Error("the client took the first exponent")
	}
}
