package smbcrypt

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/dozo-server/dozo/internal/hexdump"
)

// The frames are those of Microsoft's articles "Encryption in SMB 3.0: A
// protocol perspective" and "SMB 3.1.1 Encryption in Windows 10".
var sealTests = []struct {
	name    string
	cipher  Cipher
	key     string
	message string
	frame   string
	session uint64
}{
	{
		name: "3.0 WRITE request", cipher: AES128CCM,
		key: "261B72350558F2E9DCF613070383EDBF", session: 0x8E40014000011,
		message: `
			FE534D4240000100000000000900400008000000000000000400000000000000
			FFFE0000010000001100001400E4080000000000000000000000000000000000
			3100700017000000000000000000000015010000390000020100000039020000
			00000000000000007000000000000000536D623320656E6372797074696F6E20
			74657374696E67`,
		frame: `
			FD534D42 81A286535415445DAE393921E44FA42E  # ProtocolId, tag
			66E69A111892584FB5ED524A744DA3EE           # nonce, and what its sender left behind it
			87000000 0000 0100 1100001400E40800        # size, flags, session
			25C8FEE16605A437832D1CD52DA9F4645333482A175FE5384563F45FCDAFAEF3
			8BC62BA4D5C62897996625A44C29BE5658DE2E6117585779E7B59FFD971278D0
			8580D7FA899E410E910EABF5AA1DB43050B33B49182637759AC15D84BFCDF5B6
			B238993C0F4CF4D6012023F6C627297075D84B7803912D0A9639634453595EF3
			E33FFE4E7AC2AB`,
	},
	{
		name: "3.0 WRITE response", cipher: AES128CCM,
		key: "8FE2B57EC34D2DB5B1A9727F526BBDB5", session: 0x8E40014000011,
		message: `
			FE534D4240000100000000000900210009000000000000000400000000000000
			FFFE0000010000001100001400E4080000000000000000000000000000000000
			11000000170000000000000000000000`,
		frame: `
			FD534D42 A6015530A18F6D9AFFE22AFAE8E66484
			86000000000000001100001400E40800
			50000000 0000 0100 1100001400E40800
			DBF46435C5F14169293CE079E344479BF670227E49873F458672C3098DAC467D
			D5809F369D674091665157871483E01F7BECD02064EAC3E235F913668BBC2F09
			7980D4B378F1993EFF6E60D177309E5B`,
	},
	{
		name: "3.1.1 WRITE request", cipher: AES128GCM,
		key: "A2F5E80E5D59103034F32E52F698E5EC", session: 0x100000000025,
		message: `
			FE534D4240000100000000000900010008000000000000000500000000000000
			FFFE000001000000250000000010000000000000000000000000000000000000
			3100700017000000000000000000000006000000040000000100000004000000
			00000000000000007000000000000000536D623320656E6372797074696F6E20
			74657374696E67`,
		frame: `
			FD534D42 BD73D97D2BC9001BCAFAC0FDFF5FEEBC
			C7D6822D269CAF48904C664C00000000
			87000000 0000 0100 2500000000100000
			6ECDD2A7AFC7B47763057A041B8FD4DAFFE990B70C9E09D36C084E02D14EF247
			F8BDE38ACF6256F8B1D3B56F77FBDEB312FEA5E92CBCC1ED8FB2EBBFAA75E49A
			4A394BB44576545567C24D4C014D47C9FBDFDAFD2C4F9B72F8D256452620A299
			F48E29E53D6B61D1C13A19E91AF013F00D17E3ABC2FC3D36C8C1B6B93973253852
			DBD442E46EE8`,
	},
	{
		name: "3.1.1 WRITE response", cipher: AES128GCM,
		key: "748C50868C90F302962A5C35F5F9A8BF", session: 0x100000000025,
		message: `
			FE534D4240000100000000000900010001000000000000000500000000000000
			FFFE000001000000250000000010000000000000000000000000000000000000
			11000000170000000000000000000000`,
		frame: `
			FD534D42 ACBE1CB7ED343ADF1725EF144D90D4B0
			E06831DD2E8EB7B40000000000000000
			50000000 0000 0100 2500000000100000
			26BBBF949983A6C1C796559D0F2C510CB651D1F7B6AC8DED32A2A0B8F2D793A8
			15C6F6B848D69767A215841A42D400AE6DDB5F0B44173A014973321FDD7950DA
			6179159B82E03C9E18A050FF0EA1C967`,
	},
}

