package status_test

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/status"
)

// TestJSONIsDocumented: docs/status.md has a line for each key, and for nothing else.
func TestJSONIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/status.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(string(text), -1) {
		documented = append(documented, m[1])
	}
	keys := keysOf(reflect.TypeFor[status.Snapshot](), "")
	for _, k := range keys {
		if !slices.Contains(documented, k) {
			t.Errorf("%s is not documented", k)
		}
	}
	for _, d := range documented {
		if !slices.Contains(keys, d) {
			t.Errorf("%s is documented and does not exist", d)
		}
	}
}

// keysOf returns the keys of the JSON of a type: "shares[].names.folders".
func keysOf(typ reflect.Type, prefix string) (keys []string) {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct || !strings.HasSuffix(typ.PkgPath(), "/status") {
		return nil
	}
	for f := range typ.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		key := prefix + name
		if f.Type.Kind() == reflect.Slice {
			key += "[]"
		}
		keys = append(append(keys, key), keysOf(f.Type, key+".")...)
	}
	return keys
}
