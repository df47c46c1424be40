package dhx2

import (
	"bytes"
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/hexdump"
)

// exchange runs both sides; alter may change the client's messages, 1 and 2, on
// their way.
func exchange(a *Acceptor, i *Initiator, alter func(step int, m []byte) []byte) error {
	message := a.Offer()
	for step := 1; step <= 2; step++ {
		answer, err := i.Answer(message)
		if err != nil {
			return err
		}
		if alter != nil {
			answer = alter(step, answer)
		}
		if message, err = a.Accept(a.ID(), answer); err != nil {
			return err
		}
	}
	return nil
}

func TestExchange(t *testing.T) {
	long := strings.Repeat("x", passwordSize)
	for _, tt := range []struct{ name, password, fresh string }{
		{"login", "s3cret", ""},
		{"empty password", "", ""},
		{"the longest password", long, ""},
		{"change", "s3cret", "s4cret99"},
		{"change of the longest", long, long[1:] + "y"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := NewLogin()
			if tt.fresh != "" {
				a = NewChange()
			}
			if err := exchange(a, &Initiator{Password: tt.password, NewPassword: tt.fresh}, nil); err != nil {
				t.Fatal(err)
			}
			if a.Password() != tt.password || a.NewPassword() != tt.fresh {
				t.Errorf("passwords %q and %q", a.Password(), a.NewPassword())
			}
		})
	}
}

func TestRefusedExchanges(t *testing.T) {
	public := func(n *big.Int) func([]byte) []byte {
		return func(m []byte) []byte { n.FillBytes(m[:groupSize]); return m }
	}
	less := func(n int64) *big.Int { return new(big.Int).Sub(ours.p, big.NewInt(n)) }
	for _, tt := range []struct {
		name  string
		step  int
		alter func([]byte) []byte
		want  error
	}{
		{"Ma is 0", 1, public(big.NewInt(0)), ErrPublic},
		{"Ma is 1", 1, public(big.NewInt(1)), ErrPublic},
		{"Ma is p-1", 1, public(less(1)), ErrPublic},
		{"Ma is p", 1, public(less(0)), ErrPublic},
		{"Ma is p+1", 1, public(less(-1)), ErrPublic},
		{"Ma is all ones", 1, public(new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 8*groupSize), big.NewInt(1))), ErrPublic},
		{"empty", 1, func(m []byte) []byte { return nil }, ErrMalformed},
		{"cut in the public value", 1, func(m []byte) []byte { return m[:groupSize-1] }, ErrMalformed},
		{"cut in the client's nonce", 1, func(m []byte) []byte { return m[:len(m)-1] }, ErrMalformed},
		{"cut in the password", 2, func(m []byte) []byte { return m[:len(m)-1] }, ErrMalformed},
		{"the server's nonce is not one more", 2, func(m []byte) []byte { m[0]++; return m }, ErrNonce},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := fixedServer(t, NewLogin())
			err := exchange(a, &Initiator{Password: "s3cret"}, func(step int, m []byte) []byte {
				if step == tt.step {
					return tt.alter(m)
				}
				return m
			})
			if !errors.Is(err, tt.want) || a.Password() != "" {
				t.Errorf("error %v, password %q; want the error %v", err, a.Password(), tt.want)
			}
		})
	}
}

// The values next to the refused ones are numbers of the group.
func TestPublicValuesAtTheEdges(t *testing.T) {
	for _, n := range []*big.Int{big.NewInt(2), new(big.Int).Sub(ours.p, big.NewInt(2))} {
		a := NewLogin()
		m := n.FillBytes(make([]byte, groupSize))
		if _, err := a.Accept(a.ID(), append(m, make([]byte, nonceSize)...)); err != nil {
			t.Errorf("%d bits: %v", n.BitLen(), err)
		}
	}
}

// Old Macs send ten bytes more than there are fields, and got two from old servers.
func TestTrailingBytes(t *testing.T) {
	for _, n := range []int{1, 10, 256} {
		a := NewLogin()
		more := func(_ int, m []byte) []byte { return append(m, bytes.Repeat([]byte{0xee}, n)...) }
		if err := exchange(a, &Initiator{Password: "s3cret"}, more); err != nil || a.Password() != "s3cret" {
			t.Errorf("%d bytes: %q, %v", n, a.Password(), err)
		}
	}
	i := fixedClient(t, clientExponent, &Initiator{})
	answer, err := i.Answer(append(hexdump.Bytes(t, offer), 0, 0))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "answer", answer, agreement)
}