func TestSealAndOpenFramesOfWindows(t *testing.T) {
	for _, tt := range sealTests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := NewSealer(tt.cipher, hexdump.Bytes(t, tt.key))
			if err != nil {
				t.Fatal(err)
			}
			frame, message := hexdump.Bytes(t, tt.frame), hexdump.Bytes(t, tt.message)

			sealed := append(bytes.Clone(frame[:TransformSize]), message...)
			clear(sealed[tagOffset:nonceOffset])
			s.sealPrepared(sealed)
			if !bytes.Equal(sealed, frame) {
				t.Errorf("sealed\n%X, want\n%X", sealed, frame)
			}

			if id, err := TransformSession(frame); id != tt.session || err != nil {
				t.Errorf("TransformSession = %#x, %v", id, err)
			}
			got, err := s.Open(frame)
			if err != nil || !bytes.Equal(got, message) {
				t.Errorf("Open = %X, %v", got, err)
			}
		})
	}
}

// Computed with OpenSSL through Python's cryptography: sizes around the edges
// of blocks and of the scratch buffer.
func TestCCM(t *testing.T) {
	for _, tt := range []struct {
		size, key int
		tag       string
	}{
		{0, 16, "11144f58d8d8fed9a525c93e14263cfe"},
		{1, 16, "0a262d58835b81525806f12f297a21dc"},
		{16, 16, "d95b5b95cb35b0d5be43dde11b3562d6"},
		{64, 32, "a829c59d9898f2d1a71a2d50ddc3d454"},
		{5000, 16, "5c2ef3373d687050010ef1be503a76ba"},
	} {
		key, nonce, additional := make([]byte, tt.key), make([]byte, 11), make([]byte, 32)
		for i := range key {
			key[i] = byte(i)
		}
		for i := range nonce {
			nonce[i] = byte(i)
		}
		for i := range additional {
			additional[i] = byte(100 + i)
		}
		c := AES128CCM
		if tt.key == 32 {
			c = AES256CCM
		}
		s, err := NewSealer(c, key)
		if err != nil {
			t.Fatal(err)
		}
		var tag [tagSize]byte
		s.aead.seal(&tag, nonce, pattern(tt.size), additional)
		if got := hex.EncodeToString(tag[:]); got != tt.tag {
			t.Errorf("tag of %d bytes = %s, want %s", tt.size, got, tt.tag)
		}
	}
}

var ciphers = []Cipher{AES128CCM, AES128GCM, AES256CCM, AES256GCM}

func TestSealRoundTrip(t *testing.T) {
	for _, c := range ciphers {
		t.Run(c.String(), func(t *testing.T) {
			s, err := NewSealer(c, pattern(c.KeySize()))
			if err != nil {
				t.Fatal(err)
			}
			nonces := map[string]bool{}
			for _, size := range []int{1, 15, 16, 17, 64, 4095, 4096, 4097, 70000} {
				for _, spare := range []int{0, TagSize} {
					frame := make([]byte, TransformSize+size, TransformSize+size+spare)
					copy(frame[TransformSize:], pattern(size))
					s.Seal(frame, 7)
					nonces[string(frame[nonceOffset:sizeOffset])] = true
					if size > 15 && bytes.Contains(frame, pattern(size)[:16]) {
						t.Error("the message can be read in its frame")
					}
					changed := bytes.Clone(frame)
					got, err := s.Open(frame)
					if err != nil || !bytes.Equal(got, pattern(size)) {
						t.Fatalf("size %d, spare %d: Open: %v", size, spare, err)
					}

					changed[len(changed)-1] ^= 1
					if _, err := s.Open(changed); !errors.Is(err, ErrOpen) {
						t.Errorf("Open of a changed frame: %v", err)
					}
					if bytes.Contains(changed, pattern(size)[:size-1]) && size > 1 {
						t.Error("what is not authentic was decrypted")
					}
				}
			}
			if len(nonces) != 18 {
				t.Errorf("18 frames have %d nonces", len(nonces))
			}
		})
	}
}

