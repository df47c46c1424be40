package srp

import (
	"bytes"
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/hexdump"
)

// run runs both sides; alter may change the client's last message on its way.
func run(a *Acceptor, i *Initiator, alter func([]byte) []byte) error {
	offer, err := a.Accept(i.Hello())
	if err != nil {
		return err
	}
	answer, err := i.Answer(offer)
	if err != nil {
		return err
	}
	if alter != nil {
		answer = alter(answer)
	}
	reply, err := a.Accept(answer)
	if err != nil {
		return err
	}
	return i.Finish(reply)
}

func newAcceptor(t testing.TB, user, password string) *Acceptor {
	t.Helper()
	salt, verifier := NewVerifier(user, password)
	a, err := NewAcceptor(user, salt, verifier)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestLogin(t *testing.T) {
	for _, tt := range []struct{ name, user, password string }{
		{"plain", "anna", "s3cret"},
		{"not of ASCII", "Änne", "Grüße 77 ☃"},
		{"a colon in both", "a:b", "c:d"},
		{"long", strings.Repeat("u", 64), strings.Repeat("p", 255)},
		{"no password", "anna", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := newAcceptor(t, tt.user, tt.password)
			if err := run(a, &Initiator{User: tt.user, Password: tt.password}, nil); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestRefusedLogins(t *testing.T) {
	public := func(n *big.Int) func([]byte) []byte {
		return func(m []byte) []byte { n.FillBytes(m[4 : 4+groupSize]); return m }
	}
	for _, tt := range []struct {
		name     string
		user     string
		password string
		alter    func([]byte) []byte
		want     error
	}{
		{"wrong password", "anna", "s3creT", nil, ErrProof},
		{"no password", "anna", "", nil, ErrProof},
		{"the name in other case", "Anna", "s3cret", nil, ErrProof},
		{"M1 changed", "anna", "s3cret", func(m []byte) []byte { m[len(m)-1]++; return m }, ErrProof},
		{"A changed", "anna", "s3cret", func(m []byte) []byte { m[100]++; return m }, ErrProof},
		{"A is 0", "anna", "s3cret", public(new(big.Int)), ErrPublic},
		{"A is N", "anna", "s3cret", public(apple.n), ErrPublic},
		{"A is N+1", "anna", "s3cret", public(new(big.Int).Add(apple.n, big.NewInt(1))), ErrPublic},
		{"A is empty", "anna", "s3cret", func(m []byte) []byte { return append([]byte{0, 3, 0, 0}, m[4+groupSize:]...) }, ErrMalformed},
		{"A is too long", "anna", "s3cret", func(m []byte) []byte { m[3]++; return append(m, 0) }, ErrMalformed},
		{"M1 of 19 bytes", "anna", "s3cret", func(m []byte) []byte { m[5+groupSize]--; return m }, ErrMalformed},
		{"M1 is cut", "anna", "s3cret", func(m []byte) []byte { return m[:len(m)-1] }, ErrMalformed},
		{"another step", "anna", "s3cret", func(m []byte) []byte { m[1] = 4; return m }, ErrMalformed},
		{"empty", "anna", "s3cret", func([]byte) []byte { return nil }, ErrMalformed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := newAcceptor(t, "anna", "s3cret")
			err := run(a, &Initiator{User: tt.user, Password: tt.password}, tt.alter)
			if !errors.Is(err, tt.want) {
				t.Errorf("error = %v, want %v", err, tt.want)
			}
			if _, err := a.Accept([]byte{0, 1}); !errors.Is(err, ErrOrder) {
				t.Errorf("after a refusal: %v", err)
			}
		})
	}
}

func TestTrailingBytes(t *testing.T) {
	more := func(m []byte) []byte { return append(m, make([]byte, 10)...) }
	if err := run(newAcceptor(t, "anna", "s3cret"), &Initiator{User: "anna", Password: "s3cret"}, more); err != nil {
		t.Error(err)
	}
}

func TestEachStepOnce(t *testing.T) {
	a := newAcceptor(t, "anna", "s3cret")
	i := &Initiator{User: "anna", Password: "s3cret"}
	if _, err := a.Accept([]byte{0, 3}); !errors.Is(err, ErrMalformed) {
		t.Errorf("the second step first: %v", err)
	}
	if _, err := a.Accept(i.Hello()); !errors.Is(err, ErrOrder) {
		t.Errorf("the first step after a wrong one: %v", err)
	}

	a = newAcceptor(t, "anna", "s3cret")
	offer, err := a.Accept(i.Hello())
	if err != nil {
		t.Fatal(err)
	}
	answer, err := i.Answer(offer)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Accept(answer); err != nil {
		t.Fatal(err)
	}
	for _, m := range [][]byte{answer, i.Hello()} {
		if _, err := a.Accept(m); !errors.Is(err, ErrOrder) {
			t.Errorf("after the end: %v", err)
		}
	}
}

// Everybody could log in with such verifiers.
func TestVerifiersThatAreNone(t *testing.T) {
	salt, verifier := NewVerifier("anna", "s3cret")
	for _, tt := range []struct {
		name           string
		salt, verifier []byte
	}{
		{"none", nil, nil},
		{"0", salt, make([]byte, VerifierSize)},
		{"1", salt, apple.pad(big.NewInt(1))},
		{"N-1", salt, apple.pad(new(big.Int).Sub(apple.n, big.NewInt(1)))},
		{"N", salt, apple.pad(apple.n)},
		{"cut", salt, verifier[1:]},
		{"short salt", salt[1:], verifier},
	} {
		if _, err := NewAcceptor("anna", tt.salt, tt.verifier); !errors.Is(err, ErrVerifier) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// Somebody who does not exist gets answers of the same form, with one salt for
// as long as the secret lives, and fails at the end.
func TestDecoy(t *testing.T) {
	salt, verifier := Decoy([]byte("secret"), "bert")
	again, _ := Decoy([]byte("secret"), "bert")
	if !bytes.Equal(salt, again) {
		t.Error("two salts of one name")
	}
	for _, other := range [][2]string{{"secret", "berta"}, {"Secret", "bert"}} {
		if s, v := Decoy([]byte(other[0]), other[1]); bytes.Equal(s, salt) || bytes.Equal(v, verifier) {
			t.Errorf("the same for %q", other)
		}
	}
	a, err := NewAcceptor("bert", salt, verifier)
	if err != nil {
		t.Fatal(err)
	}
	if err := run(a, &Initiator{User: "bert", Password: "s3cret"}, nil); !errors.Is(err, ErrProof) {
		t.Errorf("error = %v", err)
	}
	known, err := newAcceptor(t, "anna", "s3cret").Accept([]byte{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	b, _ := NewAcceptor("bert", salt, verifier)
	unknown, err := b.Accept([]byte{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	const saltAt = 2 + 2 + groupSize + 2 + 1 + 2
	if len(known) != 411 || len(unknown) != len(known) || !bytes.Equal(known[:saltAt], unknown[:saltAt]) {
		t.Errorf("offers differ:\n%x\n%x", known, unknown)
	}
}

func TestNothingRepeats(t *testing.T) {
	salts, offers := map[string]bool{}, map[string]bool{}
	salt, verifier := NewVerifier("anna", "s3cret")
	for range 50 {
		s, _ := NewVerifier("anna", "s3cret")
		salts[string(s)] = true
		a, _ := NewAcceptor("anna", salt, verifier)
		m, _ := a.Accept([]byte{0, 1})
		offers[string(m)] = true
	}
	if len(salts) != 50 || len(offers) != 50 {
		t.Errorf("%d salts and %d offers of 50", len(salts), len(offers))
	}
}

// A client lets no server choose what is easy to break, and believes only the one
// that has the verifier.
func TestClientRefuses(t *testing.T) {
	const nAt, gAt, saltAt, bAt = 4, 198, 201, 219
	for _, tt := range []struct {
		name  string
		alter func([]byte) []byte
		want  error
	}{
		{"another number of the group", func(m []byte) []byte { m[1] = 1; return m }, ErrGroup},
		{"another N", func(m []byte) []byte { m[nAt]++; return m }, ErrGroup},
		{"another g", func(m []byte) []byte { m[gAt] = 5; return m }, ErrGroup},
		{"B is 0", func(m []byte) []byte { clear(m[bAt:]); return m }, ErrPublic},
		{"B is N", func(m []byte) []byte { copy(m[bAt:], m[nAt:]); return m }, ErrPublic},
		{"no salt", func(m []byte) []byte { m[saltAt-1] = 0; return m }, ErrMalformed},
		{"cut", func(m []byte) []byte { return m[:len(m)-1] }, ErrMalformed},
		{"empty", func([]byte) []byte { return nil }, ErrMalformed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			i := &Initiator{User: "Änne", Password: "Grüße77"}
			if _, err := i.Answer(tt.alter(hexdump.Bytes(t, offer))); !errors.Is(err, tt.want) {
				t.Errorf("error = %v, want %v", err, tt.want)
			}
		})
	}

	i := &Initiator{User: "Änne", Password: "Grüße77", a: hexNumber(t, logins[0].exponent)}
	reply := hexdump.Bytes(t, logins[0].reply)
	if err := i.Finish(reply); !errors.Is(err, ErrOrder) {
		t.Errorf("the end first: %v", err)
	}
	if _, err := i.Answer(hexdump.Bytes(t, offer)); err != nil {
		t.Fatal(err)
	}
	if _, err := i.Answer(hexdump.Bytes(t, offer)); !errors.Is(err, ErrOrder) {
		t.Errorf("a second challenge: %v", err)
	}
	reply[10]++
	if err := i.Finish(reply); !errors.Is(err, ErrProof) {
		t.Errorf("a wrong proof: %v", err)
	}
	if err := i.Finish(reply[:23]); !errors.Is(err, ErrMalformed) {
		t.Errorf("a short proof: %v", err)
	}
}

// FuzzAcceptor sends a stranger's messages to a server. None of them knows the
// password, but for the vectors.
func FuzzAcceptor(f *testing.F) {
	for _, tt := range logins {
		f.Add([]byte{0, 1}, hexdump.Bytes(f, tt.answer))
	}
	f.Add([]byte{0, 3}, []byte{0, 3, 0, 1, 5})
	f.Fuzz(func(t *testing.T, first, second []byte) {
		a, err := NewAcceptor("Änne", hexdump.Bytes(t, salt), hexdump.Bytes(t, verifier))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Accept(first); err != nil {
			return
		}
		if reply, err := a.Accept(second); err == nil {
			t.Fatalf("logged in with %x: %x", second, reply)
		}
		if _, err := a.Accept(second); !errors.Is(err, ErrOrder) {
			t.Fatalf("a third step: %v", err)
		}
	})
}

// FuzzProof sends what comes after the first message to the server of the
// vectors, which only their proofs convince.
func FuzzProof(f *testing.F) {
	proofs := map[string]bool{}
	for _, tt := range logins {
		b := hexdump.Bytes(f, tt.answer)
		f.Add(b)
		if len(b) > proofSize {
			proofs[string(b[len(b)-proofSize:])] = true
		}
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		_, err := fixedServer(t).Accept(message)
		if err != nil {
			return
		}
		var m answer
		if m.decode(message) != nil || !proofs[string(m.proof)] {
			t.Fatalf("convinced by %x", message)
		}
	})
}

// FuzzInitiator is a server that may send anything.
func FuzzInitiator(f *testing.F) {
	f.Add(hexdump.Bytes(f, offer), hexdump.Bytes(f, logins[0].reply))
	f.Add(hexdump.Bytes(f, offer)[:219], []byte{0, 4})
	f.Fuzz(func(t *testing.T, first, second []byte) {
		i := &Initiator{User: "Änne", Password: "guess", a: hexNumber(t, serverExponent)}
		if _, err := i.Answer(first); err != nil {
			if i.Finish(second) == nil {
				t.Fatal("finished without a beginning")
			}
			return
		}
		if err := i.Finish(second); err == nil {
			t.Fatalf("convinced by %x", second)
		}
	})
}

func BenchmarkServer(b *testing.B) {
	salt, verifier := NewVerifier("anna", "s3cret")
	message := hexdump.Bytes(b, logins[0].answer)
	for b.Loop() {
		a, err := NewAcceptor("anna", salt, verifier)
		if err != nil {
			b.Fatal(err)
		}
		a.Accept([]byte{0, 1})
		if _, err := a.Accept(message); !errors.Is(err, ErrProof) {
			b.Fatal(err)
		}
	}
}