// A step that was taken, or refused, is not to be taken again: netatalk once
// freed its numbers twice there.
func TestEachStepOnce(t *testing.T) {
	steps := func(a *Acceptor) (first, second []byte) {
		i := &Initiator{Password: "s3cret"}
		first, err := i.Answer(a.Offer())
		if err != nil {
			t.Fatal(err)
		}
		reply, err := a.Accept(a.ID(), first)
		if err != nil {
			t.Fatal(err)
		}
		if second, err = i.Answer(reply); err != nil {
			t.Fatal(err)
		}
		return first, second
	}
	t.Run("after the first step", func(t *testing.T) {
		a := NewLogin()
		first, second := steps(a)
		if _, err := a.Accept(a.ID()-1, first); !errors.Is(err, ErrOrder) {
			t.Errorf("the first step again: %v", err)
		}
		if _, err := a.Accept(a.ID(), second); !errors.Is(err, ErrOrder) {
			t.Errorf("the second step after that: %v", err)
		}
	})
	t.Run("after the end", func(t *testing.T) {
		a := NewLogin()
		first, second := steps(a)
		if _, err := a.Accept(a.ID(), second); err != nil {
			t.Fatal(err)
		}
		for _, m := range [][]byte{second, first} {
			if _, err := a.Accept(a.ID(), m); !errors.Is(err, ErrOrder) {
				t.Errorf("error = %v", err)
			}
		}
		if a.Password() != "s3cret" {
			t.Errorf("password %q", a.Password())
		}
	})
	t.Run("after a refusal", func(t *testing.T) {
		a := NewLogin()
		first, _ := new(Initiator).Answer(a.Offer())
		if _, err := a.Accept(a.ID(), first[:len(first)-1]); !errors.Is(err, ErrMalformed) {
			t.Fatal(err)
		}
		if _, err := a.Accept(a.ID(), first); !errors.Is(err, ErrOrder) {
			t.Errorf("error = %v", err)
		}
	})
	t.Run("of another exchange", func(t *testing.T) {
		for _, other := range []uint16{1, 7, 0xffff} {
			a := NewLogin()
			first, _ := new(Initiator).Answer(a.Offer())
			if _, err := a.Accept(a.ID()+other, first); !errors.Is(err, ErrOrder) {
				t.Errorf("ID + %d: %v", other, err)
			}
		}
	})
}

// A client does not send a password to a server that can't have the key, nor in
// a group that hides nothing.
func TestClientRefuses(t *testing.T) {
	small := strings.Repeat("ff", minGroup-1)
	for _, tt := range []struct {
		name  string
		offer string
		want  error
	}{
		{"empty", "", ErrMalformed},
		{"cut", offer[:len(offer)-2], ErrMalformed},
		{"p of 504 bits", "00000002 003f" + small + small, ErrGroup},
		{"p of 4104 bits", "00000002 0201" + strings.Repeat("ff", 2*(maxGroup+1)), ErrGroup},
		{"p is even", "00000002 0040" + small + "fe" + small + "02", ErrGroup},
		{"p begins with zeros", "00000002 0040 00" + small + small + "0003", ErrGroup},
		{"g is 1", "00000001 0040" + small + "ff" + small + "02", ErrGroup},
		{"Mb is p", "00000002 0040" + small + "ff" + small + "ff", ErrPublic},
		{"Mb is 1", "00000002 0040" + small + "ff" + strings.Repeat("00", minGroup-1) + "01", ErrPublic},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := new(Initiator).Answer(hexdump.Bytes(t, tt.offer))
			if !errors.Is(err, tt.want) {
				t.Errorf("error = %v, want %v", err, tt.want)
			}
		})
	}
	agreed := func() *Initiator {
		i := fixedClient(t, clientExponent, &Initiator{Password: "s3cret"})
		if _, err := i.Answer(hexdump.Bytes(t, offer)); err != nil {
			t.Fatal(err)
		}
		return i
	}
	wrong := hexdump.Bytes(t, proof)
	wrong[0]++
	if _, err := agreed().Answer(wrong); !errors.Is(err, ErrNonce) {
		t.Errorf("a wrong proof: %v", err)
	}
	if _, err := agreed().Answer(hexdump.Bytes(t, proof)[:31]); !errors.Is(err, ErrMalformed) {
		t.Errorf("a short proof: %v", err)
	}
	i := agreed()
	i.Password = strings.Repeat("x", passwordSize+1)
	if _, err := i.Answer(hexdump.Bytes(t, proof)); !errors.Is(err, ErrLong) {
		t.Errorf("a long password: %v", err)
	}
}