// Every byte of the frame is authenticated or checked.
func TestOpenNoticesEveryByte(t *testing.T) {
	for _, c := range ciphers {
		s, _ := NewSealer(c, pattern(c.KeySize()))
		frame := make([]byte, TransformSize+80)
		s.Seal(frame, 0x0102030405060708)
		for i := range frame {
			changed := bytes.Clone(frame)
			changed[i] ^= 0x10
			if _, err := s.Open(changed); err == nil {
				t.Errorf("%v: opened with byte %d changed", c, i)
			}
		}
		for _, n := range []int{0, 3, TransformSize - 1, TransformSize, len(frame) - 1} {
			if _, err := s.Open(bytes.Clone(frame[:n])); !errors.Is(err, ErrTransform) {
				t.Errorf("%v: Open of %d bytes: %v", c, n, err)
			}
		}
	}
}

func TestNewSealerChecksItsKey(t *testing.T) {
	for _, tt := range []struct {
		cipher Cipher
		size   int
	}{{0, 0}, {5, 16}, {AES128GCM, 32}, {AES256CCM, 16}, {AES128CCM, 0}} {
		if _, err := NewSealer(tt.cipher, make([]byte, tt.size)); err == nil {
			t.Errorf("NewSealer(%v, %d bytes) succeeds", tt.cipher, tt.size)
		}
	}
}

func TestSealersAreShared(t *testing.T) {
	for _, c := range ciphers {
		s, _ := NewSealer(c, make([]byte, c.KeySize()))
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for n := range 100 {
					frame := make([]byte, TransformSize+1+n)
					s.Seal(frame, 1)
					if _, err := s.Open(frame); err != nil {
						t.Errorf("%v beside other goroutines: %v", c, err)
						return
					}
				}
			})
		}
		wg.Wait()
	}
}

func FuzzOpen(f *testing.F) {
	for _, tt := range sealTests {
		f.Add(hexdump.Bytes(f, tt.frame))
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, frame []byte) {
		for _, c := range ciphers {
			s, _ := NewSealer(c, []byte("a key nobody has guessed, so far")[:c.KeySize()])
			if got, err := s.Open(bytes.Clone(frame)); err == nil {
				t.Fatalf("%v opened %x as %x", c, frame, got)
			}
		}
	})
}

func BenchmarkSeal(b *testing.B) { benchmarkSealer(b, true) }
func BenchmarkOpen(b *testing.B) { benchmarkSealer(b, false) }

func benchmarkSealer(b *testing.B, seal bool) {
	for _, c := range ciphers {
		for _, size := range []int{128, 1 << 20} {
			b.Run(fmt.Sprintf("%v/%d", c, size), func(b *testing.B) {
				s, _ := NewSealer(c, make([]byte, c.KeySize()))
				plain := make([]byte, TransformSize+size, TransformSize+size+TagSize)
				s.Seal(plain, 1)
				frame := append(make([]byte, 0, cap(plain)), plain...)
				b.SetBytes(int64(size))
				for b.Loop() {
					if seal {
						s.Seal(frame, 1)
						continue
					}
					copy(frame, plain)
					if _, err := s.Open(frame); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
