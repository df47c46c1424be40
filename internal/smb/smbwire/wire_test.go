package smbwire_test

import (
	"bytes"
	"encoding/hex"
	"reflect"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/hexdump"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
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

// header stands before a body, so that offsets in it are as on the wire.
var header = make([]byte, smbwire.HeaderSize)

// runWireTests decodes and encodes messages that follow what is in before.
func runWireTests(t *testing.T, before []byte, tests []wireTest) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wire := append(bytes.Clone(before), hexdump.Bytes(t, tt.wire)...)
			got := reflect.New(reflect.TypeOf(tt.want).Elem()).Interface().(message)
			r := cursor.NewReader(wire)
			r.Skip(len(before))
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
			if tt.lenient {
				return
			}
			w := cursor.NewWriter(nil)
			w.Bytes(before)
			tt.want.Encode(w)
			if !bytes.Equal(w.Message(), wire) {
				t.Errorf("Encode =\n%swant\n%s", hex.Dump(w.Message()[len(before):]), hex.Dump(wire[len(before):]))
			}
		})
	}
}

// file is the FileID of the tests, fileHex its bytes.
var file = smbwire.FileID{Persistent: 1, Volatile: 2}

const fileHex = "0100000000000000 0200000000000000"

// FuzzDecode decodes anything as each message. What one accepts it must
// be able to write so that it reads the same again.
func FuzzDecode(f *testing.F) {
	kinds := []struct {
		before []byte
		empty  func() message
		seeds  []wireTest
	}{
		{nil, func() message { return new(smbwire.Header) }, headerTests},
		{nil, func() message { return new(smbwire.TransformHeader) }, transformHeaderTests},
		{nil, func() message { return new(smbwire.SMB1Negotiate) }, smb1NegotiateTests},
		{header, func() message { return new(smbwire.NegotiateRequest) }, negotiateRequestTests},
		{header, func() message { return new(smbwire.NegotiateResponse) }, negotiateResponseTests},
		{header, func() message { return new(smbwire.SessionSetupRequest) }, sessionSetupTests},
		{header, func() message { return new(smbwire.SessionSetupResponse) }, sessionSetupTests},
		{header, func() message { return new(smbwire.EchoRequest) }, emptyTests},
		{header, func() message { return new(smbwire.TreeConnectRequest) }, treeConnectTests},
		{header, func() message { return new(smbwire.TreeConnectResponse) }, treeConnectTests},
		{header, func() message { return new(smbwire.CreateRequest) }, createRequestTests},
		{header, func() message { return new(smbwire.CreateResponse) }, createResponseTests},
		{nil, func() message { return new(smbwire.MaximalAccessRequest) }, contextTests},
		{nil, func() message { return new(smbwire.MaximalAccessResponse) }, contextTests},
		{nil, func() message { return new(smbwire.DiskIDResponse) }, contextTests},
		{nil, func() message { return new(smbwire.AllocationSizeRequest) }, contextTests},
		{nil, func() message { return new(smbwire.TimewarpRequest) }, contextTests},
		{header, func() message { return new(smbwire.CloseRequest) }, closeTests},
		{header, func() message { return new(smbwire.CloseResponse) }, closeTests},
		{header, func() message { return new(smbwire.FlushRequest) }, flushTests},
		{header, func() message { return new(smbwire.ReadRequest) }, readTests},
		{header, func() message { return new(smbwire.ReadResponse) }, readTests},
		{header, func() message { return new(smbwire.WriteRequest) }, writeTests},
		{header, func() message { return new(smbwire.WriteResponse) }, writeTests},
		{header, func() message { return new(smbwire.LockRequest) }, lockTests},
		{header, func() message { return new(smbwire.OplockBreakMessage) }, oplockBreakTests},
		{header, func() message { return new(smbwire.ChangeNotifyRequest) }, changeNotifyTests},
		{header, func() message { return new(smbwire.ChangeNotifyResponse) }, changeNotifyTests},
		{header, func() message { return new(smbwire.IoctlRequest) }, ioctlTests},
		{header, func() message { return new(smbwire.IoctlResponse) }, ioctlTests},
		{nil, func() message { return new(smbwire.ValidateNegotiateInfoRequest) }, validateNegotiateTests},
		{nil, func() message { return new(smbwire.ValidateNegotiateInfoResponse) }, validateNegotiateTests},
		{nil, func() message { return new(smbwire.ObjectID) }, objectIDTests},
		{header, func() message { return new(smbwire.ErrorResponse) }, errorTests},
		{nil, func() message { return new(smbwire.SymlinkError) }, symlinkErrorTests},
	}
	for i, k := range kinds {
		for _, tt := range k.seeds {
			f.Add(uint8(i), hexdump.Bytes(f, tt.wire))
		}
	}
	f.Fuzz(func(t *testing.T, kind uint8, body []byte) {
		k := kinds[int(kind)%len(kinds)]
		decode := func(wire []byte) (message, error) {
			m := k.empty()
			r := cursor.NewReader(wire)
			r.Skip(len(k.before))
			m.Decode(r)
			return m, r.Err()
		}
		first, err := decode(append(bytes.Clone(k.before), body...))
		if err != nil {
			return
		}
		w := cursor.NewWriter(nil)
		w.Bytes(k.before)
		first.Encode(w)
		second, err := decode(w.Message())
		if err != nil {
			t.Fatalf("%#v is written as\n%swhich can't be read: %v", first, hex.Dump(w.Message()), err)
		}
		if !equal(first, second) {
			t.Fatalf("%#v\nis read again as\n%#v", first, second)
		}
	})
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
	case reflect.Pointer:
		if !v.IsNil() {
			emptyToNil(v.Elem())
		}
	}
}