func TestExchangesDiffer(t *testing.T) {
	offers, nonces := map[string]bool{}, map[nonce]bool{}
	for range 100 {
		a := NewLogin()
		if a.ID() == 0 || a.ID() == 0xffff {
			t.Errorf("ID %d", a.ID())
		}
		offers[string(a.Offer())] = true
		nonces[a.nonce] = true
	}
	if len(offers) != 100 || len(nonces) != 100 {
		t.Errorf("%d different public values and %d nonces of 100", len(offers), len(nonces))
	}
}

func TestNonceCarries(t *testing.T) {
	for _, tt := range [][2]string{
		{"00000000000000000000000000000000", "00000000000000000000000000000001"},
		{"00000000000000000000000000ffffff", "00000000000000000000000001000000"},
		{"ffffffffffffffffffffffffffffffff", "00000000000000000000000000000000"},
	} {
		got := nonce(hexdump.Bytes(t, tt[0])).next()
		equal(t, tt[0], got[:], tt[1])
	}
}

// FuzzAgree sends a stranger's first message to a server.
func FuzzAgree(f *testing.F) {
	f.Add(hexdump.Bytes(f, agreement))
	f.Add(make([]byte, groupSize+nonceSize))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, message []byte) {
		a := fixedServer(t, NewLogin())
		reply, err := a.Accept(a.ID(), message)
		if (err == nil) != (len(reply) == 2*nonceSize) {
			t.Fatalf("Accept = %x, %v", reply, err)
		}
		if _, err := a.Accept(a.ID(), message); err == nil {
			t.Fatal("taken twice")
		}
	})
}

// FuzzPassword sends a stranger's second message, made without the key, or the
// right one with something behind it.
func FuzzPassword(f *testing.F) {
	f.Add(hexdump.Bytes(f, login))
	f.Add(hexdump.Bytes(f, change))
	f.Add([]byte{})
	right := hexdump.Bytes(f, login)
	f.Fuzz(func(t *testing.T, message []byte) {
		for _, a := range []*Acceptor{NewLogin(), NewChange()} {
			fixedServer(t, a)
			if _, err := a.Accept(a.ID(), hexdump.Bytes(t, agreement)); err != nil {
				t.Fatal(err)
			}
			reply, err := a.Accept(a.ID(), message)
			if reply != nil {
				t.Fatalf("reply %x", reply)
			}
			if err == nil && !bytes.HasPrefix(message, right[:nonceSize]) {
				t.Fatalf("passwords %q and %q without the key", a.Password(), a.NewPassword())
			}
			if err != nil && a.Password()+a.NewPassword() != "" {
				t.Fatal("a password in spite of the error")
			}
		}
	})
}

// FuzzInitiator is a server that may send anything.
func FuzzInitiator(f *testing.F) {
	f.Add(hexdump.Bytes(f, offer), hexdump.Bytes(f, proof))
	f.Add(hexdump.Bytes(f, "00000002 0040"+strings.Repeat("ff", 2*minGroup-1)+"02"), []byte{})
	f.Fuzz(func(t *testing.T, first, second []byte) {
		i := fixedClient(t, clientExponent, &Initiator{Password: "s3cret"})
		if _, err := i.Answer(first); err != nil {
			return
		}
		if answer, err := i.Answer(second); err == nil && len(answer) != nonceSize+passwordSize {
			t.Fatalf("answer of %d bytes", len(answer))
		}
	})
}

func BenchmarkServer(b *testing.B) {
	message := hexdump.Bytes(b, agreement)
	for b.Loop() {
		a := NewLogin()
		a.Offer()
		if _, err := a.Accept(a.ID(), message); err != nil {
			b.Fatal(err)
		}
	}
}
