package afpwire_test

import (
	"bytes"
	"encoding/hex"
	"reflect"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/hexdump"
)

// message is what all messages of the package are.
type message interface {
	Decode(r *cursor.Reader)
	Encode(w *cursor.Writer)
}

// wireTest is a message and its bytes. Valid ones are decoded and encoded; the
// bytes of all seed the fuzzer.
type wireTest struct {
	name    string
	wire    string // hex; "#" starts a comment
	want    message
	err     string // part of the error of Decode, with an empty want of the right type
	lenient bool   // Decode understands what Encode would write otherwise
}

// fresh returns an empty message of the type of m, but for what is to be set
// before Decode.
func fresh(m message) message {
	old := reflect.ValueOf(m).Elem()
	v := reflect.New(old.Type())
	for _, name := range []string{"Command", "Function", "AFP2"} {
		if f := old.FieldByName(name); f.IsValid() {
			v.Elem().FieldByName(name).Set(f)
		}
	}
	if f := old.FieldByName("Parms"); f.IsValid() {
		if f := f.FieldByName("AFP2"); f.IsValid() {
			v.Elem().FieldByName("Parms").FieldByName("AFP2").Set(f)
		}
	}
	return v.Interface().(message)
}

func encode(m message) []byte {
	w := cursor.NewWriter(nil)
	m.Encode(w)
	return w.Message()
}

// runWireTests decodes and encodes messages.
func runWireTests(t *testing.T, tests []wireTest) {
	t.Helper()
	for _, tt := range tests {
		name := reflect.TypeOf(tt.want).Elem().Name()
		if tt.name != "" {
			name += "/" + tt.name
		}
		t.Run(name, func(t *testing.T) {
			wire := hexdump.Bytes(t, tt.wire)
			got := fresh(tt.want)
			r := cursor.NewReader(wire)
			got.Decode(r)
			if tt.err != "" {
				if err := r.Err(); err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("Decode error = %v, want %q", err, tt.err)
				}
				return
			}
			if err := r.Err(); err != nil {
				t.Fatalf("Decode: %v", err)
			}
			if !equal(got, tt.want) {
				t.Errorf("Decode = %+v\n          want %+v", got, tt.want)
			}
			// A second time, over what the first one left.
			r.Reset(wire)
			if got.Decode(r); r.Err() != nil || !equal(got, tt.want) {
				t.Errorf("Decode again = %+v, %v", got, r.Err())
			}
			if tt.lenient {
				return
			}
			if written := encode(tt.want); !bytes.Equal(written, wire) {
				t.Errorf("Encode =\n%swant\n%s", hex.Dump(written), hex.Dump(wire))
			}
			// Whatever is cut off, nothing is read that is not there.
			for n := range wire {
				r.Reset(wire[:n:n])
				got.Decode(r)
			}
		})
	}
}

// equal is reflect.DeepEqual, except that an empty slice is a nil one.
func equal(a, b message) bool {
	emptyToNil(reflect.ValueOf(a).Elem())
	emptyToNil(reflect.ValueOf(b).Elem())
	return reflect.DeepEqual(a, b)
}

func emptyToNil(v reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		if v.Len() == 0 && v.CanSet() {
			v.SetZero()
		}
		for i := range v.Len() {
			emptyToNil(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			emptyToNil(v.Field(i))
		}
	}
}

// allTests are the messages of all tables.
func allTests() (all []wireTest) {
	for _, tests := range [][]wireTest{
		dsiTests, sessionTests, serverTests, loginTests, userTests, volumeTests, filedirTests, nodeTests,
		listingTests, searchTests, forkTests, extAttrTests, aclTests, desktopTests,
	} {
		all = append(all, tests...)
	}
	return all
}

// TestEveryMessageIsInATable counts the types that can be decoded.
func TestEveryMessageIsInATable(t *testing.T) {
	seen := map[string]bool{}
	for _, tt := range allTests() {
		if tt.err == "" {
			seen[reflect.TypeOf(tt.want).Elem().Name()] = true
		}
	}
	for _, name := range messageNames(t) {
		if !seen[name] {
			t.Errorf("no table has a valid %s", name)
		}
	}
}

// FuzzDecode decodes anything as each message. What one accepts it must be able
// to write so that it reads the same again.
func FuzzDecode(f *testing.F) {
	kinds := allTests()
	for i, tt := range kinds {
		f.Add(uint8(i), hexdump.Bytes(f, tt.wire))
	}
	f.Fuzz(func(t *testing.T, kind uint8, wire []byte) {
		example := kinds[int(kind)%len(kinds)].want
		first := fresh(example)
		r := cursor.NewReader(wire)
		if first.Decode(r); r.Err() != nil {
			return
		}
		written := encode(first)
		second := fresh(first)
		r.Reset(written)
		if second.Decode(r); r.Err() != nil {
			t.Fatalf("%#v is written as\n%swhich can't be read: %v", first, hex.Dump(written), r.Err())
		}
		if !equal(first, second) {
			t.Fatalf("%#v\nis read again as\n%#v", first, second)
		}
	})
}

// FuzzFrame reads frames as a server does: a header, if it passes the payload
// it announces, and the parts of that.
func FuzzFrame(f *testing.F) {
	for _, tt := range dsiTests {
		f.Add(append(hexdump.Bytes(f, tt.wire), "payload"...), uint32(afpwire.DefaultQuantum))
	}
	f.Fuzz(func(t *testing.T, wire []byte, quantum uint32) {
		var h afpwire.Header
		r := cursor.NewReader(wire)
		h.Decode(r)
		if r.Err() != nil || h.Check(quantum) != nil {
			return
		}
		if uint64(h.Length) > uint64(quantum)+afpwire.CommandRoom {
			t.Fatalf("a payload of %d bytes is accepted with a quantum of %d", h.Length, quantum)
		}
		if uint64(h.Length) > uint64(r.Len()) {
			return
		}
		payload := r.Bytes(int(h.Length))
		message, data := h.Parts(payload)
		if len(message)+len(data) != len(payload) {
			t.Fatalf("%d bytes become %d and %d", len(payload), len(message), len(data))
		}
	})
}
